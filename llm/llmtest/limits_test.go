package llmtest_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/pageside/pageside/llm"
	"github.com/pageside/pageside/llm/llmtest"
	"github.com/pageside/pageside/llm/llmtest/dialects"
	"github.com/pageside/pageside/test/must"
)

// Requests that are too large for some provider are sent in another form.
func TestWhatIsTooLargeIsTaken(t *testing.T) {
	many := []llm.ToolDecl{}
	for i := range 600 {
		many = append(many, llm.ToolDecl{Name: fmt.Sprint("tool", i)})
	}
	deep := calling("f", "call_1")
	deep[1].Content = []llm.Content{llm.ToolCall{ID: "call_1", Name: "f", Args: strings.Repeat(`{"a":`, 90) + "1" + strings.Repeat("}", 90)}}
	for name, req := range map[string]llm.Request{
		"a description of 3,000 characters": {Tools: []llm.ToolDecl{{Name: "f", Description: strings.Repeat("ä b", 1000)}}},
		"six hundred tools":                 {Tools: many},
		"deep arguments":                    {Messages: deep},
	} {
		everywhere(t, name, &req)
	}
}

// What is cut says so, and half of an escape stays the text around it.
func TestWhatIsCut(t *testing.T) {
	req := &llm.Request{Messages: calling("f", "call_1"), Tools: []llm.ToolDecl{{Name: "f", Description: strings.Repeat("ä", 2000)}}}
	req.Messages[1].Content = []llm.Content{llm.ToolCall{ID: "call_1", Name: "f", Args: `{"a":"x\ud83dy \ud83d\ude00 \\ud83d"}`}}
	for _, a := range dialects.All {
		body := must.Get(a.Body(req))(t)
		if whole := strings.Contains(string(body), strings.Repeat("ä", 2000)); whole == (a.Dialect == llmtest.Chat) {
			t.Errorf("%s: the whole description: %t", a.Name, whole)
		}
		args := strings.ReplaceAll(string(body), `\\`, `\`)
		must.Have(t, args, `x\ufffdy \ud83d\ude00`, "%s: the arguments: %s", a.Name, body)
	}
}
