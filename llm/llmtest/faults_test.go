package llmtest_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/pageside/pageside/llm"
	"github.com/pageside/pageside/llm/llmtest"
	"github.com/pageside/pageside/llm/llmtest/dialects"
	"github.com/pageside/pageside/llm/openai"
	"github.com/pageside/pageside/test/must"
)

// oldFault is a request as it was once sent, and what the provider said of it.
type oldFault struct {
	name    string
	dialect llmtest.Dialect
	sent    string // the body
	words   string // of the refusal
	// what the body was made of, and the adapter that now makes another of it
	adapter string
	req     llm.Request
}

const chatBody = `{"model":%q,"stream":true,"messages":[%s]%s}`

func asked(content string) string { return `{"role":"user","content":` + content + `}` }

func called(id, name, args string) string {
	return fmt.Sprintf(`%s,{"role":"assistant","content":null,"tool_calls":[{"id":%q,"type":"function","function":{"name":%q,"arguments":%q}}]},
		{"role":"tool","tool_call_id":%q,"content":"r"}`, asked(`"q"`), id, name, args, id)
}

func declared(schema string) string {
	return `,"tools":[{"type":"function","function":{"name":"f","parameters":` + schema + `}}]`
}

func file(mimeType, data string) llm.Request {
	return llm.Request{Messages: []llm.Message{llmtest.Say(llm.RoleUser, llm.Media{Kind: "document", MimeType: mimeType, Data: data})}}
}

func withSchema(schema string) llm.Request {
	return llm.Request{Messages: llmtest.Hello.Messages, Tools: []llm.ToolDecl{{Name: "f", Parameters: json.RawMessage(schema)}}}
}

func oldFaults() []oldFault {
	long := strings.Repeat("i", 70)
	short := llm.Request{Messages: llmtest.Hello.Messages, Effort: "low", MaxTokens: 256}
	blank := llm.Request{Messages: []llm.Message{llmtest.User(" "), llmtest.User("and now?")}}
	return []oldFault{
		{"effort where a model does not reason", llmtest.Chat, fmt.Sprintf(chatBody, "gpt-4o", asked(`"q"`), `,"reasoning_effort":"low"`),
			"Unrecognized request argument supplied: reasoning_effort", "gpt-4o", short},
		{"effort at Ollama", llmtest.Ollama, fmt.Sprintf(chatBody, "llama3.2", asked(`"q"`), `,"reasoning_effort":"low"`), "does not support thinking", "ollama", short},

		{"a file without a name", llmtest.Chat, fmt.Sprintf(chatBody, "gpt-4o", asked(`[{"type":"file","file":{"file_data":"data:text/csv;base64,YSxi"}}]`), ""),
			"Missing required parameter: 'file.file_id'", "gpt-4o", file("text/csv", "YSxi")},
		{"a file at Mistral's", llmtest.Mistral, fmt.Sprintf(chatBody, "m", asked(`[{"type":"file","file":{"file_data":"data:text/csv;base64,YSxi"}}]`), ""),
			"Unknown part type: file", "mistral", file("text/csv", "YSxi")},
		{"JSON as a file of Gemini's", llmtest.Gemini, `{"contents":[{"role":"user","parts":[{"inlineData":{"mimeType":"application/json","data":"e30="}}]}]}`,
			"application/json", "gemini-2.5-flash", file("application/json", "e30=")},
		{"SVG as an image of Anthropic's", llmtest.Anthropic,
			`{"model":"c","max_tokens":9,"messages":[{"role":"user","content":[{"type":"image","source":{"type":"base64","media_type":"image/svg+xml","data":"PHN2Zy8+"}}]}]}`,
			"image/svg+xml", "claude-sonnet-4-5", file("image/svg+xml", "PHN2Zy8+")},
		{"audio through Responses", llmtest.Responses, `{"model":"gpt-5-mini","input":[` + asked(`[{"type":"input_audio","input_audio":{"data":"AA==","format":"wav"}}]`) + `]}`,
			"input_audio", "gpt-5-mini", file("audio/wav", "AA==")},

		{"a made-up name", llmtest.Chat, fmt.Sprintf(chatBody, "gpt-4o", called("call_1", "functions.get weather!", "{}"), ""), "does not match", "gpt-4o",
			llm.Request{Messages: calling("functions.get weather!", "call_1")}},
		{"another maker's id", llmtest.Chat, fmt.Sprintf(chatBody, "gpt-4o", called(long, "f", "{}"), ""), "does not match", "gpt-4o", llm.Request{Messages: calling("f", long)}},
		{"a made-up name at Amazon's", llmtest.Bedrock,
			`{"messages":[{"role":"user","content":[{"text":"q"}]},{"role":"assistant","content":[{"toolUse":{"toolUseId":"a","name":"get weather","input":{}}}]}],
			"toolConfig":{"tools":[{"toolSpec":{"name":"f","inputSchema":{"json":{"type":"object","properties":{}}}}}]}}`,
			"does not match", "claude by bedrock", llm.Request{Messages: calling("get weather", "a"), Tools: []llm.ToolDecl{{Name: "f"}}}},

		{"an object without properties", llmtest.Chat, fmt.Sprintf(chatBody, "gpt-4o", asked(`"q"`), declared(`{"type":"object"}`)), "object schema missing properties", "gpt-4o",
			withSchema(`{"type":"object"}`)},
		{"an array without items", llmtest.Chat, fmt.Sprintf(chatBody, "gpt-4o", asked(`"q"`), declared(`{"type":"object","properties":{"a":{"type":"array"}}}`)),
			"array schema missing items", "gpt-4o", withSchema(`{"type":"object","properties":{"a":{"type":"array"}}}`)},
		{"alternatives at the root", llmtest.Anthropic, `{"model":"c","max_tokens":9,"messages":[{"role":"user","content":[{"type":"text","text":"q"}]}],
			"tools":[{"name":"f","input_schema":{"type":"object","properties":{},"anyOf":[{"required":["a"]}]}}]}`,
			"at the top level", "claude-sonnet-4-5", withSchema(`{"type":"object","properties":{},"anyOf":[{"required":["a"]}]}`)},
		{"names of properties", llmtest.Anthropic, `{"model":"c","max_tokens":9,"messages":[{"role":"user","content":[{"type":"text","text":"q"}]}],
			"tools":[{"name":"f","input_schema":{"type":"object","properties":{"$filter":{}}}}]}`,
			"Property keys should match pattern", "claude-sonnet-4-5", withSchema(`{"type":"object","properties":{"$filter":{}}}`)},

		{"thinking that leaves no room for words", llmtest.Gemini,
			`{"generationConfig":{"maxOutputTokens":256,"thinkingConfig":{"includeThoughts":true,"thinkingBudget":1024}},"contents":[{"role":"user","parts":[{"text":"q"}]}]}`,
			"MAX_TOKENS before any text", "gemini-2.5-flash", short},

		{"Claude by OpenRouter, never cached", llmtest.OpenRouter, fmt.Sprintf(chatBody, "anthropic/claude-sonnet-4.5", asked(`"q"`), declared(`{"type":"object","properties":{}}`)),
			"nothing of the conversation is cached", "claude by openrouter", withSchema("{}")},

		{"the newer name of a limit at Mistral's", llmtest.Mistral, fmt.Sprintf(chatBody, "m", asked(`"q"`), `,"max_completion_tokens":256`), "Extra inputs are not permitted", "mistral", short},
		{"a question after results at Mistral's", llmtest.Mistral, fmt.Sprintf(chatBody, "m", called("abcdefghi", "f", "{}")+","+asked(`"and?"`), ""),
			"Unexpected role 'user' after role 'tool'", "mistral", llm.Request{Messages: calling("f", "abcdefghi")}},

		{"a blank question at Anthropic's", llmtest.Anthropic, `{"model":"c","max_tokens":9,"messages":[]}`, "at least one message is required", "claude-sonnet-4-5", blank},
		{"a blank question at Google's", llmtest.Gemini, `{"contents":[]}`, "contents is not specified", "gemini-2.5-flash", blank},
	}
}

