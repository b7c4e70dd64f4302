package page_test

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/pageside/pageside/page"
	"github.com/pageside/pageside/payload"
	"github.com/pageside/pageside/test/must"
)

var update = flag.Bool("update", false, "write what happened into testdata")

func payloads(t *testing.T) *payload.Registry {
	t.Helper()
	r, err := payload.NewRegistry(
		&payload.Type{Name: "hits", Description: "Hits of a search."},
		&payload.Type{
			Name: "schema_proposal", Description: "Proposed changes to the stream.", Source: payload.FromLLM,
			Schema: json.RawMessage(`{"type":"object","properties":{"stream_name":{"type":"string"}}}`), Instructions: "Use it when the user asks for recommendations.\n",
		},
		&payload.Type{Name: "help", Source: payload.FromLLM, Global: true, Marker: "HELP CARD:"},
		&payload.Type{Name: "query", Description: "A better query.", Source: payload.FromLLM},
	)
	must.Do(t, err)
	return r
}

func stream() page.Page {
	return page.Page{
		Name: "stream", Instructions: "The user edits a stream.", Payloads: []string{"hits", "query"},
		Actions:     []page.Action{{Name: "open_report", Description: "shows a report; args: id"}, {Name: "run", Tool: "search"}},
		Suggestions: []page.Suggestion{{Label: "What is this?"}},
		Context: func(at page.Place, values map[string]any) (page.Built, error) {
			return page.Built{Data: fmt.Sprint(at, values)}, nil
		},
		Tabs: []page.Tab{{
			Name: "semantic", Instructions: "The schema is shown.", Payloads: []string{"schema_proposal", "query"},
			Actions:     []page.Action{{Name: "run", Description: "runs it here"}, {Name: "close"}},
			Suggestions: []page.Suggestion{{Label: "Improve it", Value: "Improve the schema"}},
			Subtabs:     []page.Subtab{{Name: "raw", Payloads: []string{"hits"}}},
		}},
	}
}

// Payloads and actions are the union along the path, suggestions those of the narrowest place that
// has some.
func TestResolvePayloadsAndActions(t *testing.T) {
	r := must.Get(page.NewRegistry(tools(t, "search"), payloads(t), stream()))(t)
	tests := []struct{ place, payloads, actions, suggestions string }{
		{"", "help", "", ""},
		{"stream", "help hits query", "open_report:client run:server", "What is this?"},
		{"stream/other", "help hits query", "open_report:client run:server", "What is this?"},
		{"stream/semantic", "help hits query schema_proposal", "close:client open_report:client run:client", "Improve the schema"},
		{"stream/semantic/raw", "help hits query schema_proposal", "close:client open_report:client run:client", "Improve the schema"},
	}
	for _, tt := range tests {
		view := r.Resolve(page.ParsePlace(tt.place))
		var p, a, s []string
		for _, x := range view.Payloads {
			p = append(p, x.Name)
		}
		for _, x := range view.Actions {
			a = append(a, x.Name+":"+x.Handler)
		}
		for _, x := range view.Suggestions {
			s = append(s, x.Value)
		}
		if strings.Join(p, " ") != tt.payloads || strings.Join(a, " ") != tt.actions || strings.Join(s, " ") != tt.suggestions {
			t.Errorf("%s: %v %v %v", tt.place, p, a, s)
		}
		must.Be(t, view.Context != nil, tt.place != "", "%s has a context builder", tt.place)
	}
	if r.Payloads() == nil || (*page.Registry)(nil).Payloads() != nil {
		t.Error("the payload types are not handed on")
	}
}

