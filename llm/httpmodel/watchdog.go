package httpmodel

import (
	"context"
	"errors"
	"sync"
	"time"
)

// Phase is what a call waits for, as worded in the error of a timeout.
type Phase string

// Phases of a call.
const (
	Headers   Phase = "no answer from the provider"
	First     Phase = "nothing said by the provider"
	Next      Phase = "no further word from the provider"
	Thought   Phase = "no end of the model's thinking"
	End       Phase = "no end of the answer"
	errorText Phase = "no text of the error"
)

// ErrStalled is the cause of an error with KindStalled.
var ErrStalled = errors.New("waited too long for the provider")

// Stall is the cancellation cause of a call that waited too long.
type Stall struct {
	Phase Phase
	Limit time.Duration
}

func (e *Stall) Error() string { return ErrStalled.Error() + ": " + string(e.Phase) }

// Unwrap returns ErrStalled.
func (e *Stall) Unwrap() error { return ErrStalled }

// MaxSilence is how long a model may think before its first word, if its provider shows signs of
// life meanwhile: comments and other events that say nothing.
const MaxSilence = 10 * time.Minute

// watchdog cancels a call that waits too long. It costs two clock readings per network read and
// nothing per token; its one timer is reset only when it fires or the limit changes. Only the time
// between wait and done counts: a slow consumer is not a stalled provider.
type watchdog struct {
	cancel context.CancelCauseFunc

	mu     sync.Mutex
	timer  *time.Timer
	armed  bool // the timer will fire
	phase  Phase
	limit  time.Duration
	waited time.Duration // in this phase since the last progress, without the current wait
	silent time.Duration // in this phase, with signs of life, without the current wait
	alive  bool          // there were signs of life in this phase
	since  time.Time     // start of the current wait; zero if none
}

// await starts the next phase, with its own limit.
func (w *watchdog) await(phase Phase, limit time.Duration) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if limit != w.limit && w.timer != nil {
		w.timer.Stop()
		w.armed = false
	}
	w.phase, w.limit, w.waited, w.silent, w.alive = phase, limit, 0, 0, false
}

// life is called when something has arrived. Before the model's first word, and while it thinks, it
// restarts the limit, until MaxSilence.
func (w *watchdog) life() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.phase == First || w.phase == Thought {
		w.alive, w.waited = true, max(0, w.silent+w.limit-max(w.limit, MaxSilence))
	}
}

// progress restarts the limit.
func (w *watchdog) progress() {
	w.mu.Lock()
	w.waited = 0
	w.mu.Unlock()
}

// wait is called before the call blocks.
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

// done is called when the call no longer blocks.
func (w *watchdog) done() {
	w.mu.Lock()
	took := time.Since(w.since)
	w.waited, w.silent = w.waited+took, w.silent+took
	w.since = time.Time{}
	w.mu.Unlock()
}

// check runs when the timer fires, possibly long after the reason for it.
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
	limit := w.limit
	if w.alive {
		limit = (w.silent + time.Since(w.since)).Round(time.Second)
	}
	w.cancel(&Stall{w.phase, limit})
}

// stop ends the watch.
func (w *watchdog) stop() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.timer != nil {
		w.timer.Stop()
	}
	w.since = time.Time{}
}
