package gemini_test

import (
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/pageside/pageside/llm"
	"github.com/pageside/pageside/llm/gemini"
	"github.com/pageside/pageside/llm/llmtest"
	"github.com/pageside/pageside/test/must"
)

// sent returns the body a request becomes.
func sent(t testing.TB, cfg gemini.Config, req *llm.Request) string {
	t.Helper()
	create := func(client *http.Client) llm.Model { cfg.HTTPClient = client; return gemini.New(cfg) }
	return llmtest.Sent(t, create, vendor.Over, req)
}

var flash = gemini.Config{Model: "gemini-2.5-flash"}

// The history the API wants: the calls with their signatures, then one content with as many
// results, in their order.
func TestRequest(t *testing.T) {
	temperature := 0.2
	req := &llm.Request{
		System: []llm.Block{{Text: "Be \"brief\"."}, {Text: "Second\nblock.", Cache: true}, {Text: " \n"}},
		Tools: []llm.ToolDecl{
			{Name: "f", Description: "does f", Parameters: json.RawMessage(`{"$schema":"x","type":"object","properties":{"n":{"type":"integer","exclusiveMinimum":0}},"required":["n"]}`), Strict: true},
			{Name: "g"}, {Name: "h", Parameters: json.RawMessage(`{"type":"object","properties":{}}`)},
		},
		Messages: []llm.Message{
			llmtest.Say(llm.RoleUser, llm.Text{Text: "context"}, llm.Text{Quoted: json.RawMessage(`"que\u0073tion\n"`)}),
			llmtest.Say(llm.RoleAssistant,
				llm.Reasoning{Text: "hm", Opaque: "gemini:thought:s1/+=="}, llm.Reasoning{Opaque: "gemini:text:s2"}, llm.Reasoning{Text: "no signature"},
				llm.Reasoning{Text: "of others", Opaque: "anthropic:thinking:x"}, llm.Text{Text: "Let me."},
				llm.ToolCall{ID: "x1", Name: "f", Args: `{"n": 1.0}`, Opaque: "gemini:s3"}, llm.ToolCall{ID: "gemini_madeup", Name: "g"}, llm.ToolCall{ID: "x3", Name: "h", Args: "[1]", Opaque: "openai:x"}),
			llmtest.Say(llm.RoleTool, llm.ToolResult{ID: "x3", Content: llm.Text{Text: "three"}}),
			llmtest.Say(llm.RoleTool, llm.ToolResult{ID: "gemini_madeup", Content: llm.Text{Quoted: json.RawMessage(`"two"`)}, IsError: true}, llm.ToolResult{ID: "x1"}),
			llmtest.Say(llm.RoleUser, llm.Text{Text: "see"}, llm.Media{Kind: "image", MimeType: "image/png", Data: "iVBORw0KGgo="}, llm.Media{Kind: "video", URL: "https://x/y"}),
		},
		Choice: llm.ChoiceRequired, MaxTokens: 50, Temperature: &temperature, Effort: "low",
		Extra: map[string]json.RawMessage{"safetySettings": json.RawMessage(`[]`), "contents": json.RawMessage(`"evil"`), "generationConfig": json.RawMessage(`{"temperature":1,"topK":3}`)},
	}
	llmtest.SameJSON(t, sent(t, flash, req), `{
		"generationConfig":{"maxOutputTokens":50,"temperature":1,"topK":3,"thinkingConfig":{"thinkingBudget":0}},"safetySettings":[],
		"systemInstruction":{"parts":[{"text":"Be \"brief\"."},{"text":"Second\nblock."}]},
		"tools":[{"functionDeclarations":[
			{"name":"f","description":"does f","parametersJsonSchema":{"type":"object","properties":{"n":{"type":"integer","minimum":0}},"required":["n"]}},{"name":"g"},{"name":"h"}]}],
		"toolConfig":{"functionCallingConfig":{"mode":"ANY"}},
		"contents":[
			{"role":"user","parts":[{"text":"context"},{"text":"question\n"}]},
			{"role":"model","parts":[
				{"text":"hm","thought":true,"thoughtSignature":"s1/+=="},{"text":"Let me."},{"text":"","thoughtSignature":"s2"},
				{"functionCall":{"name":"f","args":{"n":1.0},"id":"x1"},"thoughtSignature":"s3"},{"functionCall":{"name":"g","args":{}}},
				{"functionCall":{"name":"h","args":{"invalid_arguments":"[1]"},"id":"x3"}}]},
			{"role":"user","parts":[
				{"functionResponse":{"name":"f","response":{"output":""},"id":"x1"}},{"functionResponse":{"name":"g","response":{"error":"two"}}},
				{"functionResponse":{"name":"h","response":{"output":"three"},"id":"x3"}}]},
			{"role":"user","parts":[{"text":"see"},{"inlineData":{"data":"iVBORw0KGgo=","mimeType":"image/png"}},{"fileData":{"fileUri":"https://x/y"}}]}
		]}`)
}

