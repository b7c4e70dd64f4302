package openai_test

import (
	"slices"
	"testing"

	"github.com/pageside/pageside/llm"
	"github.com/pageside/pageside/llm/llmtest"
	"github.com/pageside/pageside/llm/openai"
)

// FuzzMemo checks that what a decoder remembers of earlier chunks never changes what it reads.
func FuzzMemo(f *testing.F) {
	chunks := []string{
		usual, delta(`"content":"a"`), delta(`"reasoning":"a"`), delta(`"content":"","reasoning":"a"`), piece(`{"index":0,"function":{"arguments":"a"}}`),
		piece(`{"index":1,"function":{"arguments":"a"}}`), piece(`{"index":0,"id":"a","function":{"arguments":"a"}}`), delta(`"content":"a","refusal":"b"`),
		delta(`"reasoning":"a","reasoning_details":[{"text":"b"}]`), delta(`"reasoning":"","reasoning_details":[{"text":"b"}]`), finish("stop"), `{"error":"a"}`,
	}
	for _, a := range chunks {
		for _, b := range chunks {
			f.Add([]byte(a), []byte(b), uint16(0), []byte(`","b":"`))
			f.Add([]byte(a), []byte(a), uint16(len(a)/2), []byte(b))
		}
	}
	f.Fuzz(func(t *testing.T, a, b []byte, at uint16, insert []byte) {
		i := int(at) % (len(a) + 1)
		changed := slices.Concat(a[:i], insert, a[i:]) // much like a, or the same
		for _, data := range [][]byte{a, b, changed} {
			if used, fresh := openai.DecodeAfter([][]byte{a, b, changed, a}, data); used != fresh {
				t.Fatalf("%s\nafter others: %s\n       fresh: %s", data, used, fresh)
			}
			if used, fresh := openai.DecodeAfter([][]byte{a, b}, data); used != fresh {
				t.Fatalf("%s\nafter others: %s\n       fresh: %s", data, used, fresh)
			}
		}
	})
}

// FuzzStream checks that no bytes, cut in any way, break the rules of a stream; ask checks those.
func FuzzStream(f *testing.F) {
	f.Add([]byte(llmtest.SSE(delta(`"content":"a"`), piece(`{"index":0,"id":"a","function":{"name":"f","arguments":"{}"}}`), finish("tool_calls"), "[DONE]")), uint8(5))
	f.Add([]byte(llmtest.SSE(`{"error":{"message":"x","code":429}}`)), uint8(1))
	f.Add([]byte(`{"choices":[{"message":{"content":"a"},"finish_reason":"stop"}]}`), uint8(100))
	f.Fuzz(func(t *testing.T, body []byte, n uint8) { vendor.FuzzStream(t, body, n) })
}

func FuzzRequest(f *testing.F) {
	llmtest.FuzzRequest(f, func(t testing.TB, req *llm.Request) string {
		return sent(t, openai.Config{Provider: "openrouter", Model: "m"}, req)
	}, "openai:details@api.openai.com:[{}]", "openai:extra@api.openai.com:{}")
}

func FuzzResponsesRequest(f *testing.F) {
	llmtest.FuzzRequest(f, func(t testing.TB, req *llm.Request) string {
		return sent(t, openai.Config{Model: "gpt-5", Responses: true}, req)
	}, itemsTag+`{"type":"reasoning"}`)
}
