package storetest

import (
	"reflect"
	"testing"
	"time"

	"github.com/pageside/pageside/journal"
	"github.com/pageside/pageside/store"
)

func testJournal(t *testing.T, s store.Store) {
	begin(t, s, ada, "r1", "t")
	at := time.Date(2020, 1, 2, 3, 4, 5, 0, time.UTC)
	args := []byte(`{ "n": 1.0 }`)
	plan := []journal.ToolCall{
		{ID: "c2", Tool: "search", Effect: "read", AllowedBy: "alw_1", Args: args, CreatedAt: at},
		{ID: "c1", Tool: "drop", Effect: "destructive", CreatedAt: at, Definition: "sha256:d", AllowedBy: journal.ByUser, Origin: []byte(`{"place":{"page":"p"}}`)},
		{ID: "c2", Tool: "twice", CreatedAt: at},
	}
	must(t, s.PlanCalls(t.Context(), ada, "r1", plan, true))
	args[0] = 'x'
	first := journal.ToolCall{ID: "c2", RunID: "r1", Tool: "search", Effect: "read", AllowedBy: "alw_1", Args: []byte(`{ "n": 1.0 }`), State: journal.Planned, CreatedAt: at}
	second := journal.ToolCall{ID: "c1", RunID: "r1", Tool: "drop", Effect: "destructive", State: journal.Planned, CreatedAt: at,
		Definition: "sha256:d", AllowedBy: journal.ByUser, Origin: []byte(`{"place":{"page":"p"}}`)}
	wantCalls(t, s, "r1", first, second)

	must(t, s.StartCall(t.Context(), ada, "r1", "c1", true))
	must(t, s.StartCall(t.Context(), ada, "r1", "c2", true))
	must(t, s.StartCall(t.Context(), ada, "r1", "c2", true)) // again, after a crash
	first.State, second.State = journal.Started, journal.Started
	wantCalls(t, s, "r1", first, second)

	end := journal.ToolCall{ID: "c2", Tool: "ignored", Result: "40\x002 é", Payload: []byte(`{"a":null}`), Sources: []byte(`[{"title":"é"}]`), IsError: true, EndedAt: at.Add(time.Second)}
	must(t, s.FinishCall(t.Context(), ada, "r1", end, true))
	first.State, first.Result, first.Payload, first.Sources, first.IsError, first.EndedAt = journal.Finished, end.Result, end.Payload, end.Sources, true, end.EndedAt
	wantCalls(t, s, "r1", first, second)

	must(t, s.PlanCalls(t.Context(), ada, "r1", plan[:2], true)) // what is known stays
	wantCalls(t, s, "r1", first, second)
	wantErr(t, "start of a finished call", s.StartCall(t.Context(), ada, "r1", "c2", true), store.ErrConflict)
	wantErr(t, "a second finish", s.FinishCall(t.Context(), ada, "r1", journal.ToolCall{ID: "c2"}, true), store.ErrConflict)
	wantErr(t, "start of no call", s.StartCall(t.Context(), ada, "r1", "c9", true), store.ErrNotFound)
	wantErr(t, "finish of no call", s.FinishCall(t.Context(), ada, "r1", journal.ToolCall{ID: "c9"}, true), store.ErrNotFound)
	wantErr(t, "plan of no run", s.PlanCalls(t.Context(), ada, "r9", plan, true), store.ErrNotFound)
	wantErr(t, "a call without id", s.PlanCalls(t.Context(), ada, "r1", []journal.ToolCall{{ID: "ok"}, {}}, true), store.ErrInvalid)
	wantErr(t, "a tool that is no text", s.PlanCalls(t.Context(), ada, "r1", []journal.ToolCall{{ID: "c3", Tool: "\xff"}}, true), store.ErrInvalid)
	wantCalls(t, s, "r1", first, second)

	must(t, s.EndRun(t.Context(), ada, finished("r1"), nil, store.Batch{}))
	wantErr(t, "plan of an ended run", s.PlanCalls(t.Context(), ada, "r1", []journal.ToolCall{{ID: "c4"}}, true), store.ErrConflict)
	wantErr(t, "start in an ended run", s.StartCall(t.Context(), ada, "r1", "c1", true), store.ErrConflict)
	wantErr(t, "finish in an ended run", s.FinishCall(t.Context(), ada, "r1", journal.ToolCall{ID: "c1"}, true), store.ErrConflict)
	wantCalls(t, s, "r1", first, second)
	_, err := s.ToolCalls(t.Context(), ada, "r9")
	wantErr(t, "calls of no run", err, store.ErrNotFound)
}

