package server

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"io"
	"maps"
	"math"
	"net/http"
	"strconv"
	"time"

	"github.com/pageside/pageside/agui"
	"github.com/pageside/pageside/run/refusal"
)

// Error is an error with its HTTP status. Message is safe to show; Err is logged if Status is 500
// or more.
type Error struct {
	Status  int
	Code    string
	Message string
	Details map[string]any
	Err     error
	Retry   time.Duration // wait before the next try, for 429, 503 and 504; zero means 5 s

	logged bool // what is below has logged it
}

func (e *Error) Error() string { return e.Code + ": " + e.Message }
func (e *Error) Unwrap() error { return e.Err }

// badField returns the error for an invalid field; "" means the whole body.
func badField(field, reason string) *Error {
	message := field + ": " + reason
	if field == "" {
		message = "the body " + reason
	}
	return &Error{
		Status: http.StatusBadRequest, Code: "invalid_request", Message: message,
		Details: map[string]any{"field": field},
	}
}

// statusOf maps the codes of refused runs to HTTP statuses.
var statusOf = map[refusal.Code]int{
	refusal.UnknownAgent: http.StatusNotFound,
	refusal.NotFound:     http.StatusNotFound,
	refusal.Forbidden:    http.StatusForbidden,
	refusal.RunConflict:  http.StatusConflict,
	refusal.ThreadBusy:   http.StatusConflict,
	refusal.Cancelled:    http.StatusConflict,
	refusal.TooLarge:     http.StatusRequestEntityTooLarge,
	refusal.Invalid:      http.StatusUnprocessableEntity,
	refusal.TooManyRuns:  http.StatusTooManyRequests,
	refusal.Quota:        http.StatusTooManyRequests,
	refusal.Shares:       http.StatusConflict,
	refusal.Draining:     http.StatusServiceUnavailable,
	refusal.Overloaded:   http.StatusServiceUnavailable,
	refusal.Store:        http.StatusServiceUnavailable,
	refusal.Conflict:     http.StatusConflict,
	refusal.Search:       http.StatusGatewayTimeout,
	refusal.RateLimited:  http.StatusTooManyRequests,

	refusal.Approval:       http.StatusConflict,
	refusal.NotApproved:    http.StatusForbidden,
	refusal.InvalidArgs:    http.StatusUnprocessableEntity,
	refusal.Unavailable:    http.StatusUnprocessableEntity,
	refusal.KeyReused:      http.StatusUnprocessableEntity,
	refusal.UnknownOutcome: http.StatusConflict,
	refusal.TooManyCalls:   http.StatusTooManyRequests,
}

// agentsAt ends the message about an agent that there is not.
const agentsAt = "; GET /v1/agents lists those there are"

// AsError returns the HTTP error for an error of the packages below.
func AsError(err error) *Error {
	if e, ok := errors.AsType[*Error](err); ok {
		return e
	}
	if e, ok := errors.AsType[*refusal.Error](err); ok {
		if e.Code == refusal.UnknownAgent {
			e = &refusal.Error{Code: e.Code, Message: e.Message + agentsAt, Field: e.Field, Err: e.Err}
		}
		return &Error{
			Status: cmp.Or(statusOf[e.Code], http.StatusInternalServerError), Code: string(e.Code),
			Message: e.Message, Details: detailsOf(e), Err: e.Err, Retry: e.Retry, logged: e.Logged,
		}
	}
	if e, ok := errors.AsType[*agui.FieldError](err); ok {
		return &Error{
			Status: http.StatusBadRequest, Code: "invalid_request", Message: e.Error(),
			Details: map[string]any{"field": e.Path},
		}
	}
	if e, ok := errors.AsType[*http.MaxBytesError](err); ok {
		return &Error{Status: http.StatusRequestEntityTooLarge, Code: "too_large", Message: "the body is larger than " +
			strconv.FormatInt(e.Limit, 10) + " bytes",
			Details: map[string]any{"field": "", "limit": e.Limit}}
	}
	return &Error{Status: http.StatusInternalServerError, Code: "internal", Message: "internal error", Err: err}
}

// detailsOf names the invalid field and the run in the way, besides the details of the error.
func detailsOf(e *refusal.Error) map[string]any {
	details := make(map[string]any)
	maps.Copy(details, e.Details)
	if e.Field != "" {
		details["field"] = e.Field
	}
	if e.Live != "" {
		details["runId"] = e.Live
	}
	if e.Limit != "" {
		details["limit"] = e.Limit
	}
	if !e.Resets.IsZero() {
		details["resetsAt"] = e.Resets
	}
	return details
}

// fail answers a request with an error, and logs errors of the server.
func (s *Server) fail(w http.ResponseWriter, r *http.Request, err error) {
	s.failAs(w, r, err, errorBody)
}

// failAs is fail for a protocol that puts errors another way.
func (s *Server) failAs(w http.ResponseWriter, r *http.Request, err error, bodyOf func(*Error) any) {
	if errors.Is(err, context.Canceled) && r.Context().Err() != nil {
		return // the client has gone
	}
	e := AsError(err)
	s.logError(r, e)
	if e.Status == http.StatusServiceUnavailable || e.Status == http.StatusTooManyRequests ||
		e.Status == http.StatusGatewayTimeout {
		wait := cmp.Or(e.Retry, 5*time.Second)
		w.Header().Set("Retry-After", strconv.Itoa(int(math.Ceil(wait.Seconds()))))
	}
	// the request may have waited longer than a server's WriteTimeout
	allowToWrite(w, s.cfg.WriteTimeout)
	w.Header().Set("Cache-Control", "no-store")
	body := bodyOf(e)
	if text, ok := body.(string); ok {
		w.Header().Set("Content-Type", "text/plain; charset=utf-8")
		w.WriteHeader(e.Status)
		_, _ = io.WriteString(w, text) // fails if the client has gone
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(e.Status)
	encode(w, body)
}

// logError logs an error of the server.
func (s *Server) logError(r *http.Request, e *Error) {
	if e.Status >= 500 && e.Code != string(refusal.Draining) && !e.logged {
		s.log.Error("request failed", "method", r.Method, "path", pathWithoutToken(r), "code", e.Code,
			"error", errors.Join(e, e.Err))
	}
}

func errorBody(e *Error) any {
	body := map[string]any{"code": e.Code, "message": e.Message}
	if len(e.Details) > 0 {
		body["details"] = e.Details
	}
	return map[string]any{"error": body}
}

// writeJSON answers a request with a value.
func writeJSON(w http.ResponseWriter, v any) {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	encode(w, v)
}

func encode(w http.ResponseWriter, v any) {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	// our values always encode; a write error means that the client has gone
	_ = enc.Encode(v)
}
