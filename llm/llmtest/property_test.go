package llmtest_test

import (
	"encoding/base64"
	"encoding/json"
	"testing"

	"pgregory.net/rapid"

	"github.com/pageside/pageside/llm"
	"github.com/pageside/pageside/llm/llmtest"
	"github.com/pageside/pageside/llm/llmtest/dialects"
	_ "github.com/pageside/pageside/test/chance"
	"github.com/pageside/pageside/test/must"
)

// Whatever names, ids, arguments, schemas and media a thread holds, its next request is taken
// everywhere.
func TestAnyThreadGoesOn(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		req := &llm.Request{Effort: rapid.SampledFrom([]string{"", "low", "high"}).Draw(r, "effort"), MaxTokens: rapid.IntRange(0, 4000).Draw(r, "limit")}
		for range rapid.IntRange(0, 4).Draw(r, "tools") {
			schema, _ := json.Marshal(anySchema(r, 4))
			req.Tools = append(req.Tools, llm.ToolDecl{Name: anyName(r), Description: rapid.String().Draw(r, "description"), Parameters: schema})
		}
		for range rapid.IntRange(1, 5).Draw(r, "turns") {
			req.Messages = append(req.Messages, anyTurn(r)...)
		}
		req.Messages = append(req.Messages, llmtest.Say(llm.RoleUser, llm.Text{Text: "and now?"}))
		must.Do(r, llm.Balance(nonEmpty(req.Messages)))
		for _, a := range dialects.All {
			must.Do(r, a.Check(req))
		}
	})
}

// nonEmpty gives calls without a name or id some, for Balance's sake.
func nonEmpty(messages []llm.Message) (out []llm.Message) {
	for _, m := range messages {
		copied := llm.Message{Role: m.Role}
		for _, c := range m.Content {
			switch c := c.(type) {
			case llm.ToolCall:
				c.ID, c.Name = "x"+c.ID, "x"+c.Name
				copied.Content = append(copied.Content, c)
			case llm.ToolResult:
				c.ID = "x" + c.ID
				copied.Content = append(copied.Content, c)
			default:
				copied.Content = append(copied.Content, c)
			}
		}
		out = append(out, copied)
	}
	return out
}

func anyName(r *rapid.T) string {
	return rapid.OneOf(rapid.SampledFrom([]string{"f", "g", "a.b", "a_b", "a b", "functions.get weather!", "1", "-"}), rapid.StringN(0, 100, 300)).Draw(r, "name")
}

func anyTurn(r *rapid.T) (messages []llm.Message) {
	question := llmtest.Say(llm.RoleUser, llm.Text{Text: rapid.StringN(0, 20, 80).Draw(r, "question")})
	for range rapid.IntRange(0, 2).Draw(r, "attachments") {
		question.Content = append(question.Content, anyMedia(r))
	}
	messages = append(messages, question)
	for range rapid.IntRange(0, 2).Draw(r, "steps") {
		step, results := llmtest.Say(llm.RoleAssistant), llmtest.Say(llm.RoleTool)
		ids := map[string]bool{}
		for range rapid.IntRange(1, 3).Draw(r, "calls") {
			id := rapid.OneOf(rapid.SampledFrom([]string{"", " ", "call_0", "functions.f:0"}), rapid.StringN(0, 80, 200)).Draw(r, "id")
			if ids[id] {
				continue
			}
			ids[id] = true
			args := rapid.SampledFrom([]string{"", "{}", `{"größe":1}`, `{"a":`, "[1]", "null"}).Draw(r, "args")
			step.Content = append(step.Content, llm.ToolCall{ID: id, Name: anyName(r), Args: args})
			results.Content = append(results.Content, llm.ToolResult{ID: id, Content: llm.Text{Text: rapid.String().Draw(r, "result")}, IsError: rapid.Bool().Draw(r, "failed")})
		}
		messages = append(messages, step, results)
	}
	if rapid.Bool().Draw(r, "answered") {
		messages = append(messages, llmtest.Say(llm.RoleAssistant, llm.Text{Text: rapid.StringN(1, 10, 40).Draw(r, "answer")}))
	}
	return messages
}

