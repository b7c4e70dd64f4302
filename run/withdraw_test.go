package run

import (
	"testing"

	"github.com/pageside/pageside/agent"
	"github.com/pageside/pageside/agui"
	"github.com/pageside/pageside/policy"
	"github.com/pageside/pageside/store"
	"github.com/pageside/pageside/store/storetest/temp"
)

// withdraws returns a request that withdraws what waits on a thread.
func (f *fixture) withdraws(thread string) *agui.RunAgentInput {
	in := f.input(thread, "")
	in.Messages, in.ForwardedProps = nil, rawJSON(`{"pageside":{"withdraw":true}}`)
	return in
}

func wantCancelled(t *testing.T, all []agui.Event) {
	t.Helper()
	legal(t, all)
	if end, ok := all[len(all)-1].(*agui.RunFinished); !ok || end.Outcome == nil || end.Outcome.Type != agui.OutcomeCancelled {
		t.Errorf("it ends with %+v", all[len(all)-1])
	}
}

// TestAnAgentOfOnesOwnIsNotAskedToGoOn when its question is withdrawn.
func TestAnAgentOfOnesOwnIsNotAskedToGoOn(t *testing.T) {
	a := asksFor(seat)
	f := ownManager(t, temp.Store(t), a, &agent.Agent{Authorizer: policy.Everything})
	asks(t, ask(f, "book"))
	wantCancelled(t, events(t, f.start(f.withdraws("t1")), false))
	if len(a.given) != 1 {
		t.Errorf("it was asked %d times", len(a.given))
	}
	if all := events(t, f.start(f.withdraws("t1")), false); len(all) != 3 {
		t.Errorf("its question still waits: %+v", all)
	}
}

// TestAWithdrawalSurvivesACrash at every operation of the store: the next process ends it, and
// makes no call.
func TestAWithdrawalSurvivesACrash(t *testing.T) {
	for op, done := 1, false; !done; op++ {
		for _, after := range []bool{false, true} {
			st, world := temp.Store(t), newLedger()
			next := func(of store.Store, play ...step) (*fixture, *steps) {
				model := &steps{play: play}
				return managerWith(t, of, agentWith(t, model, guarded(world, "pay")), nil), model
			}
			f, _ := next(st, call("c", "pay", "{}", "paint", "{}"))
			asks(t, f.tell("t1", "u1", ""))
			f.Drain(t.Context())

			dying := &mortal{Store: st, left: op, after: after}
			f, _ = next(dying)
			in := f.withdraws("t1")
			in.RunID = "w"
			if r, err := f.Start(t.Context(), Request{Principal: adaPrincipal, Agent: "default", Input: in, Fingerprint: "fw"}); err == nil {
				readAll(t, r.Read(false))
			}
			dying.mu.Lock()
			done = !dying.dead
			dying.mu.Unlock()
			dying.die()
			handOver(f)

			f, model := next(st)
			f.admission.work.Wait()
			wantCancelled(t, events(t, f.start(in), false)) // begun now, or before
			if len(model.asked) > 0 {
				t.Errorf("at operation %d (%v) the model was asked", op, after)
			}
			wantEffects(t, world, nil)
			f.Drain(t.Context())
		}
	}
}
