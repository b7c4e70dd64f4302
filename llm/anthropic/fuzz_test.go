package anthropic_test

import (
	"encoding/json"
	"testing"

	"github.com/pageside/pageside/llm"
	"github.com/pageside/pageside/llm/anthropic"
)

// FuzzStream checks that no bytes, cut in any way, break the rules of a stream; ask checks those.
func FuzzStream(f *testing.F) {
	f.Add([]byte(sse(started, start(0, textStart), delta(0, textDelta("a")), stop(0), start(1, toolStart("a", "f")), delta(1, argsDelta("{}")), stop(1), finish("tool_use"), stopped)), uint8(5))
	f.Add([]byte(sse(started, start(0, `"type":"thinking","thinking":"a","signature":"b"`), delta(0, `"type":"signature_delta","signature":"c"`), stop(0), finish("max_tokens"))), uint8(2))
	f.Add([]byte(sse(started, start(0, `"type":"redacted_thinking","data":"a"`), started, start(0, toolStart("", "f")), finish("end_turn"))), uint8(9))
	f.Add([]byte(sse(`{"type":"error","error":{"type":"overloaded_error","message":"x"}}`)), uint8(1))
	f.Add([]byte(`{"type":"message","content":[{"type":"text","text":"a"}],"stop_reason":"end_turn"}`), uint8(100))
	f.Fuzz(func(t *testing.T, body []byte, n uint8) {
		m := model(respondWith(200, nil, &cutReader{data: body, n: int(n) + 1}))
		a := ask(t, t.Context(), m, hello)
		whole := ask(t, t.Context(), model(respondWith(200, nil, &cutReader{data: body, n: len(body) + 1})), hello)
		if a.text != whole.text || a.reasoning != whole.reasoning || len(a.calls) != len(whole.calls) || a.finish != whole.finish || a.kind() != whole.kind() {
			t.Fatalf("cut: %+v; whole: %+v", a, whole)
		}
	})
}

// FuzzRequest checks that whatever a history holds becomes a request that is JSON, with four breakpoints at most.
func FuzzRequest(f *testing.F) {
	f.Add("text", "thought", "anthropic:thinking:x", "id", `{"a":1}`, "image/png", uint8(3))
	f.Add("", "\xff", "anthropic:redacted:x", "", `{"a":`, "text/plain", uint8(200))
	f.Fuzz(func(t *testing.T, text, thought, opaque, id, args, mime string, kinds uint8) {
		all := []llm.Message{
			{Role: llm.RoleUser, Content: []llm.Content{llm.Text{Text: text}, llm.Media{Kind: "document", MimeType: mime, Data: text}}},
			{Role: llm.RoleAssistant, Content: []llm.Content{llm.Reasoning{Text: thought, Opaque: opaque}, llm.Text{Text: text}, llm.ToolCall{ID: id, Name: "f", Args: args, Opaque: opaque}}},
			{Role: llm.RoleTool, Content: []llm.Content{llm.ToolResult{ID: id, Content: llm.Text{Text: text}, IsError: true}}},
			{Role: llm.RoleAssistant, Content: []llm.Content{llm.Reasoning{Text: thought, Opaque: opaque}, llm.Text{Text: text}}},
		}
		req := &llm.Request{System: []llm.Block{{Text: text, Cache: true}, {Text: thought, Cache: true}}, Effort: text}
		for i, m := range all {
			if kinds&(1<<i) == 0 {
				req.Messages = append(req.Messages, m)
			}
		}
		body := sent(t, sonnet, req)
		var got map[string]json.RawMessage
		if err := json.Unmarshal([]byte(body), &got); err != nil || got["messages"] == nil {
			t.Fatalf("%v: %s", err, body)
		}
		if n := anthropic.Breakpoints(got); n > 4 {
			t.Fatalf("%d breakpoints: %s", n, body)
		}
	})
}
