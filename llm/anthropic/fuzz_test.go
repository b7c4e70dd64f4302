package anthropic_test

import (
	"encoding/json"
	"testing"

	"github.com/pageside/pageside/llm"
	"github.com/pageside/pageside/llm/anthropic"
	"github.com/pageside/pageside/llm/llmtest"
)

// FuzzStream checks that no bytes, cut in any way, break the rules of a stream; ask checks those.
func FuzzStream(f *testing.F) {
	f.Add([]byte(llmtest.SSE(started, start(0, textStart), delta(0, textDelta("a")), stop(0), start(1, toolStart("a", "f")), delta(1, argsDelta("{}")), stop(1), finish("tool_use"), stopped)), uint8(5))
	f.Add([]byte(llmtest.SSE(started, start(0, `"type":"thinking","thinking":"a","signature":"b"`), delta(0, `"type":"signature_delta","signature":"c"`), stop(0), finish("max_tokens"))), uint8(2))
	f.Add([]byte(llmtest.SSE(started, start(0, `"type":"redacted_thinking","data":"a"`), started, start(0, toolStart("", "f")), finish("end_turn"))), uint8(9))
	f.Add([]byte(llmtest.SSE(`{"type":"error","error":{"type":"overloaded_error","message":"x"}}`)), uint8(1))
	f.Add([]byte(`{"type":"message","content":[{"type":"text","text":"a"}],"stop_reason":"end_turn"}`), uint8(100))
	f.Fuzz(func(t *testing.T, body []byte, n uint8) { vendor.FuzzStream(t, body, n) })
}

// FuzzRequest checks that whatever a history holds becomes a request that is JSON, with four
// breakpoints at most.
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

// FuzzMemo checks that what is remembered of a delta never changes what the next one says: a ping
// between them makes it forget.
func FuzzMemo(f *testing.F) {
	deltas := []string{
		delta(0, textDelta("a")), delta(0, textDelta(`b"}}`)), delta(1, textDelta("a")), delta(0, `"type":"thinking_delta","thinking":"a"`), delta(1, argsDelta("a")),
		`{"type":"content_block_delta","index":0,"delta":{"text":"text_delta","type":"text_delta"}}`, `{"delta":{"type":"text_delta","text":"a"},"type":"content_block_delta","index":0}`,
		`{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"a"}     }`, stop(0), finish("end_turn"), `{"type":"error","error":{}}`,
	}
	for _, a := range deltas {
		for _, b := range deltas {
			f.Add(a, b, uint8(len(a)/2), `","text":"`)
		}
	}
	f.Fuzz(func(t *testing.T, a, b string, at uint8, insert string) {
		i := min(int(at), len(a))
		changed := a[:i] + insert + a[i:] // much like a, or the same
		for _, doc := range []string{a, b, changed} {
			if !json.Valid([]byte(doc)) {
				return // the shortcut does not look at what it skips
			}
		}
		begun := []string{started, start(0, textStart), start(1, toolStart("x", "f"))}
		used := play(t, llmtest.SSE(append(begun, a, b, a, changed, a)...))
		fresh := play(t, llmtest.SSE(append(begun, a, ping, b, ping, a, ping, changed, ping, a)...))
		if used.Text != fresh.Text || used.Reasoning != fresh.Reasoning || used.Kind() != fresh.Kind() || len(used.Calls) != len(fresh.Calls) || (len(used.Calls) > 0 && used.Calls[0] != fresh.Calls[0]) {
			t.Fatalf("%q %q %q: remembering %+v, not %+v", a, b, changed, used, fresh)
		}
	})
}
