package run

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"
	"slices"
	"sync"
	"time"

	"github.com/pageside/pageside/agent"
	"github.com/pageside/pageside/agui"
	"github.com/pageside/pageside/store"
)

// Config is what a Manager works with. Zero durations and limits mean the defaults.
type Config struct {
	Store  store.Store
	Agents []*agent.Agent
	Logger *slog.Logger // default slog.Default()

	Queue   time.Duration // how long a run waits for the thread's live run; default 30 s
	Timeout time.Duration // how long a run may take; default 10 min
	Keep    int           // bytes of ended runs' streams that stay readable; default 32 MiB
	MaxSize int           // bytes of one run's stream, at which it fails; default 64 MiB
	MaxLive int           // runs that may be live or wait at once; default 10,000
}

// Manager accepts runs and executes them. It is safe for concurrent use.
type Manager struct {
	cfg    Config
	agents map[string]*agent.Agent
	log    *slog.Logger

	mu      sync.Mutex
	runs    map[runKey]*Run      // live ones, those that wait, and those that ended a moment ago
	threads map[threadKey][]*Run // the live run of each thread, and behind it those that wait, in the order they came
	live    int                  // how many are live or wait
	ended   []*Run               // those of runs that ended, oldest first
	kept    int                  // bytes of their streams

	draining chan struct{}  // closed by Drain, under mu
	idle     sync.WaitGroup // counts up only under mu and while not draining, or from a positive count
}

type runKey struct {
	owner store.Owner
	id    string
}

type threadKey struct {
	owner store.Owner
	id    string
}

// Request asks for a run.
type Request struct {
	Owner       store.Owner
	Agent       string
	Input       *agui.RunAgentInput
	Fingerprint string // of the body: the same run id with the same fingerprint follows the run instead of starting another
}

// NewManager returns a manager. Runs that the store still calls live were left behind by an earlier process: it ends them as interrupted.
func NewManager(ctx context.Context, cfg Config) (*Manager, error) {
	cfg.Queue = cmp.Or(cfg.Queue, 30*time.Second)
	cfg.Timeout = cmp.Or(cfg.Timeout, 10*time.Minute)
	cfg.Keep = cmp.Or(cfg.Keep, 32<<20)
	cfg.MaxSize = cmp.Or(cfg.MaxSize, 64<<20)
	cfg.MaxLive = cmp.Or(cfg.MaxLive, 10_000)
	m := &Manager{
		cfg: cfg, log: cmp.Or(cfg.Logger, slog.Default()),
		agents:   make(map[string]*agent.Agent),
		runs:     make(map[runKey]*Run),
		threads:  make(map[threadKey][]*Run),
		draining: make(chan struct{}),
	}
	for _, a := range cfg.Agents {
		if _, twice := m.agents[a.ID]; twice {
			return nil, fmt.Errorf("agent %q is defined twice", a.ID)
		}
		m.agents[a.ID] = a
	}
	return m, m.recover(ctx)
}

// Agents returns the agents in the order they were given.
func (m *Manager) Agents() []*agent.Agent { return m.cfg.Agents }

// Agent returns one agent, or nil.
func (m *Manager) Agent(id string) *agent.Agent { return m.agents[id] }

// Start accepts a run and begins to execute it, or returns the run that has the same id and fingerprint. It waits while earlier
// runs of the thread are live. An error is an *Error, or ctx's: the run was refused and nothing of it is stored.
func (m *Manager) Start(ctx context.Context, req Request) (*Run, error) {
	a := m.agents[req.Agent]
	if a == nil {
		return nil, &Error{Code: CodeUnknownAgent, Message: fmt.Sprintf("there is no agent %q", req.Agent)}
	}
	for {
		r, mine, err := m.reserve(req)
		switch {
		case err != nil:
			return nil, err
		case mine:
			err = m.accept(ctx, a, r, req)
		default:
			err = r.wait(ctx)
		}
		switch {
		case err == nil:
			return r, nil
		case !errors.Is(err, errLeft):
			return nil, err
		}
		// Whoever asked for it first left before it began: it is this request's turn to begin it.
	}
}

// reserve claims the run id. mine is false where another request has it: then that is the run.
func (m *Manager) reserve(req Request) (r *Run, mine bool, err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	key := runKey{req.Owner, req.Input.RunID}
	if r := m.runs[key]; r != nil {
		if r.fingerprint != req.Fingerprint {
			return nil, false, conflict(req.Input.RunID)
		}
		return r, false, nil
	}
	if m.Draining() {
		return nil, false, errDraining
	}
	if m.live >= m.cfg.MaxLive {
		return nil, false, &Error{Code: CodeOverloaded, Message: "too many runs are live"}
	}
	r = newRun(req)
	m.runs[key] = r
	m.live++
	m.idle.Add(1) // until it is accepted or refused
	return r, true, nil
}

var errDraining = &Error{Code: CodeDraining, Message: "the server is shutting down"}

func conflict(runID string) error {
	return &Error{Code: CodeRunConflict, Field: "runId", Message: fmt.Sprintf("run %q was started with another body", runID)}
}

// accept decides about a reserved run: it is stored and starts, or is refused and forgotten.
func (m *Manager) accept(ctx context.Context, a *agent.Agent, r *Run, req Request) error {
	defer m.idle.Done()
	defer close(r.decided)
	x, err := m.admit(ctx, a, r, req)
	if err != nil {
		r.refused = err
		if ctx.Err() != nil {
			r.refused = errLeft // says nothing about the run
		}
		m.forget(r)
		m.release(r)
		return err
	}
	m.idle.Go(func() { m.execute(x) })
	return nil
}

