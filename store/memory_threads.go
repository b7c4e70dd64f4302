package store

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/pageside/pageside/agui"
)

// Thread implements Store.
func (m *Memory) Thread(ctx context.Context, o Owner, id string) (thread Thread, err error) {
	err = m.read(ctx, "thread", id, o, func(own *ownerData) error {
		t := own.threads[id]
		if t == nil {
			return ErrNotFound
		}
		thread = t.Thread
		return nil
	})
	return thread, err
}

// Threads implements Store.
func (m *Memory) Threads(ctx context.Context, o Owner, q ThreadQuery) (page Page[FoundThread], err error) {
	err = m.read(ctx, "threads of", o.Subject, o, func(own *ownerData) error {
		from, err := q.From()
		if err != nil {
			return err
		}
		search := newSearch(q.Text)
		var found []FoundThread
		for _, t := range own.threads {
			if !q.Selects(t.Thread) || from != nil && !q.PositionOf(t.Thread).After(*from) {
				continue
			}
			if snippet, ok := search.in(t); ok {
				found = append(found, FoundThread{t.Thread, snippet})
			}
		}
		page = q.page(found, PageSize(q.Limit))
		return nil
	})
	return page, err
}

// Selects reports whether t matches the query's filters.
func (q ThreadQuery) Selects(t Thread) bool {
	if q.Deleted {
		return !t.DeletedAt.IsZero()
	}
	return t.DeletedAt.IsZero() && t.Archived == q.Archived
}

// page returns the first n of the threads, in the query's order, as a page.
func (q ThreadQuery) page(threads []FoundThread, n int) (page Page[FoundThread]) {
	slices.SortFunc(threads, func(a, b FoundThread) int {
		if q.PositionOf(b.Thread).After(q.PositionOf(a.Thread)) {
			return -1
		}
		return 1
	})
	page.Items = threads
	if len(threads) > n {
		page.Items = slices.Clip(threads[:n])
		page.Next = q.PositionOf(threads[n-1].Thread).Cursor()
	}
	return page
}

// search is the text of a query.
type search struct {
	asked bool
	terms Terms
}

func newSearch(text string) search { return search{text != "", ParseTerms(text)} }

// in reports whether the title or a message of the thread has all the terms, and returns a snippet.
func (s search) in(t *memThread) (snippet string, ok bool) {
	if !s.asked {
		return "", true
	}
	if len(s.terms) == 0 {
		return "", false
	}
	for _, stored := range slices.Backward(t.messages) {
		message, err := agui.ReadStoredMessage([]byte(stored.body))
		if err != nil {
			continue
		}
		if text := SearchText(message); s.terms.In(text) {
			return s.terms.Snippet(text), true
		}
	}
	return "", s.terms.In(t.Title)
}

// UpdateThread implements Store.
func (m *Memory) UpdateThread(ctx context.Context, o Owner, threadID string, change ThreadChange) (thread Thread, err error) {
	err = m.write(ctx, "update thread", threadID, o, nil, func(own *ownerData, _ []Body, now time.Time) error {
		if err := CheckChange(change); err != nil {
			return err
		}
		t := own.threads[threadID]
		if t == nil {
			return ErrNotFound
		}
		if change.Head != nil {
			if r := own.runs[*change.Head]; r == nil || r.ThreadID != threadID || t.live() {
				return ErrConflict
			}
		}
		t.Thread = change.Apply(t.Thread, now)
		thread = t.Thread
		return nil
	})
	return thread, err
}

// Apply returns the changed thread. Deleting a deleted thread keeps its DeletedAt.
func (c ThreadChange) Apply(t Thread, now time.Time) Thread {
	if c.Title != nil {
		t.Title = *c.Title
	}
	if c.Archived != nil {
		t.Archived = *c.Archived
	}
	if c.Pinned != nil {
		t.Pinned = *c.Pinned
	}
	if c.Head != nil {
		t.Head = *c.Head
	}
	switch {
	case c.Deleted == nil:
	case !*c.Deleted:
		t.DeletedAt = time.Time{}
	case t.DeletedAt.IsZero():
		t.DeletedAt = now
	}
	return t
}

// live reports whether the thread has a live run.
func (t *memThread) live() bool {
	return slices.ContainsFunc(t.runs, func(r *memRun) bool { return r.Status == RunLive })
}

// parent returns the run that a new run continues, given the request's ParentRunID. t is nil for a
// new thread.
func (own *ownerData) parent(t *memThread, given string) (string, error) {
	switch {
	case given == RootRun:
		return RootRun, nil
	case given == "" && t == nil:
		return RootRun, nil
	case given == "":
		return cmp.Or(t.Head, RootRun), nil
	case t == nil:
		return "", ErrConflict
	}
	r := own.runs[given]
	if r == nil || r.ThreadID != t.ID || r.Status == RunLive {
		return "", ErrConflict
	}
	return given, nil
}

// branch returns the runs of the branch that ends with run at.
func (t *memThread) branch(at string) (map[string]bool, error) {
	parents := make(map[string]string, len(t.runs))
	for _, r := range t.runs {
		parents[r.ID] = r.ParentRunID
	}
	onBranch := map[string]bool{}
	for at != RootRun {
		parent, ok := parents[at]
		if !ok {
			return nil, ErrNotFound
		}
		onBranch[at] = true
		at = parent
	}
	return onBranch, nil
}

