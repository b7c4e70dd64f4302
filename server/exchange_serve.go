package server

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"sync"
	"time"
)

// Serve answers with the handler of a protocol's own library, whose streams are not one run's. They
// have the deadlines and the keep-alive comments of other streams, and end with their credentials.
// A GET counts as an open stream. Goroutines that the library leaves behind use the exchange only
// through Use: Serve waits for them.
func (x *Exchange) Serve(h http.Handler, r *http.Request) error {
	defer x.lease.end()
	if r.Method == http.MethodGet {
		if err := x.Count(); err != nil {
			return err
		}
	}
	ctx, cancel := context.WithCancel(r.Context())
	defer cancel()
	out := &sharedOutput{output: x.s.beats.open(x.Writer)}
	out.w.Header().Set("X-Accel-Buffering", "no")
	x.out = out
	defer x.s.beats.close(out.output)
	x.credentials = x.s.watch(x.c)
	defer x.credentials.stop()
	done := make(chan struct{})
	defer func() { cancel(); <-done }() // nothing is written once the request is over
	go func() {
		defer close(done)
		defer cancel()
		out.keep(ctx, x.credentials.done, func() bool { return r.Method == http.MethodGet && x.s.cfg.Runs.Draining() })
	}()
	h.ServeHTTP(out, r.WithContext(ctx))
	return nil
}

// errLeft is what Use returns once the request is over.
var errLeft = errors.New("the request was over before it was answered")

// lease is what holds the end of a request back while others use it.
type lease struct {
	mu    sync.Mutex
	over  bool
	users sync.WaitGroup
}

// Use calls do while the request cannot end, or returns an error if it has ended.
func (x *Exchange) Use(do func() error) error {
	l := &x.lease
	l.mu.Lock()
	if l.over {
		l.mu.Unlock()
		return errLeft
	}
	l.users.Add(1)
	l.mu.Unlock()
	defer l.users.Done()
	return do()
}

// end waits for those who use the exchange: it ends with the request.
func (l *lease) end() {
	l.mu.Lock()
	l.over = true
	l.mu.Unlock()
	l.users.Wait()
}

// sharedOutput is an open stream that a library writes, and that is kept alive meanwhile.
type sharedOutput struct {
	mu sync.Mutex
	*output
	begun bool // the header is final
}

// keep keeps the stream alive until ctx ends, the credentials do, or over reports that it is over.
func (o *sharedOutput) keep(ctx context.Context, credentials <-chan struct{}, over func() bool) {
	defer o.tellEnd(credentials)
	look := time.NewTicker(time.Second)
	defer look.Stop()
	for !over() {
		select {
		case <-ctx.Done():
			return
		case <-credentials:
			return
		case <-look.C:
		case <-o.quiet:
			if !o.comment(keepAlive) {
				return
			}
		}
	}
}

// begin records that the library has finished changing the header.
func (o *sharedOutput) begin() {
	if o != nil {
		o.mu.Lock()
		defer o.mu.Unlock()
		o.begun = true
	}
}

// tellEnd says that the credentials have ended, if they have: whoever else watches them may have
// ended the stream first.
func (o *sharedOutput) tellEnd(credentials <-chan struct{}) {
	select {
	case <-credentials:
		o.comment(signInAgain)
	default:
	}
}

// comment sends a comment if the answer is a stream of events that has begun. It returns false if
// the client has gone.
func (o *sharedOutput) comment(text []byte) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	streams := o.begun && strings.HasPrefix(o.w.Header().Get("Content-Type"), "text/event-stream")
	return !streams || o.send(text)
}

// Header is part of http.ResponseWriter.
func (o *sharedOutput) Header() http.Header { return o.w.Header() }

// WriteHeader is part of http.ResponseWriter.
func (o *sharedOutput) WriteHeader(status int) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.begun = true
	allowToWrite(o.w, o.timeout)
	o.w.WriteHeader(status)
}

// Write is part of http.ResponseWriter. One write is one event, or more.
func (o *sharedOutput) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.begun = true
	o.ticks.Store(0)
	allowToWrite(o.w, o.timeout)
	return o.w.Write(p)
}

// FlushError is what http.ResponseController calls.
func (o *sharedOutput) FlushError() error {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.rc.Flush()
}
