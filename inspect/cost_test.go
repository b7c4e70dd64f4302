package inspect_test

import (
	"errors"
	"math"
	"testing"

	"github.com/pageside/pageside/agent"
	"github.com/pageside/pageside/inspect"
	"github.com/pageside/pageside/llm"
	"github.com/pageside/pageside/test/must"
)

func paid(read, write int64, cost float64) agent.ModelTrace {
	m := asked("ok")
	m.Model = "anthropic/claude-sonnet-4-5"
	m.Usage = llm.Usage{Input: new(int64(1000)), Output: new(int64(10)), CacheRead: &read, CacheWrite: &write}
	m.Cost = &cost
	return m
}

// TestCosts: each call says what the cache served and took and what it cost, and the run sums them
// up. What is unknown is not zero: a count is missing, and a call of unknown price is counted.
func TestCosts(t *testing.T) {
	r := inspect.New(0)
	run := began(r, "o", "r", "question")
	run.Asked(paid(0, 900, 0.002))
	run.Asked(paid(900, 0, 0.001))
	unpriced := asked("hm")
	unpriced.Usage = llm.Usage{Input: new(int64(50)), Output: new(int64(5))}
	run.Asked(unpriced)
	d, _ := r.Run(inspect.Access{Owner: "o"}, "r")
	if a, b := d.Steps[0].Usage, d.Steps[1].Usage; *a.CacheWrite != 900 || *a.CacheRead != 0 || *a.Cost != 0.002 || *b.CacheRead != 900 || a.Unpriced != 0 {
		t.Errorf("%+v, %+v", a, b)
	}
	if u := d.Steps[2].Usage; u.CacheRead != nil || u.CacheWrite != nil || u.Cost != nil || u.Unpriced != 1 {
		t.Errorf("of unknown price: %+v", u)
	}
	if u := d.Usage; *u.Input != 2050 || *u.CacheRead != 900 || *u.CacheWrite != 900 || math.Abs(*u.Cost-0.003) > 1e-12 || u.Unpriced != 1 {
		t.Errorf("the run: %+v", u)
	}
}

// TestUnbilledCalls: a call that the provider refused, or that played a file, is not one of unknown
// price. A call that broke off may have been billed.
func TestUnbilledCalls(t *testing.T) {
	for name, tc := range map[string]struct {
		change   func(*agent.ModelTrace)
		unpriced int
	}{
		"refused":  {func(m *agent.ModelTrace) { m.Err = &llm.Error{Kind: llm.KindRateLimited, Status: 429} }, 0},
		"scripted": {func(m *agent.ModelTrace) { m.Model = "script/demo" }, 0},
		"cut off":  {func(m *agent.ModelTrace) { m.Err = &llm.Error{Kind: llm.KindNetwork} }, 1},
		"strange":  {func(m *agent.ModelTrace) { m.Err = errors.New("strange") }, 1},
	} {
		r := inspect.New(0)
		m := asked("")
		m.Model = "openai/gpt-5-mini"
		tc.change(&m)
		began(r, "o", "r", "question").Asked(m)
		if d, _ := r.Run(inspect.Access{Owner: "o"}, "r"); d.Usage.Unpriced != tc.unpriced || d.Usage.Cost != nil {
			t.Errorf("%s: %+v", name, d.Usage)
		}
	}
}

// TestOtherCallsOfARun: a title and a summary are calls of the run with costs of their own. They do
// not get between the steps of the answer, whose prompts and tool calls belong together, nor into
// the report, which plays the answer. Who may not see prompts sees no summary.
func TestOtherCallsOfARun(t *testing.T) {
	r := inspect.New(0)
	run := began(r, "o", "r", "question")
	step := func(purpose, text string, prompts ...string) {
		m := asked(text)
		m.Purpose, m.Request = purpose, prompt(prompts...)
		m.Request.System = []llm.Block{{Text: "You name conversations."}}
		run.Asked(m)
	}
	step("", "looking", "question")
	r.Traced("o", "r").Asked(agent.ModelTrace{Purpose: agent.PurposeTitle, Text: "A title", Request: &llm.Request{System: []llm.Block{{Text: "You name conversations."}}}})
	run.Decided(agent.CallTrace{ID: "c", Name: "look"})
	step(agent.PurposeSummary, "secret", "question", "summarise")
	step("", "found", "question", "result")
	d, _ := r.Run(inspect.Access{Owner: "o"}, "r")
	if len(d.Steps) != 4 || d.Steps[1].Purpose != agent.PurposeTitle || d.Steps[1].Messages[0].Text != "You name conversations." {
		t.Fatalf("%+v", d.Steps)
	}
	must.Be(t, d.Steps[3].Unchanged, 1, "messages that the second step shares")
	must.Be(t, d.Calls[0].Step, 0, "the step of the call")
	if text, _, err := said(play(t, r, "r"), "question"); err != nil || text != "looking" {
		t.Errorf("the report says %q, %v", text, err)
	}
	if d, _ := r.Run(inspect.Access{Owner: "o", Redacted: true}, "r"); d.Steps[2].Text != "" || d.Steps[3].Text != "found" {
		t.Errorf("redacted: %+v", d.Steps)
	}
	if r.Traced("other", "r") != nil || r.Traced("o", "other") != nil {
		t.Error("a run of another owner or name is found")
	}
}
