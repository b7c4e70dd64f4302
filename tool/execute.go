package tool

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"time"

	"github.com/pageside/pageside/internal/guard"
)

// maxResultBytes bounds what a result may say to a model.
const maxResultBytes = 1 << 20

// maxLeaked is how many handlers of one tool may be running after their calls were given up before
// it answers no more calls.
const maxLeaked = 8

// leaks counts the handlers of a tool that went on after their call was given up.
type leaks struct{ n atomic.Int32 }

// Execute runs one call of a tool that came from a Registry, and returns what the model is to be
// told. It returns when the handler does, when the tool's timeout is over, or when ctx ends: a
// handler that ignores its context is left behind and what it says later is dropped. A panic
// becomes an error result; its stack goes to the log, not to the model.
//
// report gets the call's progress, at most ten reports a second, from the goroutine that called
// Execute and never after it returned. It may be nil.
func Execute(ctx context.Context, t *Tool, call Call, report func(Progress)) Result {
	if ctx.Err() != nil {
		return t.givenUp(ctx).Result()
	}
	if t.running != nil && t.running.n.Load() >= maxLeaked {
		return (&Error{Code: CodeUnavailable, Message: "the tool does not answer at the moment", Hint: "Go on without it."}).Result()
	}
	ctx, cancel := context.WithTimeoutCause(ctx, t.timeout(), errTimeout)
	defer cancel()

	progress := newMailbox()
	call.Tool = t.Name
	call.progress = progress.put
	done := make(chan Result, 1)
	go func() {
		// stands where the handler ends its goroutine without returning
		result := errExited.Result()
		defer func() { done <- result }()
		result = handle(ctx, t, &call)
	}()
	if result, ok := await(ctx, done, progress, report); ok {
		return result
	}
	t.leave(done)
	return t.givenUp(ctx).Result()
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

// await passes progress on until there is a result. It reports false when ctx ended first.
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
			if report != nil {
				report(progress.take())
			}
			// too early for the next report: it waits in the mailbox, replaced by any newer one
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

// leave counts a handler that goes on without anybody waiting for it, until it returns.
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

// givenUp says why the call of a context that ended has no result.
func (t *Tool) givenUp(ctx context.Context) *Error {
	if errors.Is(context.Cause(ctx), errTimeout) {
		return &Error{
			Code: CodeTimeout, Message: fmt.Sprintf("the tool gave no result within %v", t.timeout()), Retryable: true,
			Hint: "It may still have had an effect. Ask for less, or go on without it.",
		}
	}
	return &Error{Code: CodeInterrupted, Message: "the run ended before the tool gave a result"}
}

// handle runs the handler and makes a result of whatever comes out.
func handle(ctx context.Context, t *Tool, call *Call) (result Result) {
	result = errExited.Result() // stands where the handler panics
	defer guard.Log(call.log(), "a tool panicked", "tool", t.Name, "toolCallId", call.ID)
	result, err := t.Handler(ctx, call)
	switch {
	case err != nil && ctx.Err() != nil:
		return t.givenUp(ctx).Result()
	case err != nil:
		return asError(err).Result()
	case result.IsError && !IsErrorText(result.Text):
		return (&Error{Code: CodeFailed, Message: result.Text}).Result()
	}
	if len(result.Text) > maxResultBytes {
		return (&Error{
			Code: CodeTooLarge, Message: fmt.Sprintf("the result has %d bytes, at most %d can be read", len(result.Text), maxResultBytes),
			Retryable: true, Hint: "Ask for less: fewer rows, fewer fields, a narrower range.",
		}).Result()
	}
	result.Text = strings.ToValidUTF8(result.Text, "\uFFFD")
	return result
}
