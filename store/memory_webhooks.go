package store

import (
	"bytes"
	"cmp"
	"context"
	"slices"
	"time"
)

// PutWebhook implements Store.
func (m *Memory) PutWebhook(ctx context.Context, o Owner, w Webhook) error {
	return m.write(ctx, "put webhook", w.ID, o, nil, func(own *ownerData, _ []Body, now time.Time) error {
		w, err := NewWebhook(w, now)
		if err != nil {
			return err
		}
		t, err := own.threadOf(w.RunID)
		if err != nil {
			return err
		}
		w.ThreadID = t.ID
		if i := t.webhook(w.RunID, w.ID); i >= 0 {
			t.webhooks[i] = w
		} else {
			t.webhooks = append(t.webhooks, w)
		}
		return nil
	})
}

// threadOf returns the thread of a run, unless it is deleted.
func (own *ownerData) threadOf(runID string) (*memThread, error) {
	r := own.runs[runID]
	if r == nil {
		return nil, ErrNotFound
	}
	return own.thread(r.ThreadID)
}

func (t *memThread) webhook(runID, id string) int {
	return slices.IndexFunc(t.webhooks, func(w Webhook) bool { return w.RunID == runID && w.ID == id })
}

// Webhooks implements Store.
func (m *Memory) Webhooks(ctx context.Context, o Owner, runID string) (all []Webhook, err error) {
	err = m.read(ctx, "webhooks of run", runID, o, func(own *ownerData) error {
		t, err := own.threadOf(runID)
		if err != nil {
			return nil
		}
		for _, w := range t.webhooks {
			if w.RunID == runID {
				w.Config = bytes.Clone(w.Config)
				all = append(all, w)
			}
		}
		sortWebhooks(all)
		return nil
	})
	return all, err
}

func sortWebhooks(all []Webhook) {
	slices.SortFunc(all, func(a, b Webhook) int { return cmp.Or(a.CreatedAt.Compare(b.CreatedAt), cmp.Compare(a.ID, b.ID)) })
}

// TellWebhook implements Store.
func (m *Memory) TellWebhook(ctx context.Context, o Owner, runID, id, told string, done bool) error {
	return m.changeWebhook(ctx, "tell webhook", o, runID, id, func(t *memThread, i int) error {
		if err := CheckText("what a webhook was told", told); err != nil {
			return err
		}
		t.webhooks[i].Told, t.webhooks[i].Done = told, done
		return nil
	})
}

// DeleteWebhook implements Store.
func (m *Memory) DeleteWebhook(ctx context.Context, o Owner, runID, id string) error {
	return m.changeWebhook(ctx, "delete webhook", o, runID, id, func(t *memThread, i int) error {
		t.webhooks = slices.Delete(t.webhooks, i, i+1)
		return nil
	})
}

func (m *Memory) changeWebhook(ctx context.Context, doing string, o Owner, runID, id string, do func(*memThread, int) error) error {
	return m.write(ctx, doing, id, o, nil, func(own *ownerData, _ []Body, _ time.Time) error {
		t, err := own.threadOf(runID)
		if err != nil {
			return err
		}
		if i := t.webhook(runID, id); i >= 0 {
			return do(t, i)
		}
		return ErrNotFound
	})
}

// OpenWebhooks implements Store.
func (m *Memory) OpenWebhooks(ctx context.Context) (all []OwnedWebhook, err error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	m.mu.RLock()
	defer m.mu.RUnlock()
	if m.closed {
		return nil, ErrClosed
	}
	for o, own := range m.owners {
		for _, t := range own.threads {
			for _, w := range t.webhooks {
				if !w.Done && t.DeletedAt.IsZero() {
					w.Config = bytes.Clone(w.Config)
					all = append(all, OwnedWebhook{o, w})
				}
			}
		}
	}
	return all, nil
}
