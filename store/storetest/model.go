package storetest

import (
	"cmp"
	"context"
	"iter"
	"maps"
	"slices"
	"time"

	"github.com/pageside/pageside/agui"
	"github.com/pageside/pageside/journal"
	"github.com/pageside/pageside/store"
)

// model is what a store does, as simply as it can be said: maps and slices that are searched from
// the beginning. Compare holds stores against it. It has the methods that Compare calls, returns
// what it holds itself, and is not safe for concurrent use.
type model struct {
	store.Store
	clock        func() time.Time
	owners       map[store.Owner]*modelOwner
	instructions map[[3]string]store.Instructions // by tenant, kind and id
	planned      int                              // how many tool calls have been planned
}

func newModel(clock func() time.Time) *model {
	return &model{clock: clock, owners: map[store.Owner]*modelOwner{}, instructions: map[[3]string]store.Instructions{}}
}

// modelOwner is all that an owner has.
type modelOwner struct {
	threads map[string]*modelThread
	runs    map[string]*modelRun
}

// modelThread is a thread with the messages of all its branches.
type modelThread struct {
	store.Thread
	seq      int64 // the last one given to a run or message
	runs     []*modelRun
	messages []*store.StoredMessage
}

// modelRun is a run with its log and its journal.
type modelRun struct {
	store.Run
	batches []store.Batch
	purged  bool
	calls   []*modelCall
}

type modelCall struct {
	journal.ToolCall
	planned int // its number among all calls of the store
}

func (m *model) now() time.Time { return store.FromMillis(m.clock().UnixMilli()) }

func (m *model) of(o store.Owner) *modelOwner {
	if m.owners[o] == nil {
		m.owners[o] = &modelOwner{map[string]*modelThread{}, map[string]*modelRun{}}
	}
	return m.owners[o]
}

// thread returns a thread that is not deleted.
func (own *modelOwner) thread(id string) (*modelThread, error) {
	t := own.threads[id]
	if t == nil || !t.DeletedAt.IsZero() {
		return nil, store.ErrNotFound
	}
	return t, nil
}

// run returns a run whose thread is not deleted.
func (own *modelOwner) run(id string) (*modelRun, error) {
	r := own.runs[id]
	if r == nil {
		return nil, store.ErrNotFound
	}
	_, err := own.thread(r.ThreadID)
	return r, err
}

// live returns a run that has not ended.
func (own *modelOwner) live(id string) (*modelRun, error) {
	switch r := own.runs[id]; {
	case r == nil:
		return nil, store.ErrNotFound
	case r.Status != store.RunLive:
		return nil, store.ErrConflict
	default:
		return r, nil
	}
}

// message returns a message of a thread that is not deleted.
func (own *modelOwner) message(threadID, id string) (*store.StoredMessage, error) {
	t, err := own.thread(threadID)
	if err != nil {
		return nil, err
	}
	if m := t.message(id); m != nil {
		return m, nil
	}
	return nil, store.ErrNotFound
}

func (t *modelThread) message(id string) *store.StoredMessage {
	i := slices.IndexFunc(t.messages, func(m *store.StoredMessage) bool { return m.Message.ID == id })
	if i < 0 {
		return nil
	}
	return t.messages[i]
}

func (t *modelThread) live() bool {
	return slices.ContainsFunc(t.runs, func(r *modelRun) bool { return r.Status == store.RunLive })
}

