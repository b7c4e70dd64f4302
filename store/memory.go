package store

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/pageside/pageside/agui"
)

// Memory is a Store that forgets everything when it is closed. The zero value is ready to use.
type Memory struct {
	// Now is the clock, time.Now where nil. It must be set before the first use.
	Now func() time.Time

	mu     sync.RWMutex
	closed bool
	owners map[Owner]*possessions
}

// possessions is everything one owner has.
type possessions struct {
	threads map[string]*memThread
	runs    map[string]*memRun
}

type memRun struct {
	Run
	began int64 // its seq in the thread
}

type memThread struct {
	Thread
	lastSeq  int64 // of the runs and messages, which are numbered together
	lastRun  *memRun
	messages []memMessage
	index    map[string]int // message id → index in messages
}

// memMessage holds a message as JSON, so that it shares nothing with what the caller gave or gets.
type memMessage struct {
	seq     int64
	runID   string
	created time.Time
	body    string
}

var _ Store = (*Memory)(nil)

// NewMemory returns an empty store in memory.
func NewMemory() *Memory { return &Memory{} }

// BeginRun implements Store.
func (m *Memory) BeginRun(ctx context.Context, o Owner, run Run, messages []agui.Message) error {
	return m.write(ctx, "begin run", run.ID, o, messages, func(own *possessions, bodies []Body, now time.Time) error {
		run, err := NewRun(run, now)
		if err != nil {
			return err
		}
		if own.runs[run.ID] != nil {
			return ErrConflict
		}
		t := own.threads[run.ThreadID]
		if t == nil {
			t = newMemThread(run, now)
			own.threads[run.ThreadID] = t
		}
		run.ThreadTitle = ""
		t.lastSeq++
		t.lastRun = &memRun{run, t.lastSeq}
		own.runs[run.ID] = t.lastRun
		t.add(bodies, run.ID, now)
		return nil
	})
}

