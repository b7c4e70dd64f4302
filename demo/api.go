package demo

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"database/sql"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"mime"
	"net/http"
	"strconv"
	"strings"

	"github.com/pageside/pageside/demo/ppl"
)

// requestError is a refused request. Field names what is wrong with it.
type requestError struct {
	status  int
	code    string
	message string
	details any
}

func (e *requestError) Error() string { return e.message }

// badField is the error for a field of a request.
func badField(field, format string, args ...any) *requestError {
	return &requestError{http.StatusBadRequest, "invalid_request", field + " " + fmt.Sprintf(format, args...), map[string]string{"field": field}}
}

func (d *Demo) routes() http.Handler {
	mux := http.NewServeMux()
	routes := []struct {
		method, path string
		handle       func(*http.Request) (any, error)
	}{
		{http.MethodGet, "/demo/discover/info", d.getInfo},
		{http.MethodPost, "/demo/discover/query", d.postQuery},
		{http.MethodGet, "/demo/discover/rows/{id}", d.getRow},
		{http.MethodGet, "/demo/discover/alerts", d.getAlerts},
		{http.MethodDelete, "/demo/discover/alerts/{id}", d.removeAlert},
		{http.MethodPost, "/demo/discover/alerts/{id}/restore", d.restoreAlert},
	}
	for _, r := range routes {
		mux.HandleFunc(r.method+" "+r.path, func(w http.ResponseWriter, req *http.Request) { respond(w, req, r.handle) })
		mux.HandleFunc(r.path, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Allow", r.method)
			writeError(w, &requestError{http.StatusMethodNotAllowed, "method_not_allowed", "use " + r.method, nil})
		})
	}
	mux.HandleFunc("/demo/", func(w http.ResponseWriter, req *http.Request) {
		writeError(w, &requestError{http.StatusNotFound, "not_found", "there is nothing at " + strconv.QuoteToASCII(clip(req.URL.Path, 200)), nil})
	})
	return mux
}

func respond(w http.ResponseWriter, req *http.Request, handle func(*http.Request) (any, error)) {
	answer, err := handle(req)
	if err != nil {
		writeError(w, refusal(err))
		return
	}
	body, err := encode(answer)
	if err != nil {
		writeError(w, refusal(fmt.Errorf("encode answer: %w", err)))
		return
	}
	h := w.Header()
	h.Set("Content-Type", "application/json")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Cache-Control", "no-store")
	if req.Method == http.MethodGet {
		sum := sha256.Sum256(body)
		tag := `"` + base64.RawURLEncoding.EncodeToString(sum[:12]) + `"`
		// keep it, but ask whether it is still the same log
		h.Set("Cache-Control", "private, no-cache")
		h.Set("ETag", tag)
		if strings.Contains(req.Header.Get("If-None-Match"), tag) {
			w.WriteHeader(http.StatusNotModified)
			return
		}
	}
	_, _ = w.Write(body) // the client is gone: nobody to tell
}

func encode(v any) ([]byte, error) {
	var body bytes.Buffer
	enc := json.NewEncoder(&body)
	enc.SetEscapeHTML(false)
	err := enc.Encode(v)
	return body.Bytes(), err
}

// refusal is err as the client sees it. What is our fault is logged and not told.
func refusal(err error) *requestError {
	if r, ok := errors.AsType[*requestError](err); ok {
		return r
	}
	if e := ppl.AsError(err); e != nil {
		return &requestError{http.StatusUnprocessableEntity, "ppl_error", e.Message,
			map[string]any{"line": e.Line, "column": e.Column, "length": e.Length, "expected": nonNil(e.Expected)}}
	}
	if errors.Is(err, errTimeout) {
		return &requestError{http.StatusUnprocessableEntity, "query_timeout", errTimeout.Error(), nil}
	}
	slog.Error("demo request failed", "err", err)
	return &requestError{http.StatusInternalServerError, "internal", "the request failed on the server", nil}
}

func nonNil(list []string) []string {
	if list == nil {
		return []string{}
	}
	return list
}

func writeError(w http.ResponseWriter, e *requestError) {
	details := e.details
	if details == nil {
		details = map[string]any{}
	}
	// plain maps always encode
	body, _ := encode(map[string]any{"error": map[string]any{"code": e.code, "message": e.message, "details": details}})
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("X-Content-Type-Options", "nosniff")
	w.WriteHeader(e.status)
	_, _ = w.Write(body)
}

func (d *Demo) getInfo(*http.Request) (any, error) { return d.info(), nil }

func (d *Demo) postQuery(req *http.Request) (any, error) {
	if kind, _, err := mime.ParseMediaType(req.Header.Get("Content-Type")); err != nil || kind != "application/json" {
		return nil, &requestError{http.StatusUnsupportedMediaType, "unsupported_media_type", "the content type must be application/json", nil}
	}
	var in queryRequest
	if err := decode(req.Body, &in); err != nil {
		return nil, err
	}
	return d.run(req.Context(), &in)
}

// getRow answers with one whole row and, where it is one of the log, the line it came from.
func (d *Demo) getRow(req *http.Request) (any, error) {
	id, err := strconv.ParseInt(req.PathValue("id"), 10, 64)
	if err != nil || id < 1 {
		return nil, badField("id", "must be the _id of a row")
	}
	from, ok := d.source(cmp.Or(req.URL.Query().Get("source"), d.schema.Source))
	if !ok {
		return nil, badField("source", "is none of the data sources")
	}
	raw := "''"
	if from.schema == d.schema {
		raw = "raw"
	}
	targets := make([]any, len(from.schema.Fields)+1)
	values := make([]any, len(targets))
	for i := range values {
		targets[i] = &values[i]
	}
	row := d.log.DB().QueryRowContext(req.Context(), "SELECT "+strings.Join(from.schema.Names(), ", ")+", "+raw+" FROM "+from.schema.Source+" WHERE _id = ?", id)
	if err := row.Scan(targets...); errors.Is(err, sql.ErrNoRows) {
		return nil, &requestError{http.StatusNotFound, "not_found", fmt.Sprintf("there is no row %d", id), nil}
	} else if err != nil {
		return nil, fmt.Errorf("read row %d: %w", id, err)
	}
	fields := make(map[string]any, len(from.schema.Fields))
	for i, f := range from.schema.Fields {
		fields[f.Name] = publicValue(f.Type, values[i])
	}
	return map[string]any{"fields": fields, "raw": values[len(values)-1]}, nil
}
