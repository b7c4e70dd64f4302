// Package refusal is what a request is refused with: a code, a message for people, and what a
// client can do about it. Run, its parts and suggest refuse with it, doors translate it: package
// server has the HTTP status of each code.
package refusal

import (
	"errors"
	"fmt"
	"time"
)

// Code is the reason for a refusal, and the "code" of the HTTP error.
type Code string

// Reasons for refusing a request before its first event.
const (
	UnknownAgent Code = "unknown_agent" // no agent of that id
	RunConflict  Code = "run_conflict"  // the run id was used with another body
	// the thread's live run did not end in time, or the policy refuses to wait
	ThreadBusy Code = "thread_busy"
	Cancelled  Code = "cancelled"       // cancelled while waiting for its thread
	TooLarge   Code = "too_large"       // a message beyond its limit
	Invalid    Code = "invalid_request" // an invalid field
	Draining   Code = "draining"        // the server is shutting down
	Overloaded Code = "overloaded"      // too many live runs
	Forbidden  Code = "not_permitted"   // the policy refuses the agent or the place
	// the user, the tenant or the thread has too many runs, or too much waiting
	TooManyRuns Code = "too_many_runs"
	Quota       Code = "quota_exceeded"  // of a day; also ends a run
	Budget      Code = "budget_exceeded" // ends a run that has used what one run may
	NotFound    Code = "not_found"       // no such run, thread or message, or another owner's
	Shares      Code = "too_many_shares" // the thread has as many as it may have
	Store       Code = "store_unavailable"
	Conflict    Code = "conflict"       // the thread does not permit the change now
	Search      Code = "search_timeout" // a search took too long
	RateLimited Code = "rate_limited"   // asked for too often
)

// Reasons for refusing a call.
const (
	Approval       Code = "approval_required" // a person must agree first; Details say to what
	NotApproved    Code = "not_approved"      // a person has not agreed
	InvalidArgs    Code = "invalid_arguments"
	Unavailable    Code = "unavailable"            // the tool lacks something at the place
	KeyReused      Code = "idempotency_key_reused" // for another call
	UnknownOutcome Code = "unknown_outcome"        // it may have had its effect
	TooManyCalls   Code = "too_many_actions"       // of the caller, running at the moment
)

// ErrDraining refuses what would begin while the server shuts down.
var ErrDraining = &Error{Code: Draining, Message: "the server is shutting down"}

// ErrStore is why a run ends whose store takes nothing.
var ErrStore = errors.New("the store takes nothing")

// Error refuses a request. Message is safe to show. Field names the invalid field of the request,
// if any; Live is the run that blocks the thread (ThreadBusy).
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

// Field refuses a field of the request as invalid.
func Field(field, format string, args ...any) *Error {
	return &Error{Code: Invalid, Field: field, Message: fmt.Sprintf(format, args...)}
}

// None says that there is no such thing, or that it is another owner's.
func None(format string, args ...any) *Error {
	return &Error{Code: NotFound, Message: fmt.Sprintf(format, args...)}
}

// CodeOf returns the code of the *Error in an error's chain, or "".
func CodeOf(err error) Code {
	if e, ok := errors.AsType[*Error](err); ok {
		return e.Code
	}
	return ""
}
