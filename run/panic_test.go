package run

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"sync/atomic"
	"testing"

	"github.com/pageside/pageside/agent"
	"github.com/pageside/pageside/agui"
	"github.com/pageside/pageside/internal/guard"
	"github.com/pageside/pageside/llm"
	"github.com/pageside/pageside/store"
	"github.com/pageside/pageside/store/storetest/faulty"
	"github.com/pageside/pageside/store/storetest/temp"
	"github.com/pageside/pageside/test/must"
	"github.com/pageside/pageside/tool"
)

// clumsy is a store that panics once: when an operation has been called so many times.
type clumsy struct {
	faulty.Store
	left atomic.Int32 // calls until then; none if it is not positive
}

func newClumsy(st store.Store, operation string, at int32) *clumsy {
	s := &clumsy{Store: faulty.Store{Store: st}}
	s.left.Store(at)
	s.Do = func(op string, carryOut func() error) error {
		if op == operation && s.left.Add(-1) == 0 {
			panic("the store trips over " + op)
		}
		return carryOut()
	}
	return s
}

// recover reports whether it has panicked. It does not any more.
func (s *clumsy) recover() (panicked bool) { return s.left.Swap(0) <= 0 }

// explosive is a model that panics in its stream, and a tracer that does in whatever it is told.
type explosive struct{ *steps }

func (explosive) Stream(context.Context, *llm.Request) iter.Seq2[llm.Part, error] {
	return func(func(llm.Part, error) bool) { panic("the model is broken") }
}

func (explosive) Began(agent.RunTrace) agent.RunTracer  { return explosive{} }
func (explosive) Traced(string, string) agent.RunTracer { panic("the tracer is broken") }
func (explosive) Asked(agent.ModelTrace)                { panic("the tracer is broken") }
func (explosive) Decided(agent.CallTrace)               { panic("the tracer is broken") }
func (explosive) Finished(agent.CallTrace)              { panic("the tracer is broken") }
func (explosive) Warned(string)                         { panic("the tracer is broken") }
func (explosive) Ended(error)                           { panic("the tracer is broken") }

func panicScene(t *testing.T, st store.Store) (*fixture, *agent.Agent) {
	work := func(name string, effect tool.Effect) *tool.Tool {
		w := tool.New(name, "Works.", func(context.Context, *tool.Call, map[string]int) (tool.Result, error) {
			return tool.Result{Text: "ok"}, nil
		})
		w.Effect = effect
		return w
	}
	model := &steps{play: []step{call("c", "write", "{}", "look", "{}", "write", "{}"), say("all", " is", " done")}}
	a := agentWith(t, model, work("write", tool.Write), work("look", tool.Read))
	a.TitleModel = &steps{play: []step{say("A title")}}
	return managerWith(t, st, a, nil), a
}

// A store that panics, in whatever goroutine, is a store that fails: the run ends with a terminal
// event or is refused, its thread is free, and what comes next goes on from a history that a model
// takes.
func TestStoreThatPanics(t *testing.T) {
	for _, method := range []string{
		"BeginRun", "EndRun", "AppendEvents", "TaintRun", "PlanCalls", "StartCall", "FinishCall", "Instructions",
		"UpdateThread", "Run",
	} {
		for at := int32(1); ; at++ {
			name, tripped := fmt.Sprint(method, " ", at), false
			t.Run(name, func(t *testing.T) {
				st := newClumsy(temp.Store(t), method, at)
				f, _ := panicScene(t, st)
				in := f.input("t1", "go")
				in.ForwardedProps = []byte(`{"pageside":{"page":"home","scope":{"stream":"42"}}}`)
				if method == "TaintRun" { // what taints from the beginning is stored with it
					in.ForwardedProps, in.Tools = nil, nil
				}
				r, err := f.Start(t.Context(), Request{Principal: adaPrincipal, Agent: "default", Input: in, Fingerprint: "f1"})
				if err == nil {
					all := events(t, r, false)
					legal(t, all)
				}
				tripped = st.recover()
				all := events(t, f.start(f.input("t1", "again")), false)
				legal(t, all)
				must.Be(t, endOf(all), agui.OutcomeSuccess, "the next run ends with")
			})
			if !tripped {
				break
			}
			if at > 100 {
				t.Fatalf("%s is called for ever", method)
			}
		}
	}
}

