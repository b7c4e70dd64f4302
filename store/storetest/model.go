package storetest

import (
	"cmp"
	"context"
	"iter"
	"slices"
	"time"

	"github.com/pageside/pageside/agui"
	"github.com/pageside/pageside/store"
)

// model is what a store does, as simply as it can be said: lists that are searched from the
// beginning. Compare holds stores against it. It has the methods that Compare calls, returns what
// it holds itself, and is not safe for concurrent use. It leaves out what nothing else touches,
// such as the journal and feedback.
type model struct {
	store.Store
	clock   func() time.Time
	threads []*modelThread
}

func newModel(clock func() time.Time) *model { return &model{clock: clock} }

// modelThread is a thread with the runs and messages of all its branches.
type modelThread struct {
	store.Thread
	owner    store.Owner
	seq      int64 // the last one given to a run or message
	runs     []*modelRun
	messages []*store.StoredMessage
}

// modelRun is a run with its log.
type modelRun struct {
	store.Run
	thread  *modelThread
	batches []store.Batch
	purged  bool
}

func (m *model) now() time.Time { return store.FromMillis(m.clock().UnixMilli()) }

// first returns the first of a list for which is returns true, or nil.
func first[T any](list []*T, is func(*T) bool) *T {
	if i := slices.IndexFunc(list, is); i >= 0 {
		return list[i]
	}
	return nil
}

// thread returns a thread, deleted or not, or nil.
func (m *model) thread(o store.Owner, id string) *modelThread {
	return first(m.threads, func(t *modelThread) bool { return t.owner == o && t.ID == id })
}

// shown returns a thread that is not deleted.
func (m *model) shown(o store.Owner, id string) (*modelThread, error) {
	if t := m.thread(o, id); t != nil && t.DeletedAt.IsZero() {
		return t, nil
	}
	return nil, store.ErrNotFound
}

// runs returns the runs of all owners.
func (m *model) runs() (all []*modelRun) {
	for _, t := range m.threads {
		all = append(all, t.runs...)
	}
	return all
}

// run returns a run, whether its thread is deleted or not, or nil.
func (m *model) run(o store.Owner, id string) *modelRun {
	return first(m.runs(), func(r *modelRun) bool { return r.thread.owner == o && r.ID == id })
}

// shownRun returns a run whose thread is not deleted.
func (m *model) shownRun(o store.Owner, id string) (*modelRun, error) {
	if r := m.run(o, id); r != nil && r.thread.DeletedAt.IsZero() {
		return r, nil
	}
	return nil, store.ErrNotFound
}

// live returns a run that has not ended.
func (m *model) live(o store.Owner, id string) (*modelRun, error) {
	switch r := m.run(o, id); {
	case r == nil:
		return nil, store.ErrNotFound
	case r.Status != store.RunLive:
		return nil, store.ErrConflict
	default:
		return r, nil
	}
}

func (t *modelThread) message(id string) *store.StoredMessage {
	return first(t.messages, func(m *store.StoredMessage) bool { return m.Message.ID == id })
}

func (t *modelThread) run(id string) *modelRun {
	return first(t.runs, func(r *modelRun) bool { return r.ID == id })
}

func (t *modelThread) isLive() bool {
	return slices.ContainsFunc(t.runs, func(r *modelRun) bool { return r.Status == store.RunLive })
}

