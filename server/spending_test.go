package server_test

import (
	"encoding/json"
	"fmt"
	"math"
	"net/http"
	"strings"
	"testing"

	"github.com/pageside/pageside/agent"
	"github.com/pageside/pageside/agui"
	"github.com/pageside/pageside/llm"
	"github.com/pageside/pageside/llm/script"
	"github.com/pageside/pageside/policy"
	"github.com/pageside/pageside/run"
	"github.com/pageside/pageside/server"
	"github.com/pageside/pageside/store"
	"github.com/pageside/pageside/store/sqlstore"
	"github.com/pageside/pageside/store/storetest/temp"
)

const spendingRules = `
name: main
rules:
  - match: '^twice'
    steps:
      - { text: 'One.', calls: [{ tool: nothing, args: {} }], usage: { input: 100, output: 10 } }
      - { text: 'Two.', usage: { input: 200, output: 20, cacheRead: 100 } }
  - match: '^break'
    steps:
      - { text: 'Half', calls: [{ tool: nothing, args: {} }], usage: { input: 1000, output: 1 } }
      - { text: 'and', error: { kind: overloaded, message: no, afterText: true } }
  - fallback: true
    steps: [{ text: 'ok', usage: { input: 10, output: 1 } }]
`

// newSpendingSite is a server whose model has prices.
func newSpendingSite(t *testing.T, st *sqlstore.Store, prices llm.Prices) *site {
	return newSite(t, func(cfg *server.Config) {
		model, err := script.Parse("main", []byte(spendingRules))
		must(t, err)
		a := &agent.Agent{Authorizer: policy.Everything, Approvals: agent.Approvals{IgnoreTaint: true}, ID: "default", Model: llm.WithProfile(model, llm.Profile{Prices: &prices})}
		runs, err := run.NewManager(t.Context(), run.Config{Store: st, Agents: run.Loops(a), Logger: cfg.Logger})
		must(t, err)
		t.Cleanup(func() { runs.Drain(t.Context()) })
		cfg.Runs = runs
	})
}

type spent struct {
	Usage []map[string]any
	Cost  *float64
}

// end returns the terminal event of a run.
func (s *site) end(body string) (e struct {
	Type     string
	Usage    []map[string]any
	Metadata struct{ Pageside spent }
}) {
	s.t.Helper()
	stream := s.read(s.post(body), http.StatusOK)
	data := stream[strings.LastIndex(stream, "data: ")+len("data: "):]
	must(s.t, json.Unmarshal([]byte(data), &e))
	return e
}

func (s *site) spentOn(thread string) (got spent) {
	s.t.Helper()
	must(s.t, json.Unmarshal([]byte(s.read(s.get("/v1/threads/"+thread), http.StatusOK)), &got))
	return got
}

func wantCost(t *testing.T, what string, got *float64, want float64) {
	t.Helper()
	if got == nil || math.Abs(*got-want) > 1e-12 {
		t.Errorf("%s cost %v, want %v", what, got, want)
	}
}

// What a run used and cost stands in its terminal event, and what all runs did in the thread.
func TestUsageAndCost(t *testing.T) {
	s := newSpendingSite(t, temp.Store(t), llm.Prices{Input: 1, Output: 2, CacheRead: 0.1})
	const main = 200e-6 + 100e-6*0.1 + 30*2e-6
	first := s.end(input("t1", "r1", "twice"))
	if got := fmt.Sprint(first.Type, first.Usage); got != "RUN_FINISHED"+
		"[map[cachedInputTokens:100 inputTokens:300 model:main outputTokens:30 provider:script]]" {
		t.Errorf("the first run used %s", got)
	}
	wantCost(t, "the first run", first.Metadata.Pageside.Cost, main)
	failed := s.end(input("t1", "r2", "break"))
	if failed.Type != "RUN_ERROR" {
		t.Errorf("the second run ends with %+v", failed)
	}
	wantCost(t, "the run that failed", failed.Metadata.Pageside.Cost, 1002e-6)
	old := s.end(strings.Replace(input("t1", "r3", "hello"), `"protocolVersion":"1.0",`, "", 1))
	wantCost(t, "the run of a 0.x client", old.Metadata.Pageside.Cost, 12e-6)
	all := s.spentOn("t1")
	if got := fmt.Sprint(all.Usage); got != "[map[cachedInputTokens:100 inputTokens:1310 model:main outputTokens:32 provider:script]]" {
		t.Errorf("the thread used %s", got)
	}
	wantCost(t, "the thread", all.Cost, main+1002e-6+12e-6)
	var list struct{ Runs []spent }
	must(t, json.Unmarshal([]byte(s.read(s.get("/v1/threads/t1/runs"), http.StatusOK)), &list))
	if len(list.Runs) != 3 || len(list.Runs[0].Usage) != 1 {
		t.Fatalf("the runs are %+v", list.Runs)
	}
	wantCost(t, "the first run as it is listed", list.Runs[0].Cost, main)
	req, err := http.NewRequest(http.MethodDelete, s.URL+"/v1/threads/t1", nil)
	must(t, err)
	resp, err := http.DefaultClient.Do(req)
	must(t, err)
	resp.Body.Close()
	// a deleted thread can still be looked at
	s.read(s.get("/v1/threads/t1"), http.StatusOK)
}

