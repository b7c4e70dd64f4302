package tool

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/pageside/pageside/auth"
	"github.com/pageside/pageside/internal/nearest"
)

// Place is where the user is in the host application. Tab and Subtab may be empty from the right.
type Place struct {
	Page   string `json:"page,omitempty"`
	Tab    string `json:"tab,omitempty"`
	Subtab string `json:"subtab,omitempty"`
}

// Path returns the place as page, page/tab or page/tab/subtab.
func (p Place) Path() string {
	path := p.Page
	for _, segment := range []string{p.Tab, p.Subtab} {
		if segment == "" {
			break
		}
		path += "/" + segment
	}
	return path
}

// ContextItem is an item of the page context as the application sent it: the model may have been
// shown less of a long value.
type ContextItem struct {
	ID          string `json:"id,omitempty"`
	Label       string `json:"label,omitempty"`
	Source      string `json:"source,omitempty"`
	Description string `json:"description,omitempty"`
	Value       string `json:"value"` // text, often JSON
}

// Origin is where the user was when the model made a call, or when the user clicked a suggested
// action. The client says so: a user who builds requests by hand can be at any place, with any
// scope and context. Check with the Principal whether the user may see what the scope names.
type Origin struct {
	Place Place `json:"place,omitzero"`
	// Scope is what the place is about: {"stream": "42"}.
	Scope map[string]string `json:"scope,omitempty"`
	// Context is what the page showed: the output of its context builder, then its context items.
	Context []ContextItem `json:"context,omitempty"`
}

// Source names a value that a call comes with and no model chooses: principal.subject,
// principal.tenant, principal.roles, place.path, place.page, place.tab, place.subtab, scope.KIND or
// context.NAME. NAME is an item's id, label or description.
type Source string

// fixed are the sources whose second part is fixed; the others have any name there.
var fixed = map[string][]string{"principal": {"subject", "tenant", "roles"}, "place": {"path", "page", "tab", "subtab"}}

// kinds are the first parts of sources.
var kinds = []string{"principal", "place", "scope", "context"}

// ParseSource checks the name of a source. Its error says what may have been meant.
func ParseSource(s string) (Source, error) {
	kind, name, _ := strings.Cut(s, ".")
	switch {
	case !slices.Contains(kinds, kind):
		return "", fmt.Errorf("%q is no source: a source begins with %s%s", s,
			"principal., place., scope. or context.", nearest.Question("%s", nearest.Of(kind, kinds)))
	case name == "":
		return "", fmt.Errorf("%q is no source: it needs a name after %q", s, kind+".")
	case fixed[kind] != nil && !slices.Contains(fixed[kind], name):
		best := nearest.Of(name, fixed[kind])
		return "", fmt.Errorf("%q is no source: there is %s%s", s,
			strings.Join(prefixed(kind, fixed[kind]), ", "), nearest.Question(kind+".%s", best))
	}
	return Source(s), nil
}

func prefixed(kind string, names []string) []string {
	var list []string
	for _, name := range names {
		list = append(list, kind+"."+name)
	}
	return list
}

// Value returns what a source stands for: a string or, for principal.roles, a []string. It returns
// false where there is nothing.
func (s Source) Value(p auth.Principal, from Origin) (v any, ok bool) {
	kind, name, _ := strings.Cut(string(s), ".")
	text := ""
	switch kind {
	case "principal":
		if name == "roles" {
			return slices.Clone(p.Roles), len(p.Roles) > 0
		}
		text = map[string]string{"subject": p.Subject, "tenant": p.Tenant}[name]
	case "place":
		at := from.Place
		text = map[string]string{"path": at.Path(), "page": at.Page, "tab": at.Tab, "subtab": at.Subtab}[name]
	case "scope":
		text = from.Scope[name]
	case "context":
		return from.Item(name)
	}
	return text, text != ""
}

// Item returns the value of the context item with an id, else with a label, else with a
// description.
func (o Origin) Item(name string) (value string, ok bool) {
	for _, of := range []func(ContextItem) string{
		func(c ContextItem) string { return c.ID },
		func(c ContextItem) string { return c.Label },
		func(c ContextItem) string { return c.Description },
	} {
		if i := slices.IndexFunc(o.Context, func(c ContextItem) bool { return of(c) == name }); i >= 0 {
			return o.Context[i].Value, true
		}
	}
	return "", false
}

// checkNeeds returns an error if Needs names what is no source.
func (t *Tool) checkNeeds() error {
	var wrong []error
	for _, source := range t.Needs {
		if _, err := ParseSource(string(source)); err != nil {
			wrong = append(wrong, fmt.Errorf("it needs: %w", err))
		}
	}
	return errors.Join(wrong...)
}

// CheckDisclosed returns an error unless all names are what Disclosed takes: principal, place,
// scope or a source.
func CheckDisclosed(names ...string) error {
	for _, name := range names {
		if slices.Contains(kinds[:3], name) {
			continue
		}
		if _, err := ParseSource(name); err != nil {
			return err
		}
	}
	return nil
}

// Signed returns the names of what a signed request tells in its header: those that are given, or
// principal, place and scope. Its error says why one cannot be sent.
func Signed(names []string) ([]string, error) {
	if len(names) == 0 {
		return slices.Clone(kinds[:3]), nil
	}
	if slices.ContainsFunc(names, func(name string) bool { return strings.HasPrefix(name, "context") }) {
		return nil, errors.New("send: context items are too large for a header: they belong into the body")
	}
	if err := CheckDisclosed(names...); err != nil {
		return nil, fmt.Errorf("send: %w", err)
	}
	return names, nil
}

// Disclosed returns what a tool's backend is told of who asks and where, for names such as
// principal, scope and context.selected-rows: an object of objects of strings, without what is
// empty. context alone is all items, by id, label and description.
func (c *Call) Disclosed(names ...string) map[string]any {
	all := map[string]any{}
	put := func(s Source) {
		v, ok := s.Value(c.Principal, c.Origin)
		if !ok {
			return
		}
		kind, name, _ := strings.Cut(string(s), ".")
		if roles, several := v.([]string); several {
			list := make([]any, len(roles))
			for i, role := range roles {
				list[i] = role
			}
			v = list
		}
		if all[kind] == nil {
			all[kind] = map[string]any{}
		}
		all[kind].(map[string]any)[name] = v
	}
	for _, name := range names {
		for _, source := range c.sources(name) {
			put(source)
		}
	}
	return all
}

// sources returns the sources that a name of Disclosed stands for.
func (c *Call) sources(name string) (list []Source) {
	switch name {
	case "principal", "place":
		for _, part := range fixed[name] {
			list = append(list, Source(name+"."+part))
		}
	case "scope":
		for kind := range c.Scope {
			list = append(list, Source("scope."+kind))
		}
	case "context":
		for _, item := range c.Context {
			for _, name := range []string{item.ID, item.Label, item.Description} {
				if name != "" {
					list = append(list, Source("context."+name))
				}
			}
		}
	default:
		list = []Source{Source(name)}
	}
	return list
}

// DisclosedJSON is Disclosed as JSON: equal callers give equal bytes.
func (c *Call) DisclosedJSON(names ...string) json.RawMessage {
	raw, _ := json.Marshal(c.Disclosed(names...)) // strings: cannot fail
	return raw
}
