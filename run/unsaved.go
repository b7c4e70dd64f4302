package run

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"github.com/pageside/pageside/internal/guard"
	"github.com/pageside/pageside/run/meter"
)

// The first and the longest wait before the store is tried again.
const (
	firstRetry = 100 * time.Millisecond
	lastRetry  = 5 * time.Second
)

// unsavedEnds holds the ends of runs that the store has not taken yet. Each is retried until the
// store takes it; until then its thread takes no run. Safe for concurrent use.
type unsavedEnds struct {
	admission *meter.Admission
	log       *slog.Logger

	mu      sync.Mutex
	threads map[threadKey]*unsavedEnd
}

// unsavedEnd is one of them. It is saved by its timer or by the next run of the thread.
type unsavedEnd struct {
	run *Run

	mu    sync.Mutex // held during a try: one at a time
	try   func(context.Context) error
	saved bool
	timer *time.Timer
	wait  time.Duration
}

func newUnsavedEnds(a *meter.Admission, log *slog.Logger) unsavedEnds {
	return unsavedEnds{admission: a, log: log, threads: make(map[threadKey]*unsavedEnd)}
}

// later retries a failed write for a run's thread until it succeeds.
func (u *unsavedEnds) later(r *Run, try func(context.Context) error) {
	e := &unsavedEnd{run: r, try: try, wait: firstRetry}
	u.mu.Lock()
	u.threads[r.thread()] = e
	u.mu.Unlock()
	e.mu.Lock()
	defer e.mu.Unlock()
	e.timer = time.AfterFunc(e.wait, func() { u.retry(e) })
}

// retry tries once, and schedules the next try. Once the manager drains, the next process finds the
// run live and ends it.
func (u *unsavedEnds) retry(e *unsavedEnd) {
	if !u.admission.Task() {
		return
	}
	defer u.admission.TaskDone()
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

// save tries once, unless it is already saved. If the run was fenced off, another process ends it.
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
	u.log.Info("a run's unsaved end has been stored", "run", e.run.ID)
	return nil
}

func (u *unsavedEnds) remove(e *unsavedEnd) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if key := e.run.thread(); u.threads[key] == e {
		delete(u.threads, key)
	}
}

// saveThread saves a thread's unsaved end, if there is one.
func (u *unsavedEnds) saveThread(ctx context.Context, key threadKey) error {
	u.mu.Lock()
	e := u.threads[key]
	u.mu.Unlock()
	if e == nil {
		return nil
	}
	return u.save(ctx, e)
}
