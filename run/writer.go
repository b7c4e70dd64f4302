package run

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/pageside/pageside/agui"
	"github.com/pageside/pageside/internal/guard"
	"github.com/pageside/pageside/run/eventlog"
	"github.com/pageside/pageside/store"
)

const (
	maxBatchEvents = 20      // a batch is appended at this many events
	maxBatchBytes  = 8 << 10 // or this many bytes
	// unwritten bytes at which Emit waits for the store
	maxUnwritten  = 256 << 10
	storePatience = 30 * time.Second
)

// writer is the only way for a run to emit events. Each event is checked, folded into the
// transcript, encoded once, appended to the store's log, and published when the store has it. It
// implements agent.Output. Safe for concurrent use.
//
// Emit takes an event while the run is active; emitUnchecked takes one in any state, to close the
// run. Both use encode.
//
// One append runs at a time. Events emitted during it are batched for the next one, so batches
// adapt to the pauses of the model and the pace of the store, without a timer or goroutine.
type writer struct {
	run   *Run
	store store.Runs
	log   *slog.Logger
	epoch int

	mu         sync.Mutex
	verifier   *agui.Verifier
	transcript *agui.Transcript
	pending    chunk // encoded, not yet given to the store
	flight     chunk // being appended; zero events if none
	due        bool  // append pending as soon as flight is free
	held       bool  // keep pending for the end of the run
	seq        int64 // of the last event encoded
	durable    int64 // of the last event the store has
	// the shared state after that event
	durableState json.RawMessage
	size         int   // bytes encoded
	limit        int   // of size; closing the run may exceed it
	sealed       error // why nothing may be emitted, except to close the run
	failed       error // why the store takes nothing more
	// closed at the next change of durable or failed; nil if nobody waits
	moved chan struct{}
	// the message of the last calls, until text follows
	caller string
	// the run's events say what its next patch of the shared state applies to
	toldState bool
	// the cut message of an earlier run that this one continues; "" for none
	continues string
	// the user's decisions about this run's payloads, by message id; may be nil
	decided map[string]string
	prefix  []byte
	spent   spent
	onText  func()      // called when the first text begins
	done    func(error) // w.appended
}

// chunk is encoded events on their way to the store.
type chunk struct {
	frames []byte
	events int
	state  json.RawMessage // the shared state after them; nil if they do not change it
	usage  json.RawMessage // what the run has used; nil if that has not changed
}

// newWriter returns the writer of a run whose newest event has the number after.
func newWriter(
	r *Run, epoch int, after int64, transcript *agui.Transcript, verifier *agui.Verifier,
) *writer {
	w := &writer{
		run: r, store: r.m.cfg.Store, log: r.m.log, epoch: epoch, limit: r.m.cfg.MaxSize,
		verifier: verifier, transcript: transcript, seq: after, durable: after, durableState: transcript.State(),
		prefix: eventlog.Prefix(r.ID, epoch), pending: chunk{frames: takeBuffer()}, flight: chunk{frames: takeBuffer()},
	}
	w.done = w.appended
	return w
}

// buffers are for frames on their way to the store.
var buffers = sync.Pool{New: func() any { return new(make([]byte, 0, 2*maxBatchBytes)) }}

func takeBuffer() []byte { return (*buffers.Get().(*[]byte))[:0] }

func giveBuffer(b []byte) {
	if cap(b) <= maxUnwritten {
		buffers.Put(&b)
	}
}

// Emit takes one event of the run. It waits if the store is far behind.
func (w *writer) Emit(e agui.Event) error { return w.emit(e, nil) }

// EmitAll takes events that reach the store in one batch.
func (w *writer) EmitAll(events ...agui.Event) error { return w.emit(events[0], events[1:]) }

func (w *writer) emit(e agui.Event, more []agui.Event) error {
	full, behind, err := w.collect(e, more)
	if full {
		w.append()
	}
	if behind {
		return w.wait(w.run.ctx, func() bool { return len(w.pending.frames) <= maxUnwritten })
	}
	return err
}

