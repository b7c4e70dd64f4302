package sqlstore

import (
	"context"
	"sync"
	"sync/atomic"

	"github.com/pageside/pageside/internal/guard"
	"github.com/pageside/pageside/store"
)

// operation is one write in the queue: SQL or a batch of events.
type operation struct {
	// do may run more than once, each time on a fresh state of the database; nil for a batch
	do    func(*txn) error
	key   runKey // of a batch
	batch store.Batch
	size  int // approximate size of the write in bytes
	// no caller waits for it, so it may wait to share a commit with others
	patient bool

	invalid error // error in a batch, whatever the database holds
	// receives the outcome on the writer's goroutine; nil if the caller waits for done
	answer   func(error)
	done     chan struct{} // closed when it is over; nil if there is an answer
	err      error
	standing atomic.Int32
}

// States of an operation.
const (
	waiting int32 = iota
	taken
	withdrawn
)

// run runs an operation that is not a batch. A panic becomes an error: the writes are rolled back.
func (op *operation) run(t *txn) (err error) {
	defer guard.Error(&err)
	return op.do(t)
}

// take reports whether the writer may run the operation: its caller has not withdrawn it.
func (op *operation) take() bool { return op.standing.CompareAndSwap(waiting, taken) }

func (op *operation) withdraw() bool { return op.standing.CompareAndSwap(waiting, withdrawn) }

// finish reports the outcome to the caller. The operation must not be used afterwards.
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

// queue holds the operations in order of arrival. It has many producers and one consumer, which
// takes all at a time.
type queue struct {
	mu     sync.Mutex
	ops    []*operation
	spare  []*operation // storage for the next ones
	closed bool
	urgent bool          // a caller waits for one of them
	wake   chan struct{} // signalled when there may be something in the queue
	hurry  chan struct{} // signalled when there may be something urgent in it
}

func newQueue() *queue { return &queue{wake: make(chan struct{}, 1), hurry: make(chan struct{}, 1)} }

// isUrgent reports whether a caller waits for an operation in the queue. If not, hurry is signalled
// as soon as one does.
func (q *queue) isUrgent() bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	select {
	case <-q.hurry:
	default:
	}
	return q.urgent || q.closed
}

// put returns false if the queue is closed.
func (q *queue) put(op *operation) bool {
	q.mu.Lock()
	closed, first := q.closed, len(q.ops) == 0
	press := !closed && !q.urgent && op.do != nil && !op.patient
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

// all takes everything out and reports whether more can come. The result is valid until the next
// call.
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

// submit queues do and returns once it is committed. If ctx ends before do has begun, the operation
// is withdrawn. size is about how many bytes it writes.
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

// send queues do without waiting. answer gets the outcome.
func (w *writer) send(ctx context.Context, size int, do func(*txn) error, answer func(error)) {
	w.queueUp(ctx, &operation{do: do, size: size, answer: answer})
}

// sendPatiently is send for what need not be committed at once.
func (w *writer) sendPatiently(ctx context.Context, size int, do func(*txn) error, answer func(error)) {
	w.queueUp(ctx, &operation{do: do, size: size, answer: answer, patient: true})
}

func (w *writer) queueUp(ctx context.Context, op *operation) {
	answer := op.answer
	if err := ctx.Err(); err != nil {
		answer(err)
	} else if !w.queue.put(op) {
		answer(store.ErrClosed)
	}
}

// appendEvents queues a batch for the event log without waiting. answer gets the outcome on the
// writer's goroutine.
func (w *writer) appendEvents(key runKey, b store.Batch, invalid error, answer func(error)) {
	op := batches.Get().(*operation)
	op.key, op.batch, op.size, op.invalid, op.answer = key, b, len(b.Frames), invalid, answer
	if !w.queue.put(op) {
		recycle(op)
		go answer(store.ErrClosed)
	}
}
