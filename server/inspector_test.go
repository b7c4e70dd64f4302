package server_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/pageside/pageside/agent"
	"github.com/pageside/pageside/inspect"
	"github.com/pageside/pageside/llm"
	"github.com/pageside/pageside/llm/script"
	"github.com/pageside/pageside/page"
	"github.com/pageside/pageside/policy"
	"github.com/pageside/pageside/server"
	"github.com/pageside/pageside/store"
	"github.com/pageside/pageside/store/storetest/temp"
	"github.com/pageside/pageside/test/must"
	"github.com/pageside/pageside/tool"
)

const inspectedRules = `
name: test
rules:
  - match: '^count'
    steps:
      - calls: [{tool: count, args: {of: rows}}, {tool: cuont, args: {}}, {tool: paint, args: {colour: red}}]
      - text: 'There are {{ result "count" }} {{"{{"}}rows}}.'
        usage: {input: 100, output: 5, cacheRead: 60}
  - match: '^delete'
    steps: [{calls: [{tool: delete, args: {}}]}, {text: Gone.}]
`

// newInspectedSite is a server whose runs are kept, answered by a model that plays the rules.
func newInspectedSite(t *testing.T, rules string) (*site, *inspect.Recorder) {
	t.Helper()
	model := must.Get(script.Parse("test", []byte(rules)))(t)
	return newModelSite(t, model)
}

func newModelSite(t *testing.T, model llm.Model) (*site, *inspect.Recorder) {
	t.Helper()
	schema := json.RawMessage(`{"type":"object"}`)
	count := &tool.Tool{Name: "count", Description: "Counts.", InputSchema: schema, Global: true, Effect: tool.Read, Handler: handler("42")}
	remove := &tool.Tool{Name: "delete", Description: "Deletes.", InputSchema: schema, Global: true, Policy: tool.Policy{Approval: tool.ApprovalAlways}, Handler: handler("gone")}
	tools := must.Get(tool.NewRegistry(count, remove))(t)
	pages, err := page.NewRegistry(tools, nil, page.Page{Name: "orders", Instructions: "The user reads orders."})
	must.Do(t, err)
	recorder := inspect.New(3)
	return newSite(t, func(c *server.Config) {
		a := &agent.Agent{Authorizer: policy.Everything, Approvals: agent.Approvals{IgnoreTaint: true}, ID: "default", Instructions: "Be brief.", Model: model, Pages: pages, Tracer: recorder}
		serves(t, c, temp.Store(t), a)
		c.Inspector = recorder
	}), recorder
}

const inspectedInput = `{"protocolVersion":"1.0","threadId":"t","runId":"r1","messages":[{"id":"u1","role":"user","content":"count (all)"}],"state":{},
	"tools":[{"name":"paint","description":"Paints.","parameters":{"type":"object"}}],
	"context":[{"description":"Rows","value":"[1,2]"}],"forwardedProps":{"pageside":{"page":"orders","context":[{"id":"rows","label":"@rows","kind":"dynamic"}]}}}`

const paintedInput = `{"protocolVersion":"1.0","threadId":"t","runId":"r2","messages":[{"id":"m1","role":"tool","toolCallId":"CALL","content":"painted"}],"state":{},
	"tools":[{"name":"paint","description":"Paints.","parameters":{"type":"object"}}],"context":[],"forwardedProps":{"pageside":{"page":"orders"}}}`

// converse has one question answered, over two runs.
func (s *site) converse() {
	s.t.Helper()
	s.read(s.post(inspectedInput), 200)
	detail := must.JSON[inspect.Detail](s.t, s.read(s.get("/v1/inspector/runs/r1"), 200))
	for _, c := range detail.Calls {
		if c.Name == "paint" {
			s.read(s.post(strings.Replace(paintedInput, "CALL", c.ID, 1)), 200)
		}
	}
}

