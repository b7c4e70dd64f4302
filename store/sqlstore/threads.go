package sqlstore

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/pageside/pageside/store"
)

// SetTitle implements store.Store.
func (s *Store) SetTitle(ctx context.Context, o store.Owner, threadID, title string) error {
	const doing = "set title of thread"
	if err := cmp.Or(o.Check(), store.CheckText("title", title)); err != nil {
		return explain(doing, threadID, err)
	}
	return s.write(ctx, doing, threadID, func(t *txn) error {
		n, err := t.exec(setTitle, o.Tenant, o.Subject, threadID, title)
		if err == nil && n == 0 {
			err = store.ErrNotFound
		}
		return err
	})
}

// Thread implements store.Store.
func (s *Store) Thread(ctx context.Context, o store.Owner, id string) (store.Thread, error) {
	thread, err := s.thread(ctx, o, id)
	return thread, explain("thread", id, err)
}

func (s *Store) thread(ctx context.Context, o store.Owner, id string) (store.Thread, error) {
	threads, err := s.listThreads(ctx, selectThread, o.Tenant, o.Subject, id)
	if err != nil {
		return store.Thread{}, err
	}
	if len(threads) == 0 {
		return store.Thread{}, store.ErrNotFound
	}
	return threads[0], nil
}

// Threads implements store.Store.
func (s *Store) Threads(ctx context.Context, o store.Owner, cursor string, limit int) (store.Page[store.Thread], error) {
	page, err := s.threads(ctx, o, cursor, store.PageSize(limit))
	return page, explain("threads of", o.Subject, err)
}

func (s *Store) threads(ctx context.Context, o store.Owner, cursor string, limit int) (page store.Page[store.Thread], err error) {
	// One more than asked for tells whether there is another page.
	query, args := selectThreads, []any{o.Tenant, o.Subject, limit + 1}
	if cursor != "" {
		from, err := store.ParseCursor(cursor)
		if err != nil {
			return page, err
		}
		query, args = selectThreadsAfter, append(args, from.UpdatedAt.UnixMilli(), from.ID)
	}
	if page.Items, err = s.listThreads(ctx, query, args...); err != nil {
		return page, err
	}
	if len(page.Items) > limit {
		page.Items = slices.Clip(page.Items[:limit])
		page.Next = store.PositionOf(page.Items[limit-1]).Cursor()
	}
	return page, nil
}

func (s *Store) listThreads(ctx context.Context, query string, args ...any) ([]store.Thread, error) {
	var threads []store.Thread
	err := s.reading.each(ctx, query, args, func(r row) error {
		var t store.Thread
		var created, updated int64
		err := r.Scan(&t.ID, &t.Title, &t.Agent, &t.Archived, &created, &updated)
		t.CreatedAt, t.UpdatedAt = store.FromMillis(created), store.FromMillis(updated)
		threads = append(threads, t)
		return err
	})
	return threads, err
}

// write has do carried out by the writer. The error says what was being done, and to which id.
func (s *Store) write(ctx context.Context, doing, id string, do func(*txn) error) error {
	return explain(doing, id, s.writing.submit(ctx, do))
}

func explain(doing, id string, err error) error {
	if err == nil || errors.Is(err, store.ErrClosed) {
		return err
	}
	return fmt.Errorf("store: %s %q: %w", doing, id, err)
}
