package openai_test

import (
	"strings"
	"testing"

	"github.com/pageside/pageside/llm"
	"github.com/pageside/pageside/llm/llmtest"
	"github.com/pageside/pageside/llm/openai"
	"github.com/pageside/pageside/test/must"
)

func TestReasoningDetailsComeBack(t *testing.T) {
	body := llmtest.SSE(
		delta(`"reasoning":"a","reasoning_details":[{"type":"reasoning.text","text":"a","index":0,"format":"f"}]`),
		delta(`"reasoning":"b","reasoning_details":[{"type":"reasoning.text","text":"b","index":0,"format":null}]`),
		delta(`"reasoning_details":[{"type":"reasoning.text","signature":"sig","index":0},{"type":"reasoning.encrypted","data":"x","index":1}]`),
		delta(`"content":"c"`), finish("stop"), "[DONE]")
	m := openai.New(openai.Config{Provider: "openrouter", Model: "m", HTTPClient: llmtest.Streaming(strings.NewReader(body))})
	a := llmtest.Ask(t, t.Context(), m, llmtest.Hello)
	const tag = "openai:details@api.openai.com:"
	want := `[{"format":"f","index":0,"signature":"sig","text":"ab","type":"reasoning.text"},{"data":"x","index":1,"type":"reasoning.encrypted"}]`
	if a.Reasoning != "ab" || a.Opaque[0] != tag+want {
		t.Fatalf("got %v", a.Opaque)
	}
	req := &llm.Request{Messages: []llm.Message{{Role: llm.RoleAssistant, Content: []llm.Content{llm.Reasoning{Text: "ab", Opaque: tag + want}, llm.Text{Text: "c"}}}}}
	must.Have(t, sent(t, openai.Config{Provider: "openrouter", Model: "m"}, req), `"reasoning_details":`+want, "sent")
	if got := sent(t, openai.Config{Model: "m"}, req); strings.Contains(got, "reasoning_details") {
		t.Errorf("sent to another provider: %s", got)
	}
}

// A Pause stands exactly where the adapter must read again after it has emitted something.
func TestPause(t *testing.T) {
	vendor.Pauses(t, "a b | c | d .", llmtest.SSE(delta(`"content":"a"`), delta(`"content":"b"`)), ": keep-alive\n\n",
		llmtest.SSE(delta(`"content":"c"`))+"data: {\"cho", `ices":[{"delta":{"content":"d"}}]}`+"\n\n"+llmtest.SSE(finish("stop"), "[DONE]"))
}
