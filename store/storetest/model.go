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
	asked   *store.UserMessage // what Runs returns as FirstUser
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

// of returns what is read of something, or ErrNotFound if it is nil.
func of[T, V any](something *T, read func(*T) V) (v V, err error) {
	if something == nil {
		return v, store.ErrNotFound
	}
	return read(something), nil
}

// thread returns a thread, deleted or not, or nil.
func (m *model) thread(o store.Owner, id string) *modelThread {
	return first(m.threads, func(t *modelThread) bool { return t.owner == o && t.ID == id })
}

// shown returns a thread that is not deleted, or nil.
func (m *model) shown(o store.Owner, id string) *modelThread {
	if t := m.thread(o, id); t != nil && t.DeletedAt.IsZero() {
		return t
	}
	return nil
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

// shownRun returns a run whose thread is not deleted, or nil.
func (m *model) shownRun(o store.Owner, id string) *modelRun {
	if r := m.run(o, id); r != nil && r.thread.DeletedAt.IsZero() {
		return r
	}
	return nil
}

// live returns a run that has not ended.
func (m *model) live(o store.Owner, id string) (*modelRun, error) {
	r := m.run(o, id)
	switch {
	case r == nil:
		return nil, store.ErrNotFound
	case r.Status != store.RunLive:
		return nil, store.ErrConflict
	}
	return r, nil
}

// message returns a message of any branch, or nil.
func (t *modelThread) message(id string) *store.StoredMessage {
	if t == nil {
		return nil
	}
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
	now := m.now()
	r, err := store.NewRun(given, now)
	_, _, bad := store.Bodies(messages)
	if err := cmp.Or(bad, err, store.CheckFirst(first)); err != nil {
		return err
	}
	t := m.thread(o, r.ThreadID)
	if m.run(o, r.ID) != nil || t != nil && !t.DeletedAt.IsZero() {
		return store.ErrConflict
	}
	began := &modelThread{owner: o, Thread: store.Thread{
		ID: r.ThreadID, Title: r.ThreadTitle, Agent: r.Agent, Head: store.RootRun, CreatedAt: now, UpdatedAt: now,
	}}
	t = cmp.Or(t, began)
	if r.ParentRunID = cmp.Or(r.ParentRunID, t.Head); r.ParentRunID != store.RootRun {
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
	added, _, _ := store.Bodies(t.put(messages, r.ID, now, false))
	stored.asked = store.FirstUser(added)
	return stored.append(store.Batch{Epoch: r.Epoch, RunID: r.ID, First: 1, Count: first.Count, Frames: first.Frames})
}

// put appends new messages, and replaces known ones if they are to be replaced. It returns those
// that it has stored.
func (t *modelThread) put(messages []agui.Message, runID string, now time.Time, replace bool) (put []agui.Message) {
	for _, message := range messages {
		t.seq++ // a store counts the positions before it knows which messages are new
		known := t.message(message.ID)
		switch {
		case known == nil:
			t.messages = append(t.messages,
				&store.StoredMessage{Seq: t.seq, RunID: runID, CreatedAt: now, Message: message})
		case replace:
			known.Message = message
		default:
			continue
		}
		if put = append(put, message); t.UpdatedAt.Before(now) {
			t.UpdatedAt = now
		}
	}
	return put
}

func (m *model) SaveMessages(
	_ context.Context, o store.Owner, threadID, runID string, messages []agui.Message,
) error {
	if _, _, err := store.Bodies(messages); err != nil {
		return err
	}
	if known := m.run(o, runID); known == nil || known.ThreadID != threadID {
		return store.ErrNotFound
	}
	r, err := m.live(o, runID)
	if err == nil {
		r.thread.put(messages, runID, m.now(), true)
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
	last.RunID, last.Epoch = r.ID, r.Epoch
	if err := r.append(last); err != nil {
		return err
	}
	r.Status, r.Pending, r.Error, r.Usage, r.Interrupts = end.Status, end.Pending, end.Error, end.Usage, end.Interrupts
	if end.State != nil {
		r.State = end.State
	}
	r.LastSeq, r.EndedAt, r.Input = cmp.Or(end.LastSeq, r.last()), end.EndedAt, nil
	r.thread.put(messages, r.ID, m.now(), true)
	return nil
}

// last returns the number of the last event in the log.
func (r *modelRun) last() int64 {
	if len(r.batches) == 0 {
		return 0
	}
	return r.batches[len(r.batches)-1].Last()
}

// append adds a batch to the log, unless it is empty.
func (r *modelRun) append(b store.Batch) error {
	switch {
	case b.Count == 0:
		return nil
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
		r := m.shownRun(o, runID)
		switch {
		case r == nil:
			yield(store.Batch{}, store.ErrNotFound)
			return
		case r.purged && after < r.LastSeq:
			yield(store.Batch{}, store.ErrGone)
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

func (r *modelRun) whole() store.Run { return r.Run }

func (m *model) Run(_ context.Context, o store.Owner, id string) (store.Run, error) {
	return of(m.shownRun(o, id), (*modelRun).whole)
}

func (m *model) LastRun(_ context.Context, o store.Owner, threadID string) (store.Run, error) {
	return of(m.shown(o, threadID), func(t *modelThread) store.Run { return t.run(t.Head).Run })
}

func (m *model) MessageRun(_ context.Context, o store.Owner, threadID, messageID string) (store.Run, error) {
	t := m.shown(o, threadID)
	return of(t.message(messageID), func(found *store.StoredMessage) store.Run { return t.run(found.RunID).Run })
}

func (m *model) Runs(_ context.Context, o store.Owner, threadID string) ([]store.Run, error) {
	return of(m.shown(o, threadID), func(t *modelThread) (runs []store.Run) {
		for _, r := range t.runs {
			run := r.Run
			run.FirstUser, run.StartState, run.State = r.asked, nil, nil
			runs = append(runs, run)
		}
		return runs
	})
}

func (m *model) LiveRuns(context.Context) (live []store.OwnedRun, err error) {
	for _, r := range m.runs() {
		if r.Status == store.RunLive {
			live = append(live, store.OwnedRun{Owner: r.thread.owner, Run: r.Run})
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
	var passed time.Time // by the first that continues it
	for _, next := range r.thread.runs {
		if s.Waits && next.ParentRunID == r.ID && (passed.IsZero() || next.CreatedAt.Before(passed)) {
			passed = next.CreatedAt
		}
	}
	if s.Passed = !passed.IsZero(); passed.After(s.ChangedAt) {
		s.ChangedAt = passed
	}
	return s
}

func (m *model) Thread(_ context.Context, o store.Owner, id string) (store.Thread, error) {
	return of(m.thread(o, id), func(t *modelThread) store.Thread { return t.Thread })
}

func (m *model) Threads(
	_ context.Context, o store.Owner, q store.ThreadQuery,
) (page store.Page[store.FoundThread], err error) {
	from, err := q.From()
	if err != nil {
		return page, err
	}
	for _, t := range m.threads {
		deleted := !t.DeletedAt.IsZero()
		if t.owner != o || deleted != q.Deleted || !deleted && t.Archived != q.Archived ||
			from != nil && !q.PositionOf(t.Thread).After(*from) {
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
	if err := store.CheckChange(change); err != nil {
		return store.Thread{}, err
	}
	t := m.thread(o, threadID)
	if t != nil && change.Head != nil && (t.run(*change.Head) == nil || t.isLive()) {
		return store.Thread{}, store.ErrConflict
	}
	return of(t, func(t *modelThread) store.Thread {
		t.Thread = change.Apply(t.Thread, m.now())
		return t.Thread
	})
}

// branch returns the messages of the branch that ends with a run ("": the head).
func (t *modelThread) branch(at string) (messages []*store.StoredMessage, err error) {
	if t == nil {
		return nil, store.ErrNotFound
	}
	on := map[string]bool{}
	for at = cmp.Or(at, t.Head); at != store.RootRun; at = t.run(at).ParentRunID {
		if t.run(at) == nil {
			return nil, store.ErrNotFound
		}
		on[at] = true
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
	branch, err := m.shown(o, threadID).branch(at)
	for _, stored := range branch {
		messages = append(messages, stored.Message)
	}
	return messages, err
}

func (m *model) Messages(
	_ context.Context, o store.Owner, threadID string, before int64, limit int,
) (page store.Page[store.StoredMessage], err error) {
	branch, err := m.shown(o, threadID).branch("")
	for _, stored := range branch {
		if before <= 0 || stored.Seq < before {
			page.Items = append(page.Items, *stored)
		}
	}
	if more := len(page.Items) - store.PageSize(limit); more > 0 {
		page.Items = page.Items[more:]
		page.Next = store.BeforeCursor(page.Items[0].Seq)
	}
	return page, err
}

func (m *model) HasMessages(
	_ context.Context, o store.Owner, threadID string, ids []string,
) (map[string]bool, error) {
	return of(m.shown(o, threadID), func(t *modelThread) map[string]bool {
		has := map[string]bool{}
		for _, id := range ids {
			if t.message(id) != nil {
				has[id] = true
			}
		}
		return has
	})
}
