package tool

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/pageside/pageside/internal/guard"
	"github.com/pageside/pageside/internal/visible"
)

// defaultMaxResult bounds the text of a result if the tool sets no bound.
const defaultMaxResult = 1 << 20

// maxLeaked is how many handlers of one tool may still be running after their calls were given up.
// With that many the tool answers no more calls.
const maxLeaked = 8

// leaks counts the handlers of a tool that are still running after their call was given up.
type leaks struct{ n atomic.Int32 }

// Execute runs one call of a tool that came from a Registry, and returns the result for the model.
// It returns when the handler does, when the tool's timeout is over, or when ctx ends. A handler
// that ignores its context is left behind, and its result is dropped. A panic becomes an error
// result; its stack goes to the log, not to the model.
//
// report gets the call's progress on the goroutine that called Execute, and never after Execute has
// returned: at most ten reports a second, and the last one before the handler returns at any time.
// It may be nil.
func Execute(ctx context.Context, t *Tool, call Call, report func(Progress)) Result {
	if ctx.Err() != nil {
		return t.givenUp(ctx).Result()
	}
	if t.running != nil && t.running.n.Load() >= maxLeaked {
		return (&Error{
			Code: CodeUnavailable, Message: "the tool does not answer at the moment", Hint: "Go on without it.",
		}).Result()
	}
	if e := t.calls.TooOften(t.Name, call.Principal); e != nil {
		return e.Result()
	}
	ctx, cancel := context.WithTimeoutCause(ctx, t.timeout(), errTimeout)
	defer cancel()

	progress := newMailbox()
	call.Tool = t.Name
	call.progress = progress.put
	done := make(chan Result, 1)
	go func() {
		// the result of a handler that ends its goroutine without returning
		result := errExited.Result()
		defer func() { done <- result }()
		result = handle(ctx, t, &call)
	}()
	if report == nil {
		report = func(Progress) {}
	}
	if result, ok := await(ctx, done, progress, report); ok {
		progress.flush(report)
		return result
	}
	t.leave(done)
	return t.givenUp(ctx).Result()
}

// check returns a question that can be asked, or the error in its place.
func (q Question) check(call *Call) Result {
	q.Text = strings.TrimSpace(visible.Cut(strings.ToValidUTF8(q.Text, "\uFFFD"), MaxQuestion))
	switch {
	case q.Text == "" || len(q.Memo) > 0 && !json.Valid(q.Memo):
		return (&Error{Code: CodeFailed, Message: "the tool asks for more, and does not say what"}).Result()
	case !call.CanAsk:
		return q.Unanswered().Result()
	}
	return Result{Ask: &q}
}

// Unanswered returns the error of a call whose question was not answered.
func (q Question) Unanswered() *Error {
	return &Error{
		Code: CodeInputRequired, Message: "the tool asks, and was not answered: " + q.Text,
		Hint: "Ask the user, and call it again with the answer.",
	}
}

func (t *Tool) timeout() time.Duration {
	if t.Policy.Timeout == 0 {
		return DefaultTimeout
	}
	return t.Policy.Timeout
}

var (
	errTimeout = errors.New("the tool took too long")
	errExited  = &Error{Code: CodePanic, Message: "the tool failed unexpectedly"}
)

// await passes progress on until there is a result. It reports false if ctx ends first.
func await(ctx context.Context, done <-chan Result, progress *mailbox, report func(Progress)) (Result, bool) {
	var pace *time.Timer // most calls report nothing
	var early <-chan time.Time
	ready := progress.ready
	for {
		select {
		case result := <-done:
			return result, true
		case <-ctx.Done():
			select {
			case result := <-done:
				return result, true
			default:
				return Result{}, false
			}
		case <-early:
			ready = progress.ready
		case <-ready:
			report(progress.take())
			// too early for the next report: it waits in the mailbox, where a newer one replaces it
			ready = nil
			if pace == nil {
				pace = time.NewTimer(progressEvery)
				defer pace.Stop()
				early = pace.C
			} else {
				pace.Reset(progressEvery)
			}
		}
	}
}