func (m *model) BeginRun(
	_ context.Context, o store.Owner, given store.Run, messages []agui.Message, first store.Batch,
) error {
	r, err := store.NewRun(given, m.now())
	_, _, bad := store.Bodies(messages)
	if err := cmp.Or(bad, err, store.CheckFirst(first)); err != nil {
		return err
	}
	t := m.thread(o, r.ThreadID)
	if m.run(o, r.ID) != nil || t != nil && !t.DeletedAt.IsZero() {
		return store.ErrConflict
	}
	began := &modelThread{owner: o, Thread: store.Thread{
		ID: r.ThreadID, Title: r.ThreadTitle, Agent: r.Agent, Head: store.RootRun,
		CreatedAt: m.now(), UpdatedAt: m.now(),
	}}
	t = cmp.Or(t, began)
	r.ParentRunID = cmp.Or(r.ParentRunID, t.Head)
	if r.ParentRunID != store.RootRun {
		parent := t.run(r.ParentRunID)
		if parent == nil || parent.Status == store.RunLive && given.ParentRunID != "" {
			return store.ErrConflict
		}
		r.Tainted = r.Tainted || parent.Tainted
	}
	if t == began {
		m.threads = append(m.threads, t)
	}
	t.seq++
	t.Head, r.ThreadTitle = r.ID, ""
	stored := &modelRun{Run: r, thread: t}
	t.runs = append(t.runs, stored)
	if first.Count > 0 {
		stored.append(store.Batch{RunID: r.ID, Epoch: r.Epoch, First: first.First, Count: first.Count, Frames: first.Frames})
	}
	for i, message := range messages {
		if t.message(message.ID) != nil {
			t.seq++ // a store counts the positions before it knows which messages are new
			continue
		}
		t.put(messages[i:i+1], r.ID, m.now())
		if bodies, _, _ := store.Bodies(messages[i : i+1]); stored.FirstUser == nil {
			stored.FirstUser = store.FirstUser(bodies)
		}
	}
	return nil
}

// put appends new messages and replaces known ones.
func (t *modelThread) put(messages []agui.Message, runID string, now time.Time) {
	for _, message := range messages {
		t.seq++
		if known := t.message(message.ID); known != nil {
			known.Message = message
		} else {
			t.messages = append(t.messages,
				&store.StoredMessage{Seq: t.seq, RunID: runID, CreatedAt: now, Message: message})
		}
		if t.UpdatedAt.Before(now) {
			t.UpdatedAt = now
		}
	}
}

func (m *model) SaveMessages(
	_ context.Context, o store.Owner, threadID, runID string, messages []agui.Message,
) error {
	if _, _, err := store.Bodies(messages); err != nil {
		return err
	}
	r, err := m.live(o, runID)
	if known := m.run(o, runID); known == nil || known.ThreadID != threadID {
		return store.ErrNotFound
	}
	if err == nil {
		r.thread.put(messages, runID, m.now())
	}
	return err
}

