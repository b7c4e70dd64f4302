package run

import (
	"context"
	"log/slog"
	"runtime"
	"sync/atomic"
	"time"

	"github.com/pageside/pageside/audit"
	"github.com/pageside/pageside/run/meter"
	"github.com/pageside/pageside/store"
)

// Manager accepts runs and executes them. Safe for concurrent use.
//
// It connects parts that each have their own lock. Locks nest only in this order:
//
//	runCache → admission
//	runCache, threadQueue, followers → Run → writer → eventlog.Log
//	unsavedEnd → unsavedEnds
//
// Only unsavedEnd, the lock of a single run's end, is held while the store is called.
//
// No two parts change atomically. The order of the steps guarantees the following:
//
//   - A run is in the cache before it joins the queue. It leaves the queue last, when its end is
//     stored or in unsavedEnds: the next run of the thread finds everything before it in one of the
//     two.
//   - A run is in the cache and in the queue before it begins (followers). It leaves memory, first
//     the cache, then the followers, once the store has its end or another process is to take it
//     over: a run that is not in memory is in the store.
//   - A part that waits for another first makes its own change, then looks. A message that
//     supersedes an unread run is marked before the readers are counted, and a reader leaves before
//     it looks for such a message, so one of the two sees the other. Likewise admission closes
//     before followers are woken and runs are handed over.
type Manager struct {
	// what of it needs no live run
	*roster
	*stored
	shares
	granted

	cfg Config
	log *slog.Logger

	admission *meter.Admission
	accounts  *meter.Accounts
	cache     runCache
	queue     threadQueue
	followers followers
	unsaved   unsavedEnds
	purge     purger
	limits    *audit.LimitReporter
	direct    directCalls

	replays chan struct{} // semaphore for readers that read from the store
	changed atomic.Pointer[func(store.Owner, string)]
	passed  atomic.Bool // a client has passed over an interrupt, which the log has said
}

type runKey struct {
	owner store.Owner
	id    string
}

type threadKey struct {
	owner store.Owner
	id    string
}

// NewManager returns a manager. It takes over the runs left live in the store by an earlier
// process: they continue in the background, or end as interrupted. ctx only bounds taking them
// over. Call Drain before closing the store.
func NewManager(ctx context.Context, cfg Config) (*Manager, error) {
	cfg, err := cfg.withDefaults()
	if err != nil {
		return nil, err
	}
	kept := &stored{cfg.Store, cfg.Logger}
	agents := &roster{cfg: &cfg, kept: kept}
	m := &Manager{
		roster: agents, stored: kept, shares: shares{kept}, granted: granted{kept, agents, cfg.Logger},
		cfg: cfg, log: cfg.Logger,
		admission: meter.NewAdmission(cfg.MaxLive, cfg.Limits),
		accounts:  &meter.Accounts{Limits: cfg.Limits, Store: cfg.Store, Log: cfg.Logger},
		limits:    audit.NewLimitReporter(cfg.Audit, cfg.Logger),
		cache:     newRunCache(cfg.Keep),
		queue:     newThreadQueue(),
		followers: newFollowers(),
		replays:   make(chan struct{}, max(2, runtime.GOMAXPROCS(0)/2)),
	}
	m.direct.running.Each = maxCalls
	m.unsaved = newUnsavedEnds(m.admission, m.log)
	m.purge = newPurger(m.admission, cfg)
	if err := m.SetAgents(cfg.Agents); err != nil {
		return nil, err
	}
	if err := m.SetPolicies(cfg.Policies); err != nil {
		return nil, err
	}
	if err := m.recover(ctx); err != nil {
		return nil, err
	}
	m.purge.later()
	return m, nil
}

// OnChange has f called with the thread of each run that begins or has ended, once the store has
// it. f must not block. A second call replaces the first.
func (m *Manager) OnChange(f func(o store.Owner, threadID string)) { m.changed.Store(&f) }

// tellChange calls what OnChange was given.
func (r *Run) tellChange() {
	if f := r.m.changed.Load(); f != nil {
		(*f)(r.owner, r.ThreadID)
	}
}

// forget drops a run from memory.
func (r *Run) forget() {
	r.m.cache.remove(r)
	r.m.followers.forget(r)
}

// keep keeps an ended run in memory for a while, and drops the oldest ones beyond the limit.
func (r *Run) keep() {
	for _, oldest := range r.m.cache.keep(r) {
		r.m.followers.forget(oldest)
	}
}

// release passes the run's thread to the next one.
func (r *Run) release() {
	r.m.admission.Leave(r.owner)
	r.m.queue.leave(r)
}

// Cancel stops a run, its model and its tools. It does nothing if the run has ended, and returns
// refusal.NotFound if there is no such run.
func (m *Manager) Cancel(ctx context.Context, o store.Owner, runID string) error {
	if r := m.cache.newest(o, runID); r != nil {
		r.cancel(errCancelled)
		return nil
	}
	_, err := m.cfg.Store.Run(ctx, o, runID)
	return noneOr(noRun(runID), "the run could not be looked up", err)
}

// Drain refuses new and waiting runs, and lets live ones finish until ctx ends. The runs that
// remain are handed over: they stop, their readers' streams end without a terminal event, and the
// next process resumes them. Readers that stay on a thread are done when it has no live run. Runs
// that do not even stop are left behind after handOverTime: to the next process they have crashed.
func (m *Manager) Drain(ctx context.Context) {
	m.admission.Close()
	m.purge.stop()
	m.followers.wakeAll() // no more runs will come
	done := make(chan struct{})
	go func() { m.admission.Wait(); close(done) }()
	select {
	case <-done:
		m.limits.Flush(context.WithoutCancel(ctx))
		return
	case <-ctx.Done():
	}
	stopped := make(chan struct{})
	go func() {
		for _, r := range m.cache.all() {
			r.handOver()
		}
		<-done
		m.limits.Flush(context.WithoutCancel(ctx))
		close(stopped)
	}()
	select {
	case <-stopped:
	case <-time.After(handOverTime):
		m.log.Error("some runs did not stop and are left behind; the next start goes on with them")
	}
}

// handOverTime is how long runs may take to stop when they are handed over.
const handOverTime = 3 * time.Second

// Draining reports whether Drain was called.
func (m *Manager) Draining() bool { return m.admission.IsDraining() }
