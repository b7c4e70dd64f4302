package llm_test

import (
	"context"
	"iter"
	"math"
	"testing"

	"github.com/pageside/pageside/llm"
)

func TestCost(t *testing.T) {
	n := func(i int64) *int64 { return &i }
	prices := llm.Prices{Input: 2, Output: 10, CacheRead: 0.2, CacheWrite: 2.5}
	for name, tc := range map[string]struct {
		usage  llm.Usage
		prices llm.Prices
		want   float64
		known  bool
	}{
		"plain":               {llm.Usage{Input: n(1e6), Output: n(1e5)}, prices, 3, true},
		"cached counted once": {llm.Usage{Input: n(1e6), Output: n(0), CacheRead: n(5e5), CacheWrite: n(1e5)}, prices, 0.8 + 0.1 + 0.25, true},
		"no price of a cache": {llm.Usage{Input: n(1e6), Output: n(0), CacheRead: n(5e5)}, llm.Prices{Input: 2, Output: 1}, 2, true},
		"reasoning is output": {llm.Usage{Input: n(0), Output: n(1e6), Reasoning: n(9e5)}, prices, 10, true},
		"no prices":           {llm.Usage{Input: n(1), Output: n(1)}, llm.Prices{}, 0, false},
		"half the prices":     {llm.Usage{Input: n(1e6), Output: n(1e6)}, llm.Prices{Input: 2}, 2, false},
		"no counts":           {llm.Usage{}, prices, 0, false},
		"half the counts":     {llm.Usage{Output: n(1e6)}, prices, 10, false},
		"more cached than in": {llm.Usage{Input: n(10), Output: n(0), CacheRead: n(1e6)}, prices, 0.2, true},
	} {
		got, known := llm.Cost(tc.usage, tc.prices)
		if math.Abs(got-tc.want) > 1e-9 || known != tc.known {
			t.Errorf("%s: %v, %v; want %v, %v", name, got, known, tc.want, tc.known)
		}
	}
}

// listener keeps the request it was sent.
type listener struct {
	fake
	got *llm.Request
}

func (l *listener) Stream(ctx context.Context, req *llm.Request) iter.Seq2[llm.Part, error] {
	l.got = req
	return l.fake.Stream(ctx, req)
}

func TestWithProfile(t *testing.T) {
	l := &listener{fake: *named("a", says("x"))}
	l.info = llm.Info{Provider: "p", Model: "a", ContextWindow: 5, Tools: true, ParallelTools: true, StrictTools: true, Reasoning: true}
	m := llm.WithProfile(l, llm.Profile{
		ContextWindow: new(9), ParallelTools: new(false), StrictTools: new(false), Images: new(true), Payloads: new(llm.PayloadTool), Prices: &llm.Prices{Input: 1},
	})
	want := llm.Info{Provider: "p", Model: "a", ContextWindow: 9, Tools: true, Images: true, Reasoning: true, Payloads: llm.PayloadTool, Prices: llm.Prices{Input: 1}}
	if got := m.Info(); got != want {
		t.Errorf("got %+v", got)
	}
	req := &llm.Request{Tools: []llm.ToolDecl{{Name: "f", Strict: true}}}
	for range m.Stream(t.Context(), req) {
		continue
	}
	if l.got.Tools[0].Strict || !l.got.Sequential || !req.Tools[0].Strict || req.Sequential {
		t.Errorf("sent %+v, from %+v", l.got, req)
	}
	if got := llm.Answerers(m); len(got) != 1 || got[0] != want {
		t.Errorf("answerers %+v", got)
	}
	group := llm.WithProfile(fallback(t, l, named("b")), llm.Profile{Prices: &llm.Prices{Output: 3}})
	if got := llm.Answerers(group); len(got) != 2 || got[1].Prices.Output != 3 || got[1].Model != "b" {
		t.Errorf("answerers %+v", got)
	}
	if llm.WithProfile(l, llm.Profile{}) != llm.Model(l) {
		t.Error("an empty profile wraps")
	}
}
