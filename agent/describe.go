package agent

import (
	"slices"

	"github.com/pageside/pageside/agent/prompt"
	"github.com/pageside/pageside/page"
	"github.com/pageside/pageside/tool"
)

// Description is what an agent works with at a place, for people who configure it.
type Description struct {
	Tools       []ToolDescription `json:"tools"`
	Payloads    []PayloadSummary  `json:"payloads"`
	Actions     []ActionSummary   `json:"actions"`
	Suggestions []page.Suggestion `json:"suggestions"`
	Sections    []page.Section    `json:"sections"` // of the system prompt, in their order
	Tokens      int               `json:"tokens"`   // of tools and sections together, estimated
}

// ToolDescription is a tool of a place: a backend tool, or one that Pageside itself has.
type ToolDescription struct {
	Name        string        `json:"name"`
	Description string        `json:"description"`
	Effect      tool.Effect   `json:"effect"`
	Approval    tool.Approval `json:"approval"` // never, always or policy
	Tokens      int           `json:"tokens"`   // of its declaration, estimated
	BuiltIn     bool          `json:"builtIn,omitempty"`
	// it is offered, and its tokens count, only then; "" is always
	When string `json:"when,omitempty"`
}

// PayloadSummary is a payload type of a place.
type PayloadSummary struct {
	Name        string `json:"name"`
	Description string `json:"description"`
	Source      string `json:"source"`
	Marker      string `json:"marker,omitempty"`
}

// ActionSummary is something a suggested action can do at a place.
type ActionSummary struct {
	Name        string `json:"name"`
	Description string `json:"description"`
	Handler     string `json:"handler"`
}

// Describe says what the agent works with at a place, with the stored instructions of its scope.
// Frontend tools are the client's and not among it.
func (a *Agent) Describe(at page.Place, scope []string) Description {
	view := a.Pages.Resolve(at)
	d := Description{
		Tools: []ToolDescription{}, Payloads: []PayloadSummary{}, Actions: []ActionSummary{}, Suggestions: append([]page.Suggestion{}, view.Suggestions...),
		Sections: page.Sections(view, page.Extra{Agent: a.Instructions, Scope: scope, PayloadTools: payloadsByTool(a.Model.Info())}),
	}
	for _, t := range view.Tools {
		d.Tools = append(d.Tools, describeTool(t))
	}
	d.Tools = append(d.Tools, a.describeBuiltins(view)...)
	for _, t := range d.Tools {
		if t.When == "" {
			d.Tokens += t.Tokens
		}
	}
	for _, p := range view.Payloads {
		d.Payloads = append(d.Payloads, PayloadSummary{p.Name, p.Description, string(p.Source), p.Marker})
	}
	for _, action := range view.Actions {
		d.Actions = append(d.Actions, ActionSummary{action.Name, action.Description, action.Handler})
	}
	for _, s := range d.Sections {
		d.Tokens += s.Tokens
	}
	return d
}

func describeTool(t *tool.Tool) ToolDescription {
	approval := t.Policy.Approval
	if approval == tool.ApprovalPolicy {
		approval = "policy"
	}
	declared := page.Tokens(t.Name) + page.Tokens(t.Description) + page.Tokens(string(t.InputSchema))
	return ToolDescription{Name: t.Name, Description: t.Description, Effect: t.Effect, Approval: approval, Tokens: declared}
}

// When the tools are offered that Pageside has for what does not fit into a prompt.
const (
	whenCut      = "a result was cut"
	whenDeclared = "the page declares it"
)

// Builtins are the tools of Pageside's own that the agent may offer, at places with no tool of the
// same name. Declared by pages, and not among them, is retrieve_items, which returns what was left
// out of the page's context.
func (a *Agent) Builtins() (tools []*tool.Tool) {
	if !a.Model.Info().Tools {
		return nil
	}
	if a.AskUser {
		tools = append(tools, askUser())
	}
	return append(tools, readResultTool())
}

func (a *Agent) describeBuiltins(view page.View) (list []ToolDescription) {
	for _, t := range a.Builtins() {
		d := describeTool(t)
		d.BuiltIn, d.Approval = true, tool.ApprovalNever
		if t.Name == prompt.ReadResult {
			d.When = whenCut
		}
		list = append(list, d)
	}
	if list != nil {
		list = append(list, ToolDescription{
			Name: prompt.RetrieveItems, Description: "Returns what was left out of the page's context.", Effect: tool.Read, Approval: tool.ApprovalNever, BuiltIn: true, When: whenDeclared,
		})
	}
	return slices.DeleteFunc(list, func(d ToolDescription) bool {
		return slices.ContainsFunc(view.Tools, func(t *tool.Tool) bool { return t.Name == d.Name })
	})
}
