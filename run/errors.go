package run

import (
	"errors"
	"fmt"
	"time"

	"github.com/pageside/pageside/agent"
	"github.com/pageside/pageside/agui"
	"github.com/pageside/pageside/llm"
	"github.com/pageside/pageside/run/history"
	"github.com/pageside/pageside/store"
)

// Code is the reason a run was refused, and the "code" of the HTTP error.
type Code string

// Reasons for refusing a request before its first event.
const (
	CodeUnknownAgent Code = "unknown_agent" // no agent of that id
	CodeRunConflict  Code = "run_conflict"  // the run id was used with another body
	// the thread's live run did not end in time, or the policy refuses to wait
	CodeThreadBusy Code = "thread_busy"
	CodeCancelled  Code = "cancelled"       // cancelled while waiting for its thread
	CodeTooLarge   Code = "too_large"       // a message beyond its limit
	CodeInvalid    Code = "invalid_request" // an invalid field
	CodeDraining   Code = "draining"        // the server is shutting down
	CodeOverloaded Code = "overloaded"      // too many live runs
	CodeForbidden  Code = "not_permitted"   // the policy refuses the agent or the place
	// the user, the tenant or the thread has too many runs, or too much waiting
	CodeTooManyRuns Code = "too_many_runs"
	CodeQuota       Code = "quota_exceeded"  // of a day; also ends a run
	CodeNotFound    Code = "not_found"       // no such run, thread or message, or another owner's
	CodeShares      Code = "too_many_shares" // the thread has as many as it may have
	CodeStore       Code = "store_unavailable"
	CodeConflict    Code = "conflict"       // the thread does not permit the change now
	CodeSearch      Code = "search_timeout" // a search took too long
)

// Reasons for refusing a call: see Manager.Call.
const (
	CodeApproval       Code = "approval_required" // a person must agree first; Details say to what
	CodeNotApproved    Code = "not_approved"      // a person has not agreed
	CodeInvalidArgs    Code = "invalid_arguments"
	CodeUnavailable    Code = "unavailable"            // the tool lacks something at the place
	CodeKeyReused      Code = "idempotency_key_reused" // for another call
	CodeUnknownOutcome Code = "unknown_outcome"        // it may have had its effect
	CodeTooManyCalls   Code = "too_many_actions"       // of the caller, running at the moment
)

// Error is returned for a refused run. Message is safe to show. Field names the invalid field of
// the request, if any; Live is the run that blocks the thread (CodeThreadBusy).
type Error struct {
	Code    Code
	Message string
	Field   string
	Live    string
	Limit   string         // the limit that was reached, such as user.runs; "" if that is not why
	Retry   time.Duration  // when to try again; 0 if that is not known
	Resets  time.Time      // when the limit is renewed; zero if that is not known
	Details map[string]any // more of it, for programs; values are JSON
	Err     error
	Logged  bool // the store has logged Err
}

func (e *Error) Error() string { return string(e.Code) + ": " + e.Message }
func (e *Error) Unwrap() error { return e.Err }

// CodeOf returns the code of the *Error in an error's chain, or "".
func CodeOf(err error) Code {
	if e, ok := errors.AsType[*Error](err); ok {
		return e.Code
	}
	return ""
}

// Causes of stopping a run. Those that wrap agent.ErrStopped stop it on purpose: it ends cancelled.
var (
	errCancelled  = fmt.Errorf("cancelled by the user: %w", agent.ErrStopped)
	errSuperseded = fmt.Errorf("superseded by a newer run: %w", agent.ErrStopped)
	errDeserted   = fmt.Errorf("nobody reads it any more: %w", agent.ErrStopped)
	errHandover   = errors.New("the server is shutting down: the run is left to the next process")
	errFenced     = errors.New("another process has taken the run over")
	errStore      = errors.New("the store takes nothing")
	errTimeout    = errors.New("the run took too long")
	errTooMuch    = errors.New("the run said too much")

	errInterrupted = errors.New("an earlier process left the run behind")
)

// errOver refuses events after the run's end has begun.
var errOver = errors.New("the run is over")

