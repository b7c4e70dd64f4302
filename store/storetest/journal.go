package storetest

import (
	"fmt"
	"testing"
	"time"

	"github.com/pageside/pageside/journal"
	"github.com/pageside/pageside/store"
	"github.com/pageside/pageside/test/must"
)

var ofJournal = []promise{
	{"the journal keeps what became of calls", testJournal},
	// the same call id may come again in a later run
	{"a call is found on its thread", func(t *testing.T, s Store) {
		for _, at := range []struct{ run, thread string }{{"r1", "t"}, {"r2", "t"}, {"x", "t2"}} {
			begin(t, s, ada, at.run, at.thread)
			must.Do(t, s.PlanCalls(ctx, ada, at.run, []journal.ToolCall{{ID: "c", Tool: at.run}}, true))
		}
		begin(t, s, ada, "r3", "t")
		must.Do(t, s.FinishCall(ctx, ada, "r1", journal.ToolCall{ID: "c", Result: "late"}, true))
		newest := must.Get(s.ToolCall(ctx, ada, "t", "c"))(t)
		must.Be(t, fmt.Sprint(newest.RunID, " ", newest.State), "r2 planned", "the call")
		for _, c := range []struct{ thread, call string }{{"t", "d"}, {"t9", "c"}, {"t", ""}} {
			must.FailWith(t, must.Err(s.ToolCall(ctx, ada, c.thread, c.call)), store.ErrNotFound, "no such call")
		}
		wantCalls(t, s, "r3")
	}},
}

func testJournal(t *testing.T, s Store) {
	plan := func(calls ...journal.ToolCall) error { return s.PlanCalls(ctx, ada, "r1", calls, true) }
	start := func(id string) error { return s.StartCall(ctx, ada, "r1", id, true) }
	finish := func(id string) error { return s.FinishCall(ctx, ada, "r1", journal.ToolCall{ID: id}, true) }
	begin(t, s, ada, "r1", "t")
	first := journal.ToolCall{ID: "c2", Tool: "search", Effect: "read", AllowedBy: "alw_1", CreatedAt: in2020}
	second := journal.ToolCall{
		ID: "c1", Tool: "drop", Effect: "destructive", Definition: "sha256:d", AllowedBy: journal.ByUser,
		Origin: []byte(`{"place":{"page":"p"}}`), CreatedAt: in2020,
	}
	given := with(first, func(c *journal.ToolCall) { c.Args = []byte(`{ "n": 1.0 }`) })
	must.Do(t, plan(given, second, journal.ToolCall{ID: "c2", Tool: "twice"}))
	given.Args[0] = 'x'
	first.Args = []byte(`{ "n": 1.0 }`)
	first.RunID, first.State, second.RunID, second.State = "r1", journal.Planned, "r1", journal.Planned
	wantCalls(t, s, "r1", first, second)

	for _, id := range []string{"c1", "c2", "c2"} { // again, after a crash
		must.Do(t, start(id))
	}
	first.State, second.State = journal.Started, journal.Started
	wantCalls(t, s, "r1", first, second)

	must.Do(t, s.FinishCall(ctx, ada, "r1", journal.ToolCall{
		ID: "c2", Tool: "ignored", Result: "40\x002 é", Payload: []byte(`{"a":null}`),
		Sources: []byte(`[{"title":"é"}]`), IsError: true, EndedAt: in2020.Add(time.Second),
	}, true))
	first.State, first.Result, first.IsError = journal.Finished, "40\x002 é", true
	first.Payload, first.Sources = []byte(`{"a":null}`), []byte(`[{"title":"é"}]`)
	first.EndedAt = in2020.Add(time.Second)
	wantCalls(t, s, "r1", first, second)

	must.Do(t, plan(given, second)) // what is known stays
	must.FailWith(t, start("c2"), store.ErrConflict, "start of a finished call")
	must.FailWith(t, finish("c2"), store.ErrConflict, "a second finish")
	wantCalls(t, s, "r1", first, second)
}

func wantCalls(t *testing.T, s store.Store, runID string, calls ...journal.ToolCall) {
	t.Helper()
	want(t, "calls of "+runID, calls)(s.ToolCalls(ctx, ada, runID))
}
