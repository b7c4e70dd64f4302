package page

import (
	"cmp"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/pageside/pageside/internal/registry"
	"github.com/pageside/pageside/payload"
	"github.com/pageside/pageside/tool"
)

// Registry holds the pages, tools and payload types of a server and resolves places. Immutable and
// safe for concurrent use. A nil *Registry is empty.
type Registry struct {
	tools    *tool.Registry
	payloads *payload.Registry
	pages    registry.Registry[Page]
	areas    map[path]area
	views    map[path]View // of each area; that of no area has what is global
}

// path is the key of an area: page, tab and subtab, empty from the right.
type path [3]string

// outside yields the paths of the page, its tab and its subtab, as far as they are named.
func (p path) outside() iter.Seq[path] {
	return func(yield func(path) bool) {
		var outer path
		for i, name := range p {
			if outer[i] = name; name == "" || !yield(outer) {
				return
			}
		}
	}
}

// kind names the kind of area at the path.
func (p path) kind() string {
	switch {
	case p[2] != "":
		return "subtab"
	case p[1] != "":
		return "tab"
	}
	return "page"
}

// area holds the definitions of one page, tab or subtab.
type area struct {
	name         string // "tab results"
	instructions string
	tools        []*tool.Tool
	payloads     []*payload.Type
	actions      []Action
	suggestions  []Suggestion
	context      ContextBuilder // a page's
}

// NewRegistry checks the pages against the tools and payload types. Missing, malformed and
// duplicate names are errors, as are undefined tools (also of actions) and payload types; the error
// names the place: page "discover", tab "x": tool "y" is not defined. tools and payloads may be
// nil.
//
// A tool that is offered nowhere is an error too: it is neither Global nor on a page. Tools that
// are Bundled may be left out.
func NewRegistry(tools *tool.Registry, payloads *payload.Registry, pages ...Page) (*Registry, error) {
	r, err := newRegistry(tools, payloads, pages)
	if err != nil {
		return nil, err
	}
	if err := r.checkReach(); err != nil {
		return nil, err
	}
	return r, nil
}

// Check is NewRegistry for some of the pages: definitions may be offered on others.
func Check(tools *tool.Registry, payloads *payload.Registry, pages ...Page) error {
	_, err := newRegistry(tools, payloads, pages)
	return err
}

func newRegistry(tools *tool.Registry, payloads *payload.Registry, pages []Page) (*Registry, error) {
	r := &Registry{tools: tools, payloads: payloads, areas: map[path]area{}}
	if err := r.checkTools(); err != nil {
		return nil, err
	}
	for _, p := range pages {
		if err := r.pages.Add(p.Name, p); err != nil {
			return nil, fmt.Errorf("page %w", err)
		}
		if err := r.addPage(p); err != nil {
			return nil, err
		}
	}
	r.resolveAll()
	return r, nil
}

// checkReach reports the tools that are offered nowhere.
func (r *Registry) checkReach() error {
	tools := map[string]bool{}
	for _, a := range r.areas {
		for _, t := range a.tools {
			tools[t.Name] = true
		}
		for _, action := range a.actions {
			tools[action.Tool] = true
		}
	}
	var errs []error
	for t := range r.tools.All() {
		if !t.Global && !t.Bundled && !tools[t.Name] {
			errs = append(errs, fmt.Errorf("tool %q is offered nowhere: it is neither Global nor on a page", t.Name))
		}
	}
	return errors.Join(errs...)
}

// checkTools checks the tools' payload types.
func (r *Registry) checkTools() error {
	for t := range r.tools.All() {
		if t.PayloadType == "" {
			continue
		}
		p, ok := r.payloads.Get(t.PayloadType)
		switch {
		case !ok:
			return fmt.Errorf("tool %q: payload %q is not defined", t.Name, t.PayloadType)
		case p.Source != payload.FromTool:
			return fmt.Errorf("tool %q: payload %q comes from the model, not from tools", t.Name, p.Name)
		}
	}
	for p := range r.payloads.All() {
		if _, taken := r.tools.Get(p.ToolName()); taken && p.Source == payload.FromLLM {
			return fmt.Errorf("tool %q: models write payload %q by a tool of that name", p.ToolName(), p.Name)
		}
	}
	return nil
}

// Suggests reports whether the text is a suggestion of one of the pages. Blanks do not count.
func (r *Registry) Suggests(text string) bool {
	if r == nil {
		return false
	}
	text = strings.Join(strings.Fields(text), " ")
	for _, a := range r.areas {
		if slices.ContainsFunc(a.suggestions, func(s Suggestion) bool {
			return strings.Join(strings.Fields(s.Value), " ") == text
		}) {
			return true
		}
	}
	return false
}

// Tools returns all tools of the server.
func (r *Registry) Tools() *tool.Registry {
	if r == nil {
		return nil
	}
	return r.tools
}

