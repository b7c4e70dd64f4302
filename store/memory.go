package store

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"time"

	"github.com/pageside/pageside/agui"
)

// Memory is a Store in memory only. The zero value is ready to use; set its fields before first
// use.
type Memory struct {
	Now    func() time.Time // the clock; default time.Now
	Logger *slog.Logger     // for journal errors without a waiting caller; default slog.Default()

	mu     sync.RWMutex
	closed bool
	owners map[Owner]*ownerData

	instructions map[scopeKey]Instructions
	usage        memUsage
	audits       map[string]*memAudit // by tenant

	planned int     // how many tool calls have been planned
	answers answers // answers AppendEvents
}

type scopeKey struct{ tenant, kind, id string }

// ownerData is all the data of one owner.
type ownerData struct {
	threads map[string]*memThread
	runs    map[string]*memRun

	allowances []Allowance // user-wide
	actions    map[string]Action
	approvals  map[string]ActionApproval
}

// memThread is a thread. Its messages are those of all its branches.
type memThread struct {
	Thread
	lastSeq  int64 // shared numbering of runs and messages
	runs     []*memRun
	messages []memMessage
	index    map[string]int // message id → index in messages

	allowances []Allowance
	webhooks   []Webhook
	shares     []Share
}

// memMessage holds a message as JSON, which shares no memory with callers.
type memMessage struct {
	seq      int64
	runID    string
	created  time.Time
	body     string
	feedback *Feedback
}

var _ Store = (*Memory)(nil)

// NewMemory returns an empty store in memory.
func NewMemory() *Memory { return &Memory{} }

// BeginRun implements Store.
func (m *Memory) BeginRun(ctx context.Context, o Owner, run Run, messages []agui.Message) error {
	return m.write(ctx, "begin run", run.ID, o, messages, func(own *ownerData, bodies []Body, now time.Time) error {
		run, err := NewRun(run, now)
		if err != nil {
			return err
		}
		if own.runs[run.ID] != nil {
			return ErrConflict
		}
		t := own.threads[run.ThreadID]
		if t != nil && !t.DeletedAt.IsZero() {
			return ErrConflict
		}
		if run.ParentRunID, err = own.parent(t, run.ParentRunID); err != nil {
			return err
		}
		if t == nil {
			t = newMemThread(run, now)
			own.threads[run.ThreadID] = t
		}
		if parent := own.runs[run.ParentRunID]; parent != nil && parent.Tainted {
			run.Tainted = true
		}
		run.ThreadTitle = ""
		t.lastSeq++
		stored := &memRun{Run: run}
		t.runs = append(t.runs, stored)
		t.Head = run.ID
		own.runs[run.ID] = stored
		stored.FirstUser = t.add(bodies, run.ID, now)
		return nil
	})
}

// SaveMessages implements Store.
func (m *Memory) SaveMessages(ctx context.Context, o Owner, threadID, runID string, messages []agui.Message) error {
	return m.write(ctx, "save messages of run", runID, o, messages, func(own *ownerData, bodies []Body, now time.Time) error {
		run := own.runs[runID]
		if run == nil || run.ThreadID != threadID {
			return ErrNotFound
		}
		if run.Status != RunLive {
			return ErrConflict
		}
		own.threads[threadID].put(bodies, runID, now)
		return nil
	})
}

// EndRun implements Store.
func (m *Memory) EndRun(ctx context.Context, o Owner, run Run, messages []agui.Message, last Batch) error {
	return m.write(ctx, "end run", run.ID, o, messages, func(own *ownerData, bodies []Body, now time.Time) error {
		end, err := EndedRun(run, now)
		if err = cmp.Or(err, CheckLast(last)); err != nil {
			return err
		}
		stored := own.runs[run.ID]
		if stored == nil || end.ThreadID != "" && end.ThreadID != stored.ThreadID {
			return ErrNotFound
		}
		if err := stored.end(end, last); err != nil {
			return err
		}
		own.threads[stored.ThreadID].put(bodies, run.ID, now)
		return nil
	})
}

// Run implements Store.
func (m *Memory) Run(ctx context.Context, o Owner, id string) (run Run, err error) {
	err = m.readRun(ctx, "run", o, id, func(stored *memRun) error {
		run = stored.clone()
		return nil
	})
	return run, err
}

// LiveRuns implements Store.
func (m *Memory) LiveRuns(ctx context.Context) ([]OwnedRun, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	m.mu.RLock()
	defer m.mu.RUnlock()
	if m.closed {
		return nil, ErrClosed
	}
	var live []OwnedRun
	for o, own := range m.owners {
		for _, r := range own.runs {
			if r.Status == RunLive {
				live = append(live, OwnedRun{o, r.clone()})
			}
		}
	}
	slices.SortFunc(live, func(a, b OwnedRun) int {
		return cmp.Or(a.Run.CreatedAt.Compare(b.Run.CreatedAt), cmp.Compare(a.Owner.Tenant, b.Owner.Tenant),
			cmp.Compare(a.Owner.Subject, b.Owner.Subject), cmp.Compare(a.Run.ID, b.Run.ID))
	})
	return live, nil
}

