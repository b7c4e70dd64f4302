// Package watchdog cancels calls to a provider that wait too long.
package watchdog

import (
	"context"
	"errors"
	"sync"
	"time"
)

// What a call can wait for, in the words of the error when it waits too long.
const (
	Headers   = "no answer from the provider"
	First     = "nothing said by the provider"
	Next      = "no further word from the provider"
	Thought   = "no end of the model's thinking"
	End       = "no end of the answer"
	ErrorText = "no text of the error"
)

// ErrStalled is the cause with which a call that waits too long is cancelled.
var ErrStalled = errors.New("waited too long for the provider")

// Watchdog cancels a call that waits too long. It costs two clock readings per read from the
// network, one timer per call that is set anew only when it fires or the limit changes, and nothing
// per token. Only the time between wait and done counts: a slow consumer is not a stalled provider.
type Watchdog struct {
	cancel context.CancelCauseFunc

	mu     sync.Mutex
	timer  *time.Timer
	armed  bool // the timer will fire
	what   string
	limit  time.Duration
	waited time.Duration // in this phase since the last progress, the current wait excluded
	since  time.Time     // when the current wait began; zero while there is none
	fired  bool
}

// New returns the watchdog of a call, which cancel ends.
func New(cancel context.CancelCauseFunc) *Watchdog {
	return &Watchdog{cancel: cancel}
}

// Phase begins to wait for something else, with its own limit.
func (w *Watchdog) Phase(what string, limit time.Duration) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if limit != w.limit && w.timer != nil {
		w.timer.Stop()
		w.armed = false
	}
	w.what, w.limit, w.waited = what, limit, 0
}

// Progress says that what was waited for has come: the next wait has the whole limit again.
func (w *Watchdog) Progress() {
	w.mu.Lock()
	w.waited = 0
	w.mu.Unlock()
}

// Wait says that the call is about to block.
func (w *Watchdog) Wait() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.since = time.Now()
	if w.armed {
		return
	}
	w.armed = true
	if left := w.limit - w.waited; w.timer == nil {
		w.timer = time.AfterFunc(left, w.check)
	} else {
		w.timer.Reset(left)
	}
}

// Done says that the call no longer blocks.
func (w *Watchdog) Done() {
	w.mu.Lock()
	w.waited += time.Since(w.since)
	w.since = time.Time{}
	w.mu.Unlock()
}

// check runs when the timer fires: much may have happened since it was set.
func (w *Watchdog) check() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.armed = false
	if w.since.IsZero() {
		return // the next wait arms it
	}
	if left := w.limit - w.waited - time.Since(w.since); left > 0 {
		w.armed = true
		w.timer.Reset(left)
		return
	}
	w.fired = true
	w.cancel(ErrStalled)
}

// Stop ends the watch.
func (w *Watchdog) Stop() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.timer != nil {
		w.timer.Stop()
	}
	w.since = time.Time{}
}

// Stalled reports whether the watchdog has cancelled the call, and what it waited for how long.
func (w *Watchdog) Stalled() (what string, limit time.Duration, ok bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.what, w.limit, w.fired
}
