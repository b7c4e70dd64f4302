package llmtest_test

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/pageside/pageside/llm"
	"github.com/pageside/pageside/llm/llmtest"
	"github.com/pageside/pageside/llm/llmtest/dialects"
	"github.com/pageside/pageside/llm/openai"
	"github.com/pageside/pageside/test/must"
)

// calling is a thread in which a call was made under this name and id, and the question after it.
func calling(name, id string) []llm.Message {
	return []llm.Message{
		llmtest.Say(llm.RoleUser, llm.Text{Text: "q"}), llmtest.Say(llm.RoleAssistant, llm.ToolCall{ID: id, Name: name, Args: `{"a":1}`}),
		llmtest.Say(llm.RoleTool, llm.ToolResult{ID: id, Content: llm.Text{Text: "r"}}), llmtest.Say(llm.RoleUser, llm.Text{Text: "and?"}),
	}
}

func everywhere(t *testing.T, name string, req *llm.Request) {
	t.Helper()
	if req.Messages == nil {
		req.Messages = []llm.Message{llmtest.Say(llm.RoleUser, llm.Text{Text: "q"})}
	}
	for _, a := range dialects.All {
		must.Be(t, a.Check(req), nil, "%s", name)
	}
}

func TestNamesAndIDsThatModelsMakeUpAreTaken(t *testing.T) {
	names := []string{
		"functions.get weather!", strings.Repeat("n", 300), " ", "", "1st", "-x", "wetter_für_köln", "a/b", "天气", "f\n", "a.b:c", strings.Repeat("ü", 65),
	}
	for _, name := range names {
		everywhere(t, "a call of "+name, &llm.Request{Messages: calling(name, "call_1"), Tools: []llm.ToolDecl{{Name: "f"}}})
		everywhere(t, "a tool "+name, &llm.Request{Messages: calling(name, "call_1"), Tools: []llm.ToolDecl{{Name: name}}})
	}
	for _, id := range []string{strings.Repeat("i", 70), strings.Repeat("x", 41), " ", "", "call 1", "functions.f:0", "chatcmpl-tool-" + strings.Repeat("0", 32), "ü", "a\x00b", "call_9"} {
		everywhere(t, "a call's id "+id, &llm.Request{Messages: calling("f", id), Tools: []llm.ToolDecl{{Name: "f"}}})
		twice := append(calling("f", id), calling("f", id)...)
		everywhere(t, "an id twice "+id, &llm.Request{Messages: twice, Tools: []llm.ToolDecl{{Name: "f"}}})
	}
}

// Two names that look alike without what may not stand in them stay two tools.
func TestToolsThatLookAlikeStayApart(t *testing.T) {
	everywhere(t, "look-alikes", &llm.Request{Tools: []llm.ToolDecl{{Name: "a.b"}, {Name: "a/b"}, {Name: "a_b"}, {Name: "a b"}, {Name: "a.b"}}})
}

