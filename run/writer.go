package run

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/pageside/pageside/agui"
	"github.com/pageside/pageside/run/eventlog"
	"github.com/pageside/pageside/sharedstate"
	"github.com/pageside/pageside/store"
)

// writer is the only way for a run to emit events. Each event is checked, folded into the
// transcript, encoded once, appended to the store's log, and published when the store has it. It
// implements agent.Output. Safe for concurrent use.
//
// Emit takes an event while the run is active; emitUnchecked takes one in any state, to close the
// run. Both use encode.
type writer struct {
	appender // its lock is the writer's

	verifier   *agui.Verifier
	transcript *agui.Transcript
	seq        int64 // of the last event encoded
	size       int   // bytes encoded
	limit      int   // of size; closing the run may exceed it
	sealed     error // why nothing may be emitted, except to close the run
	// the message of the last calls, until text follows
	caller string
	// the run's events say what its next patch of the shared state applies to
	toldState bool
	// the cut message of an earlier run that this one continues; "" for none
	continues string
	// the user's decisions about this run's payloads, by message id; may be nil
	decided map[string]string
	prefix  []byte
	onText  func() // called when the first text begins
}

// newWriter returns the writer of a run whose newest event has the number after.
func newWriter(
	r *Run, epoch int, after int64, transcript *agui.Transcript, verifier *agui.Verifier,
) *writer {
	w := &writer{
		appender: appender{
			run: r, store: r.m.cfg.Store, log: r.m.log, epoch: epoch, durable: after, durableState: transcript.State(),
			pending: chunk{frames: takeBuffer()}, flight: chunk{frames: takeBuffer()},
		},
		limit: r.m.cfg.MaxSize, verifier: verifier, transcript: transcript, seq: after, prefix: eventlog.Prefix(r.ID, epoch),
	}
	w.done = w.appended
	return w
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
		whole := !w.toldState && !sharedstate.IsEmpty(w.transcript.State())
		w.toldState = true
		return whole
	case *agui.StateSnapshot:
		w.toldState = true
	}
	return false
}

// firstBatch returns a new run's first events, and the results of calls that the transcript already
// has. They stay pending: begun says that the store has them, Flush appends them.
func (w *writer) firstBatch(events []agui.Event, answered []agui.ToolCallResult) (store.Batch, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, e := range events {
		if err := w.emitUnchecked(e); err != nil {
			return store.Batch{}, err
		}
	}
	for i := range answered {
		e := &answered[i]
		if err := w.verifier.Check(e); err != nil {
			return store.Batch{}, w.outOfOrder(e, err)
		}
		if err := w.encode(e); err != nil {
			return store.Batch{}, err
		}
	}
	return w.batch(w.pending), nil
}

// isNew reports whether nothing has been emitted yet.
func (w *writer) isNew() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.seq == 0
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

// messages returns the current messages of the thread.
func (w *writer) messages() []agui.Message {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.transcript.Messages()
}
