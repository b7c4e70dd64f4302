package run

import (
	"context"
	"errors"
	"log/slog"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/pageside/pageside/internal/guard"
	"github.com/pageside/pageside/store"
)

// Manager accepts runs and executes them. It is safe for concurrent use.
type Manager struct {
	cfg    Config
	agents atomic.Pointer[roster]
	log    *slog.Logger

	mu sync.Mutex
	// live ones, those that wait, and those that ended a moment ago
	runs map[runKey]*Run
	// of runs those that go by the id of an earlier one, by that: the newest of each
	pinned map[runKey]*Run
	// the live run of each thread, and behind it those that wait, in the order they came
	threads map[threadKey][]*Run
	// of runs those that were executed or are, in the order they began
	begun     map[threadKey][]*Run
	followers map[threadKey]*audience // who follows a thread
	unsaved   map[threadKey]*unsaved  // ends of runs that the store has not taken yet
	serial    int64                   // how many runs have begun
	live      int                     // how many are live or wait
	ended     []*Run                  // those of runs that ended, oldest first
	kept      int                     // bytes of their streams
	sweeper   *time.Timer

	replays  chan struct{} // has a token for each reader that reads from the store just now
	draining chan struct{} // closed by Drain, under mu
	// counts up only under mu and while not draining, or from a positive count
	idle sync.WaitGroup
}

type runKey struct {
	owner store.Owner
	id    string
}

type threadKey struct {
	owner store.Owner
	id    string
}

// NewManager returns a manager. Runs that the store still calls live were left behind by an earlier
// process: it takes them over, and they go on in the background, or ends them as interrupted. ctx
// bounds only the taking over. Call Drain before the store is closed.
func NewManager(ctx context.Context, cfg Config) (*Manager, error) {
	cfg, err := cfg.withDefaults()
	if err != nil {
		return nil, err
	}
	m := &Manager{
		cfg: cfg, log: cfg.Logger,
		runs:      make(map[runKey]*Run),
		pinned:    make(map[runKey]*Run),
		threads:   make(map[threadKey][]*Run),
		begun:     make(map[threadKey][]*Run),
		followers: make(map[threadKey]*audience),
		unsaved:   make(map[threadKey]*unsaved),
		replays:   make(chan struct{}, max(2, runtime.GOMAXPROCS(0)/2)),
		draining:  make(chan struct{}),
	}
	if err := m.SetAgents(cfg.Agents); err != nil {
		return nil, err
	}
	if err := m.recover(ctx); err != nil {
		return nil, err
	}
	m.sweepLater()
	return m, nil
}

// forget drops the run from memory.
func (m *Manager) forget(r *Run) {
	m.mu.Lock()
	m.drop(r)
	m.mu.Unlock()
}

// drop is forget for who holds the lock.
func (m *Manager) drop(r *Run) {
	if m.runs[r.key()] == r {
		delete(m.runs, r.key())
	}
	if key := (runKey{r.owner, r.pinned}); m.pinned[key] == r {
		delete(m.pinned, key)
	}
	key := r.thread()
	i := slices.Index(m.begun[key], r)
	if i < 0 {
		return
	}
	if m.begun[key] = slices.Delete(m.begun[key], i, i+1); len(m.begun[key]) == 0 {
		delete(m.begun, key)
	}
	if a := m.followers[key]; a != nil {
		a.missed = max(a.missed, r.serial)
		for wake := range a.wakes {
			signal(wake)
		}
	}
}

// keep lets an ended run be read from memory a while longer, and forgets the oldest ones beyond the
// limit.
func (m *Manager) keep(r *Run) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.ended = append(m.ended, r)
	m.kept += r.size()
	for m.kept > m.cfg.Keep {
		oldest := m.ended[0]
		m.kept -= oldest.size()
		m.drop(oldest)
		m.ended[0], m.ended = nil, m.ended[1:]
	}
}

// size is about how many bytes an ended run occupies.
func (r *Run) size() int {
	return r.log.size()
}

// liveRun returns the run of a thread that is being executed, or nil.
func (m *Manager) liveRun(key threadKey) *Run {
	m.mu.Lock()
	defer m.mu.Unlock()
	begun := m.begun[key]
	if len(begun) == 0 || begun[len(begun)-1].isOver() {
		return nil
	}
	return begun[len(begun)-1]
}

// Cancel stops a run: the model and the tools, at once. It does nothing to a run that has ended,
// and answers CodeNotFound for one it does not know.
func (m *Manager) Cancel(ctx context.Context, o store.Owner, runID string) error {
	m.mu.Lock()
	r := m.known(o, runID)
	m.mu.Unlock()
	if r != nil {
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

// Drain refuses new runs and those that wait, and lets the live ones end until ctx does. Those that
// are left then are handed over: they stop where they are, their readers' streams end without a
// terminal event, and the next process takes them up again from there. Readers that stay on a
// thread are done when no run of it is live any more.
func (m *Manager) Drain(ctx context.Context) {
	m.mu.Lock()
	if !m.Draining() {
		close(m.draining)
	}
	if m.sweeper != nil {
		m.sweeper.Stop()
	}
	for _, a := range m.followers { // no run will come that they could wait for
		for wake := range a.wakes {
			signal(wake)
		}
	}
	m.mu.Unlock()
	done := make(chan struct{})
	go func() { m.idle.Wait(); close(done) }()
	select {
	case <-done:
		return
	case <-ctx.Done():
	}
	m.mu.Lock()
	for _, r := range m.runs {
		if r.serial > 0 {
			// first: what the agent says when it is stopped is not what happened
			r.w.seal(errHandover)
		}
		r.cancel(errHandover)
	}
	m.mu.Unlock()
	<-done
}

// Draining reports whether Drain was called.
func (m *Manager) Draining() bool {
	select {
	case <-m.draining:
		return true
	default:
		return false
	}
}

// sweepEvery is how often events and deleted threads whose time is over are looked for.
const sweepEvery = 5 * time.Minute

// sweepLater has what is past its time forgotten by and by, with a timer and no goroutine that
// waits.
func (m *Manager) sweepLater() {
	m.mu.Lock()
	defer m.mu.Unlock()
	if !m.Draining() {
		m.sweeper = time.AfterFunc(sweepEvery, m.sweep)
	}
}

func (m *Manager) sweep() {
	m.mu.Lock()
	if m.Draining() {
		m.mu.Unlock()
		return
	}
	m.idle.Add(1)
	m.mu.Unlock()
	defer m.idle.Done()
	defer m.sweepLater()
	defer guard.Log(m.log, "what is past its time could not be purged")
	ctx, stop := context.WithTimeout(context.Background(), time.Minute)
	defer stop()
	for _, purge := range []struct {
		what string
		keep time.Duration
		do   func(context.Context, time.Time) (int, error)
	}{
		{"events of ended runs", m.cfg.KeepEvents, m.cfg.Store.PurgeEvents},
		{"deleted threads", m.cfg.KeepDeleted, m.cfg.Store.Purge},
	} {
		if purge.keep < 0 {
			continue
		}
		if n, err := purge.do(ctx, time.Now().Add(-purge.keep)); err != nil {
			m.log.Error("what is past its time could not be purged", "what", purge.what, "error", err)
		} else if n > 0 {
			m.log.Info("purged", "what", purge.what, "count", n)
		}
	}
}
