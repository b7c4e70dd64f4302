package anthropic_test

import (
	"encoding/json"
	"testing"

	"github.com/pageside/pageside/llm"
	"github.com/pageside/pageside/llm/anthropic"
	"github.com/pageside/pageside/llm/llmtest"
	"github.com/pageside/pageside/test/must"
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

// FuzzRequest checks that whatever a history holds becomes a request with four breakpoints at most.
func FuzzRequest(f *testing.F) {
	llmtest.FuzzRequest(f, func(t testing.TB, req *llm.Request) string {
		body := sent(t, sonnet, req)
		if n := anthropic.Breakpoints(must.JSON[map[string]json.RawMessage](t, body)); n > 4 {
			t.Fatalf("%d breakpoints: %s", n, body)
		}
		return body
	}, "anthropic:thinking:x", "anthropic:redacted:x")
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
