package page_test

import (
	"cmp"
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/pageside/pageside/page"
	"github.com/pageside/pageside/test/must"
	"github.com/pageside/pageside/test/talk"
	"github.com/pageside/pageside/tool"
)

func tools(t *testing.T, names ...string) *tool.Registry {
	t.Helper()
	var list []*tool.Tool
	for _, name := range names {
		name, global := strings.CutPrefix(name, "*")
		tl := tool.New(name, "", func(context.Context, *tool.Call, struct{}) (tool.Result, error) { return tool.Result{}, nil })
		tl.Global = global
		list = append(list, tl)
	}
	return registry(t, list...)
}

func registry(t *testing.T, list ...*tool.Tool) *tool.Registry {
	t.Helper()
	return must.Get(tool.NewRegistry(list...))(t)
}

var research = page.Page{
	Name: "research", Instructions: "PAGE", Tools: []string{"search", "common"},
	Tabs: []page.Tab{
		{Name: "execute", Instructions: "TAB", Tools: []string{"run", "common"}, Subtabs: []page.Subtab{
			{Name: "workbench", Instructions: "SUBTAB", Tools: []string{"edit"}},
			{Name: "empty"},
		}},
		{Name: "results"},
	},
}

func TestResolve(t *testing.T) {
	r, err := page.NewRegistry(tools(t, "search", "common", "run", "edit", "*ask", "elsewhere"), nil, research, page.Page{Name: "other", Tools: []string{"elsewhere"}})
	must.Do(t, err)
	tests := []struct{ place, tools, instructions string }{
		{"", "ask", ""},
		{"unknown", "ask", ""},
		{"unknown/execute/workbench", "ask", ""},
		{"research", "ask common search", "PAGE"},
		{"research/results", "ask common search", "PAGE"},
		{"research/unknown/workbench", "ask common search", "PAGE"},
		{"research/execute", "ask common run search", "PAGE TAB"},
		{"research/execute/workbench", "ask common edit run search", "PAGE TAB SUBTAB"},
		{"research/execute/empty", "ask common run search", "PAGE TAB"},
		{"other", "ask elsewhere", ""},
	}
	for _, tt := range tests {
		at := page.ParsePlace(tt.place)
		at.Scope = map[string]string{"stream": "42"}
		view := r.Resolve(at)
		var names []string
		for _, tl := range view.Tools {
			names = append(names, tl.Name)
		}
		must.Be(t, strings.Join(names, " "), tt.tools, "%s: tools", tt.place)
		must.Be(t, strings.Join(view.Instructions, " "), tt.instructions, "%s: instructions", tt.place)
		must.Be(t, view.Place.Scope["stream"], "42", "%s: the scope", tt.place)
	}
}

func TestRegistryRefuses(t *testing.T) {
	tab := func(t page.Tab) page.Page { return page.Page{Name: "discover", Tabs: []page.Tab{t}} }
	tests := []struct {
		pages []page.Page
		want  string
	}{
		{[]page.Page{{Name: "discover", Tools: []string{"y"}}}, `page "discover": tool "y" is not defined`},
		{[]page.Page{tab(page.Tab{Name: "x", Tools: []string{"y"}})}, `page "discover", tab "x": tool "y" is not defined`},
		{[]page.Page{tab(page.Tab{Name: "x", Subtabs: []page.Subtab{{Name: "z", Tools: []string{"y"}}}})}, `page "discover", tab "x", subtab "z": tool "y" is not defined`},
		{[]page.Page{{Name: "a"}, {Name: "a"}}, `page "a" is defined twice`},
		{[]page.Page{{Name: "a", Tabs: []page.Tab{{Name: "b"}, {Name: "b"}}}}, `page "a", tab "b" is defined twice`},
		{[]page.Page{tab(page.Tab{Name: "x", Subtabs: []page.Subtab{{Name: "z"}, {Name: "z"}}})}, `page "discover", tab "x", subtab "z" is defined twice`},
		{[]page.Page{{}}, `page "": it has no name`},
		{[]page.Page{tab(page.Tab{})}, `page "discover", tab "": it has no name`},
		{[]page.Page{{Name: "a/b"}}, `page "a/b": a name must not hold blanks, control characters or /`},
	}
	for _, tt := range tests {
		if _, err := page.NewRegistry(tools(t, "a"), nil, tt.pages...); err == nil || err.Error() != tt.want {
			t.Errorf("got %v, want %s", err, tt.want)
		}
	}
}