func anyMedia(r *rapid.T) llm.Media {
	m := llm.Media{
		Kind: rapid.SampledFrom([]string{"image", "audio", "video", "document", "", "other"}).Draw(r, "kind"),
		MimeType: rapid.SampledFrom([]string{
			"", "image/png", "image/jpeg", "image/svg+xml", "image/heic", "image/gif", "audio/wav", "audio/ogg", "video/mp4", "application/pdf", "application/json", "text/csv",
			"text/plain; charset=utf-8", "application/octet-stream", "application/zip", "application/vnd.ms-excel", "nonsense", "a/b/c",
		}).Draw(r, "mimeType"),
		Name: rapid.OneOf(rapid.SampledFrom([]string{"", "a.csv", "b.pdf", "c.xlsx", "d.png"}), rapid.String()).Draw(r, "fileName"),
	}
	switch rapid.IntRange(0, 3).Draw(r, "source") {
	case 0:
		m.Data = base64.StdEncoding.EncodeToString(rapid.SliceOf(rapid.Byte()).Draw(r, "bytes"))
	case 1:
		m.Data = base64.StdEncoding.EncodeToString([]byte(rapid.String().Draw(r, "words")))
	case 2:
		m.Data = rapid.String().Draw(r, "no base64")
	case 3:
		m.URL = rapid.OneOf(rapid.SampledFrom([]string{"https://x/y.png", "http://x/y", "ftp://x", "data:text/plain,a%20b", "data:image/png;base64,iVBORw0KGgo=", "gs://b/o"}), rapid.String()).Draw(r, "url")
	}
	return m
}

var anyKeywords = []string{
	"type", "properties", "required", "items", "prefixItems", "anyOf", "oneOf", "allOf", "not", "if", "then", "else", "enum", "const", "$ref", "$defs", "definitions",
	"additionalProperties", "patternProperties", "dependentSchemas", "minimum", "exclusiveMinimum", "minLength", "pattern", "format", "title", "description", "default", "examples",
	"$schema", "$id", "nullable", "x-other", "contains", "unevaluatedProperties", "multipleOf", "uniqueItems", "propertyNames",
}

// anySchema is what a tool may come with: mostly a schema, sometimes with values where they do not
// belong.
func anySchema(r *rapid.T, depth int) any {
	if depth == 0 || rapid.IntRange(0, 9).Draw(r, "odd") == 0 {
		return rapid.SampledFrom([]any{true, false, nil, map[string]any{}, "string", 1.5, []any{}, map[string]any{"type": "array"}}).Draw(r, "leaf")
	}
	schema := map[string]any{}
	for range rapid.IntRange(0, 5).Draw(r, "keywords") {
		keyword := rapid.SampledFrom(anyKeywords).Draw(r, "keyword")
		schema[keyword] = anyValue(r, keyword, depth)
	}
	return schema
}

func anyValue(r *rapid.T, keyword string, depth int) any {
	property := rapid.SampledFrom([]string{"a", "b", "größe", "$filter", "", "a b"})
	if rapid.IntRange(0, 14).Draw(r, "odd value") == 0 {
		return rapid.SampledFrom([]any{true, nil, "x", -1.5, []any{}, map[string]any{}}).Draw(r, "value")
	}
	switch keyword {
	case "type":
		return rapid.SampledFrom([]any{"object", "array", "string", "integer", "dict", []any{"string", "array"}, []any{}, []any{"null", "object"}}).Draw(r, "type")
	case "required", "enum", "examples":
		list := []any{}
		for _, name := range rapid.SliceOfN(property, 0, 3).Draw(r, "list") {
			list = append(list, name)
		}
		return list
	case "properties", "$defs", "definitions", "patternProperties", "dependentSchemas":
		named := map[string]any{}
		for _, name := range rapid.SliceOfN(property, 0, 3).Draw(r, "names") {
			named[name] = anySchema(r, depth-1)
		}
		return named
	case "anyOf", "oneOf", "allOf", "prefixItems":
		list := []any{}
		for range rapid.IntRange(0, 3).Draw(r, "n") {
			list = append(list, anySchema(r, depth-1))
		}
		return list
	case "$ref":
		return rapid.SampledFrom([]string{"#", "#/$defs/a", "#/definitions/a", "#/properties/a", "#/$defs/none", "http://x", "", "#a"}).Draw(r, "ref")
	case "minimum", "exclusiveMinimum", "minLength", "multipleOf":
		return rapid.SampledFrom([]any{0, 1, -1, 1.5, 1e21}).Draw(r, "number")
	case "items", "not", "if", "then", "else", "additionalProperties", "contains", "unevaluatedProperties", "propertyNames":
		return anySchema(r, depth-1)
	}
	return rapid.SampledFrom([]any{"text", "date-time", 1, true}).Draw(r, "any")
}
