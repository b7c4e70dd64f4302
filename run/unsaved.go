package run

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/pageside/pageside/internal/guard"
	"github.com/pageside/pageside/store"
)

// unsaved is the end of a run that the store has not taken yet. Whoever comes first stores it: the
// timer, or the next run of the thread.
type unsaved struct {
	run *Run

	mu    sync.Mutex
	try   func(context.Context) error
	saved bool
	timer *time.Timer
	wait  time.Duration
}

// How long it takes until the store is tried again, at first and at most.
const (
	firstRetry = 100 * time.Millisecond
	lastRetry  = 5 * time.Second
)

// saveLater stores a run's end as soon as the store takes it.
func (m *Manager) saveLater(r *Run, end ending) {
	m.tryLater(r, func(ctx context.Context) error {
		err := m.endRun(ctx, r.owner, end)
		// the append that was given up was carried out after all, or a message cannot be kept
		if errors.Is(err, store.ErrInvalid) {
			end.messages, end.last, end.row.LastSeq = storable(end.messages), store.Batch{}, 0
			err = m.endRun(ctx, r.owner, end)
		}
		return err
	})
}

// tryLater does for a run's thread what the store does not take now. Until it has, the thread takes
// no run.
func (m *Manager) tryLater(r *Run, try func(context.Context) error) {
	u := &unsaved{run: r, try: try, wait: firstRetry}
	m.mu.Lock()
	m.unsaved[r.thread()] = u
	m.mu.Unlock()
	u.mu.Lock()
	defer u.mu.Unlock()
	u.timer = time.AfterFunc(u.wait, func() { m.retry(u) })
}

// retry tries it once, and again later.
func (m *Manager) retry(u *unsaved) {
	m.mu.Lock()
	if m.Draining() { // the next process finds the run live, and ends it
		m.mu.Unlock()
		return
	}
	m.idle.Add(1)
	m.mu.Unlock()
	defer m.idle.Done()
	ctx, stop := context.WithTimeout(context.Background(), storeTimeout)
	defer stop()
	if m.settle(ctx, u) == nil {
		return
	}
	u.mu.Lock()
	defer u.mu.Unlock()
	u.wait = min(2*u.wait, lastRetry)
	u.timer = time.AfterFunc(u.wait, func() { m.retry(u) })
}

// settle tries it once. One that was fenced off is somebody else's.
func (m *Manager) settle(ctx context.Context, u *unsaved) (err error) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.saved {
		return nil
	}
	defer guard.Error(&err)
	if err := u.try(ctx); err != nil && !errors.Is(err, errFenced) {
		return err
	}
	u.saved = true
	m.mu.Lock()
	if key := u.run.thread(); m.unsaved[key] == u {
		delete(m.unsaved, key)
	}
	m.mu.Unlock()
	m.log.Info("what the store did not take is stored", "run", u.run.ID)
	return nil
}

// settleThread stores what is not stored yet of a thread that a run is about to go on from. Where
// that was a run to be taken over, it is waited for: it did not stand in line.
func (m *Manager) settleThread(ctx context.Context, r *Run) error {
	m.mu.Lock()
	u := m.unsaved[r.thread()]
	m.mu.Unlock()
	if u != nil {
		if err := m.settle(ctx, u); err != nil {
			return unavailable("the end of the thread's last run could not be stored", err)
		}
	}
	live := m.liveRun(r.thread())
	if live == nil {
		return nil
	}
	timeout := time.NewTimer(m.cfg.Queue)
	defer timeout.Stop()
	select {
	case <-live.over:
		return nil
	case <-timeout.C:
		return &Error{Code: CodeThreadBusy, Field: "threadId", Live: live.ID, Message: fmt.Sprintf("run %q of thread %q is still live", live.ID, r.ThreadID)}
	case <-r.ctx.Done():
		return &Error{Code: CodeCancelled, Field: "runId", Message: fmt.Sprintf("run %q was cancelled before it began", r.ID)}
	case <-ctx.Done():
		return ctx.Err()
	}
}