// TestToolThatIsOfferedNowhere: a tool that nobody could be offered is a mistake, unless it came
// with others.
func TestToolThatIsOfferedNowhere(t *testing.T) {
	lost := func(change func(*tool.Tool)) *tool.Registry {
		one := &tool.Tool{Name: "lost", Handler: func(context.Context, *tool.Call) (tool.Result, error) { return tool.Result{}, nil }}
		change(one)
		return must.Get(tool.NewRegistry(one))(t)
	}
	nothing := func(*tool.Tool) {}
	elsewhere := page.Page{Name: "p"}
	if r, err := page.NewRegistry(lost(nothing), nil, elsewhere); r != nil || err == nil || err.Error() != `tool "lost" is offered nowhere: it is neither Global nor on a page` {
		t.Errorf("%v", err)
	}
	must.Be(t, page.Check(lost(nothing), nil, elsewhere), nil, "of some pages")
	for name, tt := range map[string]struct {
		change func(*tool.Tool)
		page   page.Page
	}{
		"global":    {func(t *tool.Tool) { t.Global = true }, elsewhere},
		"bundled":   {func(t *tool.Tool) { t.Bundled = true }, elsewhere},
		"on a page": {nothing, page.Page{Name: "p", Tools: []string{"lost"}}},
		"on a tab":  {nothing, page.Page{Name: "p", Tabs: []page.Tab{{Name: "t", Tools: []string{"lost"}}}}},
		"an action": {nothing, page.Page{Name: "p", Actions: []page.Action{{Name: "find", Handler: "server", Tool: "lost"}}}},
	} {
		must.Be(t, must.Err(page.NewRegistry(lost(tt.change), nil, tt.page)), nil, "%s", name)
	}
}

func TestNilRegistries(t *testing.T) {
	var none *page.Registry
	if v := none.Resolve(page.ParsePlace("a")); len(v.Tools) != 0 || v.Place.Page != "a" || none.Tools() != nil {
		t.Errorf("%+v", v)
	}
	r := must.Get(page.NewRegistry(nil, nil, page.Page{Name: "a", Instructions: "I"}))(t)
	must.Be(t, len(r.Resolve(page.ParsePlace("a")).Instructions), 1, "instructions of pages without tools")
	var names []string
	for p := range r.All() {
		names = append(names, p.Name)
	}
	must.Same(t, names, []string{"a"}, "pages")
}

func TestPlace(t *testing.T) {
	for path, want := range map[string]page.Place{
		"":          {},
		"a":         {Page: "a"},
		"/a/b/":     {Page: "a", Tab: "b"},
		"a/b/c":     {Page: "a", Tab: "b", Subtab: "c"},
		"a/b/c/d/e": {Page: "a", Tab: "b", Subtab: "c"},
	} {
		got := page.ParsePlace(path)
		if got.Page != want.Page || got.Tab != want.Tab || got.Subtab != want.Subtab {
			t.Errorf("%q: %+v", path, got)
		}
		must.Be(t, page.ParsePlace(got.String()).String(), got.String(), "%q, written and read again", path)
	}
}

func TestForwarded(t *testing.T) {
	talk.Lines(t, "testdata/forwarded.txtar", func(_ *testing.T, section, line string) []string {
		if section == "an item of context in their place" {
			if f, ok := page.ParseContextItem(line); ok {
				return []string{f.String()}
			}
			return []string{"no place"}
		}
		f, err := page.ParseForwarded(json.RawMessage(line))
		return []string{cmp.Or(must.Text(err), f.String(), "nowhere")}
	})
	f := must.Get(page.ParseForwarded(nil))(t)
	must.Be(t, f.String(), "", "where nothing is said")
	f = must.Get(page.ParseForwarded(json.RawMessage(`{"pageside":{"page":"p","scope":{"stream":"42"},` +
		`"context":[{"id":"a","label":"A","kind":"mention","source":"s"}]}}`)))(t)
	must.Be(t, f.Scope["stream"], "42", "the scope")
	must.Same(t, f.Context, []page.ContextDetail{{ID: "a", Label: "A", Kind: "mention", Source: "s"}}, "the context")
	_, ok := page.ParseContextItem("")
	must.Be(t, ok, false, "an empty item is a place")
}
