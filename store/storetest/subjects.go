package storetest

import (
	"encoding/json"
	"testing"

	"github.com/pageside/pageside/agui"
	"github.com/pageside/pageside/journal"
	"github.com/pageside/pageside/store"
)

// fillOwner gives an owner one of everything: an ended and a live thread, a deleted one, a call, an
// allowance, feedback and instructions.
func fillOwner(t *testing.T, s store.Store, o store.Owner) {
	t.Helper()
	r1 := run("r1", "t1")
	r1.State = json.RawMessage(`{"walrus":"state"}`)
	must(t, s.BeginRun(t.Context(), o, r1, []agui.Message{user("m1", "walrus")}))
	must(t, s.PlanCalls(t.Context(), o, "r1", []journal.ToolCall{{ID: "c1", Tool: "f", Args: json.RawMessage(`{}`)}}, true))
	must(t, s.GiveAllowance(t.Context(), o, allowance("a1", "r1")))
	must(t, appended(s, o, events("r1", 1, 1, "walrus event")))
	must(t, s.EndRun(t.Context(), o, finished("r1"), []agui.Message{user("m2", "walrus again")}, store.Batch{}))
	must(t, s.SetFeedback(t.Context(), o, "t1", store.Feedback{MessageID: "m1", Rating: 1, Comment: "walrus"}))
	begin(t, s, o, "r2", "t2", user("m1", "walrus alive"))
	must(t, appended(s, o, events("r2", 1, 1, "walrus live")))
	begin(t, s, o, "r3", "t3", user("m1", "walrus gone"))
	must(t, s.EndRun(t.Context(), o, finished("r3"), nil, store.Batch{}))
	_, err := s.UpdateThread(t.Context(), o, "t3", store.ThreadChange{Deleted: new(true)})
	must(t, err)
	must(t, s.AddUsage(t.Context(), o, "r3", store.Amount{Tokens: 5}))
	must(t, s.PutInstructions(t.Context(), o, store.Instructions{Kind: "by", ID: o.Subject, Text: "be kind"}))
}

func testForget(t *testing.T, s store.Store) {
	full := store.Holdings{Threads: 3, Runs: 3, ToolCalls: 1, Allowances: 1, Feedback: 1, Other: 1}
	owners := []store.Owner{ada, bob, other}
	for _, o := range owners {
		fillOwner(t, s, o)
	}
	wantHoldings(t, s, ada, full)
	must(t, s.Forget(t.Context(), ada))
	must(t, s.Forget(t.Context(), ada)) // again
	wantHoldings(t, s, ada, store.Holdings{})
	for _, id := range []string{"t1", "t2", "t3"} {
		_, err := s.Thread(t.Context(), ada, id)
		wantErr(t, "thread", err, store.ErrNotFound)
	}
	found, err := s.Threads(t.Context(), ada, store.ThreadQuery{Text: "walrus"})
	must(t, err)
	if len(found.Items) > 0 {
		t.Errorf("the search still finds %+v", found.Items)
	}
	in, err := s.Instructions(t.Context(), ada, "by", "ada")
	if must(t, err); in.Text != "be kind" || in.UpdatedBy != "" {
		t.Errorf("the tenant's instructions are %+v", in)
	}
	for _, o := range owners[1:] {
		wantHoldings(t, s, o, full)
		if in, err := s.Instructions(t.Context(), o, "by", o.Subject); err != nil || in.UpdatedBy != o.Subject {
			t.Errorf("the instructions of %v are %+v, %v", o, in, err)
		}
		if log, err := logOf(t.Context(), s, o, "r1", 0); err != nil || len(log) == 0 {
			t.Errorf("the log of %v is %v, %v", o, log, err)
		}
	}
	wantErr(t, "a write to a forgotten live run", appended(s, ada, events("r2", 1, 2, "late")), store.ErrNotFound)
	wantErr(t, "the end of a forgotten live run", s.EndRun(t.Context(), ada, finished("r2"), nil, store.Batch{}), store.ErrNotFound)
	begin(t, s, ada, "r1", "t1", user("m1", "hello")) // the ids are free again
	wantErr(t, "nobody", s.Forget(t.Context(), store.Owner{Tenant: "acme"}), store.ErrInvalid)
}

func wantHoldings(t *testing.T, s store.Store, o store.Owner, want store.Holdings) {
	t.Helper()
	if got, err := s.Holdings(t.Context(), o); err != nil || got != want {
		t.Errorf("the store holds %+v of %v (%v), want %+v", got, o, err, want)
	}
}
