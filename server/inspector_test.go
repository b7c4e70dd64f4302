package server_test

import (
	"context"
	"fmt"
	"math"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/pageside/pageside/agent"
	"github.com/pageside/pageside/inspect"
	"github.com/pageside/pageside/llm"
	"github.com/pageside/pageside/llm/script"
	"github.com/pageside/pageside/page"
	"github.com/pageside/pageside/payload"
	"github.com/pageside/pageside/server"
	"github.com/pageside/pageside/sharedstate"
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
`

// newInspectedSite is a server whose runs are kept, with an agent of its own.
func newInspectedSite(t *testing.T, change func(*agent.Agent)) *site {
	t.Helper()
	recorder := inspect.New(0)
	return newSite(t, func(c *server.Config) {
		c.Inspector = recorder
		withAgent(t, func(a *agent.Agent) {
			a.Tracer, a.Instructions = recorder, "Be brief."
			change(a)
		})(c)
	})
}

// inspect returns what the inspector has of a run.
func (s *site) inspect(runID string) inspect.Detail {
	s.t.Helper()
	return must.JSON[inspect.Detail](s.t, s.read(s.get("/v1/inspector/runs/"+runID), http.StatusOK))
}

// converse has one question answered by a model that plays rules, over two runs.
func converse(t *testing.T, rules string) *site {
	t.Helper()
	count := tool.New("count", "Counts.", func(context.Context, *tool.Call, map[string]any) (tool.Result, error) {
		return tool.Result{Text: "42"}, nil
	})
	count.Global, count.Effect = true, tool.Read
	tools := must.Get(tool.NewRegistry(count))(t)
	pages := must.Get(page.NewRegistry(tools, nil, page.Page{Name: "orders"}))(t)
	s := newInspectedSite(t, func(a *agent.Agent) {
		a.Model, a.Pages = must.Get(script.Parse("test", []byte(rules)))(t), pages
	})
	ask := func(runID, message, context string) {
		t.Helper()
		s.read(s.post(fmt.Sprintf(`{"protocolVersion":"1.0","threadId":"t","runId":%q,"messages":[%s],"state":{},
			"tools":[{"name":"paint","description":"Paints.","parameters":{"type":"object"}}],
			"context":[%s],"forwardedProps":{"pageside":{"page":"orders"}}}`, runID, message, context)), http.StatusOK)
	}
	ask("r1", `{"id":"u1","role":"user","content":"count (all)"}`, `{"description":"Rows","value":"[1,2]"}`)
	calls := s.inspect("r1").Calls
	paint := slices.IndexFunc(calls, func(c inspect.CallView) bool { return c.Name == "paint" })
	ask("r2", fmt.Sprintf(`{"id":"m1","role":"tool","toolCallId":%q,"content":"painted"}`, calls[paint].ID), "")
	return s
}

// A report is played by the scripted model with the same outcome.
func TestAReportPlays(t *testing.T) {
	s := converse(t, inspectedRules)
	s.do("", "GET", "/v1/inspector/runs/r1/report", "", 200, "page: orders", "description: Rows", "decision: refused")
	report := s.do("", "GET", "/v1/inspector/runs/r2/report", "", 200, "pageside demo --model script/")
	played := converse(t, report).inspect("r2").Steps
	if len(played) != 1 || played[0].Text != "There are 42 {{rows}}." {
		t.Errorf("played: %+v\n%s", played, report)
	}
}

// informed is a model with another Info.
type informed struct {
	llm.Model
	is llm.Info
}

func (m informed) Info() llm.Info { return m.is }

// TestADisclosureCountsWhatTheInspectorCounts: users, administrators and operators are told one
// number of what the server adds to a call.
func TestADisclosureCountsWhatTheInspectorCounts(t *testing.T) {
	type table struct {
		Table string `json:"table"`
	}
	count := tool.New("count", "Counts rows.", func(context.Context, *tool.Call, table) (tool.Result, error) {
		return tool.Result{}, nil
	})
	tools := must.Get(tool.NewRegistry(count))(t)
	cards := must.Get(payload.NewRegistry(&payload.Type{
		Name: "chart", Description: "A chart.", Source: payload.FromLLM,
		Schema: []byte(`{"type":"object","properties":{"rows":{"type":"array"}}}`),
	}))(t)
	pages := must.Get(page.NewRegistry(tools, cards, page.Page{
		Name: "orders", Instructions: "Ünits are in UTC.", Tools: []string{"count"}, Payloads: []string{"chart"},
	}))(t)
	for _, mode := range []llm.PayloadTransport{llm.PayloadMarker, llm.PayloadTool} {
		s := newInspectedSite(t, func(a *agent.Agent) {
			a.Model = informed{a.Model, llm.Info{Provider: "openai", Model: "gpt", Tools: true, Payloads: mode}}
			a.Pages, a.State, a.AskUser = pages, sharedstate.Config{Model: sharedstate.Write}, true
		})
		told := must.JSON[agent.Disclosure](t, s.do("", "POST", "/v1/disclosure", `{"page":"orders"}`, 200))
		placed := strings.Replace(input("t1", "r1", "hello"), `{}}`, `{"pageside":{"page":"orders"}}}`, 1)
		s.read(s.post(placed), http.StatusOK)
		asked := s.inspect("r1").Steps[0]
		must.Be(t, len(asked.Messages), 1, "messages")
		server := asked.Usage.Prompt - asked.Messages[0].Tokens
		must.Be(t, told.Tokens, server, "with %v a user is told of another number of tokens than a call has", mode)
	}
}

// TestTheInspectorShowsCosts of each call, the title's included, and of the run. A model without
// prices has no cost of zero.
func TestTheInspectorShowsCosts(t *testing.T) {
	open := func(name string, prices llm.Prices, usage string) llm.Model {
		rules := "name: " + name + "\nrules: [{fallback: true, steps: [{text: ok, usage: " + usage + "}]}]"
		model := must.Get(script.Parse(name, []byte(rules)))(t)
		return informed{model, llm.Info{Provider: "live", Model: name, Prices: prices}}
	}
	for name, tc := range map[string]struct {
		prices   llm.Prices
		want     float64
		unpriced int
	}{
		"known": {
			llm.Prices{Input: 3, Output: 15, CacheRead: 0.3, CacheWrite: 3.75},
			(30*3 + 60*0.3 + 10*3.75 + 5*15) / 1e6, 0,
		},
		"unknown": {llm.Prices{}, 0, 1},
	} {
		s := newInspectedSite(t, func(a *agent.Agent) {
			a.Model = open("main", tc.prices, "{input: 100, output: 5, cacheRead: 60, cacheWrite: 10}")
			a.TitleModel = open("small", llm.Prices{Input: 1, Output: 2}, "{input: 50, output: 5}")
		})
		s.read(s.post(input("t", "r", "hello")), http.StatusOK)
		d := s.inspect("r")
		costs := map[string]inspect.Usage{} // the two are asked at the same time
		for _, step := range d.Steps {
			costs[step.Purpose+" "+step.Model] = step.Usage
		}
		answer, named := costs[" live/main"], costs["title live/small"]
		wantCost(t, name, d.Usage.Cost, tc.want+60e-6)
		wantCost(t, name+", the title", named.Cost, 60e-6)
		must.Be(t, len(d.Steps), 2, "%s: calls", name)
		must.Be(t, d.Usage.Unpriced, tc.unpriced, "%s: without a price", name)
		must.Be(t, answer.Unpriced, tc.unpriced, "%s: the answer without a price", name)
		must.Be(t, answer.Cost == nil, tc.want == 0, "%s: the answer has no cost", name)
	}
}

func wantCost(t *testing.T, what string, got *float64, want float64) {
	t.Helper()
	if got == nil || math.Abs(*got-want) > 1e-12 {
		t.Errorf("%s cost %v, want %v", what, got, want)
	}
}