func (m *model) BeginRun(_ context.Context, o store.Owner, given store.Run, messages []agui.Message) error {
	own, now := m.of(o), m.now()
	r, err := store.NewRun(given, now)
	if _, _, bad := store.Bodies(messages); cmp.Or(bad, err) != nil {
		return cmp.Or(bad, err)
	}
	t := own.threads[r.ThreadID]
	if own.runs[r.ID] != nil || t != nil && !t.DeletedAt.IsZero() {
		return store.ErrConflict
	}
	if r.ParentRunID, err = own.parent(t, r.ParentRunID); err != nil {
		return err
	}
	if t == nil {
		t = &modelThread{Thread: store.Thread{ID: r.ThreadID, Title: r.ThreadTitle, Agent: r.Agent, CreatedAt: now, UpdatedAt: now}}
		own.threads[t.ID] = t
	}
	if parent := own.runs[r.ParentRunID]; parent != nil {
		r.Tainted = r.Tainted || parent.Tainted
	}
	t.seq++
	t.Head, r.ThreadTitle = r.ID, ""
	stored := &modelRun{Run: r}
	t.runs, own.runs[r.ID] = append(t.runs, stored), stored
	for _, message := range messages {
		if t.message(message.ID) != nil {
			t.seq++ // a store counts the positions before it knows which messages are new
			continue
		}
		t.put([]agui.Message{message}, r.ID, now)
		if bodies, _, _ := store.Bodies([]agui.Message{message}); stored.FirstUser == nil {
			stored.FirstUser = store.FirstUser(bodies)
		}
	}
	return nil
}

// parent returns the run that a new run continues; t is nil for a new thread.
func (own *modelOwner) parent(t *modelThread, given string) (string, error) {
	switch {
	case given == store.RootRun, given == "" && t == nil:
		return store.RootRun, nil
	case given == "":
		return t.Head, nil
	}
	if r := own.runs[given]; t == nil || r == nil || r.ThreadID != t.ID || r.Status == store.RunLive {
		return "", store.ErrConflict
	}
	return given, nil
}

// put appends new messages and replaces known ones.
func (t *modelThread) put(messages []agui.Message, runID string, now time.Time) {
	for _, message := range messages {
		t.seq++
		if known := t.message(message.ID); known != nil {
			known.Message = message
		} else {
			t.messages = append(t.messages, &store.StoredMessage{Seq: t.seq, RunID: runID, CreatedAt: now, Message: message})
		}
		if t.UpdatedAt.Before(now) {
			t.UpdatedAt = now
		}
	}
}

func (m *model) SaveMessages(_ context.Context, o store.Owner, threadID, runID string, messages []agui.Message) error {
	own := m.of(o)
	if _, _, err := store.Bodies(messages); err != nil {
		return err
	}
	if r := own.runs[runID]; r == nil || r.ThreadID != threadID {
		return store.ErrNotFound
	}
	if _, err := own.live(runID); err != nil {
		return err
	}
	own.threads[threadID].put(messages, runID, m.now())
	return nil
}

