package sqlstore

import (
	"errors"
	"fmt"
	"runtime"
	"sync"
	"time"

	"github.com/pageside/pageside/store"
)

// A group is what shares a transaction: at most so many statements' worth of writes, so many
// batches, and so many bytes. That bounds how long the first of a group waits for the others, and
// how large a row of the event log gets.
const (
	maxGroup      = 256
	maxBatches    = 4096
	maxGroupBytes = 4 << 20
)

// writer carries out operations one after the other, and commits together those that wait together.
type writer struct {
	conn    *conn
	connect func() (*conn, error) // opens another connection when this one has died
	now     func() time.Time
	queue   *queue
	stopped chan struct{}
	once    sync.Once

	txn    *txn         // used again and again
	group  []*operation // so is this
	files  *fileGuard
	wal    *walGuard
	damage *damage

	committed time.Time // when the last group was
	indexDue  time.Time // when pending documents are written without a quiet moment

	// how many transactions there were, and how many groups took more than one; for tests
	commits, rewrites uint64
}

func newWriter(c *conn, now func() time.Time, connect func() (*conn, error), files *fileGuard, wal *walGuard, damage *damage) *writer {
	w := &writer{conn: c, connect: connect, now: now, queue: newQueue(), stopped: make(chan struct{}), files: files, wal: wal, damage: damage}
	w.txn = newTxn(c)
	go w.run()
	return w
}

// stop carries out what is in the queue and lets the goroutine end.
func (w *writer) stop() {
	w.once.Do(w.queue.close)
	<-w.stopped
}

func (w *writer) run() {
	defer close(w.stopped)
	idle := time.NewTimer(quiet)
	defer idle.Stop()
	for {
		select {
		case <-w.queue.wake:
		case <-idle.C:
			idle.Reset(w.indexQuietly())
			continue
		}
		// Whoever is about to write is let to the queue before: a put makes the writer run at once,
		// and without that the group of a busy processor would rarely be more than the one who woke
		// it.
		runtime.Gosched()
		w.await()
		ops, open := w.queue.all()
		if !w.txn.pending.Load() {
			w.indexDue = time.Now().Add(overdue)
		}
		w.work(ops)
		if !open {
			return
		}
		w.indexOverdue()
		idle.Reset(quiet)
	}
}

// pace is how soon after a commit the next one comes where nobody waits for it: events of many runs
// that come one by one go together then, which costs less. It adds half of that to the time they
// take, on average.
const pace = 2 * time.Millisecond

// await lets events collect for a moment, unless somebody waits for what is in the queue. The first
// ones after a silence go at once.
func (w *writer) await() {
	since := time.Since(w.committed)
	if since >= pace || w.queue.isUrgent() {
		return
	}
	timer := time.NewTimer(pace - since)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-w.queue.hurry:
	}
}

// work carries out the operations in groups.
func (w *writer) work(ops []*operation) {
	for len(ops) > 0 {
		n := groupSize(ops)
		w.commit(ops[:n])
		clear(ops[:n])
		ops = ops[n:]
	}
}

// groupSize returns how many of the operations make the next group.
func groupSize(ops []*operation) int {
	writes, batches, size := 0, 0, 0
	for i, op := range ops {
		if op.do == nil {
			batches++
		} else {
			writes++
		}
		size += op.size
		if i > 0 && (writes > maxGroup || batches > maxBatches || size > maxGroupBytes) {
			return i
		}
	}
	return len(ops)
}

// commit carries out a group and tells each of its operations how it went.
func (w *writer) commit(ops []*operation) {
	w.group = w.group[:0]
	for _, op := range ops {
		if op.take() {
			w.group = append(w.group, op)
		}
	}
	w.carryOut(w.group)
	w.committed = time.Now()
	for i, op := range w.group {
		w.group[i] = nil // whose it is after finish is not known
		op.finish()
	}
}

// carryOut leaves in each operation how it went.
//
// Nearly always all of them succeed, so they are first tried without savepoints, for which the
// database would copy every page that is about to change. Where one fails, the group is tried again
// with a savepoint around each. Where the transaction as a whole fails, the disk being full, say,
// each is tried alone: what made it fail may be one of them.
func (w *writer) carryOut(group []*operation) {
	if len(group) == 0 {
		return
	}
	err := w.transact(group, together)
	if err != nil && len(group) > 1 {
		w.rewrites++
		err = w.transact(group, apart)
	}
	if err == nil {
		return
	}
	if len(group) > 1 && !errors.Is(err, errGivenUp) {
		for i := range group {
			w.carryOut(group[i : i+1])
		}
		return
	}
	for _, op := range group {
		op.err = err
	}
}

// together runs an operation whose failure undoes the whole transaction.
func together(_ *writer, t *txn, op *operation) error {
	if op.do == nil {
		return t.appendOp(op)
	}
	op.err = nil
	return op.run(t)
}

// apart runs an operation in a savepoint, so that its failure undoes nothing but itself. It returns
// an error where the whole transaction is lost. A batch needs none: it writes nothing by itself.
func apart(w *writer, t *txn, op *operation) error {
	if op.do == nil {
		return t.appendOp(op)
	}
	if _, err := t.exec("SAVEPOINT op"); err != nil {
		return err
	}
	mark := t.mark()
	op.err = w.explain(op.run(t))
	if op.err != nil {
		t.back(mark)
		if _, err := t.exec("ROLLBACK TO SAVEPOINT op"); err != nil {
			return op.err // the database has already rolled everything back, and this is why
		}
	}
	_, err := t.exec("RELEASE SAVEPOINT op")
	return err
}

// errGivenUp is part of errors that no operation of a group is the cause of.
var errGivenUp = errors.New("nothing can be written now")

// transact runs a group in one transaction. Its error concerns the whole group, of which nothing
// has happened then; what an operation run apart failed with is left in its err.
func (w *writer) transact(group []*operation, run func(*writer, *txn, *operation) error) error {
	if err := w.files.check(); err != nil {
		return err
	}
	if err := w.wal.check(w.conn); err != nil {
		return err
	}
	t := w.txn
	if err := w.begin(); err != nil {
		return w.explain(err)
	}
	for _, op := range group {
		if err := run(w, t, op); err != nil {
			return w.rollback(err)
		}
	}
	if err := t.finish(w.now()); err != nil {
		return w.rollback(err)
	}
	if _, err := t.exec("COMMIT"); err != nil {
		err = w.rollback(err)
		t.forget() // whether it was carried out is for the database to say
		return err
	}
	t.committed()
	w.commits++
	return nil
}

// begin begins the transaction, on another connection where this one cannot any more.
func (w *writer) begin() error {
	_, err := w.txn.exec(beginWrite)
	if err == nil || isBusy(err) || isFull(err) {
		return err
	}
	c, openErr := w.connect()
	if openErr != nil {
		return errors.Join(err, fmt.Errorf("reopen: %w", openErr), errGivenUp)
	}
	w.conn.close() // what is wrong with it is known
	w.conn, w.txn.conn = c, c
	w.txn.forget()
	_, err = w.txn.exec(beginWrite)
	return err
}

// rollback returns err. That there may be nothing left to roll back is no news.
func (w *writer) rollback(err error) error {
	w.txn.exec("ROLLBACK")
	w.txn.back(mark{})
	return w.explain(err)
}

// explain adds what the store's callers test for.
func (w *writer) explain(err error) error {
	if err != nil && !errors.Is(err, store.ErrFull) && isFull(err) {
		return fmt.Errorf("%w: %w", store.ErrFull, err)
	}
	return w.damage.explain(err)
}