// Payloads returns all payload types of the server.
func (r *Registry) Payloads() *payload.Registry {
	if r == nil {
		return nil
	}
	return r.payloads
}

// All yields the pages in the order they were given.
func (r *Registry) All() iter.Seq[Page] {
	var pages *registry.Registry[Page]
	if r != nil {
		pages = &r.pages
	}
	return pages.All()
}

func (r *Registry) addPage(p Page) error {
	where := fmt.Sprintf("page %q", p.Name)
	top := Subtab{p.Name, p.Instructions, p.Tools, p.Payloads, p.Actions, p.Suggestions}
	if err := r.add(where, path{p.Name}, top, p.Context); err != nil {
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
	top := Subtab{t.Name, t.Instructions, t.Tools, t.Payloads, t.Actions, t.Suggestions}
	if err := r.add(where, path{p.Name, t.Name}, top, nil); err != nil {
		return err
	}
	for _, s := range t.Subtabs {
		if err := r.add(fmt.Sprintf("%s, subtab %q", where, s.Name), path{p.Name, t.Name, s.Name}, s, nil); err != nil {
			return err
		}
	}
	return nil
}

// add stores the definitions of a page, tab or subtab; they share the fields of a subtab.
func (r *Registry) add(where string, at path, s Subtab, context ContextBuilder) error {
	if err := checkName(s.Name); err != nil {
		return fmt.Errorf("%s: %w", where, err)
	}
	if _, taken := r.areas[at]; taken {
		return fmt.Errorf("%s is defined twice", where)
	}
	a := area{name: at.kind() + " " + s.Name, instructions: s.Instructions, context: context}
	errs := [4]error{}
	a.tools, errs[0] = named("tool", s.Tools, r.tools.Get)
	a.payloads, errs[1] = named("payload", s.Payloads, r.payloads.Get)
	a.actions, errs[2] = r.actions(s.Actions)
	a.suggestions, errs[3] = suggestions(s.Suggestions)
	if err := cmp.Or(errs[:]...); err != nil {
		return fmt.Errorf("%s: %w", where, err)
	}
	r.areas[at] = a
	return nil
}

// named looks up names, which must be unique.
func named[T any](kind string, names []string, get func(string) (T, bool)) ([]T, error) {
	var found []T
	for i, name := range names {
		x, ok := get(name)
		if !ok {
			return nil, fmt.Errorf("%s %q is not defined", kind, name)
		}
		if slices.Contains(names[:i], name) {
			return nil, fmt.Errorf("%s %q is named twice", kind, name)
		}
		found = append(found, x)
	}
	return found, nil
}

// actions returns a copy of the actions, each with its handler.
func (r *Registry) actions(list []Action) ([]Action, error) {
	list = slices.Clone(list)
	for i := range list {
		a := &list[i]
		if !tool.ValidName(a.Name) {
			return nil, fmt.Errorf("action %q: a name is 1 to 64 letters, digits, _ and -", a.Name)
		}
		if slices.ContainsFunc(list[:i], func(before Action) bool { return before.Name == a.Name }) {
			return nil, fmt.Errorf("action %q is defined twice", a.Name)
		}
		if err := r.checkHandler(a); err != nil {
			return nil, fmt.Errorf("action %q: %w", a.Name, err)
		}
	}
	return list, nil
}

// checkHandler fills in a missing handler: an action with a tool is handled by the server.
func (r *Registry) checkHandler(a *Action) error {
	if a.Handler == "" {
		a.Handler = HandlerClient
		if a.Tool != "" {
			a.Handler = HandlerServer
		}
	}
	_, known := r.tools.Get(a.Tool)
	switch {
	case a.Handler != HandlerClient && a.Handler != HandlerServer:
		return fmt.Errorf("%q is no handler: client or server", a.Handler)
	case a.Handler == HandlerClient && a.Tool != "":
		return errors.New("the page handles it: it must not name a tool")
	case a.Handler == HandlerServer && a.Tool == "":
		return errors.New("the server handles it: it must name a tool")
	case a.Handler == HandlerServer && !known:
		return fmt.Errorf("tool %q is not defined", a.Tool)
	}
	return nil
}

func suggestions(list []Suggestion) ([]Suggestion, error) {
	list = slices.Clone(list)
	for i := range list {
		s := &list[i]
		s.Label, s.Value = cmp.Or(s.Label, s.Value), cmp.Or(s.Value, s.Label)
		switch {
		case s.Label == "":
			return nil, fmt.Errorf("suggestion %d says nothing", i)
		case utf8.RuneCountInString(s.Label) > payload.MaxLabel:
			return nil, fmt.Errorf("suggestion %q: its label has more than %d characters", s.Label, payload.MaxLabel)
		case slices.ContainsFunc(list[:i], func(before Suggestion) bool { return before.Label == s.Label }):
			return nil, fmt.Errorf("suggestion %q stands there twice", s.Label)
		}
	}
	return list, nil
}

// checkName checks a segment of a place's path.
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
