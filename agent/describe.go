package agent

import (
	"slices"

	"github.com/pageside/pageside/agent/prompt"
	"github.com/pageside/pageside/llm"
	"github.com/pageside/pageside/page"
	"github.com/pageside/pageside/tool"
)

// Description shows an administrator what an agent works with at a place.
type Description struct {
	Tools       []ToolDescription `json:"tools"`
	Payloads    []PayloadSummary  `json:"payloads"`
	Actions     []ActionSummary   `json:"actions"`
	Suggestions []page.Suggestion `json:"suggestions"`
	Sections    []page.Section    `json:"sections"` // of the system prompt, in order
	Tokens      int               `json:"tokens"`   // estimate for tools and sections together
	// tools that the place has, but that are not offered there, and why
	Withheld []Withheld `json:"withheld"`
}

// ToolDescription is a tool of a place: a backend tool or a built-in one.
type ToolDescription struct {
	Name        string        `json:"name"`
	Description string        `json:"description"`
	Effect      tool.Effect   `json:"effect"`
	Approval    tool.Approval `json:"approval"` // never, always or policy
	Tokens      int           `json:"tokens"`   // estimate for its declaration
	BuiltIn     bool          `json:"builtIn,omitempty"`
	// condition under which it is offered and its tokens count; "" means always
	When string `json:"when,omitempty"`
}

// PayloadSummary describes a payload type of a place.
type PayloadSummary struct {
	Name        string `json:"name"`
	Description string `json:"description"`
	Source      string `json:"source"`
	Marker      string `json:"marker,omitempty"`
}

// ActionSummary describes a suggested action of a place.
type ActionSummary struct {
	Name        string `json:"name"`
	Description string `json:"description"`
	Handler     string `json:"handler"`
}

// Describe returns what the agent works with at a place, with the stored instructions of its scope.
// It leaves out frontend tools: they are the client's.
func (a *Agent) Describe(at page.Place, scope []string) Description {
	view := a.Pages.Resolve(at)
	d := Description{
		Tools: []ToolDescription{}, Payloads: []PayloadSummary{}, Actions: []ActionSummary{},
		Withheld: []Withheld{}, Suggestions: append([]page.Suggestion{}, view.Suggestions...),
		Sections: page.Sections(view, page.Extra{
			Agent: a.Instructions, Scope: scope, PayloadTools: payloadsByTool(a.Model.Info()),
		}),
	}
	for _, t := range view.Tools {
		if lacks := lacking(t, at); lacks != "" {
			d.Withheld = append(d.Withheld, Withheld{Name: t.Name, Reason: lacks})
			continue
		}
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

// lacking returns what a tool lacks at a place, as far as the place and its scope tell: who asks
// and what the page shows differs from run to run.
func lacking(t *tool.Tool, at page.Place) string {
	return t.UnmetAt(tool.Origin{Place: at.ToolPlace(), Scope: at.Scope})
}

func describeTool(t *tool.Tool) ToolDescription {
	approval := t.Policy.Approval
	if approval == tool.ApprovalPolicy {
		approval = "policy"
	}
	return ToolDescription{
		Name: t.Name, Description: t.Description, Effect: t.Effect, Approval: approval,
		Tokens: DeclaredTokens(backendOffer(t).decl),
	}
}

// DeclaredTokens estimates the tokens of a tool in a prompt: one number for the inspector, for
// administrators and for users.
func DeclaredTokens(d llm.ToolDecl) int {
	return page.Tokens(d.Name) + page.Tokens(d.Description) + page.Tokens(string(d.Parameters))
}

// When the built-in tools are offered.
const (
	whenCut      = "a result was cut"
	whenDeclared = "the page declares it"
)

// Builtins returns the built-in tools that the agent may offer, unless the place has a tool of the
// same name. It leaves out retrieve_items, which the page declares.
func (a *Agent) Builtins() (tools []*tool.Tool) {
	if !a.Model.Info().Tools {
		return nil
	}
	if a.AskUser {
		tools = append(tools, askUser())
	}
	if t := updateTool(&a.State); t != nil {
		tools = append(tools, t)
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
			Name: prompt.RetrieveItems, Description: "Returns what was left out of the page's context.",
			Effect: tool.Read, Approval: tool.ApprovalNever, BuiltIn: true, When: whenDeclared,
		})
	}
	return slices.DeleteFunc(list, func(d ToolDescription) bool {
		return slices.ContainsFunc(view.Tools, func(t *tool.Tool) bool { return t.Name == d.Name })
	})
}
