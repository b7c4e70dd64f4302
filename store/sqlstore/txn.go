package sqlstore

import (
	"database/sql"
	"errors"
	"sync/atomic"
	"time"

	"github.com/pageside/pageside/store"
)

// runKey names a run.
type runKey struct {
	owner store.Owner
	id    string
}

// runLog is the writer's cached state of a live run's log, so that neither a batch of events nor
// the journal needs a query.
type runLog struct {
	thread string // of the run
	number int64
	epoch  int
	last   int64 // number of its last event
}

// txn is the transaction of a group. One txn serves all groups in turn: its cache of live runs
// outlives a transaction, and is restored after a rollback.
type txn struct {
	*conn
	live map[runKey]*runLog // live runs written to so far
	undo []change           // changes of live in this transaction, oldest first
	out  logRow             // row that this transaction adds to the event log

	auditor auditor
	kept    *keptThreads

	pending    atomic.Bool // there may be pending documents of the search index
	allIndexed bool        // this transaction has left none

	nextRow    int64 // id of out in the log; 0 means not yet known
	nextNumber int64 // the number of the next run
}

// change is a previous entry of live.
type change struct {
	key runKey
	at  *runLog // nil if there was none
	was runLog
}

// mark is a point in a transaction, the zero value its beginning.
type mark struct{ undo, runs, body, audit int }

func newTxn(c *conn, kept *keptThreads) *txn {
	return &txn{conn: c, live: map[runKey]*runLog{}, kept: kept}
}

func (t *txn) mark() mark {
	return mark{len(t.undo), len(t.out.runs), len(t.out.body), len(t.auditor.drafts)}
}

// back undoes what came after the mark.
func (t *txn) back(to mark) {
	for i := len(t.undo) - 1; i >= to.undo; i-- {
		if c := t.undo[i]; c.at == nil {
			delete(t.live, c.key)
		} else {
			*c.at = c.was
			t.live[c.key] = c.at
		}
	}
	clear(t.undo[to.undo:])
	t.undo = t.undo[:to.undo]
	t.out.runs, t.out.body = t.out.runs[:to.runs], t.out.body[:to.body]
	t.auditor.drafts, t.auditor.sealed, t.auditor.caught = t.auditor.drafts[:to.audit], nil, t.auditor.caught[:0]
	t.allIndexed = false
}

// committed is called after COMMIT.
func (t *txn) committed(now time.Time) {
	if !t.out.empty() {
		t.nextRow++
	}
	if t.allIndexed {
		t.pending.Store(false)
	}
	t.auditor.committed(now)
	clear(t.undo)
	t.undo = t.undo[:0]
	t.reset()
}

// reset discards what the transaction was to write.
func (t *txn) reset() {
	const keep = maxGroupBytes // keep buffers up to this size
	if cap(t.out.body) > keep {
		t.out = logRow{}
	}
	t.out.reset()
	t.auditor.reset()
	t.allIndexed = false
}

// forget clears the cache, because the database may have changed.
func (t *txn) forget() {
	clear(t.live)
	t.reset()
	t.undo, t.nextRow, t.nextNumber = nil, 0, 0
	t.auditor.forget()
}

// remember caches the state of a run; nil removes it.
func (t *txn) remember(key runKey, r *runLog) {
	c := change{key: key, at: t.live[key]}
	if c.at != nil {
		c.was = *c.at
	}
	t.undo = append(t.undo, c)
	if r == nil {
		delete(t.live, key)
	} else {
		t.live[key] = r
	}
}

// logEnd returns the id of the row that this transaction adds to the log, and the next run number.
func (t *txn) logEnd() (row, number int64, err error) {
	if t.nextRow == 0 {
		if err := t.conn.row(selectLogEnd, nil, &t.nextRow, &t.nextNumber); err != nil {
			t.nextRow = 0
			return 0, 0, err
		}
	}
	return t.nextRow, t.nextNumber, nil
}

// newRunLog numbers a run without events, and returns the first row that may hold them.
func (t *txn) newRunLog(thread string, epoch int) (r *runLog, row int64, err error) {
	row, number, err := t.logEnd()
	if err != nil {
		return nil, 0, err
	}
	t.nextNumber++
	return &runLog{thread: thread, number: number, epoch: epoch}, row, nil
}

// begin appends the first events of a new run, if it has any.
func (t *txn) begin(r *runLog, first store.Batch) {
	if first.Count > 0 {
		first.Epoch, r.last = r.epoch, first.Last()
		t.out.add(r.number, &first)
	}
}