func TestSchemasOfAllKindsAreTaken(t *testing.T) {
	for _, schema := range []string{
		``, `{}`, `null`, `true`, `false`, `[]`, `{`, `{"type":"object"}`, `{"type":["object","null"]}`, `{"type":"object","properties":null}`, `{"properties":{"a":true,"b":false}}`,
		`{"type":"object","properties":{"a":{"type":"array"}}}`, `{"type":"object","properties":{"a":{"type":["string","array"]}}}`,
		`{"type":"object","properties":{"a":{"items":[{"type":"string"}],"type":"array"}}}`, `{"type":"object","properties":{"a":{"type":"array","items":true}}}`,
		`{"type":"object","properties":{"a":{"type":"array","prefixItems":[{"type":"number"}],"items":false}}}`,
		`{"type":"object","anyOf":[{"required":["a"]},{"required":["b"]}],"properties":{"a":{},"b":{}}}`,
		`{"oneOf":[{"type":"object","properties":{"k":{"const":"x"},"n":{"type":"array"}},"required":["k"]},{"type":"object","properties":{"k":{"const":"y"}},"required":["k"]}]}`,
		`{"allOf":[{"$ref":"#/$defs/a"},{"properties":{"b":{}}}],"$defs":{"a":{"type":"object","properties":{"a":{"$ref":"#/$defs/b"}}},"b":{"type":"array"}}}`,
		`{"$ref":"#/definitions/root","definitions":{"root":{"type":"object","properties":{"next":{"$ref":"#/definitions/root"}}}}}`,
		`{"type":"object","properties":{"a":{"$ref":"#/properties/b"},"b":{"type":"string"},"c":{"$ref":"#"},"d":{"$ref":"http://x/y"},"e":{"$ref":"#/$defs/none"}}}`,
		`{"type":"object","not":{"required":["a"]},"if":{"properties":{"a":{"const":1}}},"then":{"required":["b"]},"enum":[{}],"properties":{"a":{}}}`,
		`{"type":"object","properties":{"größe":{"type":"string"},"$filter":{"type":"string"},"a b":{},"":{},"` + strings.Repeat("p", 80) + `":{}},"required":["größe","none","größe"]}`,
		`{"type":"object","properties":{"a":{"enum":[],"type":[],"anyOf":[],"required":[],"minimum":"1","exclusiveMinimum":true,"description":7,"format":null,"x-y":1,"nullable":true}}}`,
		`{"$schema":"http://json-schema.org/draft-07/schema#","$id":"x","type":"object","properties":{"a":{"type":"object","required":["z"],"properties":{"b":{"type":"dict"}}}},"required":"a"}`,
		`{"type":"object","properties":{"a":{"type":"object","patternProperties":{"^x":{"type":"array"}},"additionalProperties":{"type":"array"}}},"additionalProperties":false}`,
		strings.Repeat(`{"type":"object","properties":{"a":`, 300) + `{}` + strings.Repeat(`}}`, 300),
	} {
		everywhere(t, schema[:min(len(schema), 100)], &llm.Request{Tools: []llm.ToolDecl{{Name: "f", Parameters: json.RawMessage(schema)}}})
	}
}

func TestAttachmentsOfAllKindsAreTaken(t *testing.T) {
	for _, m := range []llm.Media{
		{Kind: "document", MimeType: "text/csv", Data: "YSxi", Name: "a.csv"}, {Kind: "document", MimeType: "application/json", Data: "e30="},
		{Kind: "document", MimeType: "application/pdf", Data: "JVBERi0xLjQK", Name: `C:\a "b".PDF`}, {Kind: "document", MimeType: "application/pdf", Data: "JVBERi0xLjQK"},
		{Kind: "document", MimeType: "application/pdf", URL: "https://x/y.pdf"}, {Kind: "document", URL: "https://x/y"}, {Kind: "document", MimeType: "text/csv", URL: "https://x/y.csv"},
		{Kind: "document", MimeType: "application/vnd.ms-excel", Data: "YSxi", Name: "a.CSV"}, {Kind: "document", MimeType: "application/octet-stream", Data: "AAEC", Name: "a.bin"},
		{Kind: "document", MimeType: "application/zip", Data: "UEsDBA=="}, {Kind: "document", MimeType: "", Data: "YQ=="}, {Kind: "document"}, {},
		{Kind: "image", MimeType: "image/png", Data: "iVBORw0KGgo="}, {Kind: "image", MimeType: "image/png", Data: "/9j/4AAQ"}, {Kind: "image", MimeType: "image/gif", Data: "R0lGODlh"},
		{Kind: "image", MimeType: "image/svg+xml", Data: "PHN2Zy8+"}, {Kind: "image", MimeType: "image/heic", Data: "AAAA"}, {Kind: "image", MimeType: "image/bmp", Data: "Qk0="},
		{Kind: "image", MimeType: "IMAGE/JPG; q=1", Data: "/9j/4AAQ"}, {Kind: "image", URL: "https://x/y.png"}, {Kind: "image", URL: "http://x/y.png"}, {Kind: "image", URL: "javascript:x"},
		{Kind: "image", URL: "data:image/png;base64,iVBORw0KGgo="}, {Kind: "image", MimeType: "image/png", Data: "not base64!"}, {Kind: "image", MimeType: "image/png"},
		{Kind: "audio", MimeType: "audio/wav", Data: "AAAA"}, {Kind: "audio", MimeType: "audio/ogg", Data: "AAAA"}, {Kind: "audio", MimeType: "audio/webm;codecs=opus", Data: "AAAA"},
		{Kind: "video", MimeType: "video/mp4", Data: "AAAA"}, {Kind: "video", URL: "https://x/y"}, {Kind: "video", MimeType: "video/x-matroska", Data: "AAAA"},
		{Kind: "document", MimeType: "text/html", Data: "PGI+PC9iPg", Name: "a.html"}, {Kind: "image", MimeType: "image/png", URL: "blob:https://x/1"},
	} {
		name := m.Kind + " " + m.MimeType + " " + m.Name + m.URL
		everywhere(t, name, &llm.Request{Messages: []llm.Message{llmtest.Say(llm.RoleUser, llm.Text{Text: "see"}, m)}})
		everywhere(t, name+" alone", &llm.Request{Messages: []llm.Message{llmtest.Say(llm.RoleUser, m)}})
	}
	many := []llm.Content{}
	for range 30 {
		many = append(many, llm.Media{Kind: "document", MimeType: "application/pdf", Data: "JVBERi0xLjQK"}, llm.Media{Kind: "image", MimeType: "image/png", Data: "iVBORw0KGgo="})
	}
	everywhere(t, "thirty documents", &llm.Request{Messages: []llm.Message{llmtest.Say(llm.RoleUser, many...)}})
}

