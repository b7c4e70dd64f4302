package server_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/pageside/pageside/agent"
	"github.com/pageside/pageside/inspect"
	"github.com/pageside/pageside/llm"
	"github.com/pageside/pageside/llm/script"
	"github.com/pageside/pageside/page"
	"github.com/pageside/pageside/policy"
	"github.com/pageside/pageside/server"
	"github.com/pageside/pageside/store/sqlstore"
	"github.com/pageside/pageside/store/storetest/temp"
	"github.com/pageside/pageside/test/must"
	"github.com/pageside/pageside/tool"
)

// newStoredSite is a server with an inspector on a store that other servers may have written.
func newStoredSite(t *testing.T, st *sqlstore.Store) *site {
	t.Helper()
	model := must.Get(script.Parse("test", []byte(inspectedRules)))(t)
	count := &tool.Tool{Name: "count", Description: "Counts.", InputSchema: json.RawMessage(`{"type":"object"}`), Global: true, Effect: tool.Read, Handler: handler("42")}
	tools := must.Get(tool.NewRegistry(count))(t)
	pages := must.Get(page.NewRegistry(tools, nil, page.Page{Name: "orders"}))(t)
	recorder := inspect.New(0)
	return newSite(t, func(c *server.Config) {
		a := &agent.Agent{Authorizer: policy.Everything, Approvals: agent.Approvals{IgnoreTaint: true}, ID: "default", Instructions: "Be brief.", Model: model, Pages: pages, Tracer: recorder}
		serves(t, c, st, a)
		c.Inspector, c.Authenticate = recorder, byName
		c.Authorizer = must.Get(policy.NewRules(
			policy.Rule{On: on(policy.Agent, "*"), Then: policy.Allow},
			policy.Rule{Roles: []string{"operator"}, On: on(policy.Inspector, "*"), Then: policy.Allow}))(t)
	})
}

const countInput = `{"protocolVersion":"1.0","threadId":"t","runId":"r1","messages":[{"id":"u1","role":"user","content":"count all of them"}],"state":{},
	"tools":[{"name":"paint","description":"Paints.","parameters":{"type":"object"}}],"context":[],"forwardedProps":{"pageside":{"page":"orders"}}}`

// TestRunsOutliveARestart: what the store has of them is shown to the same person, redacted as
// before, and to nobody else.
func TestRunsOutliveARestart(t *testing.T) {
	st := temp.Store(t)
	before := newStoredSite(t, st)
	before.do("acme/ann/operator", "POST", "/v1/agents/default/run", countInput, 200)
	detail := must.JSON[inspect.Detail](t, before.do("acme/ann/operator", "GET", "/v1/inspector/runs/r1", "", 200))
	paint := detail.Calls[slices.IndexFunc(detail.Calls, func(c inspect.CallView) bool { return c.Name == "paint" })].ID
	before.do("acme/ann/operator", "POST", "/v1/agents/default/run", strings.Replace(paintedInput, "CALL", paint, 1), 200)

	after := newStoredSite(t, st)
	after.do("acme/ann/operator", "GET", "/v1/inspector/runs", "", 200, `"runs":[]`)
	var list struct{ Runs []inspect.Summary }
	must.Do(t, json.Unmarshal([]byte(after.do("acme/ann/operator", "GET", "/v1/inspector/runs?stored=true", "", 200)), &list))
	if len(list.Runs) != 2 || list.Runs[0].ID != "r2" || !list.Runs[0].Stored || list.Runs[0].Status != "done" {
		t.Fatalf("the store lists %+v", list.Runs)
	}
	for _, r := range list.Runs {
		if r.QuestionID != "u1" || r.Question != "count all of them" || r.ThreadID != "t" {
			t.Errorf("run %s belongs to %q, %q", r.ID, r.QuestionID, r.Question)
		}
	}
	kept := must.JSON[inspect.Detail](t, after.do("acme/ann/operator", "GET", "/v1/inspector/runs/r1", "", 200))
	if !kept.Stored || len(kept.Sections) != 0 || kept.BeganAt.IsZero() || kept.EndedAt.IsZero() {
		t.Errorf("what is kept is %+v", kept.Summary)
	}
	names := []string{}
	for _, c := range kept.Calls {
		if names = append(names, c.Name); c.Name == "count" && (c.Args != `{"of":"rows"}` || c.Result != "42" || c.Step != 0) {
			t.Errorf("count is %+v", c)
		}
	}
	if !slices.Contains(names, "count") || !slices.Contains(names, "paint") || !slices.Equal(kept.ToolNames, names) {
		t.Errorf("the calls are %v, their tools %v", names, kept.ToolNames)
	}
	after.do("acme/ann/operator", "GET", "/v1/inspector/runs/r2", "", 200, `There are 42 {{rows}}.`)
	after.do("ann", "GET", "/v1/inspector/runs/r1", "", 200, `"redacted":true`, `"name":"count"`, `!"of"`, `!"42"`)

	purged, err := st.PurgeEvents(t.Context(), time.Now().Add(time.Hour))
	if err != nil || purged != 2 {
		t.Fatalf("the events of %d runs are purged: %v", purged, err)
	}
	after.do("acme/ann/operator", "GET", "/v1/inspector/runs/r1", "", 200, `"result":"42"`, `"name":"paint"`, `!"painted"`)
	after.do("acme/ann/operator", "GET", "/v1/inspector/runs/r2", "", 200, `There are 42 {{rows}}.`)

	after.do("acme/bob/operator", "GET", "/v1/inspector/runs?stored=true", "", 200, `"runs":[]`)
	after.do("acme/bob/operator", "GET", "/v1/inspector/runs/r1", "", 404)
	after.do("acme/bob/operator", "GET", "/v1/inspector/runs/r1?all=true", "", 404)
	after.do("acme/bob/operator", "GET", "/v1/inspector/runs?all=true&stored=true", "", 400, `"field":"stored"`)
	after.do("ann", "GET", "/v1/inspector/runs?stored=1", "", 400, `"field":"stored"`)
	after.do("acme/ann/operator", "GET", "/v1/inspector/runs/r1?all=true", "", 404)
	after.do("acme/ann/operator", "GET", "/v1/inspector/runs/r1/report", "", 404)

	after.do("ann", "DELETE", "/v1/threads/t", "", 204)
	after.do("ann", "GET", "/v1/inspector/runs?stored=true", "", 200, `"runs":[]`)
	after.do("acme/ann/operator", "GET", "/v1/inspector/runs/r1", "", 404)
}

