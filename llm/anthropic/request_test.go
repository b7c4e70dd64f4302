package anthropic_test

import (
	"net/http"
	"testing"

	"github.com/pageside/pageside/llm"
	"github.com/pageside/pageside/llm/anthropic"
	"github.com/pageside/pageside/llm/llmtest"
	"github.com/pageside/pageside/test/must"
)

// sent returns the body a request becomes.
func sent(t testing.TB, cfg anthropic.Config, req *llm.Request) string {
	t.Helper()
	create := func(client *http.Client) llm.Model { cfg.HTTPClient = client; return anthropic.New(cfg) }
	return llmtest.Sent(t, create, llmtest.SSE(started, start(0, textStart), finish("end_turn"), stopped), req)
}

var sonnet = anthropic.Config{Model: "claude-sonnet-4-6"}

// TestNoToolsKeepTheCache: a call without tools begins like those with them, since another
// tool_choice loses what is cached of the messages. A model that calls one all the same is not
// trusted again.
func TestNoToolsKeepTheCache(t *testing.T) {
	var bodies []string
	calls := llmtest.SSE(started, start(0, toolStart("x", "f")), stop(0), finish("tool_use"), stopped)
	m := anthropic.New(anthropic.Config{Model: "claude-sonnet-4-5", HTTPClient: llmtest.Recorder(&bodies, func(string) (int, string) { return http.StatusOK, calls })})
	free := llm.Request{Tools: []llm.ToolDecl{{Name: "f"}}, Messages: []llm.Message{llmtest.Say(llm.RoleUser, llm.Text{Text: "q"})}}
	none := free
	none.Choice = llm.ChoiceNone
	for _, req := range []*llm.Request{&free, &none, &none, &free} {
		if a := llmtest.Ask(t, t.Context(), m, req); a.Err != nil {
			t.Fatal(a.Err)
		}
	}
	if bodies[1] != bodies[0] || bodies[3] != bodies[0] {
		t.Errorf("it is told in the request:\n%s\n%s\n%s", bodies[0], bodies[1], bodies[3])
	}
	must.Have(t, bodies[2], `"tool_choice":{"type":"none"}`, "a model that called a tool is told no more")
}

func TestHeaders(t *testing.T) {
	cfg := anthropic.Config{
		BaseURL: "https://host/v1/", Model: "m", APIKey: " key\n", Headers: http.Header{"anthropic-beta": {"a,b"}, "X-Api-Key": {"no"}},
	}
	create := func(client *http.Client) llm.Model { cfg.HTTPClient = client; return anthropic.New(cfg) }
	got := llmtest.Asked(t, create, vendor.Said+vendor.Over)
	must.Be(t, got.Method+" "+got.URL.String(), "POST https://host/v1/messages", "the request")
	llmtest.HasHeaders(t, got, map[string]string{
		"X-Api-Key": "key", "Anthropic-Version": "2023-06-01", "Anthropic-Beta": "a,b",
		"Content-Type": "application/json", "Accept-Encoding": "identity",
	})
}
