package run

import (
	"context"
	"errors"
	"strings"
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

// TestWhatWaitsIsWithdrawn: no call is made, each has a result that says so, nothing waits any
// more, and the model is not asked until the user says something.
func TestWhatWaitsIsWithdrawn(t *testing.T) {
	world, model := newLedger(), &steps{play: []step{call("c", "pay", "{}", "ask_user", `{"kind":"text","question":"Which?"}`, "paint", "{}")}}
	a := agentWith(t, model, guarded(world, "pay"))
	a.AskUser = true
	f := managerWith(t, temp.Store(t), a, nil)
	if open := asks(t, f.tell("t1", "u1", "")); len(open) != 2 {
		t.Fatalf("what is asked is %+v", open)
	}
	asked := len(model.asked)
	first := f.withdraws("t1")
	wantCancelled(t, events(t, f.start(first), false))
	wantEffects(t, world, nil)
	if got := f.thread("t1"); strings.Count(got, "the user cancelled the request instead of answering") != 3 || len(model.asked) != asked {
		t.Errorf("the model was asked %d times, and the thread is %q", len(model.asked)-asked, got)
	}
	wantCancelled(t, events(t, f.start(first), false)) // the same request follows the same run
	if all := events(t, f.start(f.withdraws("t1")), false); len(all) != 3 {
		t.Errorf("where nothing waits, the thread is shown, not %+v", all)
	}
	if f.tell("t1", "u2", ""); f.end("t1") != "assistant=done" {
		t.Errorf("the thread goes on as %q", f.thread("t1"))
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

// TestAWithdrawalSaysNothingElse: what also brings or answers something is refused by its field.
func TestAWithdrawalSaysNothingElse(t *testing.T) {
	f, _, _ := guardedScene(t, temp.Store(t), "pay")
	open := asks(t, f.tell("t1", "u1", ""))
	for name, change := range map[string]func(*agui.RunAgentInput){
		"a message": func(in *agui.RunAgentInput) { in.Messages = messages("u2") },
		"an answer": func(in *agui.RunAgentInput) { in.Resume = []agui.ResumeEntry{answerTo(open[0], `{"approved":true}`)} },
		"an edit": func(in *agui.RunAgentInput) {
			in.ForwardedProps = rawJSON(`{"pageside":{"withdraw":true,"replaces":"u1"}}`)
		},
	} {
		in := f.withdraws("t1")
		change(in)
		_, err := f.Start(context.Background(), Request{Principal: adaPrincipal, Agent: "default", Input: in, Fingerprint: name})
		if e, ok := errors.AsType[*Error](err); !ok || e.Field != "forwardedProps.pageside.withdraw" {
			t.Errorf("%s is refused with %v", name, err)
		}
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
			now, stop := context.WithCancel(t.Context())
			stop()
			f.Drain(now)

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
