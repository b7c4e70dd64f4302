package storetest

import (
	"cmp"
	"context"
	"encoding/json"
	"slices"

	"github.com/pageside/pageside/agui"
	"github.com/pageside/pageside/store"
)

func (m *model) Thread(_ context.Context, o store.Owner, id string) (store.Thread, error) {
	t := m.of(o).threads[id]
	if t == nil {
		return store.Thread{}, store.ErrNotFound
	}
	return t.Thread, nil
}

func (m *model) Threads(_ context.Context, o store.Owner, q store.ThreadQuery) (page store.Page[store.FoundThread], err error) {
	from, err := q.From()
	if err != nil {
		return page, err
	}
	for _, t := range m.of(o).threads {
		listed := t.DeletedAt.IsZero() && t.Archived == q.Archived
		if q.Deleted {
			listed = !t.DeletedAt.IsZero()
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

func (m *model) UpdateThread(_ context.Context, o store.Owner, threadID string, change store.ThreadChange) (store.Thread, error) {
	t := m.of(o).threads[threadID]
	if err := store.CheckChange(change); err != nil {
		return store.Thread{}, err
	}
	if t == nil {
		return store.Thread{}, store.ErrNotFound
	}
	if change.Head != nil {
		if r := m.of(o).runs[*change.Head]; r == nil || r.ThreadID != threadID || t.live() {
			return store.Thread{}, store.ErrConflict
		}
	}
	t.Thread = change.Apply(t.Thread, m.now())
	return t.Thread, nil
}

// branch returns the messages of the branch that ends with a run.
func (t *modelThread) branch(at string) (messages []*store.StoredMessage, err error) {
	on := map[string]bool{}
	for at != store.RootRun {
		i := slices.IndexFunc(t.runs, func(r *modelRun) bool { return r.ID == at })
		if i < 0 {
			return nil, store.ErrNotFound
		}
		on[at] = true
		at = t.runs[i].ParentRunID
	}
	for _, m := range t.messages {
		if on[m.RunID] {
			messages = append(messages, m)
		}
	}
	return messages, nil
}

func (m *model) Transcript(_ context.Context, o store.Owner, threadID, at string) (messages []agui.Message, err error) {
	t, err := m.of(o).thread(threadID)
	if err != nil {
		return nil, err
	}
	branch, err := t.branch(cmp.Or(at, t.Head))
	for _, stored := range branch {
		messages = append(messages, stored.Message)
	}
	return messages, err
}

func (m *model) Messages(_ context.Context, o store.Owner, threadID string, before int64, limit int) (page store.Page[store.StoredMessage], err error) {
	t, err := m.of(o).thread(threadID)
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

func (m *model) HasMessages(_ context.Context, o store.Owner, threadID string, ids []string) (map[string]bool, error) {
	t, err := m.of(o).thread(threadID)
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

func (m *model) SetFeedback(_ context.Context, o store.Owner, threadID string, f store.Feedback) error {
	feedback, bad := store.NewFeedback(f, m.now())
	message, err := m.of(o).message(threadID, f.MessageID)
	if err = cmp.Or(bad, err); err == nil {
		message.Feedback = feedback
	}
	return err
}

func (m *model) SetMessageMetadata(_ context.Context, o store.Owner, threadID, messageID string, change func(agui.Message) (json.RawMessage, error)) error {
	stored, err := m.of(o).message(threadID, messageID)
	if err != nil {
		return err
	}
	if _, err := store.WithMetadata(stored.Message, change); err != nil {
		return err
	}
	stored.Message.Metadata, err = change(stored.Message)
	return err
}

func (m *model) PutInstructions(_ context.Context, o store.Owner, in store.Instructions) error {
	key := [3]string{o.Tenant, in.Kind, in.ID}
	if in.Text == "" {
		delete(m.instructions, key)
		return nil
	}
	in.UpdatedAt, in.UpdatedBy = m.now(), o.Subject
	m.instructions[key] = in
	return nil
}

func (m *model) Instructions(_ context.Context, o store.Owner, kind, id string) (store.Instructions, error) {
	in, ok := m.instructions[[3]string{o.Tenant, kind, id}]
	if !ok {
		return in, store.ErrNotFound
	}
	return in, nil
}

func (m *model) Holdings(_ context.Context, o store.Owner) (h store.Holdings, err error) {
	own := m.of(o)
	h.Threads, h.Runs = len(own.threads), len(own.runs)
	for _, r := range own.runs {
		h.ToolCalls += len(r.calls)
	}
	for _, t := range own.threads {
		for _, message := range t.messages {
			if message.Feedback != nil {
				h.Feedback++
			}
		}
	}
	return h, nil
}

func (m *model) Forget(_ context.Context, o store.Owner) error {
	delete(m.owners, o)
	for key, in := range m.instructions {
		if key[0] == o.Tenant && in.UpdatedBy == o.Subject {
			in.UpdatedBy = ""
			m.instructions[key] = in
		}
	}
	return nil
}