// collect emits events. full means that the caller must append, behind that the store is
// far behind. A panic releases the lock: the run still has to be ended.
func (w *writer) collect(e agui.Event, more []agui.Event) (full, behind bool, err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	err = w.emitLocked(e)
	for i := 0; err == nil && i < len(more); i++ {
		err = w.emitLocked(more[i])
	}
	if err != nil {
		return false, false, err
	}
	full = (w.pending.events >= maxBatchEvents || len(w.pending.frames) >= maxBatchBytes) && w.takeOff()
	return full, len(w.pending.frames) > maxUnwritten, nil
}

func (w *writer) emitLocked(e agui.Event) error {
	switch {
	case w.sealed != nil:
		return w.sealed
	case w.failed != nil:
		return w.failed
	case w.size > w.limit:
		return errTooMuch
	}
	if w.onText != nil && e.Type() == agui.TypeTextMessageStart {
		w.onText()
		w.onText = nil
	}
	if w.decided != nil {
		w.keepDecision(e)
	}
	return w.emitUnchecked(e)
}

// emitUnchecked takes an event in any state of the run. Requires w.mu.
func (w *writer) emitUnchecked(e agui.Event) error {
	if err := w.verifier.Check(e); err != nil {
		return w.outOfOrder(e, err)
	}
	whole := w.tellsWhole(e)
	if err := w.transcript.Apply(e); err != nil {
		// clients warn and continue too
		w.log.Warn("an event does not fit the transcript", "run", w.run.ID, "error", err)
	}
	switch e := e.(type) {
	case *agui.ToolCallStart:
		w.caller = e.ParentMessageID
	case *agui.TextMessageContent, *agui.ActivitySnapshot:
		w.caller = ""
	case *agui.StateDelta, *agui.StateSnapshot:
		w.pending.state = w.transcript.State()
	}
	if whole {
		e = &agui.StateSnapshot{Base: *agui.BaseOf(e), Snapshot: w.pending.state}
	}
	return w.encode(e)
}

// tellsWhole reports whether e is a patch of a shared state that the run's events do not show. Such
// a patch is sent as a snapshot: clients that fold the events of a single run, as CopilotKit's
// runtime does, have nothing to apply it to, and fail. Requires w.mu.
func (w *writer) tellsWhole(e agui.Event) bool {
	switch e.(type) {
	case *agui.StateDelta:
		whole := !w.toldState && !isEmpty(w.transcript.State())
		w.toldState = true
		return whole
	case *agui.StateSnapshot:
		w.toldState = true
	}
	return false
}

// EmitStored takes an event about a message that the transcript already has.
func (w *writer) EmitStored(e agui.Event) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.sealed != nil {
		return w.sealed
	}
	if err := w.verifier.Check(e); err != nil {
		return w.outOfOrder(e, err)
	}
	return w.encode(e)
}

func (w *writer) outOfOrder(e agui.Event, err error) error {
	return fmt.Errorf("event %s of run %s is out of order: %w", e.Type(), w.run.ID, err)
}

// encode appends the event's frame to what is pending. Requires w.mu.
func (w *writer) encode(e agui.Event) error {
	before := len(w.pending.frames)
	frames, err := w.frame(w.pending.frames, w.seq+1, e)
	if err != nil {
		return fmt.Errorf("encode %s of run %s: %w", e.Type(), w.run.ID, err)
	}
	w.pending.frames = frames
	w.pending.events++
	w.size += len(frames) - before
	w.seq++
	return nil
}

// frame appends the frame of the event with a number. An event that says when it was made says so
// from here on, to every reader.
func (w *writer) frame(dst []byte, seq int64, e agui.Event) ([]byte, error) {
	if w.run.timestamps {
		agui.BaseOf(e).Timestamp = new(time.Now().UnixMilli())
	}
	return eventlog.AppendFrame(dst, w.prefix, seq, e)
}

// Flush appends everything emitted so far, now or after the append under way.
func (w *writer) Flush() error {
	w.mu.Lock()
	ready, err := w.takeOff(), w.failed
	w.mu.Unlock()
	if ready {
		w.append()
	}
	return err
}

