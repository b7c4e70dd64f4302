package server

import (
	"context"
	"log/slog"
	"net/http"
	"strings"
	"time"

	"github.com/pageside/pageside/auth"
)

// access is what is logged of a request.
type access struct {
	http.ResponseWriter
	status    int
	bytes     int64
	principal auth.Principal
	run       string // that the request started or joined
}

// accessKey is the key of a request's *access in its context.
type accessKey struct{}

// accessOf returns what is noted of a request for its line. Without Config.AccessLog nothing reads
// it.
func accessOf(r *http.Request) *access {
	if a, ok := r.Context().Value(accessKey{}).(*access); ok {
		return a
	}
	return new(access)
}

// Unwrap is for http.ResponseController.
func (a *access) Unwrap() http.ResponseWriter { return a.ResponseWriter }

// WriteHeader implements http.ResponseWriter.
func (a *access) WriteHeader(status int) {
	if a.status == 0 && status >= http.StatusOK { // else it is informational
		a.status = status
	}
	a.ResponseWriter.WriteHeader(status)
}

// Write implements http.ResponseWriter.
func (a *access) Write(b []byte) (int, error) {
	if a.status == 0 {
		a.status = http.StatusOK
	}
	n, err := a.ResponseWriter.Write(b)
	a.bytes += int64(n)
	return n, err
}

// logged writes one line for each request once it is answered; for a stream that is its end. Query
// parameters are left out: they hold what people search for.
func (s *Server) logged(next http.Handler) http.Handler {
	log := s.cfg.AccessLog
	if log == nil {
		return next
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		began := time.Now()
		a := &access{ResponseWriter: w}
		r = r.WithContext(context.WithValue(r.Context(), accessKey{}, a))
		defer func() { log.LogAttrs(r.Context(), levelOf(r), "request", a.line(r, time.Since(began))...) }()
		next.ServeHTTP(a, r)
	})
}

// levelOf keeps the probes of load balancers, every few seconds, out of the usual log.
func levelOf(r *http.Request) slog.Level {
	if r.URL.Path == "/healthz" || r.URL.Path == "/readyz" {
		return slog.LevelDebug
	}
	return slog.LevelInfo
}

// maxLoggedPath bounds what a client can write into the log with one request.
const maxLoggedPath = 512

// pathWithoutToken returns a request's path for the logs. The token of a share is a secret.
func pathWithoutToken(r *http.Request) string {
	const before = "/shared/"
	if start, token, found := strings.Cut(r.URL.Path, before); found && token != "" {
		return start + before + "…"
	}
	return r.URL.Path
}

func (a *access) line(r *http.Request, took time.Duration) []slog.Attr {
	path := pathWithoutToken(r)
	if len(path) > maxLoggedPath {
		path = path[:maxLoggedPath] + "…"
	}
	attrs := []slog.Attr{
		slog.String("method", r.Method), slog.String("path", path), slog.Int("status", a.status),
		slog.Int64("bytes", a.bytes), slog.Float64("durationMs", float64(took.Microseconds())/1000),
	}
	for _, of := range []struct{ name, value string }{
		{"run", a.run}, {"subject", a.principal.Subject}, {"tenant", a.principal.Tenant},
	} {
		if of.value != "" {
			attrs = append(attrs, slog.String(of.name, of.value))
		}
	}
	return attrs
}
