package openai_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/pageside/pageside/llm"
	"github.com/pageside/pageside/llm/llmtest"
	"github.com/pageside/pageside/llm/openai"
)

const ephemeral = `"cache_control":{"type":"ephemeral"}`

// TestBreakpointsKeepThePrefix: as a thread grows, what was sent before is sent again, breakpoints
// apart: only then is anything read from the cache.
func TestBreakpointsKeepThePrefix(t *testing.T) {
	sent := func(turns int) string {
		req := &llm.Request{System: []llm.Block{{Text: "Stable.", Cache: true}}}
		for i := range turns {
			req.Messages = append(req.Messages, llmtest.Say(llm.RoleUser, llm.Text{Text: fmt.Sprint("question ", i)}), llmtest.Say(llm.RoleAssistant, llm.Text{Text: fmt.Sprint("answer ", i)}))
		}
		body := llmtest.Sent(t, func(client *http.Client) llm.Model {
			return openai.New(openai.Config{Provider: "openrouter", BaseURL: "https://openrouter.ai/api/v1", Model: "anthropic/claude-haiku-4.5", HTTPClient: client})
		}, "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"a\"},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n", req)
		// a string is the same as its only part
		body = strings.ReplaceAll(body, ","+ephemeral, "")
		body = strings.NewReplacer(`"content":[{"type":"text","text":`, `"content":`, `"}]}`, `"}`).Replace(body)
		return body
	}
	before := strings.TrimRight(sent(3), "]}")
	if after := sent(4); !strings.HasPrefix(after, before) {
		t.Errorf("%s\ndoes not begin with\n%s", after, before)
	}
}
