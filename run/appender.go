package run

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/pageside/pageside/internal/guard"
	"github.com/pageside/pageside/run/refusal"
	"github.com/pageside/pageside/store"
)

const (
	maxBatchEvents = 20      // a batch is appended at this many events
	maxBatchBytes  = 8 << 10 // or this many bytes
	// unwritten bytes at which Emit waits for the store
	maxUnwritten  = 256 << 10
	storePatience = 30 * time.Second
)

// appender gives a run's encoded events to the store, and publishes those that it has.
//
// One append runs at a time. Events encoded during it are batched for the next one, so batches
// adapt to the pauses of the model and the pace of the store, without a timer or goroutine.
type appender struct {
	run   *Run
	store store.Runs
	log   *slog.Logger
	epoch int
	done  func(error) // appended

	mu      sync.Mutex
	pending chunk // encoded, not yet given to the store
	flight  chunk // being appended; zero events if none
	due     bool  // append pending as soon as flight is free
	held    bool  // keep pending for the end of the run
	durable int64 // number of the last event the store has
	// the shared state after that event
	durableState json.RawMessage
	failed       error // why the store takes nothing more
	// closed at the next change of durable or failed; nil if nobody waits
	moved chan struct{}
	spent spent
}

// chunk is encoded events on their way to the store.
type chunk struct {
	frames []byte
	events int
	state  json.RawMessage // the shared state after them; nil if they do not change it
	usage  json.RawMessage // what the run has used; nil if that has not changed
}

// buffers are for frames on their way to the store.
var buffers = sync.Pool{New: func() any { return new(make([]byte, 0, maxBatchBytes/2)) }}

func takeBuffer() []byte { return (*buffers.Get().(*[]byte))[:0] }

func giveBuffer(b []byte) {
	if cap(b) <= maxUnwritten {
		buffers.Put(&b)
	}
}

// Flush appends everything emitted so far, now or after the append under way.
func (a *appender) Flush() error {
	a.mu.Lock()
	ready, err := a.takeOff(), a.failed
	a.mu.Unlock()
	if ready {
		a.append()
	}
	return err
}

// takeOff moves pending into flight and reports whether it did; then the caller must call append
// without the lock. Requires a.mu.
func (a *appender) takeOff() bool {
	switch {
	case a.pending.events == 0 || a.failed != nil || a.held:
		return false
	case a.flight.events > 0:
		a.due = true
		return false
	}
	a.pending.usage = a.spent.news()
	a.flight, a.pending = a.pending, chunk{frames: a.flight.frames[:0]}
	a.due = false
	return true
}

// append gives flight to the store. A store that panics has failed.
func (a *appender) append() {
	err := func() (err error) {
		defer guard.Error(&err)
		a.store.AppendEvents(a.run.owner, a.batch(a.flight), a.done)
		return nil
	}()
	if err != nil {
		a.fail(err)
	}
}

// batch returns the events of c as the store's next ones.
func (a *appender) batch(c chunk) store.Batch {
	return store.Batch{
		RunID: a.run.ID, Epoch: a.epoch, First: a.durable + 1, Count: c.events, Frames: c.frames,
		Usage: c.usage,
	}
}

// appended is the store's callback after an append. It must not call the store, so it appends due
// events in a new goroutine.
func (a *appender) appended(err error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	switch {
	case a.failed != nil: // the store had already been considered failed
	case err != nil:
		a.failLocked(err)
	default:
		a.durable += int64(a.flight.events)
		a.run.log.Publish(a.flight.frames, a.flight.events, false)
		a.flight.events = 0
		if a.flight.state != nil {
			a.durableState, a.flight.state = a.flight.state, nil
		}
		if a.due && a.takeOff() {
			go a.append()
		}
	}
	a.broadcast()
}

// begun says that the store has what was pending: the run was begun with it, as its first batch.
func (a *appender) begun(first store.Batch) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.durable = first.Last()
	a.run.log.Publish(first.Frames, first.Count, false)
	a.pending = chunk{frames: a.pending.frames[:0]}
}

// fail marks the store as failed and stops the run. Nothing is published after that.
func (a *appender) fail(err error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.failed == nil {
		a.failLocked(err)
	}
	a.broadcast()
}

func (a *appender) failLocked(err error) {
	if isFenced(err) {
		a.failed = fmt.Errorf("%w: %w", errFenced, err)
		a.run.cancel(errFenced)
		return
	}
	a.failed = fmt.Errorf("%w: %w", refusal.ErrStore, err)
	a.run.cancel(refusal.ErrStore)
}

// isFenced reports whether an error means that this process may no longer write the run.
func isFenced(err error) bool {
	return errors.Is(err, store.ErrFenced) || errors.Is(err, store.ErrConflict) || errors.Is(err, store.ErrNotFound)
}

// broadcast wakes all waiters. Requires a.mu.
func (a *appender) broadcast() {
	if a.moved != nil {
		close(a.moved)
		a.moved = nil
	}
}

// wait waits until the condition (called with the lock held) is true, the store fails, or ctx ends.
// A store that takes too long has failed.
func (a *appender) wait(ctx context.Context, until func() bool) error {
	var patience <-chan time.Time
	for {
		a.mu.Lock()
		if a.failed != nil || until() {
			defer a.mu.Unlock()
			return a.failed
		}
		if a.moved == nil {
			a.moved = make(chan struct{})
		}
		moved := a.moved
		a.mu.Unlock()
		if patience == nil {
			timer := time.NewTimer(storePatience)
			defer timer.Stop()
			patience = timer.C
		}
		select {
		case <-moved:
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-patience:
			a.fail(fmt.Errorf("it did not answer within %s", storePatience))
		}
	}
}

// hold keeps pending events for the run's end, and waits for the append under way.
func (a *appender) hold(ctx context.Context) error {
	a.mu.Lock()
	a.held, a.due = true, false
	a.mu.Unlock()
	return a.wait(ctx, func() bool { return a.flight.events == 0 })
}

// storedState returns the shared state as of the events that the store has.
func (a *appender) storedState() json.RawMessage {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.durableState
}
