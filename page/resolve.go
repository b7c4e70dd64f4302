package page

import (
	"maps"
	"slices"

	"github.com/pageside/pageside/payload"
	"github.com/pageside/pageside/tool"
)

// Resolve returns what applies at a place: the global definitions and those of the page, the tab
// and the subtab. Unknown parts add nothing: an unknown page has only global definitions, an
// unknown tab those of its page.
func (r *Registry) Resolve(at Place) View {
	view := View{Place: at}
	if r == nil {
		return view
	}
	tools, payloads, actions := map[string]*tool.Tool{}, map[string]*payload.Type{}, map[string]Action{}
	for t := range r.tools.All() {
		if t.Global {
			tools[t.Name] = t
		}
	}
	for p := range r.payloads.All() {
		if p.Global {
			payloads[p.Name] = p
		}
	}
	for _, a := range r.areasOf(at) {
		view.add(a)
		for _, t := range a.tools {
			tools[t.Name] = t
		}
		for _, p := range a.payloads {
			payloads[p.Name] = p
		}
		for _, action := range a.actions {
			actions[action.Name] = action
		}
	}
	view.Tools, view.Payloads, view.Actions = sorted(tools), sorted(payloads), sorted(actions)
	return view
}

// add adds an area's definitions.
func (v *View) add(a area) {
	if a.instructions != "" {
		v.Instructions = append(v.Instructions, a.instructions)
		v.sources = append(v.sources, a.name)
	}
	if len(a.suggestions) > 0 {
		v.Suggestions = a.suggestions
	}
	if a.context != nil {
		v.Context = a.context
	}
}

// areasOf returns the known ones of page, tab and subtab.
func (r *Registry) areasOf(at Place) []area {
	var found []area
	var p path
	for i, segment := range []string{at.Page, at.Tab, at.Subtab} {
		p[i] = segment
		a, ok := r.areas[p]
		if segment == "" || !ok {
			break
		}
		found = append(found, a)
	}
	return found
}

// Knows reports whether the registry has every name of a place. It ignores the scope.
func (r *Registry) Knows(at Place) bool {
	named := 0
	for _, segment := range []string{at.Page, at.Tab, at.Subtab} {
		if segment != "" {
			named++
		}
	}
	return named == 0 || r != nil && len(r.areasOf(at)) == named
}

// sorted returns the values sorted by name: equal definitions give equal prompts.
func sorted[T any](m map[string]T) []T {
	list := make([]T, 0, len(m))
	for _, name := range slices.Sorted(maps.Keys(m)) {
		list = append(list, m[name])
	}
	return list
}