// takeOff moves pending into flight and reports whether it did; then the caller must call append
// without the lock. Requires w.mu.
func (w *writer) takeOff() bool {
	switch {
	case w.pending.events == 0 || w.failed != nil || w.held:
		return false
	case w.flight.events > 0:
		w.due = true
		return false
	}
	w.pending.usage = w.spent.news()
	w.flight, w.pending = w.pending, chunk{frames: w.flight.frames[:0]}
	w.due = false
	return true
}

// append gives flight to the store. A store that panics has failed.
func (w *writer) append() {
	err := func() (err error) {
		defer guard.Error(&err)
		w.store.AppendEvents(w.run.owner, w.batch(w.flight), w.done)
		return nil
	}()
	if err != nil {
		w.fail(err)
	}
}

// batch returns the events of c as the store's next ones.
func (w *writer) batch(c chunk) store.Batch {
	return store.Batch{
		RunID: w.run.ID, Epoch: w.epoch, First: w.durable + 1, Count: c.events, Frames: c.frames,
		Usage: c.usage,
	}
}

// appended is the store's callback after an append. It must not call the store, so it appends due
// events in a new goroutine.
func (w *writer) appended(err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	switch {
	case w.failed != nil: // the store had already been considered failed
	case err != nil:
		w.failLocked(err)
	default:
		w.durable += int64(w.flight.events)
		w.run.log.Publish(w.flight.frames, w.flight.events, false)
		w.flight.events = 0
		if w.flight.state != nil {
			w.durableState, w.flight.state = w.flight.state, nil
		}
		if w.due && w.takeOff() {
			go w.append()
		}
	}
	w.broadcast()
}

// fail marks the store as failed and stops the run. Nothing is published after that.
func (w *writer) fail(err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.failed == nil {
		w.failLocked(err)
	}
	w.broadcast()
}

func (w *writer) failLocked(err error) {
	if isFenced(err) {
		w.failed = fmt.Errorf("%w: %w", errFenced, err)
		w.run.cancel(errFenced)
		return
	}
	w.failed = fmt.Errorf("%w: %w", errStore, err)
	w.run.cancel(errStore)
}

// isFenced reports whether an error means that this process may no longer write the run.
func isFenced(err error) bool {
	return errors.Is(err, store.ErrFenced) || errors.Is(err, store.ErrConflict) || errors.Is(err, store.ErrNotFound)
}

// broadcast wakes all waiters. Requires w.mu.
func (w *writer) broadcast() {
	if w.moved != nil {
		close(w.moved)
		w.moved = nil
	}
}

// wait waits until the condition (called with the lock held) is true, the store fails, or ctx ends.
// A store that takes too long has failed.
func (w *writer) wait(ctx context.Context, until func() bool) error {
	var patience <-chan time.Time
	for {
		w.mu.Lock()
		if w.failed != nil || until() {
			defer w.mu.Unlock()
			return w.failed
		}
		if w.moved == nil {
			w.moved = make(chan struct{})
		}
		moved := w.moved
		w.mu.Unlock()
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
			w.fail(fmt.Errorf("it did not answer within %s", storePatience))
		}
	}
}

// Commit returns once everything emitted so far is durable: it survives a crash of this process.
// The messages are stored at the run's end; until then the log holds them.
func (w *writer) Commit(ctx context.Context) error {
	if err := w.Flush(); err != nil {
		return err
	}
	w.mu.Lock()
	seq := w.seq
	w.mu.Unlock()
	return w.wait(ctx, func() bool { return w.durable >= seq })
}

// seal prevents further events, except to close the run. The first reason stays.
func (w *writer) seal(reason error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.sealed == nil {
		w.sealed = reason
	}
}

// sealedBy returns why nothing more may be emitted, or nil.
func (w *writer) sealedBy() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.sealed
}

// changed returns the messages that are new or have changed since the last call.
func (w *writer) changed() []agui.Message {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.transcript.Changed()
}

// state returns the current shared state, or nil if there is none.
func (w *writer) state() json.RawMessage {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.transcript.State()
}

// storedState returns the shared state as of the events that the store has.
func (w *writer) storedState() json.RawMessage {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.durableState
}

// messages returns the current messages of the thread.
func (w *writer) messages() []agui.Message {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.transcript.Messages()
}
