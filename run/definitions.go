package run

import (
	"fmt"
	"maps"
	"slices"

	"github.com/pageside/pageside/page"
	"github.com/pageside/pageside/payload"
)

// Definitions are what the agents have, each thing once, in the order of their names.
type Definitions struct {
	Tools    []*Tool
	Payloads []*payload.Type
	Pages    []page.Page
}

// Definitions returns the tools, payload types and pages of all agents.
func (r *roster) Definitions() Definitions {
	tools, payloads, pages := map[string]*Tool{}, map[string]*payload.Type{}, map[string]page.Page{}
	for _, a := range r.current.Load().list {
		for t := range a.desk.Pages.Tools().All() {
			tools[t.Name] = t
		}
		for p := range a.desk.Pages.Payloads().All() {
			payloads[p.Name] = p
		}
		for p := range a.desk.Pages.All() {
			pages[p.Name] = p
		}
	}
	return Definitions{inOrder(tools), inOrder(payloads), inOrder(pages)}
}

// inOrder returns the values sorted by name.
func inOrder[V any](byName map[string]V) []V {
	list := make([]V, 0, len(byName))
	for _, name := range slices.Sorted(maps.Keys(byName)) {
		list = append(list, byName[name])
	}
	return list
}

// View returns what an agent has at a place. It returns an *Error if there is no such agent.
func (r *roster) View(agentID string, at page.Place) (page.View, error) {
	a, err := r.known(agentID)
	if err != nil {
		return page.View{}, err
	}
	return a.desk.Pages.Resolve(at), nil
}

// ActionTool returns the tool of an action that a place has, with the server as its handler. Errors
// are *Error if there is no such agent or action.
func (r *roster) ActionTool(agentID string, at page.Place, action string) (*Tool, error) {
	a, err := r.known(agentID)
	if err != nil {
		return nil, err
	}
	actions := a.desk.Pages.Resolve(at).Actions
	i := slices.IndexFunc(actions, func(has page.Action) bool {
		return has.Name == action && has.Handler == page.HandlerServer
	})
	if i < 0 {
		return nil, &Error{
			Code:    CodeUnknownAction,
			Message: fmt.Sprintf("there is no action %q with a server handler at this place", action),
		}
	}
	t, ok := a.desk.Pages.Tools().Get(actions[i].Tool)
	if !ok {
		return nil, fmt.Errorf("action %q: its tool %q is not defined", action, actions[i].Tool)
	}
	return t, nil
}
