package run

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
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
	MaxLive int           // runs that may be live at once; default 10,000
}

// Manager accepts runs and executes them. It is safe for concurrent use.
type Manager struct {
	cfg    Config
	agents map[string]*agent.Agent
	log    *slog.Logger

	mu       sync.Mutex
	runs     map[runKey]*Run    // live ones and those that ended a moment ago
	threads  map[threadKey]*Run // the live run of each thread
	ended    []*Run             // those of runs that ended, oldest first
	kept     int                // bytes of their streams
	draining bool
	idle     sync.WaitGroup
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
	cfg.MaxLive = cmp.Or(cfg.MaxLive, 10_000)
	m := &Manager{
		cfg: cfg, log: cmp.Or(cfg.Logger, slog.Default()),
		agents:  make(map[string]*agent.Agent),
		runs:    make(map[runKey]*Run),
		threads: make(map[threadKey]*Run),
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

// Start accepts a run and begins to execute it, or returns the run that has the same id and fingerprint. It waits while another
// run of the thread is live. An error is an *Error, or ctx's: the run was refused and nothing of it is stored.
func (m *Manager) Start(ctx context.Context, req Request) (*Run, error) {
	a := m.agents[req.Agent]
	if a == nil {
		return nil, &Error{Code: CodeUnknownAgent, Message: fmt.Sprintf("there is no agent %q", req.Agent)}
	}
	r, mine, err := m.reserve(req)
	if err != nil {
		return nil, err
	}
	if !mine {
		return r.accepted(ctx)
	}
	r.refused = m.accept(ctx, a, r, req)
	if r.refused != nil {
		m.forget(r)
	}
	close(r.decided)
	return r, r.refused
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
	if m.draining {
		return nil, false, &Error{Code: CodeDraining, Message: "the server is shutting down"}
	}
	if len(m.threads) >= m.cfg.MaxLive {
		return nil, false, &Error{Code: CodeOverloaded, Message: "too many runs are live"}
	}
	r = newRun(req)
	m.runs[key] = r
	return r, true, nil
}

func conflict(runID string) error {
	return &Error{Code: CodeRunConflict, Field: "runId", Message: fmt.Sprintf("run %q was started with another body", runID)}
}

// accept takes the run through the checks that can still refuse it, stores it and starts it.
func (m *Manager) accept(ctx context.Context, a *agent.Agent, r *Run, req Request) error {
	if err := m.acquire(ctx, r); err != nil {
		return err
	}
	x, err := m.prepare(ctx, a, r, req)
	if err != nil {
		m.release(r)
		return err
	}
	m.idle.Go(func() { m.execute(x) })
	return nil
}

// acquire waits until the thread is free and takes it.
func (m *Manager) acquire(ctx context.Context, r *Run) error {
	timeout := time.NewTimer(m.cfg.Queue)
	defer timeout.Stop()
	key := threadKey{r.owner, r.ThreadID}
	for {
		m.mu.Lock()
		other := m.threads[key]
		if other == nil {
			m.threads[key] = r
		}
		m.mu.Unlock()
		if other == nil {
			return nil
		}
		select {
		case <-other.released:
		case <-timeout.C:
			return &Error{Code: CodeThreadBusy, Field: "threadId", Message: fmt.Sprintf("run %q of thread %q is still live", other.ID, r.ThreadID)}
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// release frees the run's thread.
func (m *Manager) release(r *Run) {
	m.mu.Lock()
	delete(m.threads, threadKey{r.owner, r.ThreadID})
	m.mu.Unlock()
	close(r.released)
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

// Drain refuses new runs, waits for the live ones until ctx ends, then stops those that are left and waits for their end.
func (m *Manager) Drain(ctx context.Context) {
	m.mu.Lock()
	m.draining = true
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
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.draining
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
		answers.close(openCalls(history), "not executed: the server stopped")
		l.Run.Status, l.Run.Error = store.RunFailed, "interrupted"
		if err := m.cfg.Store.EndRun(ctx, l.Owner, l.Run, answers.messages); err != nil {
			return fmt.Errorf("end run %q of an earlier process: %w", l.Run.ID, err)
		}
		m.log.Warn("run was interrupted by the end of an earlier process", "run", l.Run.ID, "thread", l.Run.ThreadID)
	}
	return nil
}
