package anthropic_test

import (
	"encoding/json"
	"io"
	"net/http"
	"strings"
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

// The history the API wants: the thought with its signature before the text and the calls, their
// results together in the one user message after them and before anything else in it.
func TestRequest(t *testing.T) {
	temperature := 0.2
	req := &llm.Request{
		System: []llm.Block{{Text: "Be \"brief\"."}, {Text: "Second\nblock.", Cache: true}, {Text: " \n"}},
		Tools: []llm.ToolDecl{
			{Name: "f", Description: "does f", Parameters: json.RawMessage(`{"type":"object","properties":{"n":{"const":1.0}}}`), Strict: true},
			{Name: "g"},
		},
		Messages: []llm.Message{
			llmtest.Say(llm.RoleUser, llm.Text{Text: "context"}, llm.Text{Quoted: json.RawMessage(`"que\u0073tion\n"`)}),
			llmtest.Say(llm.RoleAssistant,
				llm.Reasoning{Text: "hm", Opaque: "anthropic:thinking:c2ln/+=="}, llm.Reasoning{Opaque: "anthropic:redacted:ZGF0YQ=="}, llm.Reasoning{Text: "no signature"},
				llm.Reasoning{Text: "of others", Opaque: "gemini:thought:x"}, llm.Reasoning{Text: "of others", Opaque: "openai:[]"}, llm.Text{Text: "Let me."},
				llm.ToolCall{ID: "a", Name: "f", Args: `{"n": 1.0}`, Opaque: "gemini:sig"}, llm.ToolCall{ID: "b", Name: "g"}),
			llmtest.Say(llm.RoleTool, llm.ToolResult{ID: "a", Content: llm.Text{Text: "one"}}),
			llmtest.Say(llm.RoleTool, llm.ToolResult{ID: "b", Content: llm.Text{Quoted: json.RawMessage(`"two"`)}, IsError: true}),
			llmtest.Say(llm.RoleUser, llm.Text{Text: "and?"}),
			llmtest.Say(llm.RoleAssistant, llm.Text{Quoted: json.RawMessage(`" \n"`)}, llm.ToolCall{ID: "c", Name: "g", Args: "[1]"}),
			llmtest.Say(llm.RoleTool, llm.ToolResult{ID: "c"}),
			llmtest.Say(llm.RoleUser, llm.Text{Text: "see"}, llm.Media{Kind: "image", MimeType: "image/png", Data: "iVBORw0KGgo="}, llm.Media{Kind: "image", URL: "https://x/y"}),
		},
		Choice: llm.ChoiceRequired, MaxTokens: 50, Temperature: &temperature,
		Extra: map[string]json.RawMessage{"metadata": json.RawMessage(`{"user_id":"u"}`), "model": json.RawMessage(`"evil"`), "temperature": json.RawMessage(`1`)},
	}
	llmtest.SameJSON(t, sent(t, sonnet, req), `{
		"model":"claude-sonnet-4-6","stream":true,"max_tokens":50,"temperature":1,"metadata":{"user_id":"u"},
		"tools":[
			{"name":"f","description":"does f","input_schema":{"type":"object","properties":{"n":{"const":1.0}}},"strict":true},
			{"name":"g","input_schema":{"type":"object","properties":{}},"cache_control":{"type":"ephemeral"}}],
		"tool_choice":{"type":"any"},
		"system":[{"type":"text","text":"Be \"brief\"."},{"type":"text","text":"Second\nblock.","cache_control":{"type":"ephemeral"}}],
		"messages":[
			{"role":"user","content":[{"type":"text","text":"context"},{"type":"text","text":"question\n"}]},
			{"role":"assistant","content":[
				{"type":"thinking","thinking":"hm","signature":"c2ln/+=="},{"type":"redacted_thinking","data":"ZGF0YQ=="},{"type":"text","text":"Let me."},
				{"type":"tool_use","id":"a","name":"f","input":{"n":1.0}},{"type":"tool_use","id":"b","name":"g","input":{}}]},
			{"role":"user","content":[
				{"type":"tool_result","tool_use_id":"a","content":"one"},{"type":"tool_result","tool_use_id":"b","content":"two","is_error":true},
				{"type":"text","text":"and?"}]},
			{"role":"assistant","content":[{"type":"tool_use","id":"c","name":"g","input":{"invalid_arguments":"[1]"},"cache_control":{"type":"ephemeral"}}]},
			{"role":"user","content":[
				{"type":"tool_result","tool_use_id":"c"},{"type":"text","text":"see"},
				{"type":"image","source":{"type":"base64","media_type":"image/png","data":"iVBORw0KGgo="}},
				{"type":"image","source":{"type":"url","url":"https://x/y"},"cache_control":{"type":"ephemeral"}}]}
		]}`)
}

// What the model wrote goes back as it was, and what was the same in the last call is so to the
// byte: the cache goes by that.
func TestArgumentsKeepTheirBytes(t *testing.T) {
	messages := []llm.Message{llmtest.Say(llm.RoleUser, llm.Text{Text: "q"}), llmtest.Say(llm.RoleAssistant, llm.ToolCall{ID: "a", Name: "f", Args: `{ "b":1.50, "a":"\u00fc" }`}), llmtest.Say(llm.RoleTool, llm.ToolResult{ID: "a"})}
	body := sent(t, sonnet, &llm.Request{Messages: messages, Tools: []llm.ToolDecl{{Name: "f"}}})
	if !strings.Contains(body, `"input":{ "b":1.50, "a":"\u00fc" }`) {
		t.Error(body)
	}
}

func TestThinking(t *testing.T) {
	own := llmtest.Say(llm.RoleAssistant, llm.Reasoning{Text: "hm", Opaque: "anthropic:thinking:c2ln"}, llm.ToolCall{ID: "a", Name: "f"})
	foreign := llmtest.Say(llm.RoleAssistant, llm.Reasoning{Text: "hm", Opaque: "openai:[]"}, llm.ToolCall{ID: "a", Name: "f"})
	question, result := llmtest.Say(llm.RoleUser, llm.Text{Text: "q"}), llmtest.Say(llm.RoleTool, llm.ToolResult{ID: "a"})
	half := 0.5
	for name, tc := range map[string]struct {
		model string
		req   llm.Request
		want  string // all but model, stream, tools, messages
	}{
		"no effort":            {"claude-sonnet-4-5", llm.Request{Temperature: &half}, `{"max_tokens":16384,"temperature":0.5}`},
		"budget":               {"claude-sonnet-4-5", llm.Request{Effort: "high", Temperature: &half}, `{"max_tokens":32768,"thinking":{"type":"enabled","budget_tokens":16384}}`},
		"small budget":         {"claude-haiku-4-5-20251001", llm.Request{Effort: "low"}, `{"max_tokens":18432,"thinking":{"type":"enabled","budget_tokens":2048}}`},
		"budget beyond limit":  {"claude-opus-4-1", llm.Request{Effort: "high", MaxTokens: 8000}, `{"max_tokens":8000,"thinking":{"type":"enabled","budget_tokens":6000}}`},
		"no room to think":     {"claude-opus-4-1", llm.Request{Effort: "high", MaxTokens: 1000}, `{"max_tokens":1000}`},
		"old model":            {"claude-3-5-haiku-latest", llm.Request{Effort: "high"}, `{"max_tokens":8192}`},
		"oldest model":         {"claude-3-haiku-20240307", llm.Request{}, `{"max_tokens":4096}`},
		"adaptive":             {"claude-opus-4-6", llm.Request{Effort: "medium"}, `{"max_tokens":32768,"thinking":{"type":"adaptive"},"output_config":{"effort":"medium"}}`},
		"adaptive, off":        {"claude-opus-4-6", llm.Request{Temperature: &half}, `{"max_tokens":16384,"temperature":0.5}`},
		"adaptive only":        {"claude-opus-4-8", llm.Request{Effort: "low", Temperature: &half}, `{"max_tokens":32768,"thinking":{"type":"adaptive","display":"summarized"},"output_config":{"effort":"low"}}`},
		"takes no temperature": {"claude-sonnet-5", llm.Request{Temperature: &half}, `{"max_tokens":16384}`},
		"must call a tool":     {"claude-sonnet-4-5", llm.Request{Effort: "high", Choice: llm.ChoiceRequired}, `{"max_tokens":16384,"tool_choice":{"type":"any"}}`},
		"must not call":        {"claude-sonnet-4-5", llm.Request{Choice: llm.ChoiceNone}, `{"max_tokens":16384}`},
		"turn with thoughts":   {"claude-sonnet-4-5", llm.Request{Effort: "low", Messages: []llm.Message{question, own, result}}, `{"max_tokens":18432,"thinking":{"type":"enabled","budget_tokens":2048}}`},
		"turn without":         {"claude-sonnet-4-5", llm.Request{Effort: "low", Messages: []llm.Message{question, foreign, result}}, `{"max_tokens":16384}`},
		"next turn":            {"claude-sonnet-4-5", llm.Request{Effort: "low", Messages: []llm.Message{question, foreign, result, llmtest.Say(llm.RoleAssistant, llm.Text{Text: "a"}), question}}, `{"max_tokens":18432,"thinking":{"type":"enabled","budget_tokens":2048}}`},
		"asked after results":  {"claude-sonnet-4-5", llm.Request{Effort: "low", Messages: []llm.Message{question, foreign, result, question}}, `{"max_tokens":16384}`},
		"another maker's":      {"deepseek-chat", llm.Request{Effort: "low"}, `{"max_tokens":16384}`},
		"set by hand":          {"claude-sonnet-4-5", llm.Request{Effort: "low", Extra: map[string]json.RawMessage{"thinking": json.RawMessage(`{"type":"disabled"}`), "max_tokens": json.RawMessage(`7`)}}, `{"max_tokens":7,"thinking":{"type":"disabled"}}`},
	} {
		tc.req.Tools = []llm.ToolDecl{{Name: "f"}}
		if tc.req.Messages == nil {
			tc.req.Messages = []llm.Message{question}
		}
		body := must.JSON[map[string]json.RawMessage](t, sent(t, anthropic.Config{Model: tc.model}, &tc.req))
		for _, field := range []string{"model", "stream", "tools", "messages"} {
			delete(body, field)
		}
		got, _ := json.Marshal(body)
		t.Run(name, func(t *testing.T) { llmtest.SameJSON(t, string(got), tc.want) })
	}
}

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

// The cache is asked for at the tools, the system blocks that want it and the last two messages,
// four times at most.
func TestBreakpoints(t *testing.T) {
	tools := []llm.ToolDecl{{Name: "f"}, {Name: "g"}}
	cached := func(marks ...bool) (blocks []llm.Block) {
		for _, m := range marks {
			blocks = append(blocks, llm.Block{Text: "b", Cache: m})
		}
		return blocks
	}
	question, answer := llmtest.Say(llm.RoleUser, llm.Text{Text: "q"}), llmtest.Say(llm.RoleAssistant, llm.Text{Text: "a"})
	thought := llmtest.Say(llm.RoleAssistant, llm.Text{Text: "a"}, llm.Reasoning{Opaque: "anthropic:redacted:eA=="})
	for name, tc := range map[string]struct {
		req llm.Request
		// t tools, s system blocks, m messages; capital where one ends with a breakpoint
		want string
	}{
		"all four":               {llm.Request{Tools: tools, System: cached(false, true), Messages: []llm.Message{question, answer, question}}, "tT sS mMM"},
		"more than four":         {llm.Request{Tools: tools, System: cached(true, true, true), Messages: []llm.Message{question, answer, question}}, "tT ssS mMM"},
		"no tools":               {llm.Request{System: cached(true, true, true), Messages: []llm.Message{question, answer, question}}, " sSS mMM"},
		"one message":            {llm.Request{Tools: tools, System: cached(true, true), Messages: []llm.Message{question}}, "tT SS M"},
		"none wanted in between": {llm.Request{Tools: tools, System: cached(false, false), Messages: []llm.Message{question}}, "tT ss M"},
		"not on a thought":       {llm.Request{Messages: []llm.Message{question, thought, question}}, "  mMM"},
		"nothing to mark":        {llm.Request{Messages: []llm.Message{question, llmtest.Say(llm.RoleAssistant, llm.Reasoning{Opaque: "anthropic:redacted:eA=="}), question}}, "  mmM"},
		"nothing at all":         {llm.Request{}, "  "},
	} {
		body := sent(t, sonnet, &tc.req)
		got := must.JSON[struct {
			Tools, System []map[string]any
			Messages      []struct{ Content []map[string]any }
		}](t, body)
		marks := func(letter string, list []map[string]any) (s string) {
			for _, item := range list {
				if item["cache_control"] != nil {
					s += strings.ToUpper(letter)
				} else {
					s += letter
				}
			}
			return s
		}
		s := marks("t", got.Tools) + " " + marks("s", got.System) + " "
		for _, m := range got.Messages {
			s += map[bool]string{true: "M", false: "m"}[strings.Contains(marks("x", m.Content), "X")]
		}
		if s != tc.want || strings.Count(body, "cache_control") > 4 {
			t.Errorf("%s: %q, want %q: %s", name, s, tc.want, body)
		}
	}
}

func TestMessagesAreMadeFit(t *testing.T) {
	for name, tc := range map[string]struct {
		messages []llm.Message
		want     string
	}{
		"one role after the other": {[]llm.Message{llmtest.Say(llm.RoleUser, llm.Text{Text: "a"}), llmtest.Say(llm.RoleUser, llm.Text{Text: "b"})},
			`[{"role":"user","content":[{"type":"text","text":"a"},{"type":"text","text":"b","cache_control":{"type":"ephemeral"}}]}]`},
		"nothing left of one": {[]llm.Message{llmtest.Say(llm.RoleUser, llm.Text{Text: "a"}), llmtest.Say(llm.RoleAssistant, llm.Reasoning{Text: "x", Opaque: "openai:y"}), llmtest.Say(llm.RoleUser, llm.Text{Text: "b"})},
			`[{"role":"user","content":[{"type":"text","text":"a"},{"type":"text","text":"b","cache_control":{"type":"ephemeral"}}]}]`},
		"another maker's ids": {[]llm.Message{llmtest.User("q"), llmtest.Say(llm.RoleAssistant, llm.ToolCall{ID: "functions.f:0", Name: "f", Args: `{"x":`}), llmtest.Say(llm.RoleTool, llm.ToolResult{ID: "functions.f:0"})},
			`[{"role":"user","content":[{"type":"text","text":"q"}]},{"role":"assistant","content":[{"type":"tool_use","id":"functions_f_0_6a46eaf70b95d880","name":"f","input":{"invalid_arguments":"{\"x\":"},"cache_control":{"type":"ephemeral"}}]},
			  {"role":"user","content":[{"type":"tool_result","tool_use_id":"functions_f_0_6a46eaf70b95d880","cache_control":{"type":"ephemeral"}}]}]`},
		"documents": {[]llm.Message{llmtest.Say(llm.RoleUser, llm.Media{Kind: "document", MimeType: "application/pdf", Data: "JVBERi0xLjQK"}, llm.Media{Kind: "document", URL: "https://x/y.pdf", MimeType: "application/pdf"},
			llm.Media{Kind: "document", MimeType: "text/csv", Data: "YSxi", Name: "a.csv"}, llm.Media{Kind: "audio", MimeType: "audio/wav", Data: "AA=="}, llm.Media{Kind: "document", MimeType: "text/plain", Data: "!"})},
			`[{"role":"user","content":[{"type":"document","source":{"type":"base64","media_type":"application/pdf","data":"JVBERi0xLjQK"}},{"type":"document","source":{"type":"url","url":"https://x/y.pdf"}},
			  {"type":"text","text":"<attachment-411ac2621aaaf81f name=\"a.csv\" type=\"text/csv\">\na,b\n</attachment-411ac2621aaaf81f>"},
			  {"type":"text","text":"[The user attached something of the type audio that you cannot be shown.]"},
			  {"type":"text","text":"[The user attached something of the type document that you cannot be shown.]","cache_control":{"type":"ephemeral"}}]}]`},
	} {
		body := sent(t, sonnet, &llm.Request{Messages: tc.messages})
		got := must.JSON[struct{ Messages json.RawMessage }](t, body)
		t.Run(name, func(t *testing.T) { llmtest.SameJSON(t, string(got.Messages), tc.want) })
	}
}

// The API refuses calls in a history where no tool is declared, as in a last step without tools.
func TestToolsOfThePastStayDeclared(t *testing.T) {
	messages := []llm.Message{llmtest.Say(llm.RoleUser, llm.Text{Text: "q"}), llmtest.Say(llm.RoleAssistant, llm.ToolCall{ID: "a", Name: "f"}, llm.ToolCall{ID: "b", Name: "f"}), llmtest.Say(llm.RoleTool, llm.ToolResult{ID: "a"}, llm.ToolResult{ID: "b"})}
	body := sent(t, sonnet, &llm.Request{Messages: messages})
	if !strings.Contains(body, `"tools":[{"name":"f","input_schema":{"type":"object","properties":{}},"cache_control":{"type":"ephemeral"}}],"tool_choice":{"type":"none"}`) {
		t.Error(body)
	}
}

func TestHeaders(t *testing.T) {
	var got *http.Request
	cfg := anthropic.Config{
		BaseURL: "https://host/v1/", Model: "m", APIKey: " key\n", Headers: http.Header{"anthropic-beta": {"a,b"}, "X-Api-Key": {"no"}},
		HTTPClient: &http.Client{Transport: llmtest.Transport(func(r *http.Request) (*http.Response, error) {
			got = r
			return &http.Response{StatusCode: 200, Body: io.NopCloser(strings.NewReader(llmtest.SSE(started, finish("end_turn")))), Request: r}, nil
		})},
	}
	if a := llmtest.Ask(t, t.Context(), anthropic.New(cfg), llmtest.Hello); a.Err != nil {
		t.Fatal(a.Err)
	}
	if got.URL.String() != "https://host/v1/messages" || got.Method != "POST" || got.Header.Get("X-Api-Key") != "key" || got.Header.Get("Anthropic-Version") != "2023-06-01" ||
		got.Header.Get("Anthropic-Beta") != "a,b" || got.Header.Get("Content-Type") != "application/json" || got.Header.Get("Accept-Encoding") != "identity" {
		t.Errorf("%s %s %v", got.Method, got.URL, got.Header)
	}
}
