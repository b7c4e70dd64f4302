package agent

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"

	"github.com/pageside/pageside/agent/guest"
	"github.com/pageside/pageside/agui"
)

// guestRun is one run of a guest.
type guestRun struct {
	*run
	answer  guest.Agent
	given   guest.Input
	watched *watchedOutput
	usage   []agui.TokenUsage
	result  json.RawMessage

	mu     sync.Mutex
	step   *step // holds the calls of the page's tools
	ids    *guest.IDs
	chunks guest.Chunks
	events int   // so far: see maxEvents
	failed error // why nothing more is taken
}

// wrong returns the failure of a guest that breaks a rule.
func (g *guestRun) wrong(format string, args ...any) error {
	return &Failure{
		Code: CodeAgentEvent, Message: fmt.Sprintf("the agent %q ", g.agent.ID) + fmt.Sprintf(format, args...),
	}
}

// watchedOutput is the output of a guest's run. It knows what has been sent: what is open, and the
// thread that results. An event out of order is refused with a *agui.RuleError and not sent.
type watchedOutput struct {
	Output
	mu         sync.Mutex
	order      *agui.Verifier
	transcript *agui.Transcript
}

func newWatchedOutput(in *Input, out Output) *watchedOutput {
	w := &watchedOutput{Output: out, order: agui.NewVerifier(), transcript: agui.NewTranscript(in.History)}
	w.transcript.SetState(in.State)
	// It may be the first event: no error.
	_ = w.order.Check(&agui.RunStarted{ThreadID: in.ThreadID, RunID: in.RunID})
	return w
}

// Emit implements Output.
func (w *watchedOutput) Emit(e agui.Event) error {
	if err := w.watch(e); err != nil {
		return err
	}
	return w.Output.Emit(e)
}

// EmitAll implements Output.
func (w *watchedOutput) EmitAll(events ...agui.Event) error {
	for _, e := range events {
		if err := w.watch(e); err != nil {
			return err
		}
	}
	return w.Output.EmitAll(events...)
}

// Commit implements Output.
func (w *watchedOutput) Commit(ctx context.Context) error { return w.Output.Commit(ctx) }

func (w *watchedOutput) watch(e agui.Event) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if err := w.order.Check(e); err != nil {
		return err
	}
	_ = w.transcript.Apply(e) // whoever sends it says so in the log
	return nil
}

func (w *watchedOutput) messages() []agui.Message {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.transcript.Messages()
}

func (w *watchedOutput) state() json.RawMessage {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.transcript.State()
}

// open returns how much is open.
func (w *watchedOutput) open() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.order.Open()
}

// closers returns the events that end what is open.
func (w *watchedOutput) closers() []agui.Event {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.order.Close()
}

// unanswered returns the calls of the thread that have no result.
func (w *watchedOutput) unanswered() []*call { return openCalls(w.messages()) }
