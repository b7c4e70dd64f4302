package pagetool

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/pageside/pageside/agui"
	"github.com/pageside/pageside/test/must"
	"github.com/pageside/pageside/tool"
)

func TestCheck(t *testing.T) {
	for want, tools := range map[string][]agui.Tool{
		"":               {{Name: "a"}, {Name: "b", Parameters: []byte(`{}`)}},
		"tools[1].name:": {{Name: "a"}, {Name: "b c"}},
		"tools[0].name:": {{}},
		"tools[1].parameters: the schema cannot be used": {{Name: "a"}, {Name: "b", Parameters: []byte(`{"$ref":"#"}`)}},
		"tools[0].parameters: the schema must be":        {{Name: "a", Parameters: []byte(`[]`)}},
		"tools[1].metadata.pageside: effect:":            {{Name: "a", Metadata: []byte(`{"pageside":{"effect":"read"},"mine":7}`)}, {Name: "b", Metadata: []byte(`{"pageside":{"effect":"none"}}`)}},
		"tools[0].metadata.pageside: approval:":          {{Name: "a", Metadata: []byte(`{"pageside":{"approval":"never"}}`)}},
		"tools[0].parameters: they have":                 {{Name: "x", Parameters: []byte(`{"properties":{"a\u200bb":{}}}`)}},
		"tools[1].parameters: they have":                 {{Name: "a"}, {Name: "x", Parameters: []byte(`{"properties":{"a":{"enum":["\u202ex"]}}}`)}},
		"tools[0].metadata.pageside: must":               {{Name: "a", Metadata: []byte(`{"pageside":[]}`)}},
	} {
		err := Check(tools)
		if _, ok := errors.AsType[*agui.FieldError](err); ok == (want == "") || want != "" && !strings.HasPrefix(err.Error(), want) {
			t.Errorf("got %v, want %q", err, want)
		}
	}
}

// TestRemembered: what one run does with a tool does not reach the next run's, though it is read
// once; a tool that differs in anything is another.
func TestRemembered(t *testing.T) {
	declared := agui.Tool{Name: "set_filter", Description: "Sets the filter.", Parameters: json.RawMessage(`{"type":"object"}`)}
	first := must.Get(Read(0, &declared))(t)
	first.Tool.Effect, first.Tool.Policy.Approval, first.Decl.Name = tool.Destructive, tool.ApprovalAlways, "x"
	again := must.Get(Read(0, &declared))(t)
	if again.Tool.Effect != "" || again.Tool.Policy.Approval != "" || again.Decl.Name != declared.Name {
		t.Errorf("the next run's tool is %+v", again)
	}
	marked := declared
	marked.Metadata = json.RawMessage(`{"pageside":{"effect":"write"}}`)
	must.Be(t, must.Get(Read(0, &marked))(t).Tool.Effect, tool.Write, "the effect of a tool that declares one")
	split := declared
	split.Name, split.Description = "set_filterSets", " the filter."
	must.Be(t, must.Get(Read(0, &split))(t).Decl.Name, split.Name, "the name of another tool of the same text")
}
