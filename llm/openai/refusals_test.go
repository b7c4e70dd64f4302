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

// Some servers send what was said so far beside each piece of it, some all of it at the end, and
// some nothing else.
func TestDeltaAndMessage(t *testing.T) {
	choice := func(fields string) string { return `{"choices":[{"index":0,` + fields + `}]}` }
	text := func(s string) string { return `{"role":"assistant","content":"` + s + `"}` }
	call := func(args string) string {
		return `{"role":"assistant","content":null,"tool_calls":[{"index":0,"id":"a","function":{"name":"f","arguments":"` + args + `"}}]}`
	}
	for name, tc := range map[string]struct {
		chunks     []string
		text, args string
	}{
		"so far beside each piece": {[]string{
			choice(`"delta":` + text("") + `,"message":` + text("")), choice(`"delta":` + text("Ruby") + `,"message":` + text("Ruby")),
			choice(`"delta":` + text(" is") + `,"message":` + text("Ruby is")), choice(`"delta":{},"message":` + text("Ruby is") + `,"finish_reason":"stop"`),
		}, "Ruby is", ""},
		"calls so far beside each piece": {[]string{
			choice(`"delta":` + call(`{`) + `,"message":` + call(`{`)), choice(`"delta":{"tool_calls":[{"index":0,"function":{"arguments":"\"x\":1}"}}]},"message":` + call(`{\"x\":1}`)),
			choice(`"delta":{},"message":` + call(`{\"x\":1}`) + `,"finish_reason":"tool_calls"`),
		}, "", `{"x":1}`},
		"all of it at the end":               {[]string{delta(`"content":"a"`), delta(`"content":"b"`), choice(`"message":` + text("ab") + `,"finish_reason":"stop"`)}, "ab", ""},
		"all of it beside an empty delta":    {[]string{choice(`"delta":{},"message":` + text("ab") + `,"finish_reason":"stop"`)}, "ab", ""},
		"all of it beside null":              {[]string{choice(`"delta":null,"message":` + text("ab") + `,"finish_reason":"stop"`)}, "ab", ""},
		"all of it":                          {[]string{choice(`"message":` + text("ab") + `,"finish_reason":"stop"`)}, "ab", ""},
		"pieces as messages":                 {[]string{choice(`"message":` + text("a")), choice(`"message":` + text("b")), choice(`"message":` + text("c") + `,"finish_reason":"stop"`)}, "abc", ""},
		"begun with a role, then all of it":  {[]string{delta(`"role":"assistant","content":""`), choice(`"delta":{},"message":` + text("ab") + `,"finish_reason":"stop"`)}, "ab", ""},
		"empty message beside a whole delta": {[]string{choice(`"delta":` + text("ab") + `,"message":` + text("") + `,"finish_reason":"stop"`)}, "ab", ""},
	} {
		a := play(t, llmtest.SSE(append(tc.chunks, "[DONE]")...))
		args := ""
		for _, c := range a.Calls {
			args += c.Args
		}
		if a.Err != nil || a.Text != tc.text || args != tc.args {
			t.Errorf("%s: %q %q, %v, want %q %q", name, a.Text, args, a.Err, tc.text, tc.args)
		}
	}
}
