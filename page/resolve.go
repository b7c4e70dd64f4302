package page

import (
	"maps"
	"slices"

	"github.com/pageside/pageside/payload"
	"github.com/pageside/pageside/tool"
)

// Resolve returns what applies at a place: the global definitions and those of the page, the tab
// and the subtab. Unknown parts add nothing: an unknown page has only global definitions, an
// unknown tab those of its page. The caller must not change what the view refers to.
func (r *Registry) Resolve(at Place) View {
	var view View
	if r != nil {
		view = r.views[r.known(at)]
	}
	view.Place = at
	return view
}

// resolveAll makes the views of all places that are known, and of those that are not.
func (r *Registry) resolveAll() {
	r.views = map[path]View{{}: r.viewOf(path{})}
	for p := range r.areas {
		r.views[p] = r.viewOf(p)
	}
}

func (r *Registry) viewOf(at path) (view View) {
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
	for outer := range at.outside() {
		a := r.areas[outer]
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

// known returns the known part of a place.
func (r *Registry) known(at Place) (known path) {
	if r == nil {
		return path{}
	}
	for outer := range at.path().outside() {
		if _, ok := r.areas[outer]; !ok {
			break
		}
		known = outer
	}
	return known
}

// Knows reports whether the registry has every name of a place. It ignores the scope.
func (r *Registry) Knows(at Place) bool {
	return r.known(at) == at.path()
}

// sorted returns the values sorted by name: equal definitions give equal prompts.
func sorted[T any](m map[string]T) []T {
	list := make([]T, 0, len(m))
	for _, name := range slices.Sorted(maps.Keys(m)) {
		list = append(list, m[name])
	}
	return list
}
