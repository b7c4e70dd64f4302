package sqlstore

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"iter"
	"math"

	"github.com/pageside/pageside/store"
)

// AppendEvents implements store.Store.
func (s *runStore) AppendEvents(o store.Owner, b store.Batch, done func(error)) {
	s.writing.appendEvents(runKey{o, b.RunID}, b, cmp.Or(o.Check(), store.CheckBatch(b)), done)
}

// Limits for one query of the log, in rows and bytes: about as much as a reader reads at a time,
// since many readers may start and then stop reading.
const (
	rowsAtOnce  = 48
	bytesAtOnce = 256 << 10
)

// Events implements store.Store.
func (s *runStore) Events(ctx context.Context, o store.Owner, runID string, after int64) iter.Seq2[store.Batch, error] {
	return func(yield func(store.Batch, error) bool) {
		l := logReader{store: s.access, owner: o, runID: runID, after: after}
		for {
			batches, err := l.next(ctx)
			if err != nil {
				yield(store.Batch{}, explain("events of run", runID, err))
				return
			}
			for _, b := range batches {
				if !yield(b, nil) {
					return
				}
			}
			if len(batches) == 0 {
				return
			}
		}
	}
}

// logReader reads the events of a run from the log, some rows at a time. No query stays open while
// the caller uses the result.
type logReader struct {
	store *access
	owner store.Owner
	runID string
	after int64 // number of the last known event
	row   int64 // the last row searched
}

// next returns more batches, or none at the end.
func (l *logReader) next(ctx context.Context) (batches []store.Batch, err error) {
	err = l.store.reading.view(ctx, func(c *conn) error {
		number, to, err := l.find(c)
		if err != nil || number == 0 {
			return err
		}
		for len(batches) == 0 {
			more, err := l.look(c, number, to, &batches)
			if err != nil || !more {
				return err
			}
		}
		return nil
	})
	return batches, err
}

// find returns the run's number and the last row that may hold its events. The number is 0 if the
// log has none.
func (l *logReader) find(c *conn) (number, to int64, err error) {
	var status string
	var num, from, last, lastSeq sql.NullInt64
	err = c.row(selectLogOf, []any{l.owner.Tenant, l.owner.Subject, l.runID}, &status, &num, &from, &last, &lastSeq)
	switch live := store.RunStatus(status) == store.RunLive; {
	case errors.Is(err, sql.ErrNoRows):
		return 0, 0, store.ErrNotFound
	case err != nil:
		return 0, 0, err
	case num.Valid:
	case live, lastSeq.Valid && l.after >= lastSeq.Int64:
		return 0, 0, nil
	default:
		return 0, 0, store.ErrGone
	}
	if to = math.MaxInt64; last.Valid {
		to = last.Int64
	}
	l.row = max(l.row, from.Int64-1)
	return num.Int64, to, nil
}

// errEnough ends a query before its last row.
var errEnough = errors.New("enough")

// look searches the next rows for batches of the run and reports whether there are more.
func (l *logReader) look(c *conn, number, to int64, batches *[]store.Batch) (more bool, err error) {
	var found []located
	rows, size := 0, 0
	err = c.each(selectLog, []any{l.row, to, rowsAtOnce}, func(r row) error {
		var id int64
		var runs, body []byte
		if err := r.Scan(&id, &runs, &body); err != nil {
			return err
		}
		rows++
		l.row = id
		err := entriesOf(number, runs, func(e entry) error {
			if e.last() > l.after {
				found = append(found, located{e, id, body})
			}
			return nil
		})
		if err != nil {
			return fmt.Errorf("row %d of the event log: %w", id, err)
		}
		if size += len(body); size >= bytesAtOnce {
			return errEnough
		}
		return nil
	})
	if more = rows == rowsAtOnce; errors.Is(err, errEnough) {
		more = true
	} else if err != nil {
		return false, err
	}
	for _, f := range found {
		frames, err := f.frames(c)
		if err != nil {
			return false, err
		}
		*batches = append(*batches, f.batch(l.runID, frames))
		l.after = f.last()
	}
	return more, nil
}

// located is a batch found in a row of the log.
type located struct {
	entry
	row  int64
	body []byte // of the row; nil if not yet read
}

// frames returns the frames of the batch. If many runs share the row, it reads only its own part.
func (f *located) frames(c *conn) ([]byte, error) {
	frames := f.body
	if frames == nil {
		err := c.row(selectFrames, []any{f.row, f.offset + 1, f.size}, &frames)
		if err == nil && len(frames) != f.size {
			err = errLogFormat
		}
		return frames, err
	}
	if len(frames) < f.offset+f.size {
		return nil, errLogFormat
	}
	return frames[f.offset : f.offset+f.size : f.offset+f.size], nil
}
