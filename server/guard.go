package server

import (
	"net"
	"net/http"
	"strings"
	"time"
)

// guard refuses what no handler should see: cross-origin writes from a browser, and, on a server without authentication,
// requests that reached this machine under a foreign name (DNS rebinding).
func (s *Server) guard(next http.Handler) http.Handler {
	origins := http.NewCrossOriginProtection()
	origins.SetDenyHandler(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.fail(w, r, &Error{Status: http.StatusForbidden, Code: "forbidden_origin", Message: "requests from another origin are not allowed", Details: map[string]any{"field": "Origin"}})
	}))
	protected := origins.Handler(next)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Referrer-Policy", "same-origin")
		if r.ContentLength != 0 {
			// net/http reads what a handler leaves of a body, without an end to its patience.
			_ = http.NewResponseController(w).SetReadDeadline(time.Now().Add(s.cfg.BodyTimeout)) // unsupported by test recorders only
		}
		if s.cfg.Authenticate == nil && !loopback(r.Host) {
			s.fail(w, r, &Error{Status: http.StatusForbidden, Code: "forbidden_host", Message: "without authentication only loopback addresses are served", Details: map[string]any{"field": "Host"}})
			return
		}
		protected.ServeHTTP(w, r)
	})
}

// loopback reports whether a Host header names this machine's loopback.
func loopback(host string) bool {
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	if strings.EqualFold(host, "localhost") {
		return true
	}
	if len(host) > 1 && host[0] == '[' && host[len(host)-1] == ']' {
		host = host[1 : len(host)-1]
	}
	ip := net.ParseIP(host)
	return ip != nil && ip.IsLoopback()
}