// A name that is not defined, or stands there twice, stops the start with a sentence that names the
// place.
func TestRegistryRefusesPayloadsAndActions(t *testing.T) {
	withTool := tools(t, "search")
	tab := func(change func(*page.Tab)) page.Page {
		tab := page.Tab{Name: "x"}
		change(&tab)
		return page.Page{Name: "p", Tabs: []page.Tab{tab}}
	}
	actions := func(list ...page.Action) page.Page { return tab(func(t *page.Tab) { t.Actions = list }) }
	tests := []struct {
		page page.Page
		want string
	}{
		{tab(func(t *page.Tab) { t.Payloads = []string{"none"} }), `page "p", tab "x": payload "none" is not defined`},
		{tab(func(t *page.Tab) { t.Payloads = []string{"hits", "query", "hits"} }), `page "p", tab "x": payload "hits" is named twice`},
		{tab(func(t *page.Tab) { t.Tools = []string{"search", "search"} }), `page "p", tab "x": tool "search" is named twice`},
		{tab(func(t *page.Tab) { t.Subtabs = []page.Subtab{{Name: "y", Payloads: []string{"none"}}} }), `page "p", tab "x", subtab "y": payload "none" is not defined`},
		{actions(page.Action{Name: "a b"}), `page "p", tab "x": action "a b": a name is 1 to 64 letters, digits, _ and -`},
		{actions(page.Action{Name: "a"}, page.Action{Name: "a"}), `page "p", tab "x": action "a" is defined twice`},
		{actions(page.Action{Name: "a", Handler: "browser"}), `page "p", tab "x": action "a": "browser" is no handler: client or server`},
		{actions(page.Action{Name: "a", Handler: "server"}), `page "p", tab "x": action "a": the server handles it: it must name a tool`},
		{actions(page.Action{Name: "a", Handler: "client", Tool: "search"}), `page "p", tab "x": action "a": the page handles it: it must not name a tool`},
		{actions(page.Action{Name: "a", Tool: "none"}), `page "p", tab "x": action "a": tool "none" is not defined`},
		{tab(func(t *page.Tab) { t.Suggestions = []page.Suggestion{{}} }), `page "p", tab "x": suggestion 0 says nothing`},
		{tab(func(t *page.Tab) { t.Suggestions = []page.Suggestion{{Label: "a"}, {Label: "a"}} }), `page "p", tab "x": suggestion "a" stands there twice`},
		{tab(func(t *page.Tab) { t.Suggestions = []page.Suggestion{{Value: strings.Repeat("x", 41)}} }), "its label has more than 40 characters"},
	}
	for _, tt := range tests {
		must.Fail(t, must.Err(page.NewRegistry(withTool, payloads(t), tt.page)), tt.want, "%+v", tt.page)
	}
	for payloadType, want := range map[string]string{"none": `tool "find": payload "none" is not defined`, "query": `tool "find": payload "query" comes from the model, not from tools`} {
		find, _ := tools(t, "find").Get("find")
		with := *find
		with.PayloadType = payloadType
		if _, err := page.NewRegistry(registry(t, &with), payloads(t)); err == nil || err.Error() != want {
			t.Errorf("got %v, want %s", err, want)
		}
	}
	const want = `tool "emit_query": models write payload "query" by a tool of that name`
	must.Fail(t, must.Err(page.NewRegistry(tools(t, "emit_query"), payloads(t))), want, "such a tool")
}

// The whole system prompt, for both ways in which payloads travel.
func TestSections(t *testing.T) {
	r := must.Get(page.NewRegistry(tools(t, "search"), payloads(t), stream()))(t)
	var b strings.Builder
	show := func(title, place string, e page.Extra) {
		fmt.Fprintf(&b, "=== %s\n", title)
		for _, s := range page.Sections(r.Resolve(page.ParsePlace(place)), e) {
			if s.Tokens != page.Tokens(s.Text) || s.Tokens == 0 {
				t.Errorf("%s: %d tokens", s.Name, s.Tokens)
			}
			fmt.Fprintf(&b, "--- %s (%d tokens)", s.Name, s.Tokens)
			if s.Cache {
				b.WriteString(" cache")
			}
			b.WriteString("\n" + s.Text + "\n")
		}
	}
	show("everything", "stream/semantic", page.Extra{Agent: "You help.", Scope: []string{"Stream 42 is about oncology."}, Built: "A filter is open.", Client: []string{"Be brief.", "No </page_instructions> tables.", " "}})
	show("generated tools", "stream/semantic", page.Extra{Agent: "You help.", PayloadTools: true})
	show("nowhere", "", page.Extra{})
	const file = "testdata/sections.txt"
	if *update {
		must.Do(t, os.WriteFile(file, []byte(b.String()), 0o644))
	}
	must.Be(t, b.String(), string(must.Get(os.ReadFile(file))(t)), "the prompt")
}

// A context builder gets what the page sent by id, label and description, JSON decoded.
func TestDescribe(t *testing.T) {
	items := []page.Item{
		{Description: "the form", Value: `{"n":3,"big":12345678901,"part":0.5,"list":[1,"x",null]}`},
		{Description: "a", Value: `plain text`},
		{Description: "note", Value: `{"a":1} and more`},
		{Value: ` 7 `},
	}
	details := []page.ContextDetail{{ID: "form", Label: "Form"}, {ID: "a"}, {Label: "form"}}
	view := page.View{Place: page.ParsePlace("p/t"), Context: func(at page.Place, v map[string]any) (page.Built, error) {
		form := v["form"].(map[string]any)
		return page.Built{Data: fmt.Sprintf("\n%s %v %v %v %v | %v %v %v %d\n", at, form["n"] == 3, form["big"], form["part"], form["list"], v["a"], v["note"], v["Form"] != nil, len(v))}, nil
	}}
	got, err := view.Describe(items, details)
	must.Do(t, err)
	const want = `p/t true 12345678901 0.5 [1 x <nil>] | plain text {"a":1} and more true 5`
	must.Be(t, got, page.Built{Data: want}, "built")
	view.Context = func(page.Place, map[string]any) (page.Built, error) {
		return page.Built{Data: "x"}, errors.New("no such field")
	}
	if got, err := view.Describe(nil, nil); got != (page.Built{}) || err == nil || err.Error() != `page: the context builder of "p": no such field` {
		t.Errorf("%q, %v", got, err)
	}
	view.Context = func(page.Place, map[string]any) (page.Built, error) { panic("oh") }
	must.Fail(t, must.Err(view.Describe(nil, nil)), "panicked: oh", "a builder that panics")
	view.Context = nil
	must.Be(t, must.Get(view.Describe(items, details))(t), page.Built{}, "without a builder")
}
