package config_test

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/pageside/pageside/agent"
	"github.com/pageside/pageside/config"
	"github.com/pageside/pageside/internal/leaktest"
	"github.com/pageside/pageside/llm"
	"github.com/pageside/pageside/page"
	"github.com/pageside/pageside/test/must"
	"github.com/pageside/pageside/tool"
)

func TestMain(m *testing.M) {
	if os.Getenv(tellsVariable) != "" {
		beIndiscreet()
		return
	}
	if os.Getenv(startsVariable) != "" {
		beMCPServer()
		return
	}
	leaktest.Main(m)
}

// fakeModel is a model that cannot answer.
type fakeModel struct{ info llm.Info }

func (m fakeModel) Info() llm.Info { return m.info }
func (m fakeModel) Stream(context.Context, *llm.Request) iter.Seq2[llm.Part, error] {
	return func(func(llm.Part, error) bool) {}
}

// folder is a configuration with its files.
type folder struct {
	t     *testing.T
	path  string
	env   map[string]string
	keys  map[string]string // that models were opened with
	tools []*tool.Tool      // of the program
}

func newFolder(t *testing.T, files map[string]string) *folder {
	t.Helper()
	f := &folder{t: t, path: t.TempDir(), env: map[string]string{}, keys: map[string]string{}}
	for name, text := range files {
		f.write(name, text)
	}
	return f
}

// write puts a file into the folder as a whole: whoever reads it meanwhile finds what was there or
// what is there now, and whoever watches the folder is told once.
func (f *folder) write(name, text string) {
	f.t.Helper()
	whole := filepath.Join(f.t.TempDir(), "whole")
	must.Do(f.t, errors.Join(os.WriteFile(whole, []byte(text), 0o600), os.Rename(whole, filepath.Join(f.path, name))))
}

func (f *folder) file() string { return filepath.Join(f.path, "pageside.yaml") }

func (f *folder) options() config.Options {
	return config.Options{
		Env:   func(name string) string { return f.env[name] },
		Audit: true,
		Tools: f.tools,
		OpenModel: func(s config.ModelSpec) (llm.Model, error) {
			if s.Provider == "nobody" {
				return nil, errors.New("unknown provider")
			}
			f.keys[s.Name] = s.Key
			return fakeModel{llm.Info{Provider: s.Provider, Model: s.Name, Tools: true, ParallelTools: true, Reasoning: s.Name == "gpt-5", Scripted: s.Provider == "script"}}, nil
		},
	}
}

func (f *folder) build() (*config.Site, error) {
	f.t.Helper()
	source, err := config.Load(f.file())
	if err != nil {
		return nil, err
	}
	site, err := config.Build(f.t.Context(), source, f.options())
	if err == nil {
		f.t.Cleanup(func() { site.Close() })
	}
	return site, err
}

const research = `
models:
  fast:
    use: openai/gpt-5-mini
    key: env:KEY
    parallelTools: false
    contextWindow: 1234
    prices: {input: 1, output: 2}
    fallback: [anthropic/claude-haiku-4-5]
agents:
  - id: default
    model: fast
    instructions: file:instructions.md
    approvals: {untrusted: false}
suggestions: {model: fast, every: 5s}
tools:
  - name: search_pubmed
    description: Searches PubMed.
    global: true
    effect: read
    url: https://pubmed.example/search?q={{ .query }}
    headers: {Authorization: "Bearer ${env:KEY}"}
    input: {type: object, properties: {query: {type: string}}, required: [query]}
    payloadType: pubmed_search_results
  - name: compare_reports
    description: Compares two reports.
    url: https://reports.example/compare
payloads:
  - name: pubmed_search_results
  - name: schema_proposal
    source: llm
    marker: "SCHEMA_PROPOSAL:"
    schema: file:schema.json
    instructions: Use when the user asks for recommendations.
pages:
  - name: edit_research_stream
    title: Edit stream
    context: |
      {{ with get .Context.form "name" }}The stream is called {{ . }}.{{ end }}
    actions: [{name: open_report}, {name: run, handler: server, tool: compare_reports}]
    tabs:
      - name: semantic
        payloads: [schema_proposal]
      - name: execute
        tools: [compare_reports]
        subtabs:
          - name: workbench
            instructions: You are in the workbench.
            suggestions: [{label: Compare, value: Compare the reports}]
`

func researchFolder(t *testing.T) *folder {
	f := newFolder(t, map[string]string{
		"pageside.yaml": research, "instructions.md": "You help with research.\n", "schema.json": `{"type":"object","properties":{"topics":{"type":"array"}}}`,
	})
	f.env["KEY"] = "sk-secret"
	return f
}

