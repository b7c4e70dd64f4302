package store

import (
	"bytes"
	"cmp"
	"context"
	"iter"
	"log/slog"
	"slices"
	"sync"
	"time"

	"github.com/pageside/pageside/journal"
)

// memRun is a run with its event log and its journal.
type memRun struct {
	Run
	lastEvent int64 // number of the last event in the log
	batches   []Batch
	purged    bool // its events were purged
	calls     []memCall
}

type memCall struct {
	journal.ToolCall
	planned int // its number among all calls of the store
}

// clone returns a copy for callers.
func (r *memRun) clone() Run {
	run := r.Run
	run.FirstUser = nil
	run.Pending, run.Usage, run.Interrupts, run.Input = slices.Clone(run.Pending), bytes.Clone(run.Usage), bytes.Clone(run.Interrupts), bytes.Clone(run.Input)
	run.StartState, run.State = bytes.Clone(run.StartState), bytes.Clone(run.State)
	return run
}

// end ends a live run. On error it changes nothing.
func (r *memRun) end(end Run, last Batch) error {
	if end.Epoch != 0 && end.Epoch != r.Epoch {
		return ErrFenced
	}
	if r.Status != RunLive {
		return ErrConflict
	}
	if last.Count > 0 {
		last.RunID, last.Epoch = r.ID, r.Epoch
		if err := r.append(last); err != nil {
			return err
		}
	}
	r.Status, r.Pending, r.Error, r.Usage, r.Interrupts = end.Status, end.Pending, end.Error, end.Usage, end.Interrupts
	if end.State != nil {
		r.State = end.State
	}
	r.LastSeq, r.EndedAt, r.Input = cmp.Or(end.LastSeq, r.lastEvent), end.EndedAt, nil
	return nil
}

// append appends a batch to the log.
func (r *memRun) append(b Batch) error {
	if b.Epoch != r.Epoch {
		return ErrFenced
	}
	if r.Status != RunLive {
		return ErrConflict
	}
	if err := b.Follows(r.lastEvent); err != nil {
		return err
	}
	if b.Usage != nil {
		r.Usage, b.Usage = bytes.Clone(b.Usage), nil
	}
	b.Frames = bytes.Clone(b.Frames)
	r.batches = append(r.batches, b)
	r.lastEvent = b.Last()
	return nil
}

// AppendEvents implements Store.
func (m *Memory) AppendEvents(o Owner, b Batch, done func(error)) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.answers.add(done, explain("append events of run", b.RunID, m.appendEvents(o, b)))
}

func (m *Memory) appendEvents(o Owner, b Batch) error {
	if m.closed {
		return ErrClosed
	}
	if err := cmp.Or(o.Check(), CheckBatch(b)); err != nil {
		return err
	}
	own := m.owners[o]
	if own == nil || own.runs[b.RunID] == nil {
		return ErrNotFound
	}
	return own.runs[b.RunID].append(b)
}

// answers calls the done functions of AppendEvents in order, from its own goroutine, which ends
// when there is nothing left to call.
type answers struct {
	mu           sync.Mutex
	queue        []func()
	running      bool
	asked, given int // numbers of functions added and called
	called       sync.Cond
}

func (a *answers) add(done func(error), err error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.called.L = &a.mu
	a.asked++
	a.queue = append(a.queue, func() { done(err) })
	if !a.running {
		a.running = true
		go a.run()
	}
}

func (a *answers) run() {
	a.mu.Lock()
	defer a.mu.Unlock()
	for len(a.queue) > 0 {
		next := a.queue
		a.queue = nil
		a.mu.Unlock()
		for _, done := range next {
			done()
		}
		a.mu.Lock()
		a.given += len(next)
		a.called.Broadcast()
	}
	a.running = false
}

// wait returns once all functions added so far have been called.
func (a *answers) wait() {
	a.mu.Lock()
	defer a.mu.Unlock()
	for asked := a.asked; a.given < asked; {
		a.called.Wait()
	}
}

// TakeOver implements Store.
func (m *Memory) TakeOver(ctx context.Context, o Owner, runID string) (epoch int, err error) {
	err = m.write(ctx, "take over run", runID, o, nil, func(own *ownerData, _ []Body, _ time.Time) error {
		r, err := own.liveRun(runID)
		if err == nil {
			r.Epoch++
			epoch = r.Epoch
		}
		return err
	})
	return epoch, err
}

