package prompt

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/pageside/pageside/agui"
	"github.com/pageside/pageside/llm"
	"github.com/pageside/pageside/tool"
)

// What a model wrote as arguments is an object in every later prompt, whatever it was: what ran, or
// its words, which stay bounded.
func TestArgumentsInLaterPrompts(t *testing.T) {
	failed := (&tool.Error{Code: tool.CodeInvalidArgs, Message: "no"}).JSON()
	huge := "{'a': '" + strings.Repeat("x", 100<<10) + "'}"
	// of a call that ran, and of one that was refused
	for written, want := range map[string][2]string{
		`{"a":1}`:      {`{"a":1}`, `{"a":1}`},
		`{'a': 1,}`:    {`{"a": 1}`, `{"invalid_arguments":"{'a': 1,}"}`},
		`{"a":`:        {`{"invalid_arguments":"{\"a\":"}`, `{"invalid_arguments":"{\"a\":"}`},
		`by host`:      {`{"invalid_arguments":"by host"}`, `{"invalid_arguments":"by host"}`},
		"{\"a\": \xff": {"{\"invalid_arguments\":\"{\\\"a\\\": \uFFFD\"}", "{\"invalid_arguments\":\"{\\\"a\\\": \uFFFD\"}"},
		huge:           {`{"invalid_arguments":"` + huge[:maxInvalidArgs] + `"}`, `{"invalid_arguments":"` + huge[:maxInvalidArgs] + `"}`},
	} {
		for i, result := range []string{"ok", failed} {
			messages := Build(Thread{History: []agui.Message{
				{ID: "u1", Role: agui.RoleUser, Content: agui.TextContent("Go")},
				{ID: "a1", Role: agui.RoleAssistant, ToolCalls: []agui.ToolCall{{ID: "c1", Name: "top", Arguments: written}}},
				{ID: "t1", Role: agui.RoleTool, ToolCallID: "c1", Content: agui.TextContent(result)},
			}}, View{}).Messages()
			if got := messages[1].Content[0].(llm.ToolCall).Args; got != want[i] || !json.Valid([]byte(got)) {
				t.Errorf("%.50q, answered %.20s, is shown as %.100s, want %.100s", written, result, got, want[i])
			}
		}
	}
}
