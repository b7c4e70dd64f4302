package storetest

import (
	"slices"
	"testing"

	"github.com/pageside/pageside/agui"
	"github.com/pageside/pageside/store"
)

// taintedRun is wholeRun for a run that brings something tainted, or not.
func taintedRun(t *testing.T, s store.Store, o store.Owner, id, thread, parent string, tainted bool) {
	t.Helper()
	r := run(id, thread)
	r.ParentRunID, r.Tainted = parent, tainted
	must(t, s.BeginRun(t.Context(), o, r, []agui.Message{user(id+"q", "?")}))
	must(t, s.EndRun(t.Context(), o, finished(id), nil, store.Batch{}))
}

// wantTainted checks which runs of a thread are tainted, and that every way to read a run says the
// same.
func wantTainted(t *testing.T, s store.Store, o store.Owner, thread string, want ...string) {
	t.Helper()
	runs, err := s.Runs(t.Context(), o, thread)
	must(t, err)
	live, err := s.LiveRuns(t.Context())
	must(t, err)
	last, err := s.LastRun(t.Context(), o, thread)
	must(t, err)
	for _, r := range runs {
		tainted := slices.Contains(want, r.ID)
		one, err := s.Run(t.Context(), o, r.ID)
		must(t, err)
		if r.Tainted != tainted || one.Tainted != tainted || last.ID == r.ID && last.Tainted != tainted {
			t.Errorf("run %s of %s is tainted: %t, %t; the thread's last run %s is: %t; want %t", r.ID, thread, r.Tainted, one.Tainted, last.ID, last.Tainted, tainted)
		}
		for _, l := range live {
			if l.Owner == o && l.Run.ID == r.ID && l.Run.Tainted != tainted {
				t.Errorf("live run %s is tainted: %t, want %t", r.ID, l.Run.Tainted, tainted)
			}
		}
	}
}

func testTaint(t *testing.T, s store.Store) {
	taintedRun(t, s, ada, "r1", "t", "", false)
	taintedRun(t, s, ada, "r2", "t", "", true)
	taintedRun(t, s, ada, "r3", "t", "", false)   // goes on from the head
	taintedRun(t, s, ada, "r4", "t", "r2", false) // and from a run that is named
	taintedRun(t, s, ada, "r5", "t", "r4", false) // over several
	taintedRun(t, s, ada, "clean", "t", "r1", false)
	taintedRun(t, s, ada, "clean2", "t", "", false)
	taintedRun(t, s, ada, "root", "t", store.RootRun, false)
	wantTainted(t, s, ada, "t", "r2", "r3", "r4", "r5")

	// Once the head was moved, a new run continues it.
	head := "r5"
	_, err := s.UpdateThread(t.Context(), ada, "t", store.ThreadChange{Head: &head})
	must(t, err)
	taintedRun(t, s, ada, "moved", "t", "", false)
	wantTainted(t, s, ada, "t", "r2", "r3", "r4", "r5", "moved")

	// Another owner's ids are not the same, even if they are equal.
	taintedRun(t, s, bob, "r2", "t", "", false)
	taintedRun(t, s, bob, "r9", "t", "r2", false)
	wantTainted(t, s, bob, "t")
}

func testTaintRun(t *testing.T, s store.Store) {
	wholeRun(t, s, "r1", "t", "")
	begin(t, s, ada, "r2", "t")
	begin(t, s, bob, "r2", "t")
	wantTainted(t, s, ada, "t")
	must(t, s.TaintRun(t.Context(), ada, "r2"))
	must(t, s.TaintRun(t.Context(), ada, "r2")) // which changes nothing
	wantTainted(t, s, ada, "t", "r2")
	wantTainted(t, s, bob, "t")
	_, err := s.TakeOver(t.Context(), ada, "r2")
	must(t, err)
	wantTainted(t, s, ada, "t", "r2")
	// which says nothing of it
	must(t, s.EndRun(t.Context(), ada, finished("r2"), nil, store.Batch{}))
	wholeRun(t, s, "r3", "t", "")
	wholeRun(t, s, "r4", "t", "r1")
	wantTainted(t, s, ada, "t", "r2", "r3")

	wantErr(t, "a run that has ended", s.TaintRun(t.Context(), ada, "r4"), store.ErrConflict)
	wantErr(t, "no run", s.TaintRun(t.Context(), ada, "r9"), store.ErrNotFound)
	wantTainted(t, s, ada, "t", "r2", "r3")
}
