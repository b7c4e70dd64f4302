package sqlstore

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/pageside/pageside/store"
)

const (
	// see the command merge of FTS5
	mergeSearch   = `INSERT INTO search (search, rank) VALUES ('merge', $1)`
	selectChanges = `SELECT total_changes()`

	selectOwned = `
		SELECT id, number FROM threads WHERE tenant = $1 AND subject = $2 LIMIT $3 + 0`

	// selectLoggedToEnd is selectLogged for a thread that may have live runs.
	selectLoggedToEnd = `
		SELECT number, log_from, coalesce(log_to, 9223372036854775807) FROM runs
		WHERE tenant = $1 AND subject = $2 AND thread_id = $3 AND number IS NOT NULL`

	forgetAuthor = `
		UPDATE instructions SET updated_by = '' WHERE tenant = $1 AND updated_by = $2`

	// selectOwnedTables names the tables whose rows have an owner.
	selectOwnedTables = `
		SELECT t.name FROM sqlite_master t
		WHERE t.type = 'table' AND (SELECT count(*) FROM pragma_table_info(t.name) c WHERE c.name IN ('tenant', 'subject')) = 2
		ORDER BY t.name`

	countHoldings = `
		SELECT
			(SELECT count(*) FROM threads WHERE tenant = $1 AND subject = $2),
			(SELECT count(*) FROM runs WHERE tenant = $1 AND subject = $2),
			(SELECT count(*) FROM tool_calls WHERE tenant = $1 AND subject = $2),
			(SELECT count(*) FROM allowances WHERE tenant = $1 AND subject = $2),
			(SELECT count(*) FROM feedback WHERE tenant = $1 AND subject = $2)`
)

// ofThreads are the tables whose rows go with their thread.
var ofThreads = []string{
	"threads", "runs", "messages", "histories", "tool_calls", "allowances", "feedback", "search_histories",
	"states", "webhooks", "shares",
}

// Holdings implements store.Store.
func (s *Store) Holdings(ctx context.Context, o store.Owner) (h store.Holdings, err error) {
	err = s.reading.view(ctx, func(c *conn) error {
		err := c.row(countHoldings, []any{o.Tenant, o.Subject}, &h.Threads, &h.Runs, &h.ToolCalls,
			&h.Allowances, &h.Feedback)
		if err != nil {
			return err
		}
		tables, err := otherTables(c)
		for _, name := range tables {
			if err == nil {
				var n int
				err = c.row(`SELECT count(*) FROM "`+name+`" WHERE tenant = $1 AND subject = $2`,
					[]any{o.Tenant, o.Subject}, &n)
				h.Other += n
			}
		}
		return err
	})
	return h, explain("holdings of", o.Subject, err)
}

// otherTables returns the tables with rows of owners that do not go with a thread. The audit log
// stays: it holds hashes.
func otherTables(c *conn) (names []string, err error) {
	err = c.each(selectOwnedTables, nil, func(r row) error {
		var name string
		err := r.Scan(&name)
		if !slices.Contains(ofThreads, name) && !strings.HasPrefix(name, "audit_") && !strings.ContainsRune(name, '"') {
			names = append(names, name)
		}
		return err
	})
	return names, err
}

// Forget implements store.Store. It deletes thread by thread, so that others do not wait long.
func (s *Store) Forget(ctx context.Context, o store.Owner) error {
	const doing = "forget"
	if err := o.Check(); err != nil {
		return explain(doing, o.Subject, err)
	}
	_, err := s.inSteps(ctx, doing, func(t *txn) (n int64, err error) {
		err = t.overwriting(func() error { n, err = forgetThreads(t, o); return err })
		return n, err
	})
	if err != nil {
		return err
	}
	err = s.write(ctx, doing, o.Subject, 0, func(t *txn) error {
		return t.overwriting(func() error { return forgetRest(t, o) })
	})
	if err != nil {
		return err
	}
	return s.rewriteIndex(ctx, doing)
}

// rewriteIndex rewrites the search index without what was deleted from it: a deletion only marks a
// document, whose words stay in the file until the piece they are in is merged. It does so in small
// writes.
func (s *Store) rewriteIndex(ctx context.Context, doing string) error {
	const pages = 500 // of one write
	merge := func(t *txn, pages int) (n int64, err error) {
		err = t.overwriting(func() error { n, err = mergeIndex(t, pages); return err })
		return n, err
	}
	// negative: all pieces are to become one
	err := s.write(ctx, doing, "", 0, func(t *txn) error { _, err := merge(t, -pages); return err })
	if err == nil {
		_, err = s.inSteps(ctx, doing, func(t *txn) (int64, error) { return merge(t, pages) })
	}
	return err
}

// mergeIndex merges some of the search index, and returns 0 if there was nothing to do.
func mergeIndex(t *txn, pages int) (int64, error) {
	var before, after int64
	err := t.conn.row(selectChanges, nil, &before)
	if err == nil {
		_, err = t.exec(mergeSearch, pages)
	}
	if err == nil {
		err = t.conn.row(selectChanges, nil, &after)
	}
	if after-before < 2 { // a call that does nothing counts as one change
		return 0, err
	}
	return after - before, err
}

// overwriting makes the deletions in do overwrite what they delete: otherwise it stays in the
// file's free pages.
func (t *txn) overwriting(do func() error) error {
	if err := t.script("PRAGMA secure_delete = 1"); err != nil {
		return err
	}
	return cmp.Or(do(), t.script("PRAGMA secure_delete = 0"))
}

func forgetThreads(t *txn, o store.Owner) (int64, error) {
	const atOnce = 5
	var threads []deletedThread
	err := t.each(selectOwned, []any{o.Tenant, o.Subject, atOnce}, func(r row) error {
		d := deletedThread{owner: o, logged: selectLoggedToEnd}
		err := r.Scan(&d.id, &d.number)
		threads = append(threads, d)
		return err
	})
	for _, d := range threads {
		if err == nil {
			err = d.purge(t)
		}
	}
	t.dropLive(o)
	return int64(len(threads)), err
}

// dropLive makes writes to an owner's live runs look them up again.
func (t *txn) dropLive(o store.Owner) {
	for key := range t.live {
		if key.owner == o {
			t.remember(key, nil)
		}
	}
}

func forgetRest(t *txn, o store.Owner) error {
	if _, err := t.exec(forgetAuthor, o.Tenant, o.Subject); err != nil {
		return err
	}
	tables, err := otherTables(t.conn)
	for _, name := range tables {
		if err == nil {
			_, err = t.exec(fmt.Sprintf(`DELETE FROM "%s" WHERE tenant = $1 AND subject = $2`, name), o.Tenant,
				o.Subject)
		}
	}
	return err
}
