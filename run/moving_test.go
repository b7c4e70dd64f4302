package run

import (
	"context"
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/pageside/pageside/agui"
	"github.com/pageside/pageside/store"
)

// moving is a store in which somebody moves a thread's head as soon as it has been read.
type moving struct {
	store.Store
	to string // the run that becomes the head, once
}

func (m *moving) Thread(ctx context.Context, o store.Owner, id string) (store.Thread, error) {
	thread, err := m.Store.Thread(ctx, o, id)
	if to := m.to; to != "" && err == nil {
		m.to = ""
		_, err = m.Store.UpdateThread(ctx, o, id, store.ThreadChange{Head: &to})
	}
	return thread, err
}

// TestTaintWhereTheHeadMoves: a run goes on from one branch, whichever that is: what the model
// reads, what the store keeps and whether a person is asked are of the same.
func TestTaintWhereTheHeadMoves(t *testing.T) {
	for name, tt := range map[string]struct{ from, to, parentRunID string }{
		"to a tainted branch":           {"r2", "r3", ""},
		"to a clean branch":             {"r3", "r2", ""},
		"behind the tainted run":        {"r1", "r3", ""},
		"away from the named run":       {"r2", "r3", "r2"},
		"to the run that was named":     {"r2", "r3", "r3"},
		"to what the named run is from": {"r3", "r1", "r3"},
	} {
		t.Run(strings.ReplaceAll(name, " ", "_"), func(t *testing.T) {
			restart := restarts(t)
			st := &moving{}
			s := newTaintScene(t, func() store.Store { st.Store = restart(); return st })
			s.ask(nil, say("Hello."))            // r1
			s.ask(nil, say("All well"))          // r2, from r1
			s.ask(func(in *agui.RunAgentInput) { // r3, from r1
				replacing("u2")(in)
				requestSources["a context item"].bring(in)
			}, say("EVIL words"))
			if _, err := s.store.UpdateThread(t.Context(), ada, "t1", store.ThreadChange{Head: &tt.from}); err != nil {
				t.Fatal(err)
			}
			// The run must be the first to read the thread, not the check whether it
			// fits behind r3, which may still hold the thread.
			s.awaitRelease("t1")
			st.to = tt.to
			before := len(s.model.asked)
			all := s.ask(func(in *agui.RunAgentInput) { in.ParentRunID = tt.parentRunID }, call("w", "save", "{}"), say("done"))
			if st.to != "" {
				t.Fatal("the head was not moved")
			}
			row := value(s.store.Run(t.Context(), ada, "r4"))(t)
			want := tt.from
			if tt.parentRunID != "" {
				want = tt.parentRunID
			}
			if row.ParentRunID != want {
				t.Errorf("it goes on from %s, want %s", row.ParentRunID, want)
			}
			read := strings.Contains(fmt.Sprintf("%+v", s.model.asked[before].Messages), "EVIL words")
			end, ok := all[len(all)-1].(*agui.RunFinished)
			if !ok {
				t.Fatalf("it ends with %+v", all[len(all)-1])
			}
			asked := end.Outcome != nil && end.Outcome.Type == agui.OutcomeInterrupt
			if tainted := want == "r3"; read != tainted || tainted && !row.Tainted || asked != tainted || s.world.count("save") > 0 == tainted {
				t.Errorf("the model read the tainted branch: %t; the run is tainted: %t; a person is asked: %t; it saved %d times",
					read, row.Tainted, asked, s.world.count("save"))
			}
		})
	}
}

// awaitRelease waits until no run holds the thread: a run's end is read before it releases it.
func (f *fixture) awaitRelease(threadID string) {
	f.t.Helper()
	for deadline := time.Now().Add(time.Minute); ; runtime.Gosched() {
		f.queue.mu.Lock()
		held := len(f.queue.lines[threadKey{ada, threadID}])
		f.queue.mu.Unlock()
		if held == 0 {
			return
		}
		if time.Now().After(deadline) {
			f.t.Fatalf("%d runs still hold thread %s", held, threadID)
		}
	}
}
