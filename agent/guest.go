package agent

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"

	"github.com/pageside/pageside/agui"
)

// Guest answers in place of the loop: an agent that somebody else has written, in Go or behind an
// address. What it emits is judged before it is sent: see GuestOutput.
type Guest func(ctx context.Context, turn GuestTurn, out GuestOutput) (GuestOutcome, error)

// GuestTurn is what changes between the turns of a guest in one run.
type GuestTurn struct {
	Messages   []agui.Message
	Tools      []agui.Tool // of the page that the user may use
	State      json.RawMessage
	Interrupts []agui.Interrupt // its own open ones
	Resume     []agui.ResumeEntry
}

// GuestOutcome is how a guest ended its turn.
type GuestOutcome struct {
	Interrupts []agui.Interrupt
	Result     json.RawMessage
	Usage      []agui.TokenUsage
}

// GuestOutput takes what a guest has to say. It completes what is obviously missing, keeps what the
// guest may not change, and holds calls of the page's tools until they are decided. An error is
// final: the run ends with it. Safe for concurrent use.
type GuestOutput interface {
	Emit(events ...agui.Event) error
}

// guestRun is one run of a guest.
type guestRun struct {
	*run
	guest   Guest
	watched *watchedOutput
	usage   []agui.TokenUsage
	result  json.RawMessage

	mu     sync.Mutex
	step   *step // holds the calls of the page's tools
	ids    *guestIDs
	chunks chunks
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
