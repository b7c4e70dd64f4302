package run

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"github.com/pageside/pageside/internal/guard"
)

// How long it takes until the store is tried again, at first and at most.
const (
	firstRetry = 100 * time.Millisecond
	lastRetry  = 5 * time.Second
)

// unsavedEnds are the ends of runs that the store has not taken yet. Each is tried again until the
// store takes it; until then its thread takes no run. It is safe for concurrent use.
type unsavedEnds struct {
	admission *admission
	log       *slog.Logger

	mu      sync.Mutex
	threads map[threadKey]*unsavedEnd
}

// unsavedEnd is one of them. Whoever comes first saves it: the timer, or the next run of the
// thread.
type unsavedEnd struct {
	run *Run

	mu    sync.Mutex // held while the store is tried, so that one at a time does
	try   func(context.Context) error
	saved bool
	timer *time.Timer
	wait  time.Duration
}

func newUnsavedEnds(a *admission, log *slog.Logger) unsavedEnds {
	return unsavedEnds{admission: a, log: log, threads: make(map[threadKey]*unsavedEnd)}
}

// later tries for a run's thread, again and again, what the store does not take now.
func (u *unsavedEnds) later(r *Run, try func(context.Context) error) {
	e := &unsavedEnd{run: r, try: try, wait: firstRetry}
	u.mu.Lock()
	u.threads[r.thread()] = e
	u.mu.Unlock()
	e.mu.Lock()
	defer e.mu.Unlock()
	e.timer = time.AfterFunc(e.wait, func() { u.retry(e) })
}

// retry tries it once, and again later. Once the manager drains it is left to the next process,
// which finds the run live and ends it.
func (u *unsavedEnds) retry(e *unsavedEnd) {
	if !u.admission.task() {
		return
	}
	defer u.admission.work.Done()
	ctx, stop := context.WithTimeout(context.Background(), storeTimeout)
	defer stop()
	if u.save(ctx, e) == nil {
		return
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	e.wait = min(2*e.wait, lastRetry)
	e.timer = time.AfterFunc(e.wait, func() { u.retry(e) })
}

// save tries it once, unless it is saved. A run that was fenced off is another process's to end.
func (u *unsavedEnds) save(ctx context.Context, e *unsavedEnd) (err error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.saved {
		return nil
	}
	defer guard.Error(&err)
	if err := e.try(ctx); err != nil && !errors.Is(err, errFenced) {
		return err
	}
	e.saved = true
	u.remove(e)
	u.log.Info("what the store did not take is stored", "run", e.run.ID)
	return nil
}

func (u *unsavedEnds) remove(e *unsavedEnd) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if key := e.run.thread(); u.threads[key] == e {
		delete(u.threads, key)
	}
}

// saveThread saves what is unsaved of a thread, if anything.
func (u *unsavedEnds) saveThread(ctx context.Context, key threadKey) error {
	u.mu.Lock()
	e := u.threads[key]
	u.mu.Unlock()
	if e == nil {
		return nil
	}
	return u.save(ctx, e)
}
