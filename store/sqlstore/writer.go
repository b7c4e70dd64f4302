package sqlstore

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"sync"
	"time"

	"github.com/pageside/pageside/store"
)

// Limits of a group, the operations that share a transaction. They bound how long the first
// operation waits for the others, and the size of a row of the event log.
const (
	maxGroup      = 256
	maxBatches    = 4096
	maxGroupBytes = 4 << 20
)

// writer runs operations in order, and commits those together that wait together.
type writer struct {
	database
	conn    *conn
	now     func() time.Time
	queue   *queue
	stopped chan struct{}
	once    sync.Once

	txn    *txn         // reused
	group  []*operation // reused
	damage *damage

	committed time.Time // time of the last commit
	indexDue  time.Time // when pending documents are written even on a busy store

	// number of transactions, and of groups that took more than one; for tests
	commits, rewrites uint64
}

// start begins to run operations on a connection. pending says that there are documents that the
// search index lacks.
func (w *writer) start(c *conn, kept *keptThreads, pending bool) {
	w.conn, w.txn = c, newTxn(c, kept)
	w.txn.pending.Store(pending)
	w.queue, w.stopped = newQueue(), make(chan struct{})
	go w.run()
}

// stop runs what is in the queue and ends the goroutine.
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
			idle.Reset(min(w.catchUpQuietly(), w.indexQuietly()))
			continue
		}
		// Let goroutines that are about to write reach the queue first. A put wakes the writer, so
		// on a busy processor most groups would otherwise be a single operation.
		runtime.Gosched()
		w.await()
		ops, open := w.queue.all()
		if !w.txn.pending.Load() {
			w.indexDue = time.Now().Add(overdue)
		}
		w.work(ops)
		if !open {
			w.catchUp()
			return
		}
		w.indexOverdue()
		idle.Reset(quiet)
	}
}

// filePace is the minimum time between commits to a file if no caller waits: collecting events of
// many runs costs less than committing them one by one. It delays them by half of that on average.
const filePace = 2 * time.Millisecond

// await lets events collect for a moment, unless a caller waits for an operation in the queue. The
// first ones after a pause are written immediately.
func (w *writer) await() {
	since := time.Since(w.committed)
	if since >= w.pace || w.queue.isUrgent() {
		return
	}
	timer := time.NewTimer(w.pace - since)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-w.queue.hurry:
	}
}

// work runs the operations in groups.
func (w *writer) work(ops []*operation) {
	for len(ops) > 0 {
		n := groupSize(ops)
		w.commit(ops[:n])
		clear(ops[:n])
		ops = ops[n:]
	}
}

// groupSize returns how many of the operations form the next group.
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

// commit runs a group and finishes each of its operations.
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
		w.group[i] = nil // finish gives it away
		op.finish()
	}
}

// carryOut runs a group and sets the err of each operation.
//
// Nearly always all of them succeed, so it first tries them without savepoints, for which the
// database would copy every page before changing it. If one fails, it tries again with a savepoint
// around each. If the whole transaction fails, for example on a full disk, it tries each operation
// alone, since one of them may be the cause.
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
	err := op.run(t)
	if err == nil && t.ended {
		err = errEnded // what follows would be stored by itself, and once more with the group
	}
	return err
}

// errEnded is the error of an operation that has lost the transaction and does not say so.
var errEnded = errors.New("the transaction was rolled back")

// apart runs an operation in a savepoint, so that its failure undoes only itself. It returns an
// error if the whole transaction is lost. A batch needs no savepoint: where only it is at fault, it
// has written nothing.
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

// errGivenUp marks errors not caused by any single operation.
var errGivenUp = errors.New("nothing can be written now")

// transact runs a group in one transaction. On error nothing of the group has happened. An
// operation that failed by itself has its err set.
func (w *writer) transact(group []*operation, run func(*writer, *txn, *operation) error) error {
	if err := w.files.check(); err != nil {
		return err
	}
	if err := w.wal.check(w.conn); err != nil {
		return err
	}
	w.writing.Lock()
	defer w.writing.Unlock()
	t := w.txn
	defer t.kept.settle()
	if err := w.begin(); err != nil {
		return w.explain(err)
	}
	t.ended = false
	for _, op := range group {
		if err := run(w, t, op); err != nil {
			return w.rollback(err)
		}
	}
	now := w.now()
	if err := t.finish(now); err != nil {
		return w.rollback(err)
	}
	if _, err := t.exec("COMMIT"); err != nil {
		err = w.rollback(err)
		t.forget() // it may have been committed
		return err
	}
	w.wal.committed()
	t.committed(now)
	w.commits++
	return nil
}

// begin begins the transaction, on a new connection if this one is broken.
func (w *writer) begin() error {
	_, err := w.txn.exec(beginWrite)
	if err == nil || isBusy(err) || isFull(err) {
		return err
	}
	c, openErr := connect(context.Background(), w.write)
	if openErr != nil {
		return errors.Join(err, fmt.Errorf("reopen: %w", openErr), errGivenUp)
	}
	w.conn.close() // its error is known
	w.conn, w.txn.conn = c, c
	w.txn.forget()
	_, err = w.txn.exec(beginWrite)
	return err
}

// rollback rolls back and returns err, explained. Best effort.
func (w *writer) rollback(err error) error {
	w.txn.exec("ROLLBACK")
	w.txn.back(mark{})
	return w.explain(err)
}

// explain adds the errors that the store's callers test for.
func (w *writer) explain(err error) error {
	if err != nil && !errors.Is(err, store.ErrFull) && isFull(err) {
		return fmt.Errorf("%w: %w", store.ErrFull, err)
	}
	return w.damage.explain(err)
}
