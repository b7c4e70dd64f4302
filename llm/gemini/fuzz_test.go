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

// FuzzRequest checks that whatever a history holds becomes a request that is JSON.
func FuzzRequest(f *testing.F) {
	f.Add("text", "thought", "gemini:thought:x", "id", `{"a":1}`, uint8(3))
	f.Add("", "\xff", "gemini:text:x", "", `{"a":`, uint8(200))
	f.Fuzz(func(t *testing.T, text, thought, opaque, id, args string, kinds uint8) {
		all := []llm.Message{
			{Role: llm.RoleUser, Content: []llm.Content{llm.Text{Text: text}, llm.Media{Kind: "image", MimeType: thought, Data: text, URL: id}}},
			{Role: llm.RoleAssistant, Content: []llm.Content{llm.Reasoning{Text: thought, Opaque: opaque}, llm.Text{Text: text}, llm.ToolCall{ID: id, Name: "f", Args: args, Opaque: opaque}}},
			{Role: llm.RoleTool, Content: []llm.Content{llm.ToolResult{ID: id, Content: llm.Text{Text: text}, IsError: true}}},
			{Role: llm.RoleAssistant, Content: []llm.Content{llm.Reasoning{Text: thought, Opaque: opaque}, llm.Text{Text: text}}},
		}
		req := &llm.Request{System: []llm.Block{{Text: text}}, Effort: text}
		for i, m := range all {
			if kinds&(1<<i) == 0 {
				req.Messages = append(req.Messages, m)
			}
		}
		sent(t, gemini.Config{Model: "gemini-3-flash"}, req)
	})
}