func (m *model) EndRun(
	_ context.Context, o store.Owner, given store.Run, messages []agui.Message, last store.Batch,
) error {
	_, _, bad := store.Bodies(messages)
	end, err := store.EndedRun(given, m.now())
	if err := cmp.Or(bad, err, store.CheckLast(last)); err != nil {
		return err
	}
	r := m.run(o, end.ID)
	switch {
	case r == nil:
		return store.ErrNotFound
	case end.Epoch != 0 && end.Epoch != r.Epoch:
		return store.ErrFenced
	case r.Status != store.RunLive:
		return store.ErrConflict
	case end.ThreadID != "" && end.ThreadID != r.ThreadID:
		return store.ErrNotFound
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
	r.thread.put(messages, r.ID, m.now())
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
	err := b.Follows(r.last())
	if err == nil {
		r.batches = append(r.batches, b)
		if b.Usage != nil {
			r.Usage = b.Usage
		}
	}
	return err
}

func (m *model) AppendEvents(o store.Owner, b store.Batch, done func(error)) {
	err := store.CheckBatch(b)
	if r := m.run(o, b.RunID); r == nil {
		err = cmp.Or(err, store.ErrNotFound)
	} else if err == nil {
		err = r.append(b)
	}
	done(err)
}

func (m *model) Events(_ context.Context, o store.Owner, runID string, after int64) iter.Seq2[store.Batch, error] {
	return func(yield func(store.Batch, error) bool) {
		r, err := m.shownRun(o, runID)
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
	r, err := m.live(o, runID)
	if err != nil {
		return 0, err
	}
	r.Epoch++
	return r.Epoch, nil
}

func (m *model) TaintRun(_ context.Context, o store.Owner, runID string) error {
	r, err := m.live(o, runID)
	if err == nil {
		r.Tainted = true
	}
	return err
}

func (m *model) PurgeEvents(_ context.Context, before time.Time) (n int, err error) {
	for _, r := range m.runs() {
		if !r.purged && r.Status != store.RunLive && r.EndedAt.UnixMilli() < before.UnixMilli() {
			r.purged, r.batches = true, nil
			n++
		}
	}
	return n, nil
}

func (m *model) Purge(_ context.Context, before time.Time) (purged []store.ThreadKey, err error) {
	m.threads = slices.DeleteFunc(m.threads, func(t *modelThread) bool {
		if t.DeletedAt.IsZero() || t.DeletedAt.UnixMilli() >= before.UnixMilli() || t.isLive() {
			return false
		}
		purged = append(purged, store.ThreadKey{Owner: t.owner, ID: t.ID})
		return true
	})
	return purged, nil
}

func (m *model) Forget(_ context.Context, o store.Owner) error {
	m.threads = slices.DeleteFunc(m.threads, func(t *modelThread) bool { return t.owner == o })
	return nil
}

// alone returns a run as every method but Runs returns it.
func (r *modelRun) alone() store.Run {
	run := r.Run
	run.FirstUser = nil
	return run
}

func (m *model) Run(_ context.Context, o store.Owner, id string) (store.Run, error) {
	r, err := m.shownRun(o, id)
	if err != nil {
		return store.Run{}, err
	}
	return r.alone(), nil
}

func (m *model) LastRun(ctx context.Context, o store.Owner, threadID string) (store.Run, error) {
	t, err := m.shown(o, threadID)
	if err != nil {
		return store.Run{}, err
	}
	return m.Run(ctx, o, t.Head)
}

func (m *model) MessageRun(ctx context.Context, o store.Owner, threadID, messageID string) (store.Run, error) {
	t, err := m.shown(o, threadID)
	if err != nil {
		return store.Run{}, err
	}
	message := t.message(messageID)
	if message == nil {
		return store.Run{}, store.ErrNotFound
	}
	return m.Run(ctx, o, message.RunID)
}

func (m *model) Runs(_ context.Context, o store.Owner, threadID string) (runs []store.Run, err error) {
	t, err := m.shown(o, threadID)
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
	for _, r := range m.runs() {
		if r.Status == store.RunLive {
			live = append(live, store.OwnedRun{Owner: r.thread.owner, Run: r.alone()})
		}
	}
	slices.SortFunc(live, func(a, b store.OwnedRun) int {
		return cmp.Or(a.Run.CreatedAt.Compare(b.Run.CreatedAt), cmp.Compare(a.Owner.Tenant, b.Owner.Tenant),
			cmp.Compare(a.Owner.Subject, b.Owner.Subject), cmp.Compare(a.Run.ID, b.Run.ID))
	})
	return live, nil
}

func (m *model) RecentRuns(_ context.Context, o store.Owner, q store.RunQuery) (found []store.RunSummary, err error) {
	for _, r := range m.runs() {
		s := r.summary()
		if r.thread.owner == o && r.thread.DeletedAt.IsZero() && cmp.Or(q.ThreadID, r.ThreadID) == r.ThreadID &&
			cmp.Or(q.Agent, r.Agent) == r.Agent && s.ChangedAt.UnixMilli() >= q.Since.UnixMilli() {
			found = append(found, s)
		}
	}
	slices.SortFunc(found, func(a, b store.RunSummary) int {
		return cmp.Or(b.ChangedAt.Compare(a.ChangedAt), cmp.Compare(b.ID, a.ID))
	})
	return found[:min(len(found), q.Limit)], nil
}

func (r *modelRun) summary() store.RunSummary {
	s := store.RunSummary{ID: r.ID, ThreadID: r.ThreadID, Status: r.Status, ChangedAt: r.CreatedAt}
	if r.Status != store.RunLive {
		s.ChangedAt = r.EndedAt
	}
	s.Waits = r.Status == store.RunFinished && (len(r.Pending) > 0 || r.Interrupts != nil)
	if !s.Waits {
		return s
	}
	var passedAt time.Time
	for _, next := range r.thread.runs {
		if next.ParentRunID == r.ID && (!s.Passed || next.CreatedAt.Before(passedAt)) {
			s.Passed, passedAt = true, next.CreatedAt
		}
	}
	if passedAt.After(s.ChangedAt) {
		s.ChangedAt = passedAt
	}
	return s
}

func (m *model) Thread(_ context.Context, o store.Owner, id string) (store.Thread, error) {
	if t := m.thread(o, id); t != nil {
		return t.Thread, nil
	}
	return store.Thread{}, store.ErrNotFound
}

func (m *model) Threads(
	_ context.Context, o store.Owner, q store.ThreadQuery,
) (page store.Page[store.FoundThread], err error) {
	from, err := q.From()
	if err != nil {
		return page, err
	}
	for _, t := range m.threads {
		listed := t.owner == o && t.DeletedAt.IsZero() && t.Archived == q.Archived
		if q.Deleted {
			listed = t.owner == o && !t.DeletedAt.IsZero()
		}
		if !listed || from != nil && !q.PositionOf(t.Thread).After(*from) {
			continue
		}
		if snippet, found := t.find(q.Text); found {
			page.Items = append(page.Items, store.FoundThread{Thread: t.Thread, Snippet: snippet})
		}
	}
	slices.SortFunc(page.Items, func(a, b store.FoundThread) int {
		if q.PositionOf(b.Thread).After(q.PositionOf(a.Thread)) {
			return -1
		}
		return 1
	})
	if n := store.PageSize(q.Limit); len(page.Items) > n {
		page.Items = page.Items[:n]
		page.Next = q.PositionOf(page.Items[n-1].Thread).Cursor()
	}
	return page, nil
}

// find returns a snippet of the newest message that has all the words of the text, if a message or
// the title has.
func (t *modelThread) find(text string) (snippet string, found bool) {
	terms := store.ParseTerms(text)
	if len(terms) == 0 {
		return "", text == ""
	}
	for _, stored := range slices.Backward(t.messages) {
		if text := store.SearchText(stored.Message); terms.In(text) {
			return terms.Snippet(text), true
		}
	}
	return "", terms.In(t.Title)
}

func (m *model) UpdateThread(
	_ context.Context, o store.Owner, threadID string, change store.ThreadChange,
) (store.Thread, error) {
	t := m.thread(o, threadID)
	if err := store.CheckChange(change); err != nil {
		return store.Thread{}, err
	}
	if t == nil {
		return store.Thread{}, store.ErrNotFound
	}
	if change.Head != nil && (t.run(*change.Head) == nil || t.isLive()) {
		return store.Thread{}, store.ErrConflict
	}
	t.Thread = change.Apply(t.Thread, m.now())
	return t.Thread, nil
}

// branch returns the messages of the branch that ends with a run.
func (t *modelThread) branch(at string) (messages []*store.StoredMessage, err error) {
	on := map[string]bool{}
	for at != store.RootRun {
		r := t.run(at)
		if r == nil {
			return nil, store.ErrNotFound
		}
		on[at] = true
		at = r.ParentRunID
	}
	for _, m := range t.messages {
		if on[m.RunID] {
			messages = append(messages, m)
		}
	}
	return messages, nil
}

func (m *model) Transcript(
	_ context.Context, o store.Owner, threadID, at string,
) (messages []agui.Message, err error) {
	t, err := m.shown(o, threadID)
	if err != nil {
		return nil, err
	}
	branch, err := t.branch(cmp.Or(at, t.Head))
	for _, stored := range branch {
		messages = append(messages, stored.Message)
	}
	return messages, err
}

func (m *model) Messages(
	_ context.Context, o store.Owner, threadID string, before int64, limit int,
) (page store.Page[store.StoredMessage], err error) {
	t, err := m.shown(o, threadID)
	if err != nil {
		return page, err
	}
	branch, err := t.branch(t.Head)
	for _, stored := range slices.Backward(branch) {
		if before > 0 && stored.Seq >= before {
			continue
		}
		if len(page.Items) == store.PageSize(limit) {
			page.Next = store.BeforeCursor(page.Items[len(page.Items)-1].Seq)
			break
		}
		page.Items = append(page.Items, *stored)
	}
	slices.Reverse(page.Items)
	return page, err
}

func (m *model) HasMessages(
	_ context.Context, o store.Owner, threadID string, ids []string,
) (map[string]bool, error) {
	t, err := m.shown(o, threadID)
	if err != nil {
		return nil, err
	}
	has := map[string]bool{}
	for _, id := range ids {
		if t.message(id) != nil {
			has[id] = true
		}
	}
	return has, nil
}
