package sqlstore

import (
	"context"
	"database/sql"
	"errors"
	"time"

	"github.com/pageside/pageside/store"
)

// Purging uses small writes, so that live runs do not wait long.
const purgeAtOnce = 200

// PurgeEvents implements store.Store.
func (s *runStore) PurgeEvents(ctx context.Context, before time.Time) (n int, err error) {
	const doing = "purge events"
	forgotten, err := s.inSteps(ctx, doing, func(t *txn) (int64, error) {
		return t.exec(purgeRuns, before.UnixMilli(), purgeAtOnce)
	})
	if err != nil {
		return int(forgotten), err
	}
	_, err = s.inSteps(ctx, doing, func(t *txn) (int64, error) {
		start, err := logStart(t)
		if err != nil {
			return 0, err
		}
		return t.exec(purgeLog, start, purgeAtOnce)
	})
	return int(forgotten), err
}

// logStart returns the first row of the log still needed.
func logStart(t *txn) (row int64, err error) {
	err = t.conn.row(selectLogStart, nil, &row)
	if errors.Is(err, sql.ErrNoRows) {
		row, _, err = t.logEnd()
	}
	return row, err
}

// Purge implements store.Store.
func (s *threadStore) Purge(ctx context.Context, before time.Time) (purged []store.ThreadKey, err error) {
	var step []deletedThread
	_, err = s.inSteps(ctx, "purge deleted threads", func(t *txn) (int64, error) {
		// the step before has been committed
		purged, step = appendKeys(purged, step), nil
		threads, err := deletedThreads(t, before)
		if err != nil {
			return 0, err
		}
		for _, d := range threads {
			if err := d.purge(t); err != nil {
				return 0, err
			}
		}
		step = threads
		return int64(len(threads)), nil
	})
	return purged, err
}

func appendKeys(keys []store.ThreadKey, of []deletedThread) []store.ThreadKey {
	for _, d := range of {
		keys = append(keys, store.ThreadKey{Owner: d.owner, ID: d.id})
	}
	return keys
}

// deletedThread is a thread that is to be purged, or whose owner is to be forgotten.
type deletedThread struct {
	owner  store.Owner
	id     string
	number int64
	logged string // lists its runs: selectLogged or selectLoggedToEnd
}

func deletedThreads(t *txn, before time.Time) (threads []deletedThread, err error) {
	const atOnce = 20
	err = t.each(selectDeleted, []any{before.UnixMilli(), atOnce}, func(r row) error {
		d := deletedThread{logged: selectLogged}
		err := r.Scan(&d.owner.Tenant, &d.owner.Subject, &d.id, &d.number)
		threads = append(threads, d)
		return err
	})
	return threads, err
}

// purge removes the thread and everything that belongs to it.
func (d *deletedThread) purge(t *txn) error {
	t.kept.drop(threadKey{d.owner, d.id})
	if err := d.blank(t); err != nil {
		return err
	}
	first, _ := docID(d.number, 0)
	last, _ := docID(d.number+1, 0)
	if _, err := t.exec(deleteSearch, first, last-1); err != nil {
		return err
	}
	_, err := t.exec(deleteThread, d.owner.Tenant, d.owner.Subject, d.id)
	return err
}

// blank overwrites the events of the thread's runs, whose rows in the log also hold other runs.
func (d *deletedThread) blank(t *txn) error {
	type logged struct{ number, from, to int64 }
	var runs []logged
	err := t.each(d.logged, []any{d.owner.Tenant, d.owner.Subject, d.id}, func(r row) error {
		var l logged
		err := r.Scan(&l.number, &l.from, &l.to)
		runs = append(runs, l)
		return err
	})
	for _, l := range runs {
		if err == nil {
			err = blankRun(t, l.number, l.from, l.to)
		}
	}
	return err
}

func blankRun(t *txn, number, from, to int64) error {
	var pieces []located
	err := t.each(selectRows, []any{from, to}, func(r row) error {
		var id int64
		var runs []byte
		if err := r.Scan(&id, &runs); err != nil {
			return err
		}
		return entriesOf(number, runs, func(e entry) error {
			pieces = append(pieces, located{entry: e, row: id})
			return nil
		})
	})
	for _, p := range pieces {
		if err != nil {
			break
		}
		var body []byte
		if err = t.conn.row(selectBodyOf, []any{p.row}, &body); err != nil {
			break
		}
		clear(body[p.offset : p.offset+p.size])
		_, err = t.exec(setBodyOf, p.row, body)
	}
	return err
}
