package llmtest_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/pageside/pageside/llm"
	"github.com/pageside/pageside/llm/anthropic"
	"github.com/pageside/pageside/llm/llmtest"
	"github.com/pageside/pageside/test/must"
)

var anthropicSaysHello = llmtest.SSE(`{"type":"message_start","message":{"content":[{"type":"text","text":"a"}],"stop_reason":"end_turn"}}`, `{"type":"message_stop"}`)

// strictTools are tools with strict schemas, each with so many unions.
func strictTools(n, unions int) (tools []llm.ToolDecl) {
	for i := range n {
		var members, names []string
		for u := range max(1, unions) {
			kind := `{"type":"string"}`
			if u < unions {
				kind = `{"anyOf":[{"type":"string"},{"type":"null"}]}`
			}
			members, names = append(members, fmt.Sprintf(`"m%d":%s`, u, kind)), append(names, fmt.Sprintf(`"m%d"`, u))
		}
		schema := `{"type":"object","properties":{` + strings.Join(members, ",") + `},"required":[` + strings.Join(names, ",") + `],"additionalProperties":false}`
		tools = append(tools, llm.ToolDecl{Name: fmt.Sprint("t", i), Strict: true, Parameters: json.RawMessage(schema)})
	}
	return tools
}

// TestStrictSchemasAreCounted over a request: the first tools get as much as providers take
// together, the others go without.
func TestStrictSchemasAreCounted(t *testing.T) {
	optional := []llm.ToolDecl{{Name: "o", Strict: true, Parameters: json.RawMessage(`{"type":"object","properties":{` + strings.TrimSuffix(strings.Repeat(`"x%d":{"type":"string"},`, 25), ",") + `}}`)}}
	for i := range 25 {
		optional[0].Parameters = json.RawMessage(strings.Replace(string(optional[0].Parameters), "%d", fmt.Sprint(i), 1))
	}
	for name, tc := range map[string]struct {
		tools []llm.ToolDecl
		want  int
	}{
		"as many as there may be": {strictTools(20, 0), 20},
		"too many tools":          {strictTools(23, 0), 20},
		"as many unions":          {strictTools(1, 16), 1},
		"too many unions in one":  {append(strictTools(1, 17), llm.ToolDecl{Name: "plain", Strict: true}), 1},
		"too many unions":         {strictTools(4, 6), 2},
		"too many are optional":   {optional, 0},
	} {
		var sent []string
		client := llmtest.Recorder(&sent, func(string) (int, string) { return 200, anthropicSaysHello })
		m := anthropic.New(anthropic.Config{Model: "claude-sonnet-4-6", HTTPClient: client})
		if a := llmtest.Ask(t, t.Context(), m, &llm.Request{Tools: tc.tools, Messages: llmtest.Hello.Messages}); a.Err != nil {
			t.Fatal(a.Err)
		}
		must.Be(t, strings.Count(sent[0], `"strict":true`), tc.want, "%s: strict tools", name)
	}
}

// TestRefusedStrictSchemasAreDropped for good, if the request is taken without them.
func TestRefusedStrictSchemasAreDropped(t *testing.T) {
	refuse := func(message string) string {
		return `{"type":"error","error":{"type":"invalid_request_error","message":"` + message + `"}}`
	}
	for name, tc := range map[string]struct {
		message      string
		always       bool // it is refused without strict schemas, too
		sent, strict int  // requests in two calls, and those with strict schemas
	}{
		"too complex":        {message: "Schema is too complex for compilation.", sent: 3, strict: 1},
		"a grammar":          {message: "The compiled grammar is too large, which would cause performance issues.", sent: 3, strict: 1},
		"something else":     {message: "messages: at least one message is required", sent: 2, strict: 2},
		"refused either way": {message: "tools.0: recursive schemas are not supported", always: true, sent: 4, strict: 2},
	} {
		var sent []string
		client := llmtest.Recorder(&sent, func(body string) (int, string) {
			if tc.always || strings.Contains(body, `"strict":true`) {
				return 400, refuse(tc.message)
			}
			return 200, anthropicSaysHello
		})
		m := anthropic.New(anthropic.Config{Model: "claude-sonnet-4-6", HTTPClient: client})
		for range 2 {
			llmtest.Ask(t, t.Context(), m, &llm.Request{Tools: strictTools(2, 0), Messages: llmtest.Hello.Messages})
		}
		strict := 0
		for _, body := range sent {
			if strings.Contains(body, `"strict":true`) {
				strict++
			}
		}
		if len(sent) != tc.sent || strict != tc.strict {
			t.Errorf("%s: %d requests, %d of them strict", name, len(sent), strict)
		}
	}
}
