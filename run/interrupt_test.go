package run

import (
	"strings"
	"testing"

	"github.com/pageside/pageside/agui"
	"github.com/pageside/pageside/store"
	"github.com/pageside/pageside/store/storetest/faulty"
	"github.com/pageside/pageside/store/storetest/temp"
	"github.com/pageside/pageside/test/must"
	"github.com/pageside/pageside/tool"
)

// guarded is a tool that a person must agree to.
func guarded(l *ledger, name string) *tool.Tool {
	t := l.tool(name, tool.Write, faulty.NewMortal(nil), "")
	t.Policy.Approval = tool.ApprovalAlways
	return t
}

// asks returns the interrupts a run ended with.
func asks(t *testing.T, all []agui.Event) []agui.Interrupt {
	t.Helper()
	end, ok := all[len(all)-1].(*agui.RunFinished)
	if !ok || end.Outcome == nil || end.Outcome.Type != agui.OutcomeInterrupt {
		t.Fatalf("it ends with %+v", all[len(all)-1])
	}
	return end.Outcome.Interrupts
}

func answerTo(i agui.Interrupt, payload string) agui.ResumeEntry {
	return agui.ResumeEntry{InterruptID: i.ID, Status: agui.ResumeResolved, Payload: rawJSON(payload)}
}

// resume answers interrupts, with messages in short hand beside.
func (f *fixture) resume(thread, short string, entries ...agui.ResumeEntry) []agui.Event {
	f.t.Helper()
	in := f.input(thread, "")
	in.Messages, in.Resume = messages(short), entries
	return events(f.t, f.start(in), false)
}

// guardedScene is a thread whose model wants to pay and to ship, both of which need approval, and
// in the same step to paint, which the browser does.
func guardedScene(t *testing.T, st store.Store, calls ...string) (*fixture, *ledger, *steps) {
	world := newLedger()
	var named []string
	for _, name := range calls {
		named = append(named, name, "{}")
	}
	model := &steps{play: []step{call("c", named...)}}
	return managerWith(t, st, agentWith(t, model, guarded(world, "pay"), guarded(world, "ship")), nil), world, model
}

func wantEffects(t *testing.T, world *ledger, want map[string]int) {
	t.Helper()
	for _, name := range []string{"pay", "ship"} {
		if world.effects[name] != want[name] {
			t.Errorf("%s had %d effects, want %d", name, world.effects[name], want[name])
		}
	}
}

func (f *fixture) end(thread string) string {
	f.t.Helper()
	all := strings.Split(f.thread(thread), " | ")
	return all[len(all)-1]
}

// TestDamagedLogCostsOneRun: the server starts, the run is ended, and the thread goes on.
func TestDamagedLogCostsOneRun(t *testing.T) {
	st := temp.Store(t)
	must.Do(t, st.BeginRun(t.Context(), ada, store.Run{ID: "r1", ThreadID: "t1", Agent: "default", Fingerprint: "f"}, messages("u1 a1(c1)"), store.Batch{}))
	done := make(chan error)
	st.AppendEvents(ada, store.Batch{RunID: "r1", Epoch: 1, First: 1, Count: 1, Frames: []byte("id: r1:1.1\ndata: nonsense\n\n")}, func(err error) { done <- err })
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	f := newFixture(t, st, nil)
	row, err := st.Run(t.Context(), ada, "r1")
	if err != nil || row.Status != store.RunFailed || row.Error != "interrupted" {
		t.Errorf("run is %+v, %v", row, err)
	}
	must.Have(t, f.thread("t1"), "the server stopped", "thread")
	events(t, f.start(f.input("t1", "hello")), false)
}
