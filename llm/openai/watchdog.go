package openai

import (
	"context"
	"errors"
	"sync"
	"time"
)

// What a call can wait for, in the words of the error when it waits too long.
const (
	waitHeaders = "no answer from the provider"
	waitFirst   = "nothing said by the provider"
	waitNext    = "no further word from the provider"
	waitThought = "no end of the model's thinking"
	waitEnd     = "no end of the answer"
	waitError   = "no text of the error"
)

var errStalled = errors.New("waited too long for the provider")

// watchdog cancels a call that waits too long. It costs two clock readings per read from the network, one timer per call
// that is set anew only when it fires or the limit changes, and nothing per token. Only the time between wait and done
// counts: a slow consumer is not a stalled provider.
type watchdog struct {
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

func newWatchdog(cancel context.CancelCauseFunc) *watchdog {
	return &watchdog{cancel: cancel}
}

// phase begins to wait for something else, with its own limit.
func (w *watchdog) phase(what string, limit time.Duration) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if limit != w.limit && w.timer != nil {
		w.timer.Stop()
		w.armed = false
	}
	w.what, w.limit, w.waited = what, limit, 0
}

// progress says that what was waited for has come: the next wait has the whole limit again.
func (w *watchdog) progress() {
	w.mu.Lock()
	w.waited = 0
	w.mu.Unlock()
}

// wait says that the call is about to block.
func (w *watchdog) wait() {
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

// done says that the call no longer blocks.
func (w *watchdog) done() {
	w.mu.Lock()
	w.waited += time.Since(w.since)
	w.since = time.Time{}
	w.mu.Unlock()
}

// check runs when the timer fires: much may have happened since it was set.
func (w *watchdog) check() {
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
	w.cancel(errStalled)
}

func (w *watchdog) stop() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.timer != nil {
		w.timer.Stop()
	}
	w.since = time.Time{}
}

// stalled reports whether the watchdog has cancelled the call, and what it waited for how long.
func (w *watchdog) stalled() (what string, limit time.Duration, ok bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.what, w.limit, w.fired
}