// A question that nobody can read is still one to a provider: none takes an empty message, or none.
func TestBlankQuestionsAreTaken(t *testing.T) {
	for _, blank := range []string{"", " ", "\n\t", "\u00a0"} {
		question := llmtest.Say(llm.RoleUser, llm.Text{Text: blank})
		everywhere(t, "a blank question", &llm.Request{Messages: []llm.Message{question}})
		everywhere(t, "no content", &llm.Request{Messages: []llm.Message{llmtest.Say(llm.RoleUser)}})
		answered := llmtest.Say(llm.RoleAssistant, llm.Text{Text: "a"})
		everywhere(t, "one more", &llm.Request{Messages: []llm.Message{llmtest.Say(llm.RoleUser, llm.Text{Text: "q"}), answered, question}})
		everywhere(t, "one after a call", &llm.Request{Messages: append(calling("f", "call_1"), answered, question)})
	}
}

// A local model without tools answers without them, though its server refuses them at first.
func TestModelsWithoutToolsAnswer(t *testing.T) {
	ts := httptest.NewServer(llmtest.Strict(llmtest.Ollama, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = io.WriteString(w, llmtest.SSE(`{"choices":[{"index":0,"delta":{"content":"a"},"finish_reason":"stop"}]}`, "[DONE]"))
	})))
	t.Cleanup(ts.Close)
	m := openai.New(openai.Config{Provider: "ollama", BaseURL: ts.URL + "/v1", Model: "gemma2", Abilities: llm.Profile{ContextWindow: new(8192), Reasoning: new(true)}})
	a := llmtest.Ask(t, t.Context(), m, &llm.Request{Messages: calling("f", "call_1"), Tools: []llm.ToolDecl{{Name: "f"}}, Effort: "low"})
	if a.Err != nil || a.Text != "a" || !m.Info().ToolsRefused {
		t.Errorf("%+v, %+v", a, m.Info())
	}
}

// How hard to think is only asked of models that are known to.
func TestEffortIsOnlySentWhereItIsTaken(t *testing.T) {
	everywhere(t, "effort", &llm.Request{Effort: "low", MaxTokens: 256})
	for _, tc := range []struct {
		cfg  openai.Config
		want string
	}{
		{openai.Config{Model: "gpt-5-mini"}, `"reasoning_effort":"low"`}, {openai.Config{Model: "gpt-5-mini", Responses: true}, `"effort":"low"`},
		{openai.Config{Provider: "ollama", BaseURL: "http://x/v1", Model: "gpt-oss:20b", Abilities: llm.Profile{ContextWindow: new(8192)}}, `"reasoning_effort":"low"`},
		{openai.Config{Provider: "openrouter", BaseURL: "http://x/v1", Model: "anthropic/claude"}, `"reasoning":{"effort":"low"}`},
		{openai.Config{Model: "mystery", Abilities: llm.Profile{Reasoning: new(true)}}, `"reasoning_effort":"low"`},
	} {
		body, err := dialects.OpenAI(tc.cfg.Model, "", tc.cfg).Body(&llm.Request{Effort: "low"})
		if err != nil || !strings.Contains(string(body), tc.want) {
			t.Errorf("%s: no %s in %s, %v", tc.cfg.Model, tc.want, body, err)
		}
	}
}
