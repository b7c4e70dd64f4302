package openai_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/pageside/pageside/llm"
	"github.com/pageside/pageside/llm/llmtest"
	"github.com/pageside/pageside/llm/openai"
	"github.com/pageside/pageside/test/must"
)

// How hard to think is left out where a server refuses it after all, in whatever words, and then
// for good.
func TestEffortIsLeftOutWhereItIsRefused(t *testing.T) {
	for _, refusal := range []string{
		`{"error":{"message":"Unrecognized request argument supplied: reasoning_effort","type":"invalid_request_error","param":null,"code":null}}`,
		`{"error":{"message":"Unsupported value.","type":"invalid_request_error","param":"reasoning_effort","code":"unsupported_value"}}`,
		`{"error":{"param":"reasoning_effort"}}`,
		`{"error":"\"llama3.2\" does not support thinking"}`,
		`{"detail":[{"type":"extra_forbidden","loc":["body","reasoning_effort"],"msg":"Extra inputs are not permitted","input":"low"}]}`,
		`{"object":"error","message":{"detail":[{"type":"extra_forbidden","loc":["body","reasoning_effort"],"msg":"Extra inputs are not permitted"}]},"type":"invalid_request_error"}`,
	} {
		var sent []string
		client := llmtest.Recorder(&sent, func(body string) (int, string) {
			if strings.Contains(body, "reasoning_effort") {
				return 400, refusal
			}
			return 200, llmtest.SSE(delta(`"content":"a"`), finish("stop"), "[DONE]")
		})
		m := openai.New(openai.Config{Provider: "vllm", BaseURL: "http://x/v1", Model: "m", Abilities: llm.Profile{Reasoning: new(true)}, HTTPClient: client})
		for range 2 {
			if a := llmtest.Ask(t, t.Context(), m, &llm.Request{Effort: "low", Messages: llmtest.Hello.Messages}); a.Err != nil || a.Text != "a" {
				t.Fatalf("%s: %v", refusal, a.Err)
			}
		}
		must.Be(t, len(sent), 3, "%s: requests", refusal)
	}
}

// The error names the tool whose schema was refused, and nothing else of what the provider said.
func TestRefusedToolIsNamed(t *testing.T) {
	req := &llm.Request{Messages: llmtest.Hello.Messages, Tools: []llm.ToolDecl{{Name: "first"}, {Name: "second.tool"}}}
	refused := func(message, param string) string {
		raw, _ := json.Marshal(map[string]any{"error": map[string]any{"message": message, "param": param, "type": "invalid_request_error", "code": "invalid_function_parameters"}})
		return string(raw)
	}
	for body, want := range map[string]string{
		refused("Invalid schema for function 'first': In context=(), object schema missing properties. sk-secret", "tools[0].function.parameters"): `: it does not take the schema of the tool "first"`,
		refused("no good", "tools[1].function.parameters"): `: it does not take the schema of the tool "second.tool"`,
		refused("no good", "tools[1].name"):                `: it refused the declaration of the tool "second.tool"`,
		refused("no good", "tools[7].function.parameters"): ``,
		refused("Invalid schema for function 'evil'", ""):  ``,
		refused("the word 'first' is banned", "messages"):  ``,
	} {
		client := llmtest.RespondWith(400, llmtest.JSONBody, strings.NewReader(body))
		a := llmtest.Ask(t, t.Context(), vendor.Model(client), req)
		if got := "the provider refused the request, status 400 (invalid_function_parameters)" + want; a.Err == nil || a.Err.Message != got {
			t.Errorf("%s: %v, want %s", body, a.Err, got)
		}
	}
}
