// Package rest is the common part of the demo's two HTTP APIs: JSON, and errors that name the
// invalid field.
//
//	api := rest.API{Timeout: 10 * time.Second, Log: log}
//	mux := api.Handler(map[string]rest.Handler{
//		"GET /demo/discover/info": app.getInfo,
//	})
//
// A refused request gets {"error": {"code", "message", "details"}}; details.field names the invalid
// field.
package rest

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"mime"
	"net/http"
	"time"

	"github.com/pageside/pageside/demo/refuse"
	"github.com/pageside/pageside/internal/jsonx"
	"github.com/pageside/pageside/internal/strict"
)

// Handler answers a request with a value to be sent as JSON, or with an error.
type Handler func(*http.Request) (any, error)

// Created is an answer with status 201.
type Created struct{ Value any }

// API serves handlers.
type API struct {
	Timeout time.Duration           // limit for one request
	Log     *slog.Logger            // for errors of the server
	Error   func(*refuse.Error) any // the body of a refusal; by default {"error": {…}}
}

// errTimeout is the cause of a context that ended because a request took too long.
var errTimeout = &refuse.Error{Status: http.StatusUnprocessableEntity, Code: "query_timeout", Message: "the search took too long; make it narrower"}

// Handler serves routes, which are patterns such as "GET /demo/discover/info".
func (a API) Handler(routes map[string]Handler) http.Handler {
	mux := http.NewServeMux()
	for pattern, handle := range routes {
		mux.HandleFunc(pattern, func(w http.ResponseWriter, req *http.Request) { a.serve(w, req, handle) })
	}
	return mux
}

func (a API) serve(w http.ResponseWriter, req *http.Request, handle Handler) {
	ctx, cancel := context.WithTimeoutCause(req.Context(), a.Timeout, errTimeout)
	defer cancel()
	answer, err := handle(req.WithContext(ctx))
	if err != nil && context.Cause(ctx) == errTimeout {
		err = errTimeout // the database only reports an interruption
	}
	status := http.StatusOK
	if created, ok := answer.(Created); ok {
		answer, status = created.Value, http.StatusCreated
	}
	if err != nil {
		e := a.refusal(ctx, err)
		status, answer = e.Status, a.body(e)
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("X-Content-Type-Options", "nosniff")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(answer) // an error means that the client has gone
}

func (a API) body(e *refuse.Error) any {
	if a.Error != nil {
		return a.Error(e)
	}
	details := e.Details
	if details == nil {
		details = map[string]any{}
	}
	return map[string]any{"error": map[string]any{"code": e.Code, "message": e.Message, "details": details}}
}

// refusal converts err for the client. Errors of the server are logged and not shown; that a client
// has gone is none.
func (a API) refusal(ctx context.Context, err error) *refuse.Error {
	if e, ok := errors.AsType[*refuse.Error](err); ok {
		return e
	}
	level := slog.LevelError
	if ctx.Err() != nil {
		level = slog.LevelDebug
	}
	a.Log.Log(ctx, level, "demo request failed", "err", err)
	return &refuse.Error{Status: http.StatusInternalServerError, Code: "internal", Message: "the request failed on the server"}
}

// Body returns a handler that is given the decoded body of each request, of at most 256 KiB: see
// Decode.
func Body[In any](handle func(req *http.Request, in *In) (any, error)) Handler {
	return func(req *http.Request) (any, error) {
		in := new(In)
		if err := Decode(256<<10, req, in); err != nil {
			return nil, err
		}
		return handle(req, in)
	}
}

// Decode decodes a request's body of at most so many bytes, a multiple of 1024. Unknown, duplicate
// and case-folded names, wrong types and invalid UTF-8 are errors that name the field.
func Decode(maxBody int64, req *http.Request, into any) error {
	if kind, _, err := mime.ParseMediaType(req.Header.Get("Content-Type")); err != nil || kind != "application/json" {
		return &refuse.Error{Status: http.StatusUnsupportedMediaType, Code: "unsupported_media_type", Message: "the content type must be application/json"}
	}
	raw, err := io.ReadAll(io.LimitReader(req.Body, maxBody+1))
	if err != nil {
		return refuse.BadField("body", "could not be read")
	}
	if int64(len(raw)) > maxBody {
		too := refuse.BadField("body", "is larger than %d KiB", maxBody>>10)
		too.Status, too.Code, too.Message = http.StatusRequestEntityTooLarge, "too_large", "the "+too.Message
		return too
	}
	if e, ok := errors.AsType[*jsonx.FieldError](strict.Decode(raw, into)); ok {
		if e.Path == "" {
			e.Path = "body"
		}
		return refuse.BadField(e.Path, "%s", e.Reason)
	}
	return nil
}