// Who reads while the store panics is cut off and can come back.
func TestStoreThatPanicsWhileItIsRead(t *testing.T) {
	st := newClumsy(temp.Store(t), "Events", 0)
	f, _ := panicScene(t, st)
	in := f.input("t1", "go")
	whole := readAll(t, f.start(in).Read(false))
	f, _ = panicScene(t, st) // another process: nothing is in memory
	st.left.Store(1)
	reader := must.Get(f.Follow(t.Context(), FollowRequest{Owner: ada, RunID: in.RunID}))(t)
	if frames, done := reader.Next(); len(frames) > 0 || !done || reader.Err() == nil {
		t.Errorf("it reads %q, done %v, %v", frames, done, reader.Err())
	}
	reader.Close()
	must.Be(t, readAll(t, f.follow(t, FollowRequest{RunID: in.RunID})), whole, "then it reads")
}

// What a process left behind is taken over although the store panics meanwhile.
func TestStoreThatPanicsAtTheStart(t *testing.T) {
	for _, method := range []string{"TakeOver", "Transcript", "Events", "EndRun", "AppendEvents"} {
		t.Run(method, func(t *testing.T) {
			under := temp.Store(t)
			must.Do(t, under.BeginRun(t.Context(), ada, store.Run{ID: "r1", ThreadID: "t1", Agent: "default", Fingerprint: "f"}, messages("u1"), store.Batch{}))
			f, _ := panicScene(t, newClumsy(under, method, 1))
			all := events(t, f.start(f.input("t1", "again")), false)
			must.Be(t, endOf(all), agui.OutcomeSuccess, "the next run ends with")
			must.Be(t, must.Get(under.Run(t.Context(), ada, "r1"))(t).Status, store.RunFailed, "the run that was left")
		})
	}
}

// A model that panics costs its run, a model that panics over a title the title, and a tracer that
// panics nothing.
func TestModelAndTracerThatPanic(t *testing.T) {
	for name, test := range map[string]struct {
		adjust func(*agent.Agent)
		end    string
	}{
		"model":  {func(a *agent.Agent) { a.Model = explosive{&steps{}} }, "internal: internal error"},
		"title":  {func(a *agent.Agent) { a.TitleModel = explosive{&steps{}} }, agui.OutcomeSuccess},
		"tracer": {func(a *agent.Agent) { a.Tracer = explosive{} }, agui.OutcomeSuccess},
	} {
		t.Run(name, func(t *testing.T) {
			f, a := panicScene(t, temp.Store(t))
			test.adjust(a)
			all := events(t, f.start(f.input("t1", "go")), false)
			legal(t, all)
			must.Be(t, endOf(all), test.end, "it ends with")
		})
	}
}

// An event that panics while it is taken leaves the writer as it is: the run still has to be ended.
func TestEventThatPanics(t *testing.T) {
	f := newFixture(t, temp.Store(t), nil)
	w := newWriter(f.newRun(ada, "r1", "t1", "f"), 1, 0, agui.NewTranscript(nil), agui.NewVerifier())
	err := func() (err error) {
		defer guard.Error(&err)
		return w.Emit((*agui.RunStarted)(nil))
	}()
	if _, panicked := errors.AsType[*guard.Panic](err); !panicked {
		t.Fatalf("it is refused: %v", err)
	}
	if !w.mu.TryLock() {
		t.Fatal("the writer is locked for ever")
	}
	w.mu.Unlock()
}
