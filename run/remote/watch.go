package remote

import (
	"bytes"
	"context"
	"errors"
	"io"
	"sync/atomic"
	"time"
)

var errStalled = errors.New("waited too long for the agent")

// watch ends a request that says nothing for too long. Only time spent waiting counts, and only
// whole lines count as something said: a line that drips in is silence. Not safe for concurrent
// use.
type watch struct {
	ctx     context.Context
	limit   time.Duration
	left    time.Duration // until the next whole line
	since   time.Time
	timer   *time.Timer
	expired atomic.Bool
}

// newWatch returns a watch whose context ends with ctx, or when the limit is reached.
func newWatch(ctx context.Context, limit time.Duration) (w *watch, stop func()) {
	own, cancel := context.WithCancelCause(ctx)
	w = &watch{ctx: own, limit: limit, left: limit}
	w.timer = time.AfterFunc(limit, func() {
		w.expired.Store(true)
		cancel(errStalled)
	})
	w.timer.Stop()
	return w, func() { w.timer.Stop(); cancel(nil) }
}

// begin and end surround waiting for the agent.
func (w *watch) begin() {
	w.since = time.Now()
	w.timer.Reset(max(w.left, 0))
}

func (w *watch) end() {
	w.timer.Stop()
	w.left -= time.Since(w.since)
}

// said begins the limit anew.
func (w *watch) said() { w.left = w.limit }

// stalled reports whether the limit was reached.
func (w *watch) stalled() bool { return w.expired.Load() }

// read reads src to its end, or for as long as is left: no line of it begins the limit anew.
func (w *watch) read(src io.Reader) []byte {
	w.begin()
	defer w.end()
	said, _ := io.ReadAll(src) // what has arrived says enough
	return said
}

func (w *watch) reader(src io.Reader) io.Reader {
	w.said()
	return &watchedReader{w, src}
}

type watchedReader struct {
	*watch
	src io.Reader
}

func (r *watchedReader) Read(p []byte) (int, error) {
	r.begin()
	n, err := r.src.Read(p)
	r.end()
	if bytes.IndexByte(p[:n], '\n') >= 0 || bytes.IndexByte(p[:n], '\r') >= 0 {
		r.said()
	}
	return n, err
}