// Each request that an earlier version sent, and the provider refused, is refused by the mock in
// the provider's words. What is sent now for the same conversation is taken.
func TestOldFaultsAreRefused(t *testing.T) {
	for _, f := range oldFaults() {
		t.Run(f.name, func(t *testing.T) {
			err := llmtest.Check(f.dialect, []byte(f.sent))
			must.Fail(t, err, f.words, "the old request")
			for _, a := range dialects.All {
				if a.Name != f.adapter {
					continue
				}
				must.Be(t, a.Check(&f.req), nil, "the present request")
				return
			}
			t.Fatalf("no adapter %q", f.adapter)
		})
	}
}

// A server that sends each piece beside all so far once garbled words and arguments, and the thread
// with them was refused.
func TestGarbledArgumentsAreRefused(t *testing.T) {
	const garbled = `{"location":{"location":"Rome"}`
	old := fmt.Sprintf(chatBody, "llama3.2", called("a", "f", garbled), "")
	must.Fail(t, llmtest.Check(llmtest.Ollama, []byte(old)), "must be a JSON object", "the old request")
	call := func(args string) string {
		return fmt.Sprintf(`{"role":"assistant","tool_calls":[{"index":0,"id":"a","type":"function","function":{"name":"f","arguments":%q}}]}`, args)
	}
	chunk := func(delta, message, finish string) string {
		return fmt.Sprintf(`{"choices":[{"index":0,"delta":%s,"message":%s,"finish_reason":%s}]}`, delta, message, finish)
	}
	stream := llmtest.SSE(chunk(call(`{"location":`), call(`{"location":`), "null"), chunk(call(`"Rome"}`), call(`{"location":"Rome"}`), "null"), chunk("{}", call(`{"location":"Rome"}`), `"tool_calls"`), "[DONE]")
	m := openai.New(openai.Config{Provider: "perplexity", BaseURL: "http://x", Model: "sonar", HTTPClient: llmtest.Streaming(strings.NewReader(stream))})
	a := llmtest.Ask(t, t.Context(), m, llmtest.Hello)
	if len(a.Calls) != 1 || a.Calls[0].Args != `{"location":"Rome"}` {
		t.Fatalf("%+v", a.Calls)
	}
	messages := calling("f", "a")
	messages[1].Content = []llm.Content{llm.ToolCall{ID: "a", Name: a.Calls[0].Name, Args: a.Calls[0].Args}}
	everywhere(t, "the answer", &llm.Request{Messages: messages})
}