// leave counts a handler that nobody waits for any more, until it returns.
func (t *Tool) leave(done <-chan Result) {
	if t.running == nil {
		return
	}
	t.running.n.Add(1)
	go func() {
		<-done
		t.running.n.Add(-1)
	}()
}

// givenUp returns why a call has no result whose context has ended.
func (t *Tool) givenUp(ctx context.Context) *Error {
	if errors.Is(context.Cause(ctx), errTimeout) {
		return &Error{
			Code: CodeTimeout, Message: fmt.Sprintf("the tool gave no result within %v", t.timeout()), Retryable: true,
			Hint: "It may still have had an effect. Ask for less, or go on without it.",
		}
	}
	return &Error{Code: CodeInterrupted, Message: "the run ended before the tool gave a result"}
}

// handle runs the handler and turns whatever it returns into a result.
func handle(ctx context.Context, t *Tool, call *Call) (result Result) {
	result = errExited.Result() // of a handler that panics
	defer guard.Log(call.Logger(), "a tool panicked", "tool", t.Name, "toolCallId", call.ID)
	result, err := t.Handler(ctx, call)
	switch {
	case err != nil && ctx.Err() != nil:
		return t.givenUp(ctx).Result()
	case err != nil:
		return asError(err).Result()
	case result.IsError && !IsErrorText(result.Text):
		return (&Error{Code: CodeFailed, Message: result.Text}).Result()
	case result.Ask != nil:
		asked := result.Ask.check(call)
		if asked.Ask == nil {
			Withdraw(ctx, t, *call, result.Ask.Memo)
		}
		return asked
	}
	if most := cmp.Or(t.MaxResult, defaultMaxResult); int64(len(result.Text)) > most {
		return (&Error{
			Code:      CodeTooLarge,
			Message:   fmt.Sprintf("the result has %d bytes, at most %d can be read", len(result.Text), most),
			Retryable: true, Hint: "Ask for less: fewer rows, fewer fields, a narrower range.",
		}).Result()
	}
	result.Text = strings.ToValidUTF8(result.Text, "\uFFFD")
	return result
}

// progressEvery is the shortest time between two reports of one call.
const progressEvery = 100 * time.Millisecond

// mailbox holds the newest report of a call. Putting one in never blocks: it replaces a report that
// was not taken yet.
type mailbox struct {
	ready chan struct{} // has a token while there is a report

	mu     sync.Mutex
	newest Progress
}

func newMailbox() *mailbox { return &mailbox{ready: make(chan struct{}, 1)} }

func (m *mailbox) put(p Progress) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.newest = p
	select {
	case m.ready <- struct{}{}:
	default:
	}
}

func (m *mailbox) take() Progress {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.newest
}

// flush passes on the report that was not taken yet, if there is one.
func (m *mailbox) flush(report func(Progress)) {
	select {
	case <-m.ready:
		report(m.take())
	default:
	}
}

// WithdrawTimeout bounds a tool's Withdraw.
const WithdrawTimeout = 5 * time.Second

// Withdraw tells a tool that what a call of it has asked gets no answer, also after ctx has ended.
// It returns when the tool's Withdraw does, or after WithdrawTimeout.
func Withdraw(ctx context.Context, t *Tool, call Call, memo json.RawMessage) {
	if t.Withdraw == nil {
		return
	}
	ctx, end := context.WithTimeout(context.WithoutCancel(ctx), WithdrawTimeout)
	call.Tool, call.Reply = t.Name, &Reply{Memo: memo}
	go func() {
		defer end()
		defer guard.Log(call.Logger(), "a tool panicked when its question was withdrawn", "tool", t.Name,
			"toolCallId", call.ID)
		t.Withdraw(ctx, &call)
	}()
	<-ctx.Done()
}