// Where a price is not known there is no cost, and where nothing was counted no usage.
func TestCostThatIsNotKnown(t *testing.T) {
	s := newSpendingSite(t, temp.Store(t), llm.Prices{})
	first := s.end(input("t1", "r1", "twice"))
	if len(first.Usage) != 1 || first.Metadata.Pageside.Cost != nil {
		t.Errorf("the run ends with %+v", first)
	}
	if all := s.spentOn("t1"); len(all.Usage) != 1 || all.Cost != nil {
		t.Errorf("the thread is said to cost %+v", all)
	}
	plain := newSite(t, nil)
	stream := plain.read(plain.post(input("t1", "r1", "hello")), http.StatusOK)
	if strings.Contains(stream, `"usage"`) || strings.Contains(stream, `"cost"`) {
		t.Errorf("nothing was counted, and yet: %s", stream)
	}
	if body := plain.read(plain.get("/v1/threads/t1"), http.StatusOK); strings.Contains(body, "usage") || strings.Contains(body, "cost") {
		t.Errorf("nothing was counted, and yet: %s", body)
	}
}

// A row that cannot be read costs its thread nothing but that row's count.
func TestUsageThatCannotBeRead(t *testing.T) {
	st := temp.Store(t)
	owner := store.Owner{Subject: "local"}
	for i, usage := range []string{`{"usage":[{"provider":"p","model":"m","inputTokens":5}]}`, `{"usage":[{"provider":"p","model":"m","inputTokens":7,"outputTokens":1}]}`, `null`, `{"usage":7}`} {
		id := fmt.Sprint("r", i)
		must(t, st.BeginRun(t.Context(), owner, store.Run{ID: id, ThreadID: "t1", Agent: "default", Fingerprint: "f"}, []agui.Message{{ID: "u" + id, Role: agui.RoleUser, Content: agui.TextContent("x")}}, store.Batch{}))
		must(t, st.EndRun(t.Context(), owner, store.Run{ID: id, Status: store.RunFinished, Usage: []byte(usage)}, nil, store.Batch{}))
	}
	for id, usage := range map[string]string{"good": `{"usage":[{"provider":"p","model":"m","inputTokens":5}],"cost":0.5}`, "bad": `{"usage":7,"cost":0.5}`} {
		must(t, st.BeginRun(t.Context(), owner, store.Run{ID: id, ThreadID: "t2", Agent: "default", Fingerprint: "f"}, []agui.Message{{ID: "u" + id, Role: agui.RoleUser, Content: agui.TextContent("x")}}, store.Batch{}))
		must(t, st.EndRun(t.Context(), owner, store.Run{ID: id, Status: store.RunFinished, Usage: []byte(usage)}, nil, store.Batch{}))
	}
	s := newSiteOn(t, st, nil)
	if got := s.spentOn("t2"); got.Cost != nil || len(got.Usage) != 1 {
		t.Errorf("beside a row that cannot be read: %+v", got)
	}
	if got := s.spentOn("t1"); got.Cost != nil || fmt.Sprint(got.Usage) != "[map[inputTokens:12 model:m outputTokens:1 provider:p]]" {
		t.Errorf("got %+v", got)
	}
}
