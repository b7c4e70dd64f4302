package upstream

import (
	"bytes"
	"context"
	"errors"
	"io"
	"sync/atomic"
	"time"
)

// ErrStalled is why a Watch has ended a request.
var ErrStalled = errors.New("waited too long for the agent")

// Watch ends a request that says nothing for too long. Only time spent waiting counts, and only
// whole lines count as something said: a line that drips in is silence. Not safe for concurrent
// use, but for Stalled.
type Watch struct {
	limit   time.Duration
	left    time.Duration // until the next whole line
	since   time.Time
	timer   *time.Timer
	expired atomic.Bool
}

// NewWatch returns a watch, and the context of the request, which ends with ctx or when the limit
// is reached. stop releases both.
func NewWatch(ctx context.Context, limit time.Duration) (w *Watch, own context.Context, stop func()) {
	own, cancel := context.WithCancelCause(ctx)
	w = &Watch{limit: limit, left: limit}
	w.timer = time.AfterFunc(limit, func() {
		w.expired.Store(true)
		cancel(ErrStalled)
	})
	w.timer.Stop()
	return w, own, func() { w.timer.Stop(); cancel(nil) }
}

// Begin starts to wait for the server, and End stops.
func (w *Watch) Begin() {
	w.since = time.Now()
	w.timer.Reset(max(w.left, 0))
}

// End is explained at Begin.
func (w *Watch) End() {
	w.timer.Stop()
	w.left -= time.Since(w.since)
}

// Stalled reports whether the limit was reached.
func (w *Watch) Stalled() bool { return w.expired.Load() }

// ReadAll reads src to its end, or for as long as is left: no line of it begins the limit anew.
func (w *Watch) ReadAll(src io.Reader) ([]byte, error) {
	w.Begin()
	defer w.End()
	return io.ReadAll(src)
}

// Reader returns src, read under the watch. The limit begins anew.
func (w *Watch) Reader(src io.Reader) io.Reader {
	w.left = w.limit
	return &watchedReader{w, src}
}

type watchedReader struct {
	*Watch
	src io.Reader
}

// Read is part of io.Reader.
func (r *watchedReader) Read(p []byte) (int, error) {
	r.Begin()
	n, err := r.src.Read(p)
	r.End()
	if bytes.ContainsAny(p[:n], "\r\n") {
		r.left = r.limit
	}
	return n, err
}