// TestTheEffortIsKept: what the user has chosen for the answer is shown with each model call and,
// once only the store has the run, with its model.
func TestTheEffortIsKept(t *testing.T) {
	scripted, err := script.Parse("test", []byte("name: test\nrules: [{match: '.*', steps: [{text: ok, usage: {input: 9, output: 1}}]}]"))
	must.Do(t, err)
	model := informed{scripted, llm.Info{Provider: "openai", Model: "deep", Reasoning: true}}
	st := temp.Store(t)
	serve := func() *site {
		recorder := inspect.New(0)
		return newSite(t, func(c *server.Config) {
			a := *c.Runs.Settings("default")
			a.Model, a.Tracer = model, recorder
			a.Choices = agent.Choices{{ID: "deep", Model: model, Efforts: []string{"low", "high"}}}
			serves(t, c, st, &a)
			c.Inspector = recorder
		})
	}
	before := serve()
	for id, picked := range map[string]string{"high": `{"pageside":{"effort":"high"}}`, "none": `{}`} {
		body := strings.Replace(input("t-"+id, id, "hello"), `"forwardedProps":{}`, `"forwardedProps":`+picked, 1)
		before.read(before.post(body), 200)
	}
	for what, s := range map[string]*site{"recorded": before, "stored": serve()} {
		for id, want := range map[string]string{"high": "high", "none": ""} {
			d := must.JSON[inspect.Detail](t, s.read(s.get("/v1/inspector/runs/"+id), 200))
			if d.Stored != (what == "stored") || d.Model != "openai/deep" && d.Model != "deep" || d.Effort != want || len(d.Steps) != 1 || d.Steps[0].Effort != want {
				t.Errorf("%s, the run with the effort %q is %+v with %+v", what, want, d.Summary, d.Steps)
			}
		}
	}
	s := serve()
	if list := s.read(s.get("/v1/inspector/runs?stored=true"), 200); strings.Count(list, `"effort":"high"`) != 1 {
		t.Errorf("the list is %s", list)
	}
}

// TestRunsSayWhatTheyBelongTo: a run that only carries results of the page's tools has the question
// of the run before, and gives that run's calls their results.
func TestRunsSayWhatTheyBelongTo(t *testing.T) {
	s, _ := newInspectedSite(t, inspectedRules)
	s.converse()
	list := must.JSON[struct{ Runs []inspect.Summary }](t, s.read(s.get("/v1/inspector/runs"), 200))
	if len(list.Runs) != 2 {
		t.Fatalf("the list is %+v", list.Runs)
	}
	second, first := list.Runs[0], list.Runs[1]
	if first.QuestionID != "u1" || second.QuestionID != "u1" {
		t.Errorf("the questions are %q and %q", first.QuestionID, second.QuestionID)
	}
	if !slices.Equal(first.ToolNames, []string{"count", "cuont", "paint"}) || first.Brings != nil || !slices.Equal(second.Brings, []string{"paint"}) {
		t.Errorf("%v were called, %v and %v brought", first.ToolNames, first.Brings, second.Brings)
	}
	d := must.JSON[inspect.Detail](t, s.read(s.get("/v1/inspector/runs/r1"), 200))
	paint := d.Calls[slices.IndexFunc(d.Calls, func(c inspect.CallView) bool { return c.Name == "paint" })]
	if paint.Result != "painted" || !paint.EndedAt.Equal(second.BeganAt) {
		t.Errorf("paint is %+v", paint)
	}
}

// TestTheRightNeedsAnInspector: a client that would offer it learns that there is none.
func TestTheRightNeedsAnInspector(t *testing.T) {
	for name, with := range map[string]bool{"with": true, "without": false} {
		s := newSite(t, func(c *server.Config) {
			if with {
				c.Inspector = inspect.New(1)
			}
		})
		if got := strings.Contains(s.read(s.get("/v1/agents/default/capabilities"), 200), `"inspector"`); got != with {
			t.Errorf("%s an inspector the right is there: %v", name, got)
		}
	}
}
