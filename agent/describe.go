package agent

import (
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

// ToolDescription is a backend tool of a place.
type ToolDescription struct {
	Name        string        `json:"name"`
	Description string        `json:"description"`
	Effect      tool.Effect   `json:"effect"`
	Approval    tool.Approval `json:"approval"` // never, always or policy
	Tokens      int           `json:"tokens"`   // of its declaration, estimated
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

// Describe says what the agent works with at a place, with the stored instructions of its scope. Frontend tools are the client's and
// not among it.
func (a *Agent) Describe(at page.Place, scope []string) Description {
	view := a.Pages.Resolve(at)
	d := Description{
		Tools: []ToolDescription{}, Payloads: []PayloadSummary{}, Actions: []ActionSummary{}, Suggestions: append([]page.Suggestion{}, view.Suggestions...),
		Sections: page.Sections(view, page.Extra{Agent: a.Instructions, Scope: scope, PayloadTools: cardsByTool(a.Model.Info())}),
	}
	for _, t := range view.Tools {
		approval := t.Policy.Approval
		if approval == tool.ApprovalPolicy {
			approval = "policy"
		}
		declared := page.Tokens(t.Name) + page.Tokens(t.Description) + page.Tokens(string(t.InputSchema))
		d.Tools = append(d.Tools, ToolDescription{t.Name, t.Description, t.Effect, approval, declared})
		d.Tokens += declared
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