// SaveMessages implements Store.
func (m *Memory) SaveMessages(ctx context.Context, o Owner, threadID, runID string, messages []agui.Message) error {
	return m.write(ctx, "save messages of run", runID, o, messages, func(own *possessions, bodies []Body, now time.Time) error {
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
func (m *Memory) EndRun(ctx context.Context, o Owner, run Run, messages []agui.Message) error {
	return m.write(ctx, "end run", run.ID, o, messages, func(own *possessions, bodies []Body, now time.Time) error {
		end, err := EndedRun(run, now)
		if err != nil {
			return err
		}
		stored := own.runs[run.ID]
		if stored == nil || end.ThreadID != "" && end.ThreadID != stored.ThreadID {
			return ErrNotFound
		}
		if stored.Status != RunLive {
			return ErrConflict
		}
		stored.Status, stored.Pending, stored.Error = end.Status, end.Pending, end.Error
		stored.Usage, stored.EndedAt = end.Usage, end.EndedAt
		own.threads[stored.ThreadID].put(bodies, run.ID, now)
		return nil
	})
}

// SetTitle implements Store.
func (m *Memory) SetTitle(ctx context.Context, o Owner, threadID, title string) error {
	return m.write(ctx, "set title of thread", threadID, o, nil, func(own *possessions, _ []Body, _ time.Time) error {
		if err := CheckText("title", title); err != nil {
			return err
		}
		t := own.threads[threadID]
		if t == nil {
			return ErrNotFound
		}
		t.Title = title
		return nil
	})
}

// Run implements Store.
func (m *Memory) Run(ctx context.Context, o Owner, id string) (run Run, err error) {
	err = m.read(ctx, "run", id, o, func(own *possessions) error {
		stored := own.runs[id]
		if stored == nil {
			return ErrNotFound
		}
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

// Thread implements Store.
func (m *Memory) Thread(ctx context.Context, o Owner, id string) (thread Thread, err error) {
	err = m.readThread(ctx, o, id, func(t *memThread) error {
		thread = t.Thread
		return nil
	})
	return thread, err
}

// Threads implements Store.
func (m *Memory) Threads(ctx context.Context, o Owner, cursor string, limit int) (page Page[Thread], err error) {
	err = m.read(ctx, "threads of", o.Subject, o, func(own *possessions) error {
		var from ThreadPosition
		if cursor != "" {
			if from, err = ParseCursor(cursor); err != nil {
				return err
			}
		}
		for t := range maps.Values(own.threads) {
			if cursor == "" || PositionOf(t.Thread).After(from) {
				page.Items = append(page.Items, t.Thread)
			}
		}
		slices.SortFunc(page.Items, func(a, b Thread) int {
			if PositionOf(b).After(PositionOf(a)) {
				return -1
			}
			return 1
		})
		if n := PageSize(limit); len(page.Items) > n {
			page.Items = slices.Clip(page.Items[:n])
			page.Next = PositionOf(page.Items[n-1]).Cursor()
		}
		return nil
	})
	return page, err
}

// LastRun implements Store.
func (m *Memory) LastRun(ctx context.Context, o Owner, threadID string) (run Run, err error) {
	err = m.readThread(ctx, o, threadID, func(t *memThread) error {
		run = t.lastRun.clone() // a thread is made by a run
		return nil
	})
	return run, err
}

// Transcript implements Store.
func (m *Memory) Transcript(ctx context.Context, o Owner, threadID string) (messages []agui.Message, err error) {
	err = m.readThread(ctx, o, threadID, func(t *memThread) error {
		messages = make([]agui.Message, len(t.messages))
		for i, stored := range t.messages {
			if messages[i], err = agui.UnmarshalMessage([]byte(stored.body)); err != nil {
				return err
			}
		}
		return nil
	})
	return messages, err
}

// Messages implements Store.
func (m *Memory) Messages(ctx context.Context, o Owner, threadID string, before int64, limit int) (page Page[StoredMessage], err error) {
	err = m.readThread(ctx, o, threadID, func(t *memThread) error {
		end := len(t.messages)
		if before > 0 {
			end, _ = slices.BinarySearchFunc(t.messages, before, func(s memMessage, seq int64) int { return cmp.Compare(s.seq, seq) })
		}
		start := max(0, end-PageSize(limit))
		for _, stored := range t.messages[start:end] {
			message, err := agui.UnmarshalMessage([]byte(stored.body))
			if err != nil {
				return err
			}
			page.Items = append(page.Items, StoredMessage{stored.seq, stored.runID, stored.created, message})
		}
		if start > 0 && end > start {
			page.Next = BeforeCursor(t.messages[start].seq)
		}
		return nil
	})
	return page, err
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
	defer m.mu.Unlock()
	m.closed, m.owners = true, nil
	return nil
}

func (m *Memory) now() time.Time {
	now := time.Now
	if m.Now != nil {
		now = m.Now
	}
	return FromMillis(now().UnixMilli())
}

// write runs do, which must fail before it changes anything, alone. The error says what was being done, and to which id.
func (m *Memory) write(ctx context.Context, what, id string, o Owner, messages []agui.Message, do func(*possessions, []Body, time.Time) error) error {
	bodies, _, err := Bodies(messages)
	err = cmp.Or(ctx.Err(), o.Check(), err)
	if err == nil {
		m.mu.Lock()
		defer m.mu.Unlock()
		if m.closed {
			return ErrClosed
		}
		err = do(m.of(o), bodies, m.now())
	}
	if err != nil {
		return fmt.Errorf("store: %s %q: %w", what, id, err)
	}
	return nil
}

// of returns what o has, making room for it where o is new.
func (m *Memory) of(o Owner) *possessions {
	own := m.owners[o]
	if own == nil {
		own = &possessions{map[string]*memThread{}, map[string]*memRun{}}
		if m.owners == nil {
			m.owners = map[Owner]*possessions{}
		}
		m.owners[o] = own
	}
	return own
}

func (m *Memory) read(ctx context.Context, what, id string, o Owner, do func(*possessions) error) error {
	err := ctx.Err()
	if err == nil {
		m.mu.RLock()
		defer m.mu.RUnlock()
		if m.closed {
			return ErrClosed
		}
		own := m.owners[o]
		if own == nil {
			own = &possessions{}
		}
		err = do(own)
	}
	if err != nil {
		return fmt.Errorf("store: %s %q: %w", what, id, err)
	}
	return nil
}

func (m *Memory) readThread(ctx context.Context, o Owner, id string, do func(*memThread) error) error {
	return m.read(ctx, "thread", id, o, func(own *possessions) error {
		t := own.threads[id]
		if t == nil {
			return ErrNotFound
		}
		return do(t)
	})
}

func newMemThread(run Run, now time.Time) *memThread {
	return &memThread{
		Thread: Thread{ID: run.ThreadID, Title: run.ThreadTitle, Agent: run.Agent, CreatedAt: now, UpdatedAt: now},
		index:  map[string]int{},
	}
}

// add appends the messages the thread does not know. Like put it counts a place for every message it is given, so that
// places are numbered as in a database, which reserves them before it knows which messages are new.
func (t *memThread) add(bodies []Body, runID string, now time.Time) {
	for i, b := range bodies {
		if _, known := t.index[b.ID]; known {
			t.lastSeq++
		} else {
			t.put(bodies[i:i+1], runID, now)
		}
	}
}

// put appends the messages the thread does not know and replaces those it knows.
func (t *memThread) put(bodies []Body, runID string, now time.Time) {
	for _, b := range bodies {
		t.lastSeq++
		if i, known := t.index[b.ID]; known {
			t.messages[i].body = b.JSON
		} else {
			t.index[b.ID] = len(t.messages)
			t.messages = append(t.messages, memMessage{t.lastSeq, runID, now, b.JSON})
		}
		if t.UpdatedAt.Before(now) {
			t.UpdatedAt = now
		}
	}
}

func (r *memRun) clone() Run {
	run := r.Run
	run.Pending, run.Usage = slices.Clone(run.Pending), slices.Clone(run.Usage)
	return run
}
