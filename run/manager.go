package run

import (
	"context"
	"errors"
	"log/slog"
	"runtime"
	"sync/atomic"

	"github.com/pageside/pageside/store"
)

// Manager accepts runs and executes them. It is safe for concurrent use.
//
// It wires parts that each have a lock of their own. A lock is only taken while another one is held
// in this order:
//
//	runCache → admission
//	runCache, threadQueue, followers → Run → writer → eventLog
//	unsavedEnd → unsavedEnds
//
// Only unsavedEnd, the lock of a single run's end, is held while the store is called.
//
// No two parts change in one step. What holds between them follows from the order of the steps:
//
//   - A run is in the cache before it stands in line. It leaves the line last, when its end is
//     stored or in unsavedEnds: the next run of the thread finds everything before it in the store
//     or there.
//   - A run is in the cache and in line before it begins (followers). It leaves memory, the cache
//     and then the followers, once the store has its end or it is left to another process: whoever
//     no longer finds it in memory finds it in the store.
//   - A part that waits for another first makes its own change and then looks. A message that
//     supersedes an unread run is marked before the readers are counted, and a reader leaves before
//     it looks for such a message, so that one of the two sees the other. Likewise admission closes
//     before followers are woken and runs are handed over.
type Manager struct {
	cfg    Config
	agents atomic.Pointer[agentSet]
	log    *slog.Logger

	admission admission
	cache     runCache
	queue     threadQueue
	followers followers
	unsaved   unsavedEnds
	purge     purger

	replays chan struct{} // has a token for each reader that reads from the store just now
}

type runKey struct {
	owner store.Owner
	id    string
}

type threadKey struct {
	owner store.Owner
	id    string
}

// NewManager returns a manager. It takes over the runs that the store still calls live: an earlier
// process left them behind. They go on in the background, or end as interrupted. ctx bounds only
// the taking over. Call Drain before the store is closed.
func NewManager(ctx context.Context, cfg Config) (*Manager, error) {
	cfg, err := cfg.withDefaults()
	if err != nil {
		return nil, err
	}
	m := &Manager{
		cfg: cfg, log: cfg.Logger,
		admission: newAdmission(cfg.MaxLive),
		cache:     newRunCache(cfg.Keep),
		queue:     newThreadQueue(),
		followers: newFollowers(),
		replays:   make(chan struct{}, max(2, runtime.GOMAXPROCS(0)/2)),
	}
	m.unsaved = newUnsavedEnds(&m.admission, m.log)
	m.purge = newPurger(&m.admission, cfg)
	if err := m.SetAgents(cfg.Agents); err != nil {
		return nil, err
	}
	if err := m.recover(ctx); err != nil {
		return nil, err
	}
	m.purge.later()
	return m, nil
}

// forget drops a run from memory.
func (m *Manager) forget(r *Run) {
	m.cache.remove(r)
	m.followers.forget(r)
}

// keep lets an ended run be read from memory a while longer, and forgets the oldest ones beyond the
// limit.
func (m *Manager) keep(r *Run) {
	for _, oldest := range m.cache.keep(r) {
		m.followers.forget(oldest)
	}
}

// release leaves the run's thread to the next one.
func (m *Manager) release(r *Run) {
	m.admission.leave()
	m.queue.leave(r)
}

// Cancel stops a run, its model and its tools, at once. It does nothing to a run that has ended,
// and returns CodeNotFound for an unknown one.
func (m *Manager) Cancel(ctx context.Context, o store.Owner, runID string) error {
	if r := m.cache.newest(o, runID); r != nil {
		r.cancel(errCancelled)
		return nil
	}
	_, err := m.cfg.Store.Run(ctx, o, runID)
	if errors.Is(err, store.ErrNotFound) {
		return noRun(runID)
	}
	if err != nil {
		return unavailable("the run could not be looked up", err)
	}
	return nil
}

// Drain refuses new runs and those that wait, and lets the live ones end until ctx does. The runs
// that are left then are handed over: they stop where they are, their readers' streams end without
// a terminal event, and the next process resumes them from there. Readers that stay on a thread are
// done when no run of it is live any more.
func (m *Manager) Drain(ctx context.Context) {
	m.admission.close()
	m.purge.stop()
	m.followers.wakeAll() // no run will come that they could wait for
	done := make(chan struct{})
	go func() { m.admission.work.Wait(); close(done) }()
	select {
	case <-done:
		return
	case <-ctx.Done():
	}
	for _, r := range m.cache.all() {
		r.handOver()
	}
	<-done
}

// Draining reports whether Drain was called.
func (m *Manager) Draining() bool { return m.admission.isDraining() }