// admit takes the run through everything that can still refuse it.
func (m *Manager) admit(ctx context.Context, a *agent.Agent, r *Run, req Request) (x *execution, err error) {
	defer recovered(&err)
	if x, err = check(a, r, req); err != nil {
		return nil, err
	}
	if err := m.acquire(ctx, r); err != nil {
		return nil, err
	}
	return x, m.prepare(ctx, x)
}

// recovered, deferred, turns a panic into an error.
func recovered(err *error) {
	if p := recover(); p != nil {
		*err = fmt.Errorf("panic: %v\n%s", p, debug.Stack())
	}
}

// acquire waits for the thread until the runs that came before have ended.
func (m *Manager) acquire(ctx context.Context, r *Run) error {
	if m.join(r) {
		return nil
	}
	timeout := time.NewTimer(m.cfg.Queue)
	defer timeout.Stop()
	select {
	case <-r.turn:
		return nil
	case <-timeout.C:
		return m.busy(r)
	case <-r.ctx.Done():
		return &Error{Code: CodeCancelled, Field: "runId", Message: fmt.Sprintf("run %q was cancelled before it began", r.ID)}
	case <-m.draining:
		return errDraining
	case <-ctx.Done():
		return ctx.Err()
	}
}

// join puts the run in its thread's line and reports whether it is the first there.
func (m *Manager) join(r *Run) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	key := threadKey{r.owner, r.ThreadID}
	m.threads[key] = append(m.threads[key], r)
	return len(m.threads[key]) == 1
}

// busy says which run is in the way, unless it has just ended.
func (m *Manager) busy(r *Run) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	live := m.threads[threadKey{r.owner, r.ThreadID}][0]
	if live == r {
		return nil
	}
	return &Error{Code: CodeThreadBusy, Field: "threadId", Live: live.ID, Message: fmt.Sprintf("run %q of thread %q is still live", live.ID, r.ThreadID)}
}

// release takes the run out of its thread's line. The next one's turn comes if it was the first.
func (m *Manager) release(r *Run) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.live--
	key := threadKey{r.owner, r.ThreadID}
	i := slices.Index(m.threads[key], r)
	if i < 0 {
		return // it was refused before it stood in line
	}
	line := slices.Delete(m.threads[key], i, i+1)
	if len(line) == 0 {
		delete(m.threads, key)
		return
	}
	m.threads[key] = line
	if i == 0 {
		close(line[0].turn)
	}
}

// forget drops the run from memory.
func (m *Manager) forget(r *Run) {
	m.mu.Lock()
	delete(m.runs, runKey{r.owner, r.ID})
	m.mu.Unlock()
}

// keep lets an ended run be read a while longer, and forgets the oldest ones beyond the limit.
func (m *Manager) keep(r *Run) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.ended = append(m.ended, r)
	m.kept += r.log.size()
	for m.kept > m.cfg.Keep {
		oldest := m.ended[0]
		m.kept -= oldest.log.size()
		delete(m.runs, runKey{oldest.owner, oldest.ID})
		m.ended[0], m.ended = nil, m.ended[1:]
	}
}

// Cancel stops a run. It does nothing to a run that has ended, and answers CodeNotFound for one it does not know.
func (m *Manager) Cancel(ctx context.Context, o store.Owner, runID string) error {
	m.mu.Lock()
	r := m.runs[runKey{o, runID}]
	m.mu.Unlock()
	if r != nil {
		r.cancel(errCancelled)
		return nil
	}
	_, err := m.cfg.Store.Run(ctx, o, runID)
	if errors.Is(err, store.ErrNotFound) {
		return &Error{Code: CodeNotFound, Message: fmt.Sprintf("there is no run %q", runID)}
	}
	if err != nil {
		return &Error{Code: CodeStore, Message: "the run could not be looked up", Err: err}
	}
	return nil
}

// Drain refuses new runs and those that wait, lets the live ones end until ctx does, then stops those that are left and waits
// for their end.
func (m *Manager) Drain(ctx context.Context) {
	m.mu.Lock()
	if !m.Draining() {
		close(m.draining)
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
		r.cancel(errShutdown)
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

// recover ends the runs an earlier process left live.
func (m *Manager) recover(ctx context.Context) error {
	left, err := m.cfg.Store.LiveRuns(ctx)
	if err != nil {
		return fmt.Errorf("find the runs of an earlier process: %w", err)
	}
	for _, l := range left {
		history, err := m.cfg.Store.Transcript(ctx, l.Owner, l.Run.ThreadID)
		if err != nil {
			return fmt.Errorf("read thread %q of run %q: %w", l.Run.ThreadID, l.Run.ID, err)
		}
		var answers merged
		answers.close(openCalls(history), "interrupted", "the server stopped before this call had a result: whether it took effect is not known")
		l.Run.Status, l.Run.Error = store.RunFailed, "interrupted"
		if err := m.cfg.Store.EndRun(ctx, l.Owner, l.Run, answers.messages); err != nil {
			return fmt.Errorf("end run %q of an earlier process: %w", l.Run.ID, err)
		}
		m.log.Warn("run was interrupted by the end of an earlier process", "run", l.Run.ID, "thread", l.Run.ThreadID)
	}
	return nil
}