func TestThinkingConfig(t *testing.T) {
	for _, tc := range []struct{ model, effort, want string }{
		{"gemini-2.0-flash", "high", `{}`},
		{"gemini-2.5-pro", "", `{"thinkingConfig":{"includeThoughts":true}}`},
		{"gemini-2.5-pro", "high", `{"thinkingConfig":{"includeThoughts":true,"thinkingBudget":24576}}`},
		{"models/gemini-2.5-flash-lite", "medium", `{"thinkingConfig":{"includeThoughts":true,"thinkingBudget":8192}}`},
		{"gemini-3-pro-preview", "medium", `{"thinkingConfig":{"includeThoughts":true,"thinkingLevel":"high"}}`},
		{"gemini-3.1-pro-preview", "medium", `{"thinkingConfig":{"includeThoughts":true,"thinkingLevel":"medium"}}`},
		{"gemini-3-flash", "low", `{"thinkingConfig":{"includeThoughts":true,"thinkingLevel":"low"}}`},
		{"gemini-flash-latest", "", `{"thinkingConfig":{"includeThoughts":true}}`},
		{"gemma-3-27b-it", "low", `{}`},
	} {
		var body struct{ GenerationConfig json.RawMessage }
		if err := json.Unmarshal([]byte(sent(t, gemini.Config{Model: tc.model}, &llm.Request{Effort: tc.effort})), &body); err != nil {
			t.Fatal(err)
		}
		t.Run(tc.model+" "+tc.effort, func(t *testing.T) { llmtest.SameJSON(t, string(body.GenerationConfig), tc.want) })
	}
}

// Thoughts count as output: a limit leaves room for words.
func TestThinkingLeavesRoomForWords(t *testing.T) {
	for _, tc := range []struct {
		model, effort string
		limit         int
		want          string
	}{
		{"gemini-2.5-flash", "", 4096, `"includeThoughts":true,"thinkingBudget":2048`},
		{"gemini-2.5-flash", "", 100_000, `"includeThoughts":true,"thinkingBudget":24576`},
		{"gemini-2.5-flash", "low", 4096, `"includeThoughts":true,"thinkingBudget":1024`},
		{"gemini-2.5-flash", "low", 1024, `"includeThoughts":true,"thinkingBudget":512`},
		{"gemini-2.5-flash", "low", 256, `"thinkingBudget":0`},
		{"gemini-2.5-pro", "low", 256, `"includeThoughts":true,"thinkingBudget":128`},
	} {
		body := sent(t, gemini.Config{Model: tc.model}, &llm.Request{Effort: tc.effort, MaxTokens: tc.limit})
		must.Have(t, body, `"thinkingConfig":{`+tc.want+`}`, "%s with %d tokens", tc.model, tc.limit)
	}
}

// contents is what a history becomes.
func contents(t *testing.T, model string, messages ...llm.Message) string {
	t.Helper()
	var body struct{ Contents json.RawMessage }
	must.Do(t, json.Unmarshal([]byte(sent(t, gemini.Config{Model: model}, &llm.Request{Messages: messages})), &body))
	return string(body.Contents)
}

