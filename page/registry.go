package page

import (
	"errors"
	"fmt"
	"iter"

	"github.com/pageside/pageside/internal/registry"
	"github.com/pageside/pageside/tool"
)

// Registry holds the pages and tools of a server and resolves places. It does not change once made and is safe for concurrent use.
// A nil *Registry knows no page and no tool.
type Registry struct {
	tools *tool.Registry
	pages registry.Registry[Page]
	areas map[path]area
}

// path is the key of an area: page, tab and subtab, empty from the right.
type path [3]string

// area is what one page, tab or subtab adds.
type area struct {
	instructions string
	tools        []*tool.Tool
}

// NewRegistry checks the pages against the tools. A name that is missing, malformed or defined twice and a tool that is not defined
// are errors that name the place: page "discover", tab "x": tool "y" is not defined. tools may be nil.
func NewRegistry(tools *tool.Registry, pages ...Page) (*Registry, error) {
	r := &Registry{tools: tools, areas: map[path]area{}}
	for _, p := range pages {
		if err := r.pages.Add(p.Name, p); err != nil {
			return nil, fmt.Errorf("page %w", err)
		}
		if err := r.addPage(p); err != nil {
			return nil, err
		}
	}
	return r, nil
}

// Tools returns the tools of the server, whether a page names them or not.
func (r *Registry) Tools() *tool.Registry {
	if r == nil {
		return nil
	}
	return r.tools
}

// All yields the pages in the order they were given.
func (r *Registry) All() iter.Seq[Page] {
	return func(yield func(Page) bool) {
		if r == nil {
			return
		}
		for _, p := range r.pages.All() {
			if !yield(p) {
				return
			}
		}
	}
}

func (r *Registry) addPage(p Page) error {
	where := fmt.Sprintf("page %q", p.Name)
	if err := r.add(where, path{p.Name}, p.Name, p.Instructions, p.Tools); err != nil {
		return err
	}
	for _, t := range p.Tabs {
		if err := r.addTab(where, p, t); err != nil {
			return err
		}
	}
	return nil
}

func (r *Registry) addTab(where string, p Page, t Tab) error {
	where = fmt.Sprintf("%s, tab %q", where, t.Name)
	if err := r.add(where, path{p.Name, t.Name}, t.Name, t.Instructions, t.Tools); err != nil {
		return err
	}
	for _, s := range t.Subtabs {
		at := path{p.Name, t.Name, s.Name}
		if err := r.add(fmt.Sprintf("%s, subtab %q", where, s.Name), at, s.Name, s.Instructions, s.Tools); err != nil {
			return err
		}
	}
	return nil
}

func (r *Registry) add(where string, at path, name, instructions string, tools []string) error {
	if err := checkName(name); err != nil {
		return fmt.Errorf("%s: %w", where, err)
	}
	if _, taken := r.areas[at]; taken {
		return fmt.Errorf("%s is defined twice", where)
	}
	a := area{instructions: instructions}
	for _, name := range tools {
		t, ok := r.tools.Get(name)
		if !ok {
			return fmt.Errorf("%s: tool %q is not defined", where, name)
		}
		a.tools = append(a.tools, t)
	}
	r.areas[at] = a
	return nil
}

// checkName accepts a segment of a place's path.
func checkName(name string) error {
	if name == "" {
		return errors.New("it has no name")
	}
	for _, c := range name {
		if c == '/' || c <= ' ' || c == 0x7f {
			return errors.New("a name must not hold blanks, control characters or /")
		}
	}
	return nil
}
