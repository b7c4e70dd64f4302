package run

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"slices"
	"strconv"

	"github.com/pageside/pageside/agui"
	"github.com/pageside/pageside/store"
)

const (
	maxBatchEvents = 20      // a batch is published at the latest with this many events
	maxBatchBytes  = 8 << 10 // or this many bytes
)

// writer is the one way a run says something: every event is checked, folded into the transcript, encoded once and published in
// batches. It implements agent.Output and belongs to the goroutine that executes the run.
type writer struct {
	run        *Run
	store      store.Store
	log        *slog.Logger
	verifier   *agui.Verifier
	transcript *agui.Transcript

	batch    []byte // frames that are not published yet
	events   int    // how many they are
	variants []pendingVariant
	seq      int64
	size     int    // bytes published
	limit    int    // of size; what closes a run may go beyond it
	closing  bool   // is the run being closed?
	prefix   []byte // "id: <run>:<epoch>."
}

func newWriter(r *Run, s store.Store, log *slog.Logger, limit int, history []agui.Message) *writer {
	return &writer{
		run: r, store: s, log: log, limit: limit,
		verifier:   agui.NewVerifier(),
		transcript: agui.NewTranscript(history),
		prefix:     fmt.Appendf(nil, "id: %s:%d.", r.ID, epoch),
	}
}

// epoch numbers the writers a run has had. Here a run has one.
const epoch = 1

// Emit takes one event of the run.
func (w *writer) Emit(e agui.Event) error {
	if w.size > w.limit && !w.closing {
		return errTooMuch
	}
	if err := w.verifier.Check(e); err != nil {
		return fmt.Errorf("event %s of run %s is out of order: %w", e.Type(), w.run.ID, err)
	}
	if err := w.transcript.Apply(e); err != nil {
		w.log.Warn("an event does not fit the transcript", "run", w.run.ID, "error", err) // clients warn too, and go on
	}
	if err := w.encode(e); err != nil {
		return fmt.Errorf("encode %s of run %s: %w", e.Type(), w.run.ID, err)
	}
	if w.events >= maxBatchEvents || len(w.batch) >= maxBatchBytes {
		return w.Flush()
	}
	return nil
}

// encode appends the event's frame to the batch, and notes where a 0.x client reads something else.
func (w *writer) encode(e agui.Event) error {
	w.seq++
	w.events++
	start := len(w.batch)
	frame, err := w.appendFrame(w.batch, e)
	if err != nil {
		return err
	}
	w.batch = frame
	legacy := agui.Downgrade(e)
	if len(legacy) == 1 && legacy[0] == e {
		return nil // as nearly always: every client reads the same
	}
	v := pendingVariant{offset: start, size: len(frame) - start}
	for _, l := range legacy {
		if v.bytes, err = w.appendFrame(v.bytes, l); err != nil {
			return err
		}
	}
	w.variants = append(w.variants, v)
	return nil
}

func (w *writer) appendFrame(dst []byte, e agui.Event) ([]byte, error) {
	dst = append(dst, w.prefix...)
	dst = strconv.AppendInt(dst, w.seq, 10)
	dst = append(dst, "\ndata: "...)
	dst, err := agui.AppendEvent(dst, e)
	return append(dst, "\n\n"...), err
}

// Flush publishes what was emitted so far.
func (w *writer) Flush() error {
	w.publish(false)
	return nil
}

func (w *writer) publish(end bool) {
	if len(w.batch) == 0 && !end {
		return
	}
	w.run.log.publish(w.batch, w.variants, end)
	w.size += len(w.batch)
	w.batch, w.variants, w.events = w.batch[:0], w.variants[:0], 0
}

// Commit stores every message that has changed since the last time.
func (w *writer) Commit(ctx context.Context) error {
	if err := w.store.SaveMessages(ctx, w.run.owner, w.run.ThreadID, w.run.ID, w.transcript.Changed()); err != nil {
		return fmt.Errorf("store the messages of run %s: %w", w.run.ID, err)
	}
	return nil
}

// close closes whatever is open and answers calls that have no result, so that what is stored is a legal history.
// mark is set on the messages that were cut off.
func (w *writer) close(mark string, leave []string, why string) error {
	w.closing = true
	metadata := json.RawMessage(`{"pageside":{"status":"` + mark + `"}}`)
	for _, e := range w.verifier.Close() {
		if end, ok := e.(*agui.TextMessageEnd); ok {
			end.Metadata = metadata
		}
		if err := w.Emit(e); err != nil {
			return err
		}
	}
	for _, id := range w.verifier.Pending() {
		if slices.Contains(leave, id) {
			continue
		}
		r := errorResult(id, "interrupted", why)
		if err := w.Emit(&r); err != nil {
			return err
		}
	}
	return nil
}

// end publishes the terminal event. Nothing can be emitted after it.
func (w *writer) end(terminal agui.Event) error {
	if err := w.verifier.Check(terminal); err != nil {
		return fmt.Errorf("terminal event of run %s is out of order: %w", w.run.ID, err)
	}
	if err := w.encode(terminal); err != nil {
		return fmt.Errorf("encode %s of run %s: %w", terminal.Type(), w.run.ID, err)
	}
	w.publish(true)
	return nil
}

// tell says something that the transcript knows already.
func (w *writer) tell(e agui.Event) error {
	if err := w.verifier.Check(e); err != nil {
		return fmt.Errorf("event %s of run %s is out of order: %w", e.Type(), w.run.ID, err)
	}
	return w.encode(e)
}

// abort ends a stream whose own end was refused, by the one event that is legal at any time.
func (w *writer) abort() {
	_ = w.encode(&agui.RunError{Message: "internal error", Code: "internal"}) // two constant strings: cannot fail
	w.publish(true)
}
