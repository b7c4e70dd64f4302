package storetest

import (
	"encoding/json"
	"testing"

	"github.com/pageside/pageside/agui"
	"github.com/pageside/pageside/store"
)

// wantState checks the states that a run began and ended with.
func wantState(t *testing.T, s store.Store, o store.Owner, runID, start, state string) {
	t.Helper()
	r, err := s.Run(t.Context(), o, runID)
	must(t, err)
	if string(r.StartState) != start || string(r.State) != state {
		t.Errorf("run %s began with the state %s and has %s, want %s and %s", runID, r.StartState, r.State, start, state)
	}
}

func testState(t *testing.T, s store.Store) {
	given := json.RawMessage(`{ "a": 1.0, "b": null }`)
	r := run("r1", "t")
	r.State = given
	must(t, s.BeginRun(t.Context(), ada, r, []agui.Message{user("r1q", "?")}))
	given[2] = 'x'
	const first, second = `{ "a": 1.0, "b": null }`, `{"a":2}`
	wantState(t, s, ada, "r1", first, first)
	live, err := s.LiveRuns(t.Context())
	must(t, err)
	if len(live) != 1 || string(live[0].Run.StartState) != first {
		t.Errorf("live runs are %+v", live)
	}
	end := finished("r1")
	end.State = json.RawMessage(second)
	must(t, s.EndRun(t.Context(), ada, end, nil, store.Batch{}))
	end.State[2] = 'x'
	wantState(t, s, ada, "r1", first, second)

	r = run("r2", "t")
	r.State = json.RawMessage(second) // as it was
	must(t, s.BeginRun(t.Context(), ada, r, []agui.Message{user("r2q", "?")}))
	must(t, s.EndRun(t.Context(), ada, finished("r2"), nil, store.Batch{}))
	wantState(t, s, ada, "r2", second, second)
	wholeRun(t, s, "r3", "t", "r1") // without a state
	wantState(t, s, ada, "r3", "", "")
	wantState(t, s, ada, "r1", first, second)
	if last, err := s.LastRun(t.Context(), ada, "t"); err != nil || last.State != nil {
		t.Errorf("the last run is %+v, %v", last, err)
	}
	if by, err := s.MessageRun(t.Context(), ada, "t", "r2q"); err != nil || string(by.State) != second {
		t.Errorf("the run of a message is %+v, %v", by, err)
	}
	runs, err := s.Runs(t.Context(), ada, "t")
	must(t, err)
	for _, r := range runs {
		if r.StartState != nil || r.State != nil {
			t.Errorf("the list of runs has the state of %s", r.ID)
		}
	}

	for _, o := range []store.Owner{bob, other} {
		r = run("r1", "t")
		r.State = json.RawMessage(`"of ` + o.Tenant + "/" + o.Subject + `"`)
		must(t, s.BeginRun(t.Context(), o, r, nil))
		wantState(t, s, o, "r1", string(r.State), string(r.State))
	}
	wantState(t, s, ada, "r1", first, second)
	r = run("r4", "t")
	r.State = json.RawMessage(`{`)
	wantErr(t, "state", s.BeginRun(t.Context(), ada, r, nil), store.ErrInvalid)
	end = finished("r1")
	end.State = json.RawMessage(`{`)
	wantErr(t, "state", s.EndRun(t.Context(), bob, end, nil, store.Batch{}), store.ErrInvalid)
}