// change runs a statement that changes a row, and returns otherwise if there was none to change.
func (t *txn) change(otherwise error, statement string, args ...any) error {
	n, err := t.exec(statement, args...)
	if err == nil && n == 0 {
		err = otherwise
	}
	return err
}

const anyEpoch = -1

// writable returns the log of a live run for the writer of an epoch.
func (t *txn) writable(key runKey, epoch int) (*runLog, error) {
	r := t.live[key]
	if r == nil {
		var err error
		if r, err = t.load(key, epoch); err != nil {
			return nil, err
		}
	}
	if epoch != anyEpoch && epoch != r.epoch {
		return nil, store.ErrFenced
	}
	return r, nil
}

// load looks up a run that is not cached.
func (t *txn) load(key runKey, epoch int) (*runLog, error) {
	var thread, status string
	var current int
	var number, from sql.NullInt64
	err := t.conn.row(selectRunLog, []any{
		key.owner.Tenant, key.owner.Subject, key.id,
	}, &thread, &status, &current, &number, &from)
	switch {
	case errors.Is(err, sql.ErrNoRows):
		return nil, store.ErrNotFound
	case err != nil:
		return nil, lost{err}
	case epoch != anyEpoch && epoch != current:
		return nil, store.ErrFenced
	case store.RunStatus(status) != store.RunLive:
		return nil, store.ErrConflict
	}
	r := &runLog{thread: thread, number: number.Int64, epoch: current}
	if number.Valid {
		r.last, err = t.lastEvent(r.number, from.Int64)
	} else {
		var row int64
		if r, row, err = t.newRunLog(thread, current); err == nil {
			_, err = t.exec(setRunLog, key.owner.Tenant, key.owner.Subject, key.id, r.number, row)
		}
	}
	if err != nil {
		return nil, lost{err}
	}
	t.remember(key, r)
	return r, nil
}

// lost is an error of the database itself: the transaction cannot continue.
type lost struct{ error }

func (l lost) Unwrap() error { return l.error }

// lastEvent returns the number of a run's last event in the log from a row on, or 0.
func (t *txn) lastEvent(number, from int64) (last int64, err error) {
	found := errors.New("found")
	err = t.each(selectLogBackwards, []any{from}, func(r row) error {
		var id int64
		var runs []byte
		if err := r.Scan(&id, &runs); err != nil {
			return err
		}
		err := entriesOf(number, runs, func(e entry) error {
			last = max(last, e.last())
			return nil
		})
		if err == nil && last > 0 {
			err = found
		}
		return err
	})
	if errors.Is(err, found) {
		err = nil
	}
	if last = max(last, t.collected(number)); err != nil {
		return 0, err
	}
	return last, nil
}

// collected returns the last event of a run in the row being built.
func (t *txn) collected(number int64) (last int64) {
	if !t.out.empty() {
		entriesOf(number, t.out.runs, func(e entry) error { last = max(last, e.last()); return nil })
	}
	return last
}

// appendOp appends the batch of an operation to the log. It sets errors of the batch on the
// operation and returns errors of the database.
func (t *txn) appendOp(op *operation) error {
	op.err = op.invalid
	if op.err == nil {
		op.err = t.append(op.key, &op.batch)
	}
	if l, ok := errors.AsType[lost](op.err); ok {
		return l.error
	}
	if op.err != nil {
		op.err = explain("append events of run", op.key.id, op.err)
	}
	return nil
}

// append appends a batch to the log of a live run. On error it changes nothing.
func (t *txn) append(key runKey, b *store.Batch) error {
	r, err := t.writable(key, b.Epoch)
	if err != nil {
		return err
	}
	if err := b.Follows(r.last); err != nil {
		return err
	}
	if _, _, err := t.logEnd(); err != nil {
		return lost{err}
	}
	if b.Usage != nil {
		if _, err := t.exec(setUsage, key.owner.Tenant, key.owner.Subject, key.id, string(b.Usage)); err != nil {
			return lost{err}
		}
	}
	t.undo = append(t.undo, change{key, r, *r})
	r.last = b.Last()
	t.out.add(r.number, b)
	return nil
}

// finish writes the transaction's row of the event log and its audit rows.
func (t *txn) finish(now time.Time) error {
	if err := t.seal(now); err != nil {
		return err
	}
	if t.out.empty() {
		return nil
	}
	_, err := t.exec(insertLog, t.nextRow, now.UnixMilli(), t.out.runs, t.out.body)
	return err
}
