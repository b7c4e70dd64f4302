package server

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/time/rate"

	"github.com/pageside/pageside/audit"
	"github.com/pageside/pageside/auth"
	"github.com/pageside/pageside/internal/guard"
)

// authenticate returns the caller of a request.
func (s *Server) authenticate(r *http.Request) (auth.Principal, error) {
	if s.cfg.Authenticate == nil {
		return auth.Local, nil
	}
	p, err := s.cfg.Authenticate(r)
	if err == nil {
		err = p.Check()
	}
	// an authenticator allows for clocks that differ
	if err == nil && p.Expired(time.Now().Add(-auth.Leeway)) {
		err = auth.Refuse(cmp.Or(p.Method, "server"), "the credentials have expired")
	}
	return p, err
}

// refused returns the HTTP error for credentials that were refused or missing, and records it.
func (s *Server) refused(w http.ResponseWriter, r *http.Request, err error) *Error {
	if errors.Is(err, auth.ErrUnavailable) {
		return &Error{
			Status: http.StatusServiceUnavailable, Code: "auth_unavailable",
			Message: "credentials cannot be checked at the moment", Err: err,
		}
	}
	if e, ok := errors.AsType[*auth.Error](err); ok && errors.Is(err, auth.ErrTooMany) {
		return &Error{
			Status: http.StatusTooManyRequests, Code: "rate_limited",
			Message: auth.ErrTooMany.Error() + ": try again later", Err: err, Retry: e.Retry,
		}
	}
	if errors.Is(err, auth.ErrNoCredentials) {
		w.Header().Set("WWW-Authenticate", `Bearer realm="pageside"`)
		return &Error{
			Status: http.StatusUnauthorized, Code: "unauthenticated", Message: "this request needs credentials",
			Err: err,
		}
	}
	s.recordSignIn(r, err)
	w.Header().Set("WWW-Authenticate", `Bearer realm="pageside", error="invalid_token"`)
	return &Error{
		Status: http.StatusUnauthorized, Code: "unauthenticated",
		Message: "the credentials of this request are not valid, or have ended", Err: err,
	}
}

// signIns bounds what strangers can write into the logs.
type signIns struct {
	limit   *rate.Limiter
	skipped atomic.Int64
}

// Failed sign-ins that are recorded.
const (
	signInsPerSecond = 5
	signInsAtOnce    = 100
)

// recordSignIn records that credentials were refused.
func (s *Server) recordSignIn(r *http.Request, err error) {
	if !s.signIns.limit.Allow() {
		s.signIns.skipped.Add(1)
		return
	}
	detail := err.Error()
	if host, _, e := net.SplitHostPort(r.RemoteAddr); e == nil {
		detail += ", from " + host
	}
	if n := s.signIns.skipped.Swap(0); n > 0 {
		detail += fmt.Sprintf("; %d more were not recorded", n)
	}
	s.log.Warn("credentials refused", "method", r.Method, "path", pathWithoutToken(r), "reason", detail)
	entry := audit.Entry{
		Kind: audit.SignIn, Tool: r.Method + " " + pathWithoutToken(r), Decision: audit.Deny,
		Outcome: audit.NotRun, Detail: detail,
	}
	if e, ok := errors.AsType[*auth.Error](err); ok {
		entry.Principal.Method = e.Method
	}
	s.recordEntry(context.WithoutCancel(r.Context()), entry)
}

// Open streams are authenticated again: a stream ends at most this long after its credentials.
const (
	recheckEvery   = 15 * time.Second
	recheckTimeout = 5 * time.Second
)

// vigil watches the credentials of an open stream.
type vigil struct {
	s    *Server
	call *call
	done chan struct{} // closed when the credentials no longer hold
	once sync.Once

	mu      sync.Mutex
	timer   *time.Timer
	stopped bool
}

// watch begins a vigil. Stop it when the stream ends.
func (s *Server) watch(c *call) *vigil {
	v := &vigil{s: s, call: c, done: make(chan struct{})}
	if s.cfg.Authenticate != nil {
		v.arm(c.principal)
	}
	return v
}

// arm schedules the next check: soon, or when the credentials expire.
func (v *vigil) arm(p auth.Principal) {
	next := recheckEvery
	if left := time.Until(p.Expires); !p.Expires.IsZero() && left > 0 {
		next = min(next, left)
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	if !v.stopped {
		v.timer = time.AfterFunc(next, v.check)
	}
}

// check authenticates the stream's request again.
func (v *vigil) check() {
	ctx, cancel := context.WithTimeout(v.call.r.Context(), recheckTimeout)
	defer cancel()
	late := time.AfterFunc(recheckTimeout, v.end)
	defer late.Stop()
	p, err := v.authenticate(ctx)
	switch was := v.call.principal; {
	case v.call.r.Context().Err() != nil:
		return // the client has gone
	case err == nil && p.Expired(time.Now()):
		err = auth.Refuse(cmp.Or(p.Method, "server"), "the stream's credentials have expired")
	case err == nil && (p.Tenant != was.Tenant || p.Subject != was.Subject):
		err = auth.Refuse(cmp.Or(p.Method, "server"), "the stream's credentials are somebody else's now")
	}
	if err == nil {
		v.arm(p)
		return
	}
	v.s.log.Info("a stream ends, since its credentials no longer hold", "path", v.call.r.URL.Path, "reason", err)
	v.end()
}

// authenticate is called by a timer, where nothing else recovers a panic of the authenticator.
func (v *vigil) authenticate(ctx context.Context) (p auth.Principal, err error) {
	defer guard.Error(&err)
	return v.s.authenticate(v.call.r.WithContext(ctx))
}

func (v *vigil) end() { v.once.Do(func() { close(v.done) }) }

// over reports whether the credentials no longer hold.
func (v *vigil) over() bool {
	select {
	case <-v.done:
		return true
	default:
		return false
	}
}

func (v *vigil) stop() {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.stopped = true
	if v.timer != nil {
		v.timer.Stop()
	}
}