// Ping implements Store.
func (m *Memory) Ping(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	m.mu.RLock()
	defer m.mu.RUnlock()
	if m.closed {
		return ErrClosed
	}
	return nil
}

// Close implements Store.
func (m *Memory) Close() error {
	m.mu.Lock()
	m.closed, m.owners, m.instructions, m.usage, m.audits = true, nil, nil, memUsage{}, nil
	m.mu.Unlock()
	m.answers.wait()
	return nil
}

func (m *Memory) now() time.Time {
	now := time.Now
	if m.Now != nil {
		now = m.Now
	}
	return FromMillis(now().UnixMilli())
}

// write runs do exclusively; do must not fail after a change. The error names the operation and id.
func (m *Memory) write(ctx context.Context, what, id string, o Owner, messages []agui.Message, do func(*ownerData, []Body, time.Time) error) error {
	bodies, _, err := Bodies(messages)
	err = cmp.Or(ctx.Err(), o.Check(), err)
	if err == nil {
		err = m.alone(func() error { return do(m.of(o), bodies, m.now()) })
	}
	if err == ErrClosed {
		return err
	}
	if err != nil {
		return fmt.Errorf("store: %s %q: %w", what, id, err)
	}
	return nil
}

// alone runs do under the lock. It returns after all earlier batches have been answered.
func (m *Memory) alone(do func() error) error {
	defer m.answers.wait()
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.closed {
		return ErrClosed
	}
	return do()
}

// of returns the data of o, creating it if needed. Requires m.mu.
func (m *Memory) of(o Owner) *ownerData {
	own := m.owners[o]
	if own == nil {
		own = &ownerData{threads: map[string]*memThread{}, runs: map[string]*memRun{}}
		if m.owners == nil {
			m.owners = map[Owner]*ownerData{}
		}
		m.owners[o] = own
	}
	return own
}

func (m *Memory) read(ctx context.Context, what, id string, o Owner, do func(*ownerData) error) error {
	err := ctx.Err()
	if err == nil {
		m.mu.RLock()
		defer m.mu.RUnlock()
		if m.closed {
			return ErrClosed
		}
		own := m.owners[o]
		if own == nil {
			own = &ownerData{}
		}
		err = do(own)
	}
	if err != nil {
		return fmt.Errorf("store: %s %q: %w", what, id, err)
	}
	return nil
}

// readThread reads a thread that is not deleted.
func (m *Memory) readThread(ctx context.Context, o Owner, id string, do func(*memThread) error) error {
	return m.read(ctx, "thread", id, o, func(own *ownerData) error {
		t, err := own.thread(id)
		if err != nil {
			return err
		}
		return do(t)
	})
}

// readRun reads a run whose thread is not deleted.
func (m *Memory) readRun(ctx context.Context, what string, o Owner, id string, do func(*memRun) error) error {
	return m.read(ctx, what, id, o, func(own *ownerData) error {
		r := own.runs[id]
		if r == nil {
			return ErrNotFound
		}
		if _, err := own.thread(r.ThreadID); err != nil {
			return err
		}
		return do(r)
	})
}

// thread returns a thread that is not deleted.
func (own *ownerData) thread(id string) (*memThread, error) {
	t := own.threads[id]
	if t == nil || !t.DeletedAt.IsZero() {
		return nil, ErrNotFound
	}
	return t, nil
}

func newMemThread(run Run, now time.Time) *memThread {
	return &memThread{
		Thread: Thread{ID: run.ThreadID, Title: run.ThreadTitle, Agent: run.Agent, CreatedAt: now, UpdatedAt: now},
		index:  map[string]int{},
	}
}

// add appends the messages that are new to the thread and returns the first user message among
// them. Like put it counts a position for every message given, as a database does, which reserves
// positions before it knows which messages are new.
func (t *memThread) add(bodies []Body, runID string, now time.Time) (first *UserMessage) {
	for i, b := range bodies {
		if _, known := t.index[b.ID]; known {
			t.lastSeq++
			continue
		}
		t.put(bodies[i:i+1], runID, now)
		if first == nil {
			first = FirstUser(bodies[i : i+1])
		}
	}
	return first
}

// put appends new messages and replaces known ones.
func (t *memThread) put(bodies []Body, runID string, now time.Time) {
	for _, b := range bodies {
		t.lastSeq++
		if i, known := t.index[b.ID]; known {
			t.messages[i].body = b.JSON
		} else {
			t.index[b.ID] = len(t.messages)
			t.messages = append(t.messages, memMessage{seq: t.lastSeq, runID: runID, created: now, body: b.JSON})
		}
		if t.UpdatedAt.Before(now) {
			t.UpdatedAt = now
		}
	}
}
