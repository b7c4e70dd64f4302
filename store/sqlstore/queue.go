package sqlstore

import (
	"context"
	"sync"
	"sync/atomic"

	"github.com/pageside/pageside/internal/guard"
	"github.com/pageside/pageside/store"
)

// operation is one write in the queue: either SQL, or a batch of events.
type operation struct {
	// may run more than once, each time on a fresh state of the database; nil for a batch
	do    func(*txn) error
	key   runKey // of a batch
	batch store.Batch
	size  int // about how many bytes it writes

	invalid error // what a batch fails with whatever the database says
	// is told how it went, by the writer's goroutine; nil where done is waited for
	answer   func(error)
	done     chan struct{} // is closed when it is over; nil where there is an answer
	err      error
	standing atomic.Int32
}

// Where an operation stands.
const (
	waiting int32 = iota
	taken
	withdrawn
)

// run carries out what is no batch. A panic is an error like any other: what it has written is
// rolled back.
func (op *operation) run(t *txn) (err error) {
	defer guard.Error(&err)
	return op.do(t)
}

// take has the writer carry the operation out, unless whoever submitted it has withdrawn it.
func (op *operation) take() bool { return op.standing.CompareAndSwap(waiting, taken) }

func (op *operation) withdraw() bool { return op.standing.CompareAndSwap(waiting, withdrawn) }

// finish tells whoever submitted the operation how it went. It is the last that is done with it.
func (op *operation) finish() {
	if op.done != nil {
		close(op.done)
		return
	}
	answer, err := op.answer, op.err
	if op.do == nil {
		recycle(op)
	}
	if answer != nil {
		answer(err)
	}
}

var batches = sync.Pool{New: func() any { return new(operation) }}

func recycle(op *operation) {
	*op = operation{}
	batches.Put(op)
}

// queue holds the operations in the order they came in. Any number put something in, one takes
// everything out.
type queue struct {
	mu     sync.Mutex
	ops    []*operation
	spare  []*operation // room for the next ones
	closed bool
	urgent bool          // somebody waits for one of them
	wake   chan struct{} // has an element when there may be something in the queue
	hurry  chan struct{} // has an element when there may be something urgent in it
}

func newQueue() *queue { return &queue{wake: make(chan struct{}, 1), hurry: make(chan struct{}, 1)} }

// isUrgent reports whether somebody waits for what is in the queue. Where it reports false, hurry
// is signalled when somebody does.
func (q *queue) isUrgent() bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	select {
	case <-q.hurry:
	default:
	}
	return q.urgent || q.closed
}

// put reports false where the queue is closed.
func (q *queue) put(op *operation) bool {
	q.mu.Lock()
	closed, first := q.closed, len(q.ops) == 0
	press := !closed && !q.urgent && op.do != nil
	if !closed {
		q.ops = append(q.ops, op)
		q.urgent = q.urgent || press
	}
	q.mu.Unlock()
	if first && !closed {
		signal(q.wake)
	}
	if press {
		signal(q.hurry)
	}
	return !closed
}

func signal(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}

// all takes everything out, into room that is good until the next call, and reports whether more
// can come.
func (q *queue) all() (ops []*operation, open bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	ops = q.ops
	q.ops, q.spare, q.urgent = q.spare[:0], ops, false
	return ops, !q.closed
}

func (q *queue) close() {
	q.mu.Lock()
	q.closed = true
	q.mu.Unlock()
	signal(q.wake)
	signal(q.hurry)
}

// submit has do carried out and returns once it is committed. Before that has begun, the end of ctx
// takes it out of the queue. size is about how many bytes it writes.
func (w *writer) submit(ctx context.Context, size int, do func(*txn) error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	op := &operation{do: do, size: size, done: make(chan struct{})}
	if !w.queue.put(op) {
		return store.ErrClosed
	}
	select {
	case <-op.done:
	case <-ctx.Done():
		if op.withdraw() {
			return ctx.Err()
		}
		<-op.done
	}
	return op.err
}

// send has do carried out and returns at once. answer is told how it went.
func (w *writer) send(ctx context.Context, size int, do func(*txn) error, answer func(error)) {
	op := &operation{do: do, size: size, answer: answer}
	if err := ctx.Err(); err != nil {
		answer(err)
	} else if !w.queue.put(op) {
		answer(store.ErrClosed)
	}
}

// appendEvents has a batch written to the event log and returns at once. answer is called from the
// writer's goroutine.
func (w *writer) appendEvents(key runKey, b store.Batch, invalid error, answer func(error)) {
	op := batches.Get().(*operation)
	op.key, op.batch, op.size, op.invalid, op.answer = key, b, len(b.Frames), invalid, answer
	if !w.queue.put(op) {
		recycle(op)
		go answer(store.ErrClosed)
	}
}
