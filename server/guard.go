package server

import (
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"
)

// gate is what a request passes before any handler sees it.
type gate struct {
	*Server
	origins refusedOrigins
	beyond  sync.Once // a request from beyond this machine has been logged
}

// guard refuses requests that no handler should see: writes and API reads by pages of other origins
// and, on a server without authentication, requests from beyond this machine.
func (s *gate) guard(next http.Handler) (http.Handler, error) {
	origins := http.NewCrossOriginProtection()
	for _, origin := range s.cfg.Origins {
		if err := origins.AddTrustedOrigin(origin); err != nil {
			return nil, fmt.Errorf("the origin %q: %w", origin, err)
		}
	}
	origins.SetDenyHandler(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.origins.tell(s.log, r.Header.Get("Origin"))
		s.fail(w, r, foreignOrigin("Origin"))
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
		if err := s.fromBeyond(r); err != nil {
			s.beyond.Do(func() {
				s.log.Warn("a request from beyond this machine is refused; others like it are not logged again",
					"reason", err)
			})
			s.fail(w, r, err)
			return
		}
		if s.crossSiteRead(r) {
			s.origins.tell(s.log, r.Header.Get("Origin"))
			s.fail(w, r, foreignOrigin("Sec-Fetch-Site"))
			return
		}
		if !s.share(w, r) {
			protected.ServeHTTP(w, r)
		}
	}), nil
}

// isAPI reports whether a request is for the API, of whatever protocol: scripts and pages are for
// anybody.
func (s *gate) isAPI(r *http.Request) bool {
	return slices.ContainsFunc(s.prefixes, func(prefix string) bool { return strings.HasPrefix(r.URL.Path, prefix) })
}

func foreignOrigin(field string) *Error {
	return &Error{
		Status: http.StatusForbidden, Code: "forbidden_origin",
		Message: "requests from this origin are not allowed: add it to origins in pageside.yaml, or start the server with --origin",
		Details: map[string]any{"field": field},
	}
}

// crossSiteRead reports whether a page of another site reads the API. The browser would not show it
// the answer, but how long it takes tells something too.
func (s *gate) crossSiteRead(r *http.Request) bool {
	return s.isAPI(r) && r.Method != http.MethodOptions &&
		r.Header.Get("Sec-Fetch-Site") == "cross-site" && !slices.Contains(s.cfg.Origins, r.Header.Get("Origin"))
}

// fromBeyond returns an error for a request that comes, or seems to come, from beyond this machine
// to a server without authentication: everybody would be the same user.
func (s *gate) fromBeyond(r *http.Request) error {
	if s.cfg.Authenticate != nil {
		return nil
	}
	if !loopback(r.Host) {
		return &Error{
			Status: http.StatusForbidden, Code: "forbidden_host",
			Message: "without authentication only loopback addresses are served",
			Details: map[string]any{"field": "Host"},
		}
	}
	if s.cfg.LocalProxy {
		return nil
	}
	if name := forwardedFromBeyond(r); name != "" {
		return &Error{Status: http.StatusForbidden, Code: "forbidden_proxy", Details: map[string]any{"field": name},
			Message: "a proxy has forwarded this request from elsewhere, and without authentication all its users would be one: configure auth, or auth.localProxy for a proxy that only you use"}
	}
	// scripts and pages may be loaded from anywhere
	if origin := r.Header.Get("Origin"); s.isAPI(r) && !s.ownOrigin(origin) {
		s.origins.tell(s.log, origin)
		return &Error{Status: http.StatusForbidden, Code: "forbidden_origin", Details: map[string]any{"field": "Origin"},
			Message: "this request is from a page at " + origin +
				", and without authentication all its users would be one: configure auth, or add the page to origins"}
	}
	return nil
}

// ownOrigin reports whether an Origin header is missing, of a page on this machine, or allowed.
func (s *gate) ownOrigin(origin string) bool {
	if origin == "" || origin == "null" || slices.Contains(s.cfg.Origins, origin) {
		return true
	}
	u, err := url.Parse(origin)
	return err == nil && loopback(u.Host)
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
func (s *gate) share(w http.ResponseWriter, r *http.Request) (answered bool) {
	if !s.isAPI(r) {
		return false
	}
	if len(s.cfg.Origins) == 0 {
		s.tellPreflight(r)
		return false
	}
	h := w.Header()
	h.Add("Vary", "Origin")
	origin := r.Header.Get("Origin")
	if !slices.Contains(s.cfg.Origins, origin) {
		s.tellPreflight(r)
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

// tellPreflight logs the origin whose preflight is about to fail. The browser tells its page only
// that the server cannot be reached.
func (s *gate) tellPreflight(r *http.Request) {
	if r.Method == http.MethodOptions && r.Header.Get("Access-Control-Request-Method") != "" {
		s.origins.tell(s.log, r.Header.Get("Origin"))
	}
}

// refusedOrigins are the origins already named in the log. Each is logged once, and at most
// maxRefused are: callers choose them freely.
type refusedOrigins struct {
	mu    sync.Mutex
	named map[string]bool
}

const maxRefused = 20

func (o *refusedOrigins) tell(log *slog.Logger, origin string) {
	if u, err := url.Parse(origin); err != nil || u.Host == "" || len(origin) > 200 {
		return
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.named[origin] || len(o.named) >= maxRefused {
		return
	}
	if o.named == nil {
		o.named = map[string]bool{}
	}
	o.named[origin] = true
	log.Warn("requests of a page from another origin are refused", "origin", origin,
		"remedy", "add it to origins in pageside.yaml, or start with --origin "+origin)
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
