package page

import (
	"slices"
	"strings"

	"github.com/pageside/pageside/tool"
)

// Resolve returns what holds at a place: the global tools and what the page, the tab and the subtab add. What is not known adds
// nothing: an unknown page has the global tools only, an unknown tab has what its page has.
func (r *Registry) Resolve(at Place) View {
	view := View{Place: at}
	if r == nil {
		return view
	}
	offered := map[string]*tool.Tool{}
	for t := range r.tools.All() {
		if t.Global {
			offered[t.Name] = t
		}
	}
	for _, a := range r.areasOf(at) {
		if a.instructions != "" {
			view.Instructions = append(view.Instructions, a.instructions)
		}
		for _, t := range a.tools {
			offered[t.Name] = t
		}
	}
	view.Tools = sorted(offered)
	return view
}

// areasOf returns page, tab and subtab, as far as they are known.
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

func sorted(tools map[string]*tool.Tool) []*tool.Tool {
	list := make([]*tool.Tool, 0, len(tools))
	for _, t := range tools {
		list = append(list, t)
	}
	slices.SortFunc(list, func(a, b *tool.Tool) int { return strings.Compare(a.Name, b.Name) })
	return list
}