func (m *model) EndRun(_ context.Context, o store.Owner, given store.Run, messages []agui.Message, last store.Batch) error {
	_, _, bad := store.Bodies(messages)
	end, err := store.EndedRun(given, m.now())
	if err := cmp.Or(bad, err, store.CheckLast(last)); err != nil {
		return err
	}
	r := m.of(o).runs[end.ID]
	switch {
	case r == nil, end.ThreadID != "" && end.ThreadID != r.ThreadID:
		return store.ErrNotFound
	case end.Epoch != 0 && end.Epoch != r.Epoch:
		return store.ErrFenced
	case r.Status != store.RunLive:
		return store.ErrConflict
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
	r.LastSeq, r.EndedAt, r.Input = cmp.Or(end.LastSeq, r.last()), end.EndedAt, nil
	m.of(o).threads[r.ThreadID].put(messages, r.ID, m.now())
	return nil
}

// last returns the number of the last event in the log.
func (r *modelRun) last() int64 {
	if len(r.batches) == 0 {
		return 0
	}
	return r.batches[len(r.batches)-1].Last()
}

func (r *modelRun) append(b store.Batch) error {
	switch {
	case b.Epoch != r.Epoch:
		return store.ErrFenced
	case r.Status != store.RunLive:
		return store.ErrConflict
	}
	if err := b.Follows(r.last()); err != nil {
		return err
	}
	if b.Usage != nil {
		r.Usage, b.Usage = b.Usage, nil
	}
	r.batches = append(r.batches, b)
	return nil
}

func (m *model) AppendEvents(o store.Owner, b store.Batch, done func(error)) {
	r, err := m.of(o).runs[b.RunID], store.CheckBatch(b)
	switch {
	case err != nil:
	case r == nil:
		err = store.ErrNotFound
	default:
		err = r.append(b)
	}
	done(err)
}

func (m *model) Events(_ context.Context, o store.Owner, runID string, after int64) iter.Seq2[store.Batch, error] {
	return func(yield func(store.Batch, error) bool) {
		r, err := m.of(o).run(runID)
		if err == nil && r.purged && after < r.LastSeq {
			err = store.ErrGone
		}
		if err != nil {
			yield(store.Batch{}, err)
			return
		}
		for _, b := range r.batches {
			if b.Last() > after && !yield(b, nil) {
				return
			}
		}
	}
}

func (m *model) TakeOver(_ context.Context, o store.Owner, runID string) (int, error) {
	r, err := m.of(o).live(runID)
	if err != nil {
		return 0, err
	}
	r.Epoch++
	return r.Epoch, nil
}

func (m *model) TaintRun(_ context.Context, o store.Owner, runID string) error {
	r, err := m.of(o).live(runID)
	if err == nil {
		r.Tainted = true
	}
	return err
}

func (m *model) PurgeEvents(_ context.Context, before time.Time) (n int, err error) {
	before = store.FromMillis(before.UnixMilli())
	for _, own := range m.owners {
		for _, r := range own.runs {
			if !r.purged && r.Status != store.RunLive && r.EndedAt.Before(before) {
				r.purged, r.batches = true, nil
				n++
			}
		}
	}
	return n, nil
}

func (m *model) Purge(_ context.Context, before time.Time) (purged []store.ThreadKey, err error) {
	before = store.FromMillis(before.UnixMilli())
	for o, own := range m.owners {
		for id, t := range own.threads {
			if t.DeletedAt.IsZero() || !t.DeletedAt.Before(before) || t.live() {
				continue
			}
			maps.DeleteFunc(own.runs, func(_ string, r *modelRun) bool { return r.ThreadID == id })
			delete(own.threads, id)
			purged = append(purged, store.ThreadKey{Owner: o, ID: id})
		}
	}
	return purged, nil
}

func (m *model) PlanCalls(_ context.Context, o store.Owner, runID string, calls []journal.ToolCall, _ bool) error {
	planned, bad := store.NewCalls(runID, calls, m.now())
	r, err := m.of(o).live(runID)
	if err = cmp.Or(err, bad); err != nil {
		return err
	}
	for _, c := range planned {
		if r.call(c.ID) == nil {
			m.planned++
			r.calls = append(r.calls, &modelCall{c, m.planned})
		}
	}
	return nil
}

func (r *modelRun) call(id string) *modelCall {
	i := slices.IndexFunc(r.calls, func(c *modelCall) bool { return c.ID == id })
	if i < 0 {
		return nil
	}
	return r.calls[i]
}

// unfinished returns a call of a live run.
func (m *model) unfinished(o store.Owner, runID, callID string) (*modelCall, error) {
	r, err := m.of(o).live(runID)
	if err != nil {
		return nil, err
	}
	switch c := r.call(callID); {
	case c == nil:
		return nil, store.ErrNotFound
	case c.State == journal.Finished:
		return nil, store.ErrConflict
	default:
		return c, nil
	}
}

func (m *model) StartCall(_ context.Context, o store.Owner, runID, callID string, _ bool) error {
	c, err := m.unfinished(o, runID, callID)
	if err == nil {
		c.State = journal.Started
	}
	return err
}

func (m *model) FinishCall(_ context.Context, o store.Owner, runID string, call journal.ToolCall, _ bool) error {
	end, bad := store.FinishedCall(call, m.now())
	c, err := m.unfinished(o, runID, call.ID)
	if err = cmp.Or(err, bad); err != nil {
		return err
	}
	c.State, c.Result, c.Payload, c.Sources, c.IsError, c.EndedAt = end.State, end.Result, end.Payload, end.Sources, end.IsError, end.EndedAt
	return nil
}

func (m *model) ToolCalls(_ context.Context, o store.Owner, runID string) (calls []journal.ToolCall, err error) {
	r, err := m.of(o).run(runID)
	if err != nil {
		return nil, err
	}
	for _, c := range r.calls {
		calls = append(calls, c.ToolCall)
	}
	return calls, nil
}

func (m *model) ToolCall(_ context.Context, o store.Owner, threadID, callID string) (journal.ToolCall, error) {
	t, err := m.of(o).thread(threadID)
	if err != nil {
		return journal.ToolCall{}, err
	}
	var newest modelCall
	for _, r := range t.runs {
		if c := r.call(callID); c != nil && c.planned > newest.planned {
			newest = *c
		}
	}
	if newest.planned == 0 {
		return journal.ToolCall{}, store.ErrNotFound
	}
	return newest.ToolCall, nil
}

// shown returns a run as every method but Runs returns it.
func (r *modelRun) shown() store.Run {
	run := r.Run
	run.FirstUser = nil
	return run
}

func (m *model) Run(_ context.Context, o store.Owner, id string) (store.Run, error) {
	r, err := m.of(o).run(id)
	if err != nil {
		return store.Run{}, err
	}
	return r.shown(), nil
}

func (m *model) LastRun(ctx context.Context, o store.Owner, threadID string) (store.Run, error) {
	t, err := m.of(o).thread(threadID)
	if err != nil {
		return store.Run{}, err
	}
	return m.Run(ctx, o, t.Head)
}

func (m *model) MessageRun(ctx context.Context, o store.Owner, threadID, messageID string) (store.Run, error) {
	message, err := m.of(o).message(threadID, messageID)
	if err != nil {
		return store.Run{}, err
	}
	return m.Run(ctx, o, message.RunID)
}

func (m *model) Runs(_ context.Context, o store.Owner, threadID string) (runs []store.Run, err error) {
	t, err := m.of(o).thread(threadID)
	if err != nil {
		return nil, err
	}
	for _, r := range t.runs {
		run := r.Run
		run.StartState, run.State = nil, nil
		runs = append(runs, run)
	}
	return runs, nil
}

func (m *model) LiveRuns(context.Context) (live []store.OwnedRun, err error) {
	for o, own := range m.owners {
		for _, r := range own.runs {
			if r.Status == store.RunLive {
				live = append(live, store.OwnedRun{Owner: o, Run: r.shown()})
			}
		}
	}
	slices.SortFunc(live, func(a, b store.OwnedRun) int {
		return cmp.Or(a.Run.CreatedAt.Compare(b.Run.CreatedAt), cmp.Compare(a.Owner.Tenant, b.Owner.Tenant),
			cmp.Compare(a.Owner.Subject, b.Owner.Subject), cmp.Compare(a.Run.ID, b.Run.ID))
	})
	return live, nil
}

func (m *model) RecentRuns(_ context.Context, o store.Owner, q store.RunQuery) (found []store.RunSummary, err error) {
	for _, t := range m.of(o).threads {
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
	slices.SortFunc(found, func(a, b store.RunSummary) int {
		return cmp.Or(b.ChangedAt.Compare(a.ChangedAt), cmp.Compare(b.ID, a.ID))
	})
	return found[:min(len(found), q.Limit)], nil
}

func (t *modelThread) summary(r *modelRun) store.RunSummary {
	s := store.RunSummary{ID: r.ID, ThreadID: t.ID, Status: r.Status, ChangedAt: r.CreatedAt}
	if r.Status != store.RunLive {
		s.ChangedAt = r.EndedAt
	}
	s.Waits = r.Status == store.RunFinished && (len(r.Pending) > 0 || r.Interrupts != nil)
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
