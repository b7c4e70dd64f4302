package sqlstore

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"sync"

	"github.com/pageside/pageside/store"
)

// maxGroup is how many writes share a transaction at most. It bounds how long the first of a group waits for the others.
const maxGroup = 256

// operation is one write in the queue. Its do may run more than once, each time on a fresh state of the database.
type operation struct {
	do   func(*txn) error
	err  error
	done chan struct{}
}

// writer carries out operations one after the other, and commits together those that wait together.
type writer struct {
	conn    *conn
	dialect dialect
	queue   chan *operation // unbuffered: what has left its sender will be carried out
	closed  chan struct{}
	stopped chan struct{}
	once    sync.Once
}

func newWriter(c *conn, d dialect) *writer {
	w := &writer{
		conn: c, dialect: d,
		queue: make(chan *operation), closed: make(chan struct{}), stopped: make(chan struct{}),
	}
	go w.run()
	return w
}

// submit has do carried out and returns once it is committed. Before that has begun, the end of ctx takes it out of the
// queue.
func (w *writer) submit(ctx context.Context, do func(*txn) error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	op := &operation{do: do, done: make(chan struct{})}
	select {
	case w.queue <- op:
	case <-ctx.Done():
		return ctx.Err()
	case <-w.closed:
		return store.ErrClosed
	}
	<-op.done
	return op.err
}

// stop waits for the group that is being written and lets the goroutine end.
func (w *writer) stop() {
	w.once.Do(func() { close(w.closed) })
	<-w.stopped
}

func (w *writer) run() {
	defer close(w.stopped)
	for {
		select {
		case op := <-w.queue:
			w.commit(w.gather(op))
		case <-w.closed:
			return
		}
	}
}

// gather returns first and all that wait behind it. Whoever is about to write is let to the queue before: a send makes the
// writer run at once, and without that the group of a busy processor would rarely be more than the one who woke it.
func (w *writer) gather(first *operation) []*operation {
	runtime.Gosched()
	group := []*operation{first}
	for len(group) < maxGroup {
		select {
		case op := <-w.queue:
			group = append(group, op)
		default:
			return group
		}
	}
	return group
}

// commit carries out a group and tells each of its operations how it went.
//
// Nearly always all of them succeed, so they are first tried without savepoints, for which the database would copy every
// page that is about to change. Where one fails, the group is tried again with a savepoint around each. Where the
// transaction as a whole fails, the disk being full, say, each is tried alone: what made it fail may be one of them.
func (w *writer) commit(group []*operation) {
	err := w.transact(group, together)
	if err != nil && len(group) > 1 {
		err = w.transact(group, apart)
	}
	if err != nil && len(group) > 1 {
		for _, op := range group {
			w.commit([]*operation{op})
		}
		return
	}
	for _, op := range group {
		if err != nil {
			op.err = err
		}
		close(op.done)
	}
}

// together runs an operation whose failure undoes the whole transaction.
func together(_ *writer, t *txn, op *operation) error {
	op.err = nil
	return op.do(t)
}

// apart runs an operation in a savepoint, so that its failure undoes nothing but itself. It returns an error where the
// whole transaction is lost.
func apart(w *writer, t *txn, op *operation) error {
	if _, err := t.exec("SAVEPOINT op"); err != nil {
		return err
	}
	op.err = w.explain(op.do(t))
	if op.err != nil {
		if _, err := t.exec("ROLLBACK TO SAVEPOINT op"); err != nil {
			return op.err // the database has already rolled everything back, and this is why
		}
	}
	_, err := t.exec("RELEASE SAVEPOINT op")
	return err
}

// transact runs a group in one transaction. Its error concerns the whole group, of which nothing has happened then; what
// an operation run apart failed with is left in its err.
func (w *writer) transact(group []*operation, run func(*writer, *txn, *operation) error) error {
	t := &txn{w.conn}
	if _, err := t.exec(w.dialect.begin); err != nil {
		return w.explain(err)
	}
	for _, op := range group {
		if err := run(w, t, op); err != nil {
			return w.rollback(t, err)
		}
	}
	if _, err := t.exec("COMMIT"); err != nil {
		return w.rollback(t, err)
	}
	return nil
}

// rollback returns err. That there may be nothing left to roll back is no news.
func (w *writer) rollback(t *txn, err error) error {
	t.exec("ROLLBACK")
	return w.explain(err)
}

// explain adds what the store's callers test for.
func (w *writer) explain(err error) error {
	if err != nil && !errors.Is(err, store.ErrFull) && w.dialect.full(err) {
		return fmt.Errorf("%w: %w", store.ErrFull, err)
	}
	return err
}

// txn is the transaction of a group.
type txn struct{ *conn }
