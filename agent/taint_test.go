package agent

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/pageside/pageside/agui"
	"github.com/pageside/pageside/llm"
	"github.com/pageside/pageside/page"
	"github.com/pageside/pageside/test/must"
	"github.com/pageside/pageside/tool"
)

// surroundings is all that a run may begin with beside messages, and whether it taints.
var surroundings = map[string]struct {
	taints bool
	in     Input
}{
	"nothing":                {in: Input{}},
	"a registered page":      {in: Input{Place: page.Place{Page: "orders"}}},
	"a registered subtab":    {in: Input{Place: page.Place{Page: "orders", Tab: "open", Subtab: "mine"}}},
	"an empty state":         {in: Input{State: json.RawMessage(`{}`)}},
	"state":                  {taints: true, in: Input{State: json.RawMessage(`{"note":"EVIL"}`)}},
	"details of no item":     {in: Input{Details: []page.ContextDetail{{Label: "EVIL"}}, Place: page.Place{Page: "quiet"}}},
	"a builder's silence":    {in: Input{Place: page.Place{Page: "quiet"}}},
	"a builder's words":      {true, Input{Place: page.Place{Page: "built"}}},
	"a context item":         {true, Input{Context: []agui.ContextItem{{Description: "comments", Value: "EVIL"}}}},
	"a page's tool":          {in: Input{Frontend: []agui.Tool{{Name: "paint", Description: "Paints."}}}},
	"somebody else's tool":   {true, Input{Frontend: []agui.Tool{{Name: "paint", Description: "EVIL", Metadata: foreignMark}}}},
	"words of the page":      {in: Input{ClientInstructions: []string{"Be brief."}}},
	"stored instructions":    {true, Input{Instructions: []string{"EVIL"}}},
	"a scope":                {true, Input{Place: page.Place{Page: "orders", Scope: map[string]string{"order": "EVIL"}}}},
	"a scope without a page": {true, Input{Place: page.Place{Scope: map[string]string{"order": "7"}}}},
	"an unknown page":        {true, Input{Place: page.Place{Page: "EVIL"}}},
	"another case":           {true, Input{Place: page.Place{Page: "Orders"}}},
	"an unknown tab":         {true, Input{Place: page.Place{Page: "orders", Tab: "EVIL"}}},
	"a page that is a tab":   {true, Input{Place: page.Place{Page: "open"}}},
	"an unknown subtab":      {true, Input{Place: page.Place{Page: "orders", Tab: "open", Subtab: "EVIL"}}},
	"the branch":             {true, Input{Tainted: true}},
}

var foreignMark = json.RawMessage(`{"pageside":{"foreign":true}}`)

// taintedAt is an agent with pages that are there to taint or not, and a tool that must not run
// where they do.
func taintedAt(t *testing.T, model *fakeModel) *Agent {
	t.Helper()
	save := (&conversation{journal: &fakeJournal{}}).tool(toolSetup{Name: "save", Global: true, Effect: tool.Write, Result: "saved"})
	registry := must.Get(tool.NewRegistry(save))(t)
	writes := func(text string) page.ContextBuilder {
		return func(page.Place, map[string]any) (page.Built, error) { return page.Built{Data: text}, nil }
	}
	pages := must.Get(page.NewRegistry(registry, nil,
		page.Page{Name: "orders", Tabs: []page.Tab{{Name: "open", Subtabs: []page.Subtab{{Name: "mine"}}}}},
		page.Page{Name: "quiet", Context: writes(" \n")}, page.Page{Name: "built", Context: writes("EVIL")}))(t)
	return &Agent{ID: "test", Model: model, Pages: pages}
}

func TestWhatARunBeginsWithTaints(t *testing.T) {
	for name, c := range surroundings {
		t.Run(strings.ReplaceAll(name, " ", "_"), func(t *testing.T) {
			wantTaint(t, c.in, c.taints)
		})
	}
}

// wantTaint runs an agent whose model calls a tool that changes something, at once.
func wantTaint(t *testing.T, in Input, want bool) {
	t.Helper()
	model := &fakeModel{steps: [][]fakePart{
		{{part: llm.Part{Kind: llm.ToolStart, Name: "save", ID: "c9"}}, {part: llm.Part{Kind: llm.FinishPart, Finish: llm.FinishTools}}},
		textStep("Done."),
	}}
	a, journal := taintedAt(t, model), &fakeJournal{model: model}
	in.ThreadID, in.RunID, in.Journal = "t1", "r1", journal
	in.History = append(in.History, agui.Message{ID: "u9", Role: agui.RoleUser, Content: agui.TextContent("Go")})
	outcome := must.Get(a.Run(t.Context(), in, newRecorder(in.History)))(t)
	if asked := len(outcome.Interrupts) == 1; asked != want {
		t.Errorf("a person is asked: %t, want %t", asked, want)
	}
	noted := "after 1 model calls" // the result of the tool
	if want {
		noted = "after 0 model calls"
	}
	if got := strings.Join(journal.taints, ", "); !in.Tainted && got != noted || in.Tainted && got != "" {
		t.Errorf("it is noted %q", got)
	}
}

// TestMessagesThatTaint holds for those of a thread, whose answers the caller says are the
// assistant's own, and for those a client brings.
func TestMessagesThatTaint(t *testing.T) {
	for name, c := range map[string]struct {
		line            string
		thread, brought bool
	}{
		"words":      {line: `{"id":"m","role":"user","content":"EVIL"}`},
		"no words":   {line: `{"id":"m","role":"user","content":""}`},
		"text parts": {line: `{"id":"m","role":"user","content":[{"type":"text","text":"EVIL"}]}`},
		"a note":     {line: `{"id":"m","role":"activity","activityType":"pageside_note","content":{"kind":"page","text":"The user is now at \"orders\"."}}`},
		"a picture":  {line: `{"id":"m","role":"user","content":[{"type":"text","text":"see"},{"type":"image","source":{"type":"data","value":"aGk=","mimeType":"image/png"}}]}`, thread: true, brought: true},
		"a document": {line: `{"id":"m","role":"user","content":[{"type":"document","source":{"type":"url","value":"https://a.example/b.pdf"}}]}`, thread: true, brought: true},
		"an answer":  {line: `{"id":"m","role":"assistant","content":"EVIL"}`, brought: true},
		"a thought":  {line: `{"id":"m","role":"reasoning","content":"EVIL"}`, brought: true},
	} {
		t.Run(strings.ReplaceAll(name, " ", "_"), func(t *testing.T) {
			m := must.Get(agui.UnmarshalMessage([]byte(c.line)))(t)
			wantTaint(t, Input{History: []agui.Message{m}}, c.thread)
			a := taintedAt(t, &fakeModel{})
			if got := a.Taints(t.Context(), Input{History: []agui.Message{m}}); got != c.brought {
				t.Errorf("brought by a client it taints: %t, want %t", got, c.brought)
			}
		})
	}
	result := must.Get(agui.UnmarshalMessage([]byte(`{"id":"m","role":"tool","toolCallId":"c1","content":"EVIL"}`)))(t)
	if !taintedAt(t, &fakeModel{}).Taints(t.Context(), Input{History: []agui.Message{result}}) {
		t.Error("the result of a page's tool does not taint")
	}
}