// The newer models refuse a turn whose first call has no signature. Calls another maker's model
// made get the word for that; turns that are over need none.
func TestCallsOfOthers(t *testing.T) {
	question := llmtest.Say(llm.RoleUser, llm.Text{Text: "q"})
	calls := llmtest.Say(llm.RoleAssistant, llm.ToolCall{ID: "a", Name: "f", Opaque: "anthropic:x"}, llm.ToolCall{ID: "b", Name: "f"})
	results := llmtest.Say(llm.RoleTool, llm.ToolResult{ID: "a"}, llm.ToolResult{ID: "b"})
	const (
		asked = `{"role":"user","parts":[{"text":"q"}]}`
		two   = `{"role":"user","parts":[{"functionResponse":{"name":"f","response":{"output":""},"id":"a"}},{"functionResponse":{"name":"f","response":{"output":""},"id":"b"}}]}`
		plain = `{"role":"model","parts":[{"functionCall":{"name":"f","args":{},"id":"a"}},{"functionCall":{"name":"f","args":{},"id":"b"}}]}`
		told  = `{"role":"model","parts":[{"functionCall":{"name":"f","args":{},"id":"a"},"thoughtSignature":"skip_thought_signature_validator"},{"functionCall":{"name":"f","args":{},"id":"b"}}]}`
	)
	llmtest.SameJSON(t, contents(t, "gemini-3-flash", question, calls, results), "["+asked+","+told+","+two+"]")
	llmtest.SameJSON(t, contents(t, "gemini-3-flash", question, calls, results, question), "["+asked+","+plain+","+two+","+asked+"]")
	llmtest.SameJSON(t, contents(t, "gemini-2.5-flash", question, calls, results), "["+asked+","+plain+","+two+"]")
	calls.Content[0] = llm.ToolCall{ID: "a", Name: "f", Opaque: "gemini:own"}
	llmtest.SameJSON(t, contents(t, "gemini-3-flash", question, calls, results), "["+asked+","+strings.Replace(told, "skip_thought_signature_validator", "own", 1)+","+two+"]")
}

func TestMessagesAreMadeFit(t *testing.T) {
	llmtest.SameJSON(t, contents(t, "m",
		llmtest.Say(llm.RoleUser, llm.Text{Text: "a"}), llmtest.Say(llm.RoleAssistant, llm.Reasoning{Text: "x", Opaque: "openai:y"}, llm.Text{Quoted: json.RawMessage(`"\n "`)}), llmtest.Say(llm.RoleUser, llm.Text{Text: "b"}),
		llmtest.Say(llm.RoleAssistant, llm.Reasoning{Opaque: "gemini:text:s1"}, llm.Reasoning{Opaque: "gemini:text:s2"}, llm.Text{Text: "c"}), llmtest.Say(llm.RoleAssistant, llm.Reasoning{Opaque: "gemini:text:s3"})),
		`[{"role":"user","parts":[{"text":"a"},{"text":"b"}]},
		  {"role":"model","parts":[{"text":"","thoughtSignature":"s1"},{"text":"c"},{"text":"","thoughtSignature":"s2"},{"text":"","thoughtSignature":"s3"}]},
		  {"role":"user","parts":[{"text":"(Your answer was cut off here. Go on where it ends.)"}]}]`)
}

// What the model wrote goes back as it was.
func TestArgumentsKeepTheirBytes(t *testing.T) {
	got := contents(t, "m", llmtest.Say(llm.RoleAssistant, llm.ToolCall{ID: "a", Name: "f", Args: `{ "b":1.50, "a":"\u00fc" }`}))
	if !strings.Contains(got, `"args":{ "b":1.50, "a":"\u00fc" }`) {
		t.Error(got)
	}
}