// TaintRun implements Store.
func (m *Memory) TaintRun(ctx context.Context, o Owner, runID string) error {
	return m.write(ctx, "taint run", runID, o, nil, func(own *ownerData, _ []Body, _ time.Time) error {
		r, err := own.liveRun(runID)
		if err == nil {
			r.Tainted = true
		}
		return err
	})
}

// liveRun returns a run that is live.
func (own *ownerData) liveRun(id string) (*memRun, error) {
	r := own.runs[id]
	if r == nil {
		return nil, ErrNotFound
	}
	if r.Status != RunLive {
		return nil, ErrConflict
	}
	return r, nil
}

// Events implements Store.
func (m *Memory) Events(ctx context.Context, o Owner, runID string, after int64) iter.Seq2[Batch, error] {
	return func(yield func(Batch, error) bool) {
		for {
			var next []Batch
			err := m.readRun(ctx, "events of run", o, runID, func(r *memRun) error {
				if r.purged && after < r.LastSeq {
					return ErrGone
				}
				at, _ := slices.BinarySearchFunc(r.batches, after+1, func(b Batch, seq int64) int { return cmp.Compare(b.Last(), seq) })
				next = slices.Clone(r.batches[at:])
				return nil
			})
			if err != nil {
				yield(Batch{}, err)
				return
			}
			for _, b := range next {
				b.Frames = bytes.Clone(b.Frames)
				if !yield(b, nil) {
					return
				}
				after = b.Last()
			}
			if len(next) == 0 {
				return
			}
		}
	}
}

// PurgeEvents implements Store.
func (m *Memory) PurgeEvents(ctx context.Context, before time.Time) (n int, err error) {
	before = FromMillis(before.UnixMilli())
	err = m.everybody(ctx, func(_ Owner, own *ownerData) {
		for _, r := range own.runs {
			if !r.purged && r.Status != RunLive && r.EndedAt.Before(before) {
				r.purged, r.batches = true, nil
				n++
			}
		}
	})
	return n, explain("purge events", "", err)
}

// Purge implements Store.
func (m *Memory) Purge(ctx context.Context, before time.Time) (purged []ThreadKey, err error) {
	before = FromMillis(before.UnixMilli())
	err = m.everybody(ctx, func(o Owner, own *ownerData) {
		for id, t := range own.threads {
			if t.DeletedAt.IsZero() || !t.DeletedAt.Before(before) || t.live() {
				continue
			}
			for _, r := range t.runs {
				delete(own.runs, r.ID)
			}
			delete(own.threads, id)
			purged = append(purged, ThreadKey{o, id})
		}
	})
	return purged, explain("purge deleted threads", "", err)
}

// everybody runs do exclusively for each owner.
func (m *Memory) everybody(ctx context.Context, do func(Owner, *ownerData)) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.closed {
		return ErrClosed
	}
	for o, own := range m.owners {
		do(o, own)
	}
	return nil
}

// PlanCalls implements Store.
func (m *Memory) PlanCalls(ctx context.Context, o Owner, runID string, calls []journal.ToolCall, wait bool) error {
	return m.journal(ctx, "plan calls of run", o, runID, wait, func(r *memRun, now time.Time) error {
		planned, err := NewCalls(runID, calls, now)
		if err != nil {
			return err
		}
		for _, c := range planned {
			if r.call(c.ID) == nil {
				m.planned++
				r.calls = append(r.calls, memCall{c, m.planned})
			}
		}
		return nil
	})
}

// StartCall implements Store.
func (m *Memory) StartCall(ctx context.Context, o Owner, runID, callID string, wait bool) error {
	return m.journal(ctx, "start a call of run", o, runID, wait, func(r *memRun, _ time.Time) error {
		c := r.call(callID)
		switch {
		case c == nil:
			return ErrNotFound
		case c.State == journal.Finished:
			return ErrConflict
		}
		c.State = journal.Started
		return nil
	})
}

