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

// says checks what is said of a file: "" is nothing, and that it is built.
func says(t *testing.T, text, want string) {
	t.Helper()
	newFolder(t, map[string]string{"pageside.yaml": text}).says(want)
}

// says checks what is said of the folder's file, without its path.
func (f *folder) says(want string) {
	f.t.Helper()
	said := "nothing"
	if _, err := f.build(); err != nil {
		said = strings.ReplaceAll(err.Error(), f.file(), "pageside.yaml")
	}
	if want == "" && said != "nothing" || !strings.Contains(said, want) {
		text, _ := os.ReadFile(f.file())
		f.t.Errorf("%s\nsaid is %s, want %q", text, said, want)
	}
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

func TestWhatASiteCannotBeBuiltOfIsNamedWithItsLine(t *testing.T) {
	for _, c := range []struct{ from, to, want string }{
		{"model: fast\n    instructions", "model: nobody/x\n    instructions", `:12: agents[0].model: unknown provider`},
		{"model: fast\n    instructions", "model: fast\n    page: edit_research\n    instructions", `:13: agents[0].page: there is no place "edit_research" under pages`},
		{"model: fast\n    instructions", "model: fast\n    page: edit_research_stream/execute/workbench/more\n    instructions", `:13: agents[0].page: there is no place`},
		{"file:instructions.md", "file:missing.md", `:13: agents[0].instructions: open `},
		{"name: compare_reports\n", "name: compare reports\n", `:25: tools[1].name: `},
		{"name: semantic", "name: a/b", `:36: pages[0]: `},
		{"{{ with get .Context.form", "{{ with get .Contxt.form", `:38: pages[0].context: pages[0].context:1:19: executing "pages[0].context" at <.Contxt.form>: can't evaluate field Contxt: there are .Page`},
		{"key: env:KEY", "key: env:OTHER", `:5: models.fast.key: the environment variable OTHER is not set`},
		{"fallback: [anthropic/claude-haiku-4-5]", "fallback: [script/x]", `:9: models.fast.fallback: llm: fallback of openai/gpt-5-mini: script/`},
		{"tools: [compare_reports]", "tools: [compare_report]", `:45: pages[0].tabs[1].tools[0]: tool "compare_report" is not defined; did you mean "compare_reports"?`},
		{"payloads: [schema_proposal]", "payloads: [proposal]", `:43: pages[0].tabs[0].payloads[0]: payload "proposal" is not defined`},
		{"payloadType: pubmed_search_results", "payloadType: results", `:24: tools[0].payloadType: payload "results" is not defined`},
		{"tool: compare_reports}]", "tool: compare}]", `:40: pages[0].actions[1].tool`},
		{"- name: execute", "- name: semantic", `:44: pages[0].tabs[1].name: "semantic" is there twice`},
		{"{{ with get", "{{ wiht get", `:38: pages[0].context: pages[0].context:1: function "wiht" not defined`},
		{"url: https://reports.example/compare", "url: ftp://reports.example", `:27: tools[1].url: HTTP tool "compare_reports": url: `},
		{"url: https://reports.example/compare", "url: 'https://reports.example/{{ .principal.subjct }}'", `:27: tools[1].url: HTTP tool "compare_reports": url: "principal.subjct" is no source: there is principal.subject, principal.tenant, principal.roles; did you mean principal.subject?`},
		{"url: https://reports.example/compare", "url: https://reports.example/compare\n    headers: {X-User: '{{ .principel.subject }}'}", `:28: tools[1].headers: HTTP tool "compare_reports": headers: X-User: it refers to "principel", and what there is, is: principal, place, scope, context; did you mean "principal"?`},
		{"url: https://reports.example/compare", "url: https://reports.example/compare\n    bind:\n      ids: scop.stream", `:29: tools[1].bind.ids: "scop.stream" is no source: a source begins with principal., place., scope. or context.; did you mean scope?`},
		{"url: https://reports.example/compare", "url: https://reports.example/compare\n    bind: {id: scope.stream}", `:25: tools[1]: tool "compare_reports": its argument "id" is bound, but`},
		{"url: https://reports.example/compare", "url: https://reports.example/compare\n    sources: {list: hits}", `:28: tools[1].sources: HTTP tool "compare_reports": sources: list: "hits" is no JSON pointer`},
		{"url: https://reports.example/compare", "url: https://reports.example/compare\n    sign: {secret: env:KEY}", `:28: tools[1].sign: HTTP tool "compare_reports": sign: secret: it must have at least 16 bytes`},
		{"suggestions: {model: fast", "mcp:\n  one: {command: /none, meta: [principle]}\nsuggestions: {model: fast", `:16: mcp.one.meta[0]: "principle" is no source`},
		{"suggestions: {model: fast", "egress: {ports: [99999]}\nsuggestions: {model: fast", `:15: egress: ports: 99999 is no port`},
		{"suggestions: {model: fast", "mcp:\n  one: {url: 'https://example.com', args: [x]}\nsuggestions: {model: fast", `:16: mcp.one: args, env and dir: a url takes none`},
		{"suggestions: {model: fast", "mcp:\n  a: {url: 'http://127.0.0.1:1/x', required: true}\n  b: {command: /none, required: true}\nsuggestions: {model: fast", `:16: mcp.a: `},
		{"schema: file:schema.json", "schema: {type: 7}", `:30: payloads[1]: payload "schema_proposal": `},
		{"label: Compare,", "label: A label that is longer than forty characters are,", `:49: pages[0].tabs[1].subtabs[0].suggestions[0].label: must be at most 40 characters`},
	} {
		if !strings.Contains(research, c.from) {
			t.Fatalf("%q is not in the file", c.from)
		}
		f := researchFolder(t)
		f.write("pageside.yaml", strings.Replace(research, c.from, c.to, 1))
		_, err := f.build()
		if err == nil || !strings.HasPrefix(err.Error(), f.file()+c.want) {
			t.Errorf("%s:\n got %v\nwant %s", c.to, err, f.file()+c.want)
		}
		if err != nil && strings.Contains(err.Error(), "sk-secret") {
			t.Errorf("%s: the error shows the key", c.to)
		}
	}
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

// A key that is missing is said once.
func TestAModelWhoseKeyIsMissingIsNotOpened(t *testing.T) {
	f := newFolder(t, map[string]string{"pageside.yaml": "models:\n  m: {use: nobody/x, key: env:NONE}\nagents: [{id: a, model: m}]\n"})
	_, err := f.build()
	if err == nil || strings.Contains(err.Error(), "\n") || !strings.Contains(err.Error(), "NONE is not set") {
		t.Errorf("error %v", err)
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
