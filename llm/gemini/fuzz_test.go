package gemini_test

import (
	"encoding/json"
	"testing"

	"github.com/pageside/pageside/llm"
	"github.com/pageside/pageside/llm/gemini"
	"github.com/pageside/pageside/llm/llmtest"
)

// FuzzStream checks that no bytes, cut in any way, break the rules of a stream; ask checks those.
// Arguments stay JSON.
func FuzzStream(f *testing.F) {
	f.Add([]byte(llmtest.SSE(chunk(text("a")), chunk(called("f", `{"a":1}`)), chunk(`{"text":"b","thought":true,"thoughtSignature":"s"}`), finish("STOP"))), uint8(5))
	f.Add([]byte(llmtest.SSE(`{"error":{"code":429,"message":"x","details":[{"retryDelay":"3s"}]}}`)), uint8(1))
	f.Add([]byte(`[`+chunk(text("a"))+`,`+finish("MAX_TOKENS")+`]`), uint8(100))
	f.Fuzz(func(t *testing.T, body []byte, n uint8) {
		for _, c := range vendor.FuzzStream(t, body, n).Calls {
			if c.Ended && !json.Valid([]byte(c.Args)) {
				t.Fatalf("arguments that are not JSON: %+v", c)
			}
		}
	})
}

// FuzzSchema checks that what is left of a schema is JSON, and that cutting it again changes
// nothing.
func FuzzSchema(f *testing.F) {
	f.Add([]byte(`{"type":"object","properties":{"a":{"const":1,"exclusiveMinimum":0},"b":{"allOf":[{"$ref":"#/definitions/B"}]}},"definitions":{"B":{"enum":["x",null]}},"required":["a","c"]}`))
	f.Fuzz(func(t *testing.T, schema []byte) {
		cut := gemini.CutSchema(schema)
		if cut == nil {
			return
		}
		if !json.Valid(cut) {
			t.Fatalf("not JSON: %s", cut)
		}
		if again := gemini.CutSchema(cut); again != nil && string(again) != string(cut) {
			t.Fatalf("cut again: %s, before %s", again, cut)
		}
	})
}

func FuzzRequest(f *testing.F) {
	llmtest.FuzzRequest(f, func(t testing.TB, req *llm.Request) string {
		return sent(t, gemini.Config{Model: "gemini-3-flash"}, req)
	}, "gemini:thought:x", "gemini:text:x")
}
