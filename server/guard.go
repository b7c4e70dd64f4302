package server

import (
	"fmt"
	"net"
	"net/http"
	"slices"
	"strings"
	"time"
)

// guard refuses requests that no handler should see: cross-origin writes from a browser and, on a
// server without authentication, requests to this machine under a foreign name (DNS rebinding).
func (s *Server) guard(next http.Handler) (http.Handler, error) {
	origins := http.NewCrossOriginProtection()
	for _, origin := range s.cfg.Origins {
		if err := origins.AddTrustedOrigin(origin); err != nil {
			return nil, fmt.Errorf("the origin %q: %w", origin, err)
		}
	}
	origins.SetDenyHandler(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.fail(w, r, &Error{Status: http.StatusForbidden, Code: "forbidden_origin", Message: "requests from another origin are not allowed", Details: map[string]any{"field": "Origin"}})
	}))
	protected := origins.Handler(next)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Referrer-Policy", "same-origin")
		if r.ContentLength != 0 {
			// net/http reads the unread rest of a body, and would wait for it forever. Unsupported
			// by test recorders only.
			_ = http.NewResponseController(w).SetReadDeadline(time.Now().Add(s.cfg.BodyTimeout))
		}
		if s.cfg.Authenticate == nil && !loopback(r.Host) {
			s.fail(w, r, &Error{Status: http.StatusForbidden, Code: "forbidden_host", Message: "without authentication only loopback addresses are served", Details: map[string]any{"field": "Host"}})
			return
		}
		if !s.share(w, r) {
			protected.ServeHTTP(w, r)
		}
	}), nil
}

// Permissions for pages of allowed origins, in the terms of the Fetch standard (3.2). There is no
// wildcard and no cookies: a client that needs a key sends it in a header.
const (
	sharedMethods = "GET, POST, PUT, PATCH, DELETE"
	sharedAnswers = "Retry-After"
	sharedFor     = "600" // seconds
)

// share lets pages of allowed origins use the API. It reports whether it answered the request, as
// it does for a preflight.
func (s *Server) share(w http.ResponseWriter, r *http.Request) (answered bool) {
	if len(s.cfg.Origins) == 0 || !strings.HasPrefix(r.URL.Path, "/v1/") {
		return false
	}
	h := w.Header()
	h.Add("Vary", "Origin")
	origin := r.Header.Get("Origin")
	if !slices.Contains(s.cfg.Origins, origin) {
		return false
	}
	h.Set("Access-Control-Allow-Origin", origin)
	h.Set("Access-Control-Expose-Headers", sharedAnswers)
	if r.Method != http.MethodOptions || r.Header.Get("Access-Control-Request-Method") == "" {
		return false
	}
	h.Set("Access-Control-Allow-Methods", sharedMethods)
	if asked := r.Header.Get("Access-Control-Request-Headers"); asked != "" {
		h.Set("Access-Control-Allow-Headers", asked)
	}
	h.Set("Access-Control-Max-Age", sharedFor)
	w.WriteHeader(http.StatusNoContent)
	return true
}

// loopback reports whether a Host header names this machine's loopback interface.
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