// errLeft refuses a run whose request was abandoned while it waited. Another request may still
// start the run.
var errLeft = errors.New("the request was given up before the run began")

var errDraining = &Error{Code: CodeDraining, Message: "the server is shutting down"}

func conflict(runID string) error {
	return &Error{
		Code: CodeRunConflict, Field: "runId",
		Message: fmt.Sprintf("run %q was started with another body", runID),
	}
}

func noThread(id string) error {
	return &Error{Code: CodeNotFound, Field: "threadId", Message: fmt.Sprintf("there is no thread %q", id)}
}

func wasDeleted(threadID string) error {
	return &Error{Code: CodeNotFound, Field: "threadId", Message: fmt.Sprintf("thread %q was deleted", threadID)}
}

func noRun(id string) error {
	return &Error{Code: CodeNotFound, Message: fmt.Sprintf("there is no run %q", id)}
}

func busyWith(live *Run) error {
	return &Error{
		Code: CodeThreadBusy, Field: "threadId", Live: live.ID,
		Message: fmt.Sprintf("run %q of thread %q is still live", live.ID, live.ThreadID),
	}
}

func cancelledEarly(runID string) error {
	return &Error{
		Code: CodeCancelled, Field: "runId",
		Message: fmt.Sprintf("run %q was cancelled before it began", runID),
	}
}

// refusal returns what package history refuses as an *Error, and other errors as they are.
func refusal(err error) error {
	e, ok := errors.AsType[*history.Error](err)
	if !ok {
		return err
	}
	code := CodeInvalid
	if e.TooLarge {
		code = CodeTooLarge
	}
	return &Error{Code: code, Field: e.Field, Message: e.Message}
}

// publicError returns the error in the words of a model, tool or agent written in Go, or nil.
func (x *execution) publicError(cause error) *llm.PublicError {
	e, ok := errors.AsType[*llm.PublicError](cause)
	if !ok {
		return nil
	}
	err := e.Validate()
	if err == nil && reservedCodes[e.Code] {
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
// themselves. See also codeBudget and agent.Failure.
var reservedCodes = map[string]bool{
	"internal": true, "timeout": true, "interrupted": true, "output_limit": true, string(codeBudget): true,
	agent.CodeStepsExhausted: true, agent.CodeToolLoop: true,
	string(CodeStore): true, string(CodeQuota): true, string(CodeUnknownAgent): true, string(CodeRunConflict): true,
	string(CodeThreadBusy): true, string(CodeCancelled): true, string(CodeTooLarge): true, string(CodeInvalid): true,
	string(CodeDraining): true, string(CodeOverloaded): true, string(CodeForbidden): true,
	string(CodeTooManyRuns): true,
	string(CodeNotFound):    true,
	"abort":                 true, "protocol": true, "run_error": true, "network": true,
	"connection_lost": true, "unauthenticated": true,
}

// replaced tells the operator what to do. The log names the file.
const replaced = "the store cannot be written: its database file was deleted or replaced while the server was running; restart it"

// unavailable returns the error for a failed store; message says what it failed at.
func unavailable(message string, err error) error {
	switch {
	case errors.Is(err, store.ErrInvalid):
		return &Error{Code: CodeInvalid, Message: err.Error(), Err: err}
	case errors.Is(err, store.ErrReplaced):
		return &Error{Code: CodeStore, Message: replaced, Err: err, Logged: true}
	}
	return &Error{Code: CodeStore, Message: message, Err: err}
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

// StoreError returns what a caller is told of an error of the store: an *Error, or an
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
		return &Error{
			Code: CodeSearch, Message: "the search took too long: try again in a moment, or search for more words",
			Retry: 2 * time.Second, Err: err,
		}
	case errors.Is(err, store.ErrNotFound):
		return &Error{Code: CodeNotFound, Message: "there is no such thread"}
	case errors.Is(err, store.ErrBadCursor):
		return &agui.FieldError{Path: "cursor", Reason: "must be the next of an earlier page"}
	}
	return err
}