func TestTheInspectorShowsWhatRunsDid(t *testing.T) {
	s, _ := newInspectedSite(t, inspectedRules)
	s.converse()
	var first, second inspect.Detail
	must.Do(t, json.Unmarshal([]byte(s.read(s.get("/v1/inspector/runs/r1"), 200)), &first))
	must.Do(t, json.Unmarshal([]byte(s.read(s.get("/v1/inspector/runs/r2"), 200)), &second))

	if first.Status != "done" || first.Question != "count (all)" || first.Place.Page != "orders" || first.Model != "script/test" || len(first.Steps) != 1 || first.EndedAt.IsZero() {
		t.Errorf("the first run is %+v", first.Summary)
	}
	if n := len(first.Sections); n < 2 || first.Sections[0].Name != "agent" || first.Sections[0].Text != "Be brief." || first.Sections[0].Tokens < 2 {
		t.Errorf("sections %+v", first.Sections)
	}
	if len(first.Context) != 1 || first.Context[0].Label != "@rows" || first.Context[0].Value != "[1,2]" {
		t.Errorf("context %+v", first.Context)
	}
	var offered []string
	for _, tl := range first.Tools {
		if offered = append(offered, tl.Name); tl.Frontend != (tl.Name == "paint") {
			t.Errorf("tool %+v", tl)
		}
	}
	must.Be(t, strings.Join(offered, " "), "count delete paint", "tools %v", offered)
	decisions := map[string]inspect.CallView{}
	for _, c := range first.Calls {
		decisions[c.Name] = c
	}
	if c := decisions["count"]; c.Decision != agent.DecisionRuns || c.Args != `{"of":"rows"}` || c.Result != "42" || c.EndedAt.Before(c.BeganAt) {
		t.Errorf("count is %+v", c)
	}
	if c := decisions["cuont"]; c.Decision != agent.DecisionRefused || !strings.Contains(c.Why, "did you mean count?") {
		t.Errorf("cuont is %+v", c)
	}
	if c := decisions["paint"]; c.Decision != agent.DecisionPage {
		t.Errorf("paint is %+v", c)
	}
	if u := second.Usage; *u.Input != 100 || *u.CacheRead != 60 || u.CacheWrite != nil || u.Prompt < 50 || second.Steps[0].Text != "There are 42 {{rows}}." || second.Steps[0].FirstMS < 0 {
		t.Errorf("the second run is %+v %+v", second.Summary, second.Steps)
	}
}

func TestTheInspectorShowsApprovalsAndLists(t *testing.T) {
	s, recorder := newInspectedSite(t, inspectedRules)
	for _, id := range []string{"a", "b", "c", "d"} {
		s.read(s.post(input("thread-"+id, id, "delete it")), 200)
	}
	list := must.JSON[struct{ Runs []inspect.Summary }](t, s.read(s.get("/v1/inspector/runs"), 200))
	if len(list.Runs) != 3 || list.Runs[0].ID != "d" || list.Runs[2].ID != "b" {
		t.Errorf("the list is %+v", list.Runs)
	}
	detail, _ := recorder.Run(store.Owner{Subject: "local"}.Key(), "d")
	if len(detail.Calls) != 1 || detail.Calls[0].Decision != agent.DecisionApproval || detail.Calls[0].Why != "its policy" || !detail.Calls[0].EndedAt.IsZero() {
		t.Errorf("the call is %+v", detail.Calls)
	}
	if _, ok := recorder.Run(store.Owner{Subject: "eve"}.Key(), "d"); ok {
		t.Error("somebody else sees the run")
	}
	if p := readProblem(t, s.get("/v1/inspector/runs/a/report")); p.Error.Code != "not_found" {
		t.Errorf("the report answers %+v", p)
	}
	dropped := must.JSON[inspect.Detail](t, s.read(s.get("/v1/inspector/runs/a"), 200))
	if !dropped.Stored || len(dropped.Calls) != 1 || dropped.Calls[0].Name != "delete" || len(dropped.Sections) != 0 {
		t.Errorf("of a run beyond the newest there is %+v", dropped)
	}
}