func TestASiteIsBuilt(t *testing.T) {
	f := researchFolder(t)
	site := must.Get(f.build())(t)
	a := site.Agents[0]
	if a.Instructions != "You help with research." || !a.Approvals.IgnoreTaint || f.keys["gpt-5-mini"] != "sk-secret" || site.Suggester == nil {
		t.Errorf("agent %+v, keys %v", a, f.keys)
	}
	if info := a.Model.Info(); info.ParallelTools || info.Prices.Output != 2 || info.ContextWindow == 0 {
		t.Errorf("model %+v", info)
	}
	for _, c := range []struct {
		place page.Place
		want  string
	}{
		{page.Place{}, "search_pubmed | "},
		{page.Place{Page: "edit_research_stream"}, "search_pubmed | open_report run"},
		{page.Place{Page: "edit_research_stream", Tab: "semantic"}, "search_pubmed | schema_proposal open_report run"},
		{page.Place{Page: "edit_research_stream", Tab: "execute", Subtab: "workbench"}, "compare_reports search_pubmed | open_report run"},
	} {
		must.Be(t, describe(a.Pages.Resolve(c.place)), c.want, "at %+v", c.place)
	}
	view := a.Pages.Resolve(page.Place{Page: "edit_research_stream"})
	for values, want := range map[string]map[string]any{
		"The stream is called EGFR.": {"form": map[string]any{"name": "EGFR"}}, "": {},
	} {
		if built, err := view.Context(page.Place{}, want); err != nil || built != (page.Built{Data: values}) {
			t.Errorf("context of %v: %q, %v", want, built, err)
		}
	}
}

func describe(v page.View) string {
	var tools, rest []string
	for _, t := range v.Tools {
		tools = append(tools, t.Name)
	}
	for _, p := range v.Payloads {
		if p.Name != "pubmed_search_results" {
			rest = append(rest, p.Name)
		}
	}
	for _, a := range v.Actions {
		rest = append(rest, a.Name)
	}
	return strings.Join(tools, " ") + " | " + strings.Join(rest, " ")
}

// What a file says of other files is relative to it, wherever the server was started.
func TestPathsAreRelativeToTheFile(t *testing.T) {
	f := newFolder(t, map[string]string{"pageside.yaml": "store: sqlite:p.db\nmodels:\n  m: {use: script/rules.yaml}\nagents: [{id: a, model: m}]\n"})
	site := must.Get(f.build())(t)
	script := filepath.Join(f.path, "rules.yaml")
	if _, opened := f.keys[script]; !opened || site.Source.Store != "sqlite:"+filepath.Join(f.path, "p.db") {
		t.Errorf("opened %v, store %s", f.keys, site.Source.Store)
	}
	if files := site.Source.Files(); !slices.Contains(files, script) {
		t.Errorf("a script is not among the files that are watched: %v", files)
	}
}

func TestAChosenModelAnswersInThePlaceOfAllAndNeedsNoKeyOfTheFile(t *testing.T) {
	f := researchFolder(t)
	f.env = map[string]string{"KEY": "sk-secret"}
	f.write("pageside.yaml", strings.Replace(research, "key: env:KEY", "key: env:OTHER", 1))
	source := must.Get(config.Load(f.file()))(t)
	o := f.options()
	o.Model = "script/chosen.yaml"
	site := must.Get(config.Build(t.Context(), source, o))(t)
	defer site.Close()
	for _, m := range []llm.Model{site.Agents[0].Model, site.Suggester} {
		must.Be(t, m.Info().Name(), "script/chosen.yaml", "answered by")
	}
	must.Be(t, len(f.keys), 1, "opened %v", f.keys)
	o.Model = "nobody/x"
	if _, err := config.Build(t.Context(), source, o); err == nil || err.Error() != f.file()+`: model "nobody/x": unknown provider` {
		t.Errorf("one that is not there: %v", err)
	}
}

func TestAnHTTPToolOfTheFileRuns(t *testing.T) {
	var asked string
	api := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked = r.Header.Get("Authorization") + " " + r.URL.String()
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprint(w, `{"items":[{"title":"A","link":"https://example.com/a"}]}`)
	}))
	defer api.Close()
	f := newFolder(t, map[string]string{"token": "t0ken\n", "pageside.yaml": `
egress: {private: [127.0.0.0/8]}
tools:
  - name: find
    description: Finds.
    global: true
    url: ` + api.URL + `/find?q={{ .q }}
    headers: {Authorization: "file:token"}
    input: {type: object, properties: {q: {type: string}}, required: [q]}
    result: /items
    sources: {list: /items, url: /link}
`})
	site := must.Get(f.build())(t)
	find, _ := site.Tools.Get("find")
	r := tool.Execute(t.Context(), find, tool.Call{ID: "1", Args: []byte(`{"q":"a b&c"}`)}, func(tool.Progress) {})
	http.DefaultClient.CloseIdleConnections()
	if r.IsError || !strings.Contains(r.Text, `"title":"A"`) || asked != "t0ken /find?q=a+b%26c" && asked != "t0ken /find?q=a%20b%26c" {
		t.Errorf("result %+v, asked %s", r, asked)
	}
	if want := (tool.CitableSource{Title: "A", URL: "https://example.com/a"}); !slices.Equal(r.Sources, []tool.CitableSource{want}) {
		t.Errorf("its sources are %+v", r.Sources)
	}
}

func TestPageTools(t *testing.T) {
	f := newFolder(t, map[string]string{"pageside.yaml": "models: {fast: {use: openai/gpt-5-mini, key: env:KEY}}\nagents: [{id: default, model: fast}]\n" +
		"pageTools:\n  - {name: paint, effect: read}\n  - {name: send, effect: exfil, approval: always}\n  - {name: note, approval: policy}\n"})
	f.env["KEY"] = "sk-secret"
	site := must.Get(f.build())(t)
	want := map[string]agent.PageTool{"paint": {Effect: tool.Read}, "send": {Effect: tool.Exfil, Approval: tool.ApprovalAlways}, "note": {}}
	if got := site.Agents[0].PageTools; !maps.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}
