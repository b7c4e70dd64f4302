package run

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/pageside/pageside/agent"
	"github.com/pageside/pageside/agui"
	"github.com/pageside/pageside/llm"
	"github.com/pageside/pageside/run/refusal"
	"github.com/pageside/pageside/store"
)

// Causes of stopping a run. Those that wrap agent.ErrStopped stop it on purpose: it ends cancelled.
var (
	errCancelled  = fmt.Errorf("cancelled by the user: %w", agent.ErrStopped)
	errSuperseded = fmt.Errorf("superseded by a newer run: %w", agent.ErrStopped)
	errDeserted   = fmt.Errorf("nobody reads it any more: %w", agent.ErrStopped)
	errHandover   = errors.New("the server is shutting down: the run is left to the next process")
	errFenced     = errors.New("another process has taken the run over")
	errTimeout    = errors.New("the run took too long")
	errTooMuch    = errors.New("the run said too much")

	errInterrupted = errors.New("an earlier process left the run behind")
)

// errOver refuses events after the run's end has begun.
var errOver = errors.New("the run is over")

// errLeft refuses a run whose request was abandoned while it waited. Another request may still
// start the run.
var errLeft = errors.New("the request was given up before the run began")

func conflict(runID string) error {
	return &refusal.Error{
		Code: refusal.RunConflict, Field: "runId",
		Message: fmt.Sprintf("run %q was started with another body", runID),
	}
}

func noThread(id string) error {
	return &refusal.Error{
		Code: refusal.NotFound, Field: "threadId", Message: fmt.Sprintf("there is no thread %q", id),
	}
}

func wasDeleted(threadID string) error {
	return &refusal.Error{
		Code: refusal.NotFound, Field: "threadId", Message: fmt.Sprintf("thread %q was deleted", threadID),
	}
}

func noRun(id string) error {
	return refusal.None("there is no run %q", id)
}

func busyWith(live *Run) error {
	return &refusal.Error{
		Code: refusal.ThreadBusy, Field: "threadId", Live: live.ID,
		Message: fmt.Sprintf("run %q of thread %q is still live", live.ID, live.ThreadID),
	}
}

func cancelledEarly(runID string) error {
	return &refusal.Error{
		Code: refusal.Cancelled, Field: "runId",
		Message: fmt.Sprintf("run %q was cancelled before it began", runID),
	}
}

// publicError returns the error in the words of a model, tool or agent written in Go, or nil.
func (x *execution) publicError(cause error) *llm.PublicError {
	e, ok := errors.AsType[*llm.PublicError](cause)
	if !ok {
		return nil
	}
	err := e.Validate()
	if err == nil && slices.Contains(reservedCodes, refusal.Code(e.Code)) {
		err = fmt.Errorf("the code %q is the server's", e.Code)
	}
	if err != nil {
		x.m.log.Error("an error cannot be shown to the user", "run", x.run.ID, "agent", x.agent.ID, "problem", err)
		return nil
	}
	x.m.log.Warn("a run failed, as its model, agent or tool said", "run", x.run.ID, "agent", x.agent.ID,
		"code", e.Code, "error", e.Err)
	return e
}

// reservedCodes are the codes of RUN_ERROR that only the server gives, and those that clients give
// themselves. See also agent.Failure.
var reservedCodes = []refusal.Code{
	"internal", "timeout", "interrupted", "output_limit", agent.CodeStepsExhausted, agent.CodeToolLoop,
	refusal.Budget, refusal.Store, refusal.Quota, refusal.UnknownAgent, refusal.RunConflict, refusal.ThreadBusy,
	refusal.Cancelled, refusal.TooLarge, refusal.Invalid, refusal.Draining, refusal.Overloaded,
	refusal.Forbidden, refusal.TooManyRuns, refusal.NotFound,
	"abort", "protocol", "run_error", "network", "connection_lost", "unauthenticated",
}

// replaced tells the operator what to do. The log names the file.
const replaced = "the store cannot be written: its database file was deleted or replaced while the server was running; restart it"

// unavailable returns the error for a failed store; message says what it failed at.
func unavailable(message string, err error) error {
	switch {
	case errors.Is(err, store.ErrInvalid):
		return &refusal.Error{Code: refusal.Invalid, Message: err.Error(), Err: err}
	case errors.Is(err, store.ErrReplaced):
		return &refusal.Error{Code: refusal.Store, Message: replaced, Err: err, Logged: true}
	}
	return &refusal.Error{Code: refusal.Store, Message: message, Err: err}
}

// noneOr returns none for what the store has not, and otherwise what unavailable returns.
func noneOr(none error, message string, err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, store.ErrNotFound):
		return none
	}
	return unavailable(message, err)
}

func unreadable(err error) error { return unavailable("the thread could not be read", err) }

// StoreError returns what a caller is told of an error of the store: a *refusal.Error, or an
// *agui.FieldError for a cursor that is none. An error that says nothing to a caller is returned
// with what was being done.
func StoreError(doing string, err error) error {
	if err == nil {
		return nil
	}
	err = fmt.Errorf("%s: %w", doing, err)
	switch {
	case errors.Is(err, store.ErrReplaced):
		return unavailable("", err)
	case errors.Is(err, store.ErrFull):
		return unavailable("the store is full", err)
	case errors.Is(err, store.ErrBusy):
		return &refusal.Error{
			Code: refusal.Search, Message: "the search took too long: try again in a moment, or search for more words",
			Retry: 2 * time.Second, Err: err,
		}
	case errors.Is(err, store.ErrNotFound):
		return refusal.None("there is no such thread")
	case errors.Is(err, store.ErrBadCursor):
		return &agui.FieldError{Path: "cursor", Reason: "must be the next of an earlier page"}
	}
	return err
}