// FinishCall implements Store.
func (m *Memory) FinishCall(ctx context.Context, o Owner, runID string, call journal.ToolCall, wait bool) error {
	return m.journal(ctx, "finish a call of run", o, runID, wait, func(r *memRun, now time.Time) error {
		end, err := FinishedCall(call, now)
		if err != nil {
			return err
		}
		c := r.call(end.ID)
		switch {
		case c == nil:
			return ErrNotFound
		case c.State == journal.Finished:
			return ErrConflict
		}
		c.State, c.Result, c.Payload, c.Sources, c.IsError, c.EndedAt = end.State, end.Result, end.Payload, end.Sources, end.IsError, end.EndedAt
		return nil
	})
}

// journal changes the journal of a live run.
func (m *Memory) journal(ctx context.Context, what string, o Owner, runID string, wait bool, do func(*memRun, time.Time) error) error {
	if !wait {
		ctx = context.WithoutCancel(ctx)
	}
	err := m.write(ctx, what, runID, o, nil, func(own *ownerData, _ []Body, now time.Time) error {
		r, err := own.liveRun(runID)
		if err != nil {
			return err
		}
		return do(r, now)
	})
	if err != nil && !wait {
		cmp.Or(m.Logger, slog.Default()).ErrorContext(ctx, "the journal could not be written", "runId", runID, "error", err)
		return nil
	}
	return err
}

func (r *memRun) call(id string) *memCall {
	for i := range r.calls {
		if r.calls[i].ID == id {
			return &r.calls[i]
		}
	}
	return nil
}

// ToolCalls implements Store.
func (m *Memory) ToolCalls(ctx context.Context, o Owner, runID string) (calls []journal.ToolCall, err error) {
	err = m.readRun(ctx, "tool calls of run", o, runID, func(r *memRun) error {
		for _, c := range r.calls {
			calls = append(calls, c.clone())
		}
		return nil
	})
	return calls, err
}

// ToolCall implements Store.
func (m *Memory) ToolCall(ctx context.Context, o Owner, threadID, callID string) (call journal.ToolCall, err error) {
	err = m.readThread(ctx, o, threadID, func(t *memThread) error {
		newest := 0
		for _, r := range t.runs {
			if c := r.call(callID); c != nil && c.planned > newest {
				call, newest = c.clone(), c.planned
			}
		}
		if newest == 0 {
			return ErrNotFound
		}
		return nil
	})
	return call, err
}

// clone returns a copy for callers.
func (c *memCall) clone() journal.ToolCall {
	call := c.ToolCall
	call.Args, call.Payload, call.Sources = bytes.Clone(call.Args), bytes.Clone(call.Payload), bytes.Clone(call.Sources)
	return call
}

// RecentRuns implements Store.
func (m *Memory) RecentRuns(ctx context.Context, o Owner, q RunQuery) (found []RunSummary, err error) {
	err = m.read(ctx, "recent runs of", o.Subject, o, func(own *ownerData) error {
		for _, t := range own.threads {
			if !t.DeletedAt.IsZero() || q.ThreadID != "" && q.ThreadID != t.ID {
				continue
			}
			for _, r := range t.runs {
				s := t.summary(r)
				if (q.Agent == "" || q.Agent == r.Agent) && s.ChangedAt.UnixMilli() >= q.Since.UnixMilli() {
					found = append(found, s)
				}
			}
		}
		return nil
	})
	slices.SortFunc(found, func(a, b RunSummary) int { return cmp.Or(b.ChangedAt.Compare(a.ChangedAt), cmp.Compare(b.ID, a.ID)) })
	return found[:min(len(found), q.Limit)], err
}

// summary sums up a run of the thread.
func (t *memThread) summary(r *memRun) RunSummary {
	s := RunSummary{ID: r.ID, ThreadID: t.ID, Status: r.Status, ChangedAt: r.CreatedAt}
	if r.Status != RunLive {
		s.ChangedAt = r.EndedAt
	}
	s.Waits = r.Status == RunFinished && (len(r.Pending) > 0 || r.Interrupts != nil)
	if !s.Waits {
		return s
	}
	var passedAt time.Time
	for _, next := range t.runs {
		if next.ParentRunID == r.ID && (!s.Passed || next.CreatedAt.Before(passedAt)) {
			s.Passed, passedAt = true, next.CreatedAt
		}
	}
	if passedAt.After(s.ChangedAt) {
		s.ChangedAt = passedAt
	}
	return s
}
