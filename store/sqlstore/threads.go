package sqlstore

import (
	"cmp"
	"context"
	"database/sql"
	"errors"

	"github.com/pageside/pageside/store"
)

// Thread implements store.Store.
func (s *threadStore) Thread(ctx context.Context, o store.Owner, id string) (thread store.Thread, err error) {
	err = s.reading.with(ctx, func(c *conn) error {
		thread, err = threadIn(c, o, id)
		return err
	})
	return thread, explain("thread", id, err)
}

func threadIn(c *conn, o store.Owner, id string) (thread store.Thread, err error) {
	err = c.some(selectThread, []any{o.Tenant, o.Subject, id}, func(r row) error {
		return scanThread(r, &thread)
	})
	return thread, err
}

// scanThread reads threadColumns, then more columns.
func scanThread(r row, t *store.Thread, more ...any) error {
	var created, updated int64
	var deleted sql.NullInt64
	err := r.Scan(append([]any{
		&t.ID, &t.Title, &t.Agent, &t.Archived, &t.Pinned, &t.Head, &created, &updated, &deleted,
	}, more...)...)
	t.CreatedAt, t.UpdatedAt = store.FromMillis(created), store.FromMillis(updated)
	if deleted.Valid {
		t.DeletedAt = store.FromMillis(deleted.Int64)
	}
	return err
}

// Threads implements store.Store.
func (s *threadStore) Threads(
	ctx context.Context, o store.Owner, q store.ThreadQuery,
) (store.Page[store.FoundThread], error) {
	page, err := s.list(ctx, o, q)
	if err != nil {
		return store.Page[store.FoundThread]{}, explain("threads of", o.Subject, err)
	}
	return page, nil
}

func (s *threadStore) list(
	ctx context.Context, o store.Owner, q store.ThreadQuery,
) (page store.Page[store.FoundThread], err error) {
	from, err := q.From()
	if err != nil {
		return page, err
	}
	var hits []hit
	l := listing{owner: o, query: q, terms: store.ParseTerms(q.Text), from: from, limit: store.PageSize(q.Limit)}
	if q.Text != "" && len(l.terms) == 0 {
		return page, nil // a text without words finds nothing
	}
	if q.Text != "" {
		hits, err = s.search(ctx, &l)
	} else {
		err = s.reading.view(ctx, func(c *conn) error {
			hits, err = l.read(c)
			return err
		})
	}
	for _, h := range hits[:min(len(hits), l.limit)] {
		page.Items = append(page.Items, h.FoundThread)
	}
	if len(hits) > l.limit {
		page.Next = q.PositionOf(page.Items[l.limit-1].Thread).Cursor()
	}
	return page, err
}

// listing is a request for a page of threads.
type listing struct {
	owner store.Owner
	query store.ThreadQuery
	terms store.Terms
	from  *store.ThreadPosition // nil means the top
	limit int
}

// hit is a thread of the page.
type hit struct {
	store.FoundThread
	seq int64 // of the message that matches, or titleSeq
}

// read returns the threads of the page, and one more if there is another page.
func (l *listing) read(c *conn) ([]hit, error) {
	query, args := l.sql()
	var hits []hit
	err := c.each(query, args, func(r row) error {
		var h hit
		err := scanThread(r, &h.Thread, &h.seq)
		hits = append(hits, h)
		return err
	})
	if err != nil || len(l.terms) == 0 {
		return hits, err
	}
	for i := range hits[:min(len(hits), l.limit)] {
		if err := l.addSnippet(c, &hits[i]); err != nil {
			return nil, err
		}
	}
	return hits, nil
}

// sql returns the statement. One extra row tells whether there is another page.
func (l *listing) sql() (query string, args []any) {
	var archived any // deleted threads are listed archived or not
	if !l.query.Deleted {
		archived = l.query.Archived
	}
	args = []any{l.owner.Tenant, l.owner.Subject, l.limit + 1, l.query.Deleted, archived}
	query, after, pinned := selectThreads, selectThreadsAfter, l.query.PinnedFirst
	switch {
	case len(l.terms) > 0:
		query, after, pinned = searchThreads, searchThreadsAfter, true
		args = append(args, match(l.owner, l.terms), l.query.PinnedFirst)
	case pinned:
		query, after = selectPinnedFirst, selectPinnedFirstAfter
	}
	if l.from == nil {
		return query, args
	}
	if pinned {
		args = append(args, l.from.Pinned)
	}
	return after, append(args, l.from.UpdatedAt.UnixMilli(), l.from.ID)
}

// UpdateThread implements store.Store.
func (s *threadStore) UpdateThread(
	ctx context.Context, o store.Owner, threadID string, change store.ThreadChange,
) (thread store.Thread, err error) {
	const doing = "update thread"
	if err := cmp.Or(o.Check(), store.CheckChange(change)); err != nil {
		return thread, explain(doing, threadID, err)
	}
	now := store.FromMillis(s.now().UnixMilli())
	err = s.write(ctx, doing, threadID, 0, func(t *txn) error {
		if thread, err = threadIn(t.conn, o, threadID); err != nil {
			return err
		}
		head := thread.Head
		if change.Head != nil {
			if err := canBeHead(t, o, threadID, *change.Head); err != nil {
				return err
			}
		}
		thread = change.Apply(thread, now)
		return writeThread(t, o, &thread, change.Title != nil, thread.Head != head)
	})
	if err != nil {
		return store.Thread{}, err
	}
	return thread, nil
}

func writeThread(t *txn, o store.Owner, thread *store.Thread, titled, branches bool) error {
	var deleted sql.NullInt64
	if !thread.DeletedAt.IsZero() {
		deleted = sql.NullInt64{Int64: thread.DeletedAt.UnixMilli(), Valid: true}
	}
	var number int64
	err := t.conn.row(updateThread, []any{
		o.Tenant, o.Subject, thread.ID, thread.Title, thread.Archived, thread.Head, deleted, branches,
		thread.Pinned,
	}, &number)
	if err == nil && titled {
		err = t.reindex(number, titleSeq)
	}
	return err
}

// canBeHead returns store.ErrConflict if the run does not belong to the thread, or the thread has a
// live run.
func canBeHead(t *txn, o store.Owner, threadID, runID string) error {
	if err := endedRun(t, o, threadID, runID); err != nil {
		return err
	}
	var live string
	err := t.conn.row(selectLiveRun, []any{o.Tenant, o.Subject, threadID}, &live)
	switch {
	case errors.Is(err, sql.ErrNoRows):
		return nil
	case err != nil:
		return err
	}
	return store.ErrConflict
}