func TestSchemas(t *testing.T) {
	for name, tc := range map[string]struct{ schema, want string }{
		"no properties":  {`{"type":"object","properties":{},"additionalProperties":false}`, ``},
		"no schema":      {`true`, ``},
		"what is known":  {`{"type":"object","title":"T","description":"d","properties":{"a":{"type":["string","null"],"enum":["x","y"]},"b":{"type":"array","items":{"type":"number","minimum":1,"maximum":2},"minItems":1,"maxItems":9}},"required":["a"],"additionalProperties":false}`, `same`},
		"what is not":    {`{"$schema":"s","$id":"i","$comment":"c","type":"object","properties":{"a":{"type":"string","pattern":"^x$","minLength":1,"maxLength":2,"default":"x","examples":["x"],"format":"uri","not":{},"if":{},"then":{},"deprecated":true},"d":{"type":"string","format":"date-time"}},"patternProperties":{"x":{}},"dependentRequired":{},"unevaluatedProperties":false}`, `{"type":"object","properties":{"a":{"type":"string"},"d":{"type":"string","format":"date-time"}}}`},
		"other names":    {`{"type":"object","properties":{"a":{"const":"x"},"b":{"type":"integer","exclusiveMinimum":0,"exclusiveMaximum":9},"c":{"const":true},"d":{"exclusiveMinimum":true,"minimum":3},"e":{"$ref":"#/definitions/E","description":"beside"}},"definitions":{"E":{"type":"string","minLength":1}}}`, `{"type":"object","properties":{"a":{"enum":["x"]},"b":{"type":"integer","minimum":0,"maximum":9},"c":{},"d":{"minimum":3},"e":{"$ref":"#/$defs/E"}},"$defs":{"E":{"type":"string"}}}`},
		"unions":         {`{"type":"object","properties":{"a":{"anyOf":[{"type":"string","minLength":1},{"type":"null"}]},"b":{"oneOf":[{"const":1},true]},"c":{"allOf":[{"$ref":"#/$defs/C"}],"default":1},"d":{"allOf":[{"type":"string"},{"minLength":1}],"description":"kept"}},"$defs":{"C":{"type":"object","additionalProperties":{"type":"string","pattern":"x"}}}}`, `{"type":"object","properties":{"a":{"anyOf":[{"type":"string"},{"type":"null"}]},"b":{"oneOf":[{"enum":[1]},{}]},"c":{"anyOf":[{"$ref":"#/$defs/C"}]},"d":{"description":"kept"}},"$defs":{"C":{"type":"object","additionalProperties":{"type":"string"}}}}`},
		"enum of others": {`{"type":"object","properties":{"a":{"enum":["x",null,true,1,{}]},"b":{"type":"boolean","enum":[true]}},"required":["a","missing",7]}`, `{"type":"object","properties":{"a":{"enum":["x",1]},"b":{"type":"boolean"}},"required":["a"]}`},
		"required only":  {`{"type":"object","properties":{"a":{}},"required":["b"]}`, `{"type":"object","properties":{"a":{}}}`},
		"tuple":          {`{"type":"object","properties":{"a":{"items":[{"type":"string"}]},"b":{"prefixItems":[{"type":"string","pattern":"x"}],"items":false}}}`, `{"type":"object","properties":{"a":{},"b":{"prefixItems":[{"type":"string"}]}}}`},
		"odd keys":       {`{"type":"object","properties":{"type":{"type":"string","pattern":"x"},"$ref":{"type":"string"},"a\"b":{"const":2}}}`, `{"type":"object","properties":{"type":{"type":"string"},"$ref":{"type":"string"},"a\"b":{"enum":[2]}}}`},
	} {
		t.Run(name, func(t *testing.T) {
			if tc.want == "same" {
				tc.want = tc.schema
			}
			got := ""
			for range 2 { // the second time from memory
				got = string(gemini.CutSchema(json.RawMessage(tc.schema)))
			}
			if got != tc.want {
				t.Errorf("got  %s\nwant %s", got, tc.want)
			}
		})
	}
	deep := strings.Repeat(`{"type":"object","properties":{"a":`, 2000) + `{}` + strings.Repeat(`}}`, 2000)
	if got := gemini.CutSchema(json.RawMessage(deep)); !json.Valid(got) || len(got) > 10_000 {
		t.Errorf("a deep schema: %d bytes", len(got))
	}
}

func TestHeaders(t *testing.T) {
	for base, want := range map[string]string{
		"":                          "https://generativelanguage.googleapis.com/v1beta/models/gemini-2.5-flash:streamGenerateContent?alt=sse",
		"https://host/":             "https://host/v1beta/models/gemini-2.5-flash:streamGenerateContent?alt=sse",
		"https://host/sub/v1alpha/": "https://host/sub/v1alpha/models/gemini-2.5-flash:streamGenerateContent?alt=sse",
	} {
		var got *http.Request
		cfg := gemini.Config{
			BaseURL: base, Model: "models/gemini-2.5-flash", APIKey: " key\n", Headers: http.Header{"x-extra": {"a"}, "X-Goog-Api-Key": {"no"}},
			HTTPClient: &http.Client{Transport: llmtest.Transport(func(r *http.Request) (*http.Response, error) {
				got = r
				return &http.Response{StatusCode: 200, Body: io.NopCloser(strings.NewReader(llmtest.SSE(finish("STOP")))), Request: r}, nil
			})},
		}
		if a := llmtest.Ask(t, t.Context(), gemini.New(cfg), llmtest.Hello); a.Err != nil {
			t.Fatal(a.Err)
		}
		if got.URL.String() != want || got.Method != "POST" || got.Header.Get("X-Goog-Api-Key") != "key" || got.Header.Get("X-Extra") != "a" || got.Header.Get("Accept-Encoding") != "identity" {
			t.Errorf("%s %s %v", got.Method, got.URL, got.Header)
		}
	}
}