// LastRun implements Store.
func (m *Memory) LastRun(ctx context.Context, o Owner, threadID string) (run Run, err error) {
	err = m.read(ctx, "last run of thread", threadID, o, func(own *ownerData) error {
		t, err := own.thread(threadID)
		if err != nil {
			return err
		}
		run = own.runs[t.Head].clone() // every thread has a run
		return nil
	})
	return run, err
}

// Runs implements Store.
func (m *Memory) Runs(ctx context.Context, o Owner, threadID string) (runs []Run, err error) {
	err = m.readThread(ctx, o, threadID, func(t *memThread) error {
		for _, r := range t.runs {
			run := r.clone()
			run.StartState, run.State = nil, nil
			if r.FirstUser != nil {
				first := *r.FirstUser
				run.FirstUser = &first
			}
			runs = append(runs, run)
		}
		return nil
	})
	return runs, err
}

// Transcript implements Store.
func (m *Memory) Transcript(ctx context.Context, o Owner, threadID, at string) (messages []agui.Message, err error) {
	err = m.readThread(ctx, o, threadID, func(t *memThread) error {
		onBranch, err := t.branch(cmp.Or(at, t.Head))
		if err != nil {
			return err
		}
		messages = []agui.Message{}
		for _, stored := range t.messages {
			if !onBranch[stored.runID] {
				continue
			}
			message, err := agui.UnmarshalMessage([]byte(stored.body))
			if err != nil {
				return err
			}
			messages = append(messages, message)
		}
		return nil
	})
	return messages, err
}

// MessageRun implements Store.
func (m *Memory) MessageRun(ctx context.Context, o Owner, threadID, messageID string) (run Run, err error) {
	err = m.read(ctx, "run of message", messageID, o, func(own *ownerData) error {
		_, stored, err := own.message(threadID, messageID)
		if err == nil {
			run = own.runs[stored.runID].clone()
		}
		return err
	})
	return run, err
}

// HasMessages implements Store.
func (m *Memory) HasMessages(ctx context.Context, o Owner, threadID string, ids []string) (has map[string]bool, err error) {
	err = m.readThread(ctx, o, threadID, func(t *memThread) error {
		has = make(map[string]bool, len(ids))
		for _, id := range ids {
			if _, ok := t.index[id]; ok {
				has[id] = true
			}
		}
		return nil
	})
	return has, err
}

// message finds a message of a thread that is not deleted.
func (own *ownerData) message(threadID, messageID string) (*memThread, *memMessage, error) {
	t, err := own.thread(threadID)
	if err != nil {
		return nil, nil, err
	}
	i, ok := t.index[messageID]
	if !ok {
		return nil, nil, ErrNotFound
	}
	return t, &t.messages[i], nil
}

// Messages implements Store.
func (m *Memory) Messages(ctx context.Context, o Owner, threadID string, before int64, limit int) (page Page[StoredMessage], err error) {
	err = m.readThread(ctx, o, threadID, func(t *memThread) error {
		onBranch, err := t.branch(t.Head)
		if err != nil {
			return err
		}
		for _, stored := range slices.Backward(t.messages) {
			if !onBranch[stored.runID] || before > 0 && stored.seq >= before {
				continue
			}
			if len(page.Items) == PageSize(limit) {
				page.Next = BeforeCursor(page.Items[len(page.Items)-1].Seq)
				break
			}
			item, err := stored.read()
			if err != nil {
				return err
			}
			page.Items = append(page.Items, item)
		}
		slices.Reverse(page.Items)
		return nil
	})
	return page, err
}

func (s *memMessage) read() (StoredMessage, error) {
	message, err := agui.UnmarshalMessage([]byte(s.body))
	item := StoredMessage{Seq: s.seq, RunID: s.runID, CreatedAt: s.created, Message: message}
	if s.feedback != nil {
		feedback := *s.feedback
		item.Feedback = &feedback
	}
	return item, err
}

// SetFeedback implements Store.
func (m *Memory) SetFeedback(ctx context.Context, o Owner, threadID string, f Feedback) error {
	return m.write(ctx, "set feedback on message", f.MessageID, o, nil, func(own *ownerData, _ []Body, now time.Time) error {
		feedback, err := NewFeedback(f, now)
		if err != nil {
			return err
		}
		_, message, err := own.message(threadID, f.MessageID)
		if err == nil {
			message.feedback = feedback
		}
		return err
	})
}

// SetMessageMetadata implements Store.
func (m *Memory) SetMessageMetadata(ctx context.Context, o Owner, threadID, messageID string, change func(agui.Message) (json.RawMessage, error)) error {
	return m.write(ctx, "set metadata of message", messageID, o, nil, func(own *ownerData, _ []Body, _ time.Time) error {
		_, stored, err := own.message(threadID, messageID)
		if err != nil {
			return err
		}
		message, err := agui.UnmarshalMessage([]byte(stored.body))
		if err != nil {
			return err
		}
		body, err := WithMetadata(message, change)
		if err == nil {
			stored.body = body.JSON
		}
		return err
	})
}

func explain(what, id string, err error) error {
	switch {
	case err == nil, err == ErrClosed:
		return err
	case id == "":
		return fmt.Errorf("store: %s: %w", what, err)
	}
	return fmt.Errorf("store: %s %q: %w", what, id, err)
}