func wantCalls(t *testing.T, s store.Store, runID string, want ...journal.ToolCall) {
	t.Helper()
	got, err := s.ToolCalls(t.Context(), ada, runID)
	must(t, err)
	if !reflect.DeepEqual(got, want) {
		t.Errorf("calls of %s are\n%+v, want\n%+v", runID, got, want)
	}
}

// testCallOfThread: the same call id may come again in a later run.
func testCallOfThread(t *testing.T, s store.Store) {
	for _, id := range []string{"r1", "r2"} {
		begin(t, s, ada, id, "t")
		must(t, s.PlanCalls(t.Context(), ada, id, []journal.ToolCall{{ID: "c", Tool: id}}, true))
	}
	begin(t, s, ada, "r3", "t")
	begin(t, s, ada, "x", "t2")
	must(t, s.PlanCalls(t.Context(), ada, "x", []journal.ToolCall{{ID: "c", Tool: "x"}}, true))
	must(t, s.FinishCall(t.Context(), ada, "r1", journal.ToolCall{ID: "c", Result: "late"}, true))
	if c, err := s.ToolCall(t.Context(), ada, "t", "c"); err != nil || c.RunID != "r2" || c.State != journal.Planned {
		t.Errorf("call is %+v, %v", c, err)
	}
	for _, c := range []struct{ thread, call string }{{"t", "d"}, {"t9", "c"}, {"t", ""}} {
		_, err := s.ToolCall(t.Context(), ada, c.thread, c.call)
		wantErr(t, "no such call", err, store.ErrNotFound)
	}
	wantCalls(t, s, "r3")
}

// testJournalUnwaited: writes that nobody waits for are carried out in order, and fail silently.
func testJournalUnwaited(t *testing.T, s store.Store) {
	begin(t, s, ada, "r1", "t")
	must(t, s.PlanCalls(t.Context(), ada, "r1", []journal.ToolCall{{ID: "c1"}, {ID: "c2"}}, false))
	must(t, s.StartCall(t.Context(), ada, "r1", "c1", false))
	must(t, s.StartCall(t.Context(), ada, "r1", "c9", false))
	must(t, s.FinishCall(t.Context(), ada, "r1", journal.ToolCall{ID: "c1", Result: "1"}, false))
	must(t, s.StartCall(t.Context(), ada, "r1", "c2", true))
	calls, err := s.ToolCalls(t.Context(), ada, "r1")
	must(t, err)
	if len(calls) != 2 || calls[0].State != journal.Finished || calls[1].State != journal.Started {
		t.Errorf("calls are %+v", calls)
	}
}

func testRunInput(t *testing.T, s store.Store) {
	input := []byte(`{ "context": [1.0, null] }`)
	r := run("r1", "t")
	r.Input = input
	must(t, s.BeginRun(t.Context(), ada, r, nil))
	input[2] = 'x'
	live, err := s.LiveRuns(t.Context())
	must(t, err)
	if len(live) != 1 || string(live[0].Run.Input) != `{ "context": [1.0, null] }` || live[0].Run.Epoch != 1 {
		t.Errorf("live runs are %+v", live)
	}
	end := finished("r1")
	end.Interrupts, end.LastSeq = []byte(`[ {"id": "i1"} ]`), 7
	must(t, s.EndRun(t.Context(), ada, end, nil, store.Batch{}))
	end.Interrupts[0] = 'x'
	got, err := s.Run(t.Context(), ada, "r1")
	must(t, err)
	if got.Input != nil || string(got.Interrupts) != `[ {"id": "i1"} ]` || got.LastSeq != 7 {
		t.Errorf("run is %+v", got)
	}
	r = run("r2", "t")
	r.Input = []byte(`{`)
	wantErr(t, "input", s.BeginRun(t.Context(), ada, r, nil), store.ErrInvalid)
	begin(t, s, ada, "r3", "t")
	end = finished("r3")
	end.Interrupts = []byte(`[`)
	wantErr(t, "interrupts", s.EndRun(t.Context(), ada, end, nil, store.Batch{}), store.ErrInvalid)
}