// A report is played by the scripted model with the same outcome.
func TestAReportPlays(t *testing.T) {
	s, _ := newInspectedSite(t, inspectedRules)
	s.converse()
	report := s.read(s.get("/v1/inspector/runs/r2/report"), 200)
	for _, want := range []string{"pageside demo --model script/", "page: orders", "description: Rows", "decision: refused"} {
		if !strings.Contains(s.read(s.get("/v1/inspector/runs/r1/report"), 200)+report, want) {
			t.Errorf("the reports lack %q", want)
		}
	}
	model, err := script.Parse("report", []byte(report))
	if err != nil {
		t.Fatalf("%v\n%s", err, report)
	}
	again, _ := newModelSite(t, model)
	again.converse()
	played := must.JSON[inspect.Detail](t, again.read(again.get("/v1/inspector/runs/r2"), 200))
	if len(played.Steps) != 1 || played.Steps[0].Text != "There are 42 {{rows}}." {
		t.Errorf("played: %+v\n%s", played.Steps, report)
	}
}

func TestThereIsNoInspectorUnlessAskedFor(t *testing.T) {
	s := newPageSite(t, nil)
	if p := readProblem(t, s.get("/v1/inspector/runs")); p.Error.Code != "not_found" {
		t.Errorf("it answers %+v", p)
	}
}

func handler(text string) tool.Handler {
	return func(context.Context, *tool.Call) (tool.Result, error) { return tool.Result{Text: text}, nil }
}

// TestTheInspectorShowsCosts of each call, the title's included, and of the run. A model without
// prices has no cost of zero.
func TestTheInspectorShowsCosts(t *testing.T) {
	open := func(name string, prices llm.Prices, usage string) llm.Model {
		model, err := script.Parse(name, []byte("name: "+name+"\nrules: [{fallback: true, steps: [{text: ok, usage: "+usage+"}]}]"))
		must.Do(t, err)
		return llm.WithProfile(notScripted{model}, llm.Profile{Prices: &prices})
	}
	title := open("small", llm.Prices{Input: 1, Output: 2}, "{input: 50, output: 5}")
	for name, tc := range map[string]struct {
		prices   llm.Prices
		want     float64
		unpriced int
	}{
		"known":   {llm.Prices{Input: 3, Output: 15, CacheRead: 0.3, CacheWrite: 3.75}, (30*3 + 60*0.3 + 10*3.75 + 5*15) / 1e6, 0},
		"unknown": {llm.Prices{}, 0, 1},
	} {
		recorder := inspect.New(0)
		s := newSite(t, func(c *server.Config) {
			a := &agent.Agent{Authorizer: policy.Everything, Approvals: agent.Approvals{IgnoreTaint: true}, ID: "default", Model: open("main", tc.prices, "{input: 100, output: 5, cacheRead: 60, cacheWrite: 10}"), TitleModel: title, Tracer: recorder}
			serves(t, c, temp.Store(t), a)
			c.Inspector = recorder
		})
		s.read(s.post(input("t", "r", "hello")), 200)
		d := must.JSON[inspect.Detail](t, s.read(s.get("/v1/inspector/runs/r"), 200))
		sum := tc.want + (50*1+5*2)/1e6
		wantCost(t, name, d.Usage.Cost, sum)
		costs := map[string]inspect.Usage{}
		for _, step := range d.Steps {
			costs[step.Purpose+" "+step.Model] = step.Usage
		}
		answer, named := costs[" live/main"], costs["title live/small"]
		wantCost(t, name+", the title", named.Cost, 60e-6)
		if len(d.Steps) != 2 || d.Usage.Unpriced != tc.unpriced || answer.Unpriced != tc.unpriced || (answer.Cost == nil) != (tc.want == 0) {
			t.Errorf("%s: %+v", name, d.Steps)
		}
	}
}

// notScripted is a scripted model that passes for a real one.
type notScripted struct{ *script.Model }

func (m notScripted) Info() llm.Info {
	info := m.Model.Info()
	info.Provider, info.Scripted = "live", false
	return info
}
