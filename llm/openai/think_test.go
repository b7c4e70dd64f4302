package openai_test

import (
	"strings"
	"testing"

	"github.com/pageside/pageside/internal/jsonx"
	"github.com/pageside/pageside/llm"
	"github.com/pageside/pageside/llm/llmtest"
	"github.com/pageside/pageside/llm/openai"
	"github.com/pageside/pageside/test/must"
)

// TestThoughtsInTags: thoughts that a server leaves in the text, in tags at its very beginning, are
// reasoning, however the text is cut. Anywhere else, tags are text.
func TestThoughtsInTags(t *testing.T) {
	for said, want := range map[string][2]string{
		"<think>secret plan</think>Visible.":      {"secret plan", "Visible."},
		"\n <think>\na < b\n</think>\n\nVisible.": {"\na < b\n", "Visible."},
		"<think>never </thinks ended":             {"never </thinks ended", ""},
		"<think></think>Visible.":                 {"", "Visible."},
		"<think>a</think>b<think>c</think>":       {"a", "b<think>c</think>"},
		"Use <think>x</think> tags.":              {"", "Use <think>x</think> tags."},
		"<thinking>x</thinking>":                  {"", "<thinking>x</thinking>"},
		"  <thi":                                  {"", "  <thi"},
		"<div>a</div>":                            {"", "<div>a</div>"},
	} {
		for _, size := range []int{1, 3, len(said)} {
			var events []string
			for rest := said; rest != ""; {
				n := min(size, len(rest))
				events, rest = append(events, delta(`"content":`+string(jsonx.AppendString(nil, rest[:n])))), rest[n:]
			}
			a := play(t, llmtest.SSE(append(events, finish("stop"), "[DONE]")...))
			if a.Err != nil || a.Reasoning != want[0] || a.Text != want[1] {
				t.Errorf("%q in pieces of %d: %v, thoughts %q, text %q", said, size, a.Err, a.Reasoning, a.Text)
			}
		}
	}
}

// TestRequiredToolsFallBack to a free choice where a model that thinks refuses to be told, and then
// for good. Other refusals do not.
func TestRequiredToolsFallBack(t *testing.T) {
	for refusal, requests := range map[string]int{
		`{"error":{"message":"Thinking mode does not support this tool_choice","type":"invalid_request_error","param":null,"code":"invalid_request_error"}}`: 3,
		`{"error":{"message":"no good"}}`: 2,
	} {
		var sent []string
		client := llmtest.Recorder(&sent, func(body string) (int, string) {
			if strings.Contains(body, `"tool_choice":"required"`) {
				return 400, refusal
			}
			return 200, llmtest.SSE(delta(`"content":"a"`), finish("stop"), "[DONE]")
		})
		m := openai.New(openai.Config{Provider: "deepseek", BaseURL: "http://x/v1", Model: "deepseek-v4-flash", HTTPClient: client})
		for range 2 {
			a := llmtest.Ask(t, t.Context(), m, &llm.Request{Choice: llm.ChoiceRequired, Tools: []llm.ToolDecl{{Name: "f"}}, Messages: llmtest.Hello.Messages})
			if (a.Err == nil) != (requests == 3) {
				t.Errorf("%s: %v", refusal, a.Err)
			}
		}
		must.Be(t, len(sent), requests, "%s: requests", refusal)
	}
}
