package openai_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/pageside/pageside/llm"
	"github.com/pageside/pageside/llm/llmtest"
	"github.com/pageside/pageside/llm/openai"
	"github.com/pageside/pageside/test/must"
)

const ephemeral = `"cache_control":{"type":"ephemeral"}`

// TestBreakpoints: Claude behind OpenRouter is told what to cache, within the four breakpoints that
// it takes and never in a result of a tool; nobody else is told.
func TestBreakpoints(t *testing.T) {
	req := &llm.Request{
		System: []llm.Block{{Text: "Stable.", Cache: true}, {Text: "Page."}, {Text: "Place.", Cache: true}, {Text: "Scope.", Cache: true}},
		Messages: []llm.Message{
			llmtest.Say(llm.RoleUser, llm.Text{Text: "first"}),
			llmtest.Say(llm.RoleAssistant, llm.Text{Text: "I look."}, llm.ToolCall{ID: "c", Name: "look", Args: "{}"}),
			llmtest.Say(llm.RoleTool, llm.ToolResult{ID: "c", Content: llm.Text{Text: "seen"}}),
			llmtest.Say(llm.RoleUser, llm.Text{Text: "this"}, llm.Media{Kind: "image", MimeType: "image/png", Data: "iVBORw0KGgo="}),
		},
	}
	body := func(cfg openai.Config) string {
		return llmtest.Sent(t, func(client *http.Client) llm.Model {
			cfg.BaseURL, cfg.HTTPClient, cfg.Abilities.Images = "https://openrouter.ai/api/v1", client, new(true)
			return openai.New(cfg)
		}, "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"a\"},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n", req)
	}
	got := body(openai.Config{Provider: "openrouter", Model: "anthropic/claude-haiku-4.5"})
	for _, want := range []string{
		`{"type":"text","text":"Stable."},{"type":"text","text":"\n\nPage."},{"type":"text","text":"\n\nPlace.",` + ephemeral + `},{"type":"text","text":"\n\nScope.",` + ephemeral + `}`,
		`"role":"user","content":"first"`,
		`"role":"assistant","content":[{"type":"text","text":"I look.",` + ephemeral + `}]`,
		`"content":"seen"`,
		`{"type":"text","text":"this",` + ephemeral + `},{"type":"image_url"`,
	} {
		if !strings.Contains(got, want) {
			t.Errorf("%s is not in %s", want, got)
		}
	}
	must.Be(t, strings.Count(got, ephemeral), 4, "breakpoints")
	for _, cfg := range []openai.Config{{Provider: "openrouter", Model: "qwen/qwen3-coder"}, {Provider: "together", Model: "claude"}} {
		if got := body(cfg); strings.Contains(got, "cache_control") || !strings.Contains(got, `"content":"Stable.\n\nPage.`) {
			t.Errorf("%+v is sent %s", cfg, got)
		}
	}
}

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
