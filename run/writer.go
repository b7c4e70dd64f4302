package run

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/pageside/pageside/agui"
	"github.com/pageside/pageside/internal/guard"
	"github.com/pageside/pageside/store"
)

const (
	maxBatchEvents = 20      // a batch is handed over at the latest with this many events
	maxBatchBytes  = 8 << 10 // or this many bytes
	// bytes that may wait for the store before those who speak have to wait too
	maxUnwritten  = 256 << 10
	storePatience = 30 * time.Second
)

// writer is the one way a run says something: every event is checked, folded into the transcript,
// encoded once, handed to the store, and published when the store has it. It implements
// agent.Output and is safe for concurrent use.
//
// One append is under way at a time. What is emitted meanwhile collects, and goes with the next
// one: batches follow the pauses of the model and the pace of the store, with no timer and no
// goroutine of their own.
type writer struct {
	run   *Run
	store store.Store
	log   *slog.Logger
	epoch int

	mu         sync.Mutex
	verifier   *agui.Verifier
	transcript *agui.Transcript
	batch      []byte // frames that the store was not given yet
	events     int    // how many they are
	due        bool   // they are to be handed over as soon as nothing is under way
	held       bool   // they are kept for the end of the run
	flight     []byte // frames that the store is writing
	flying     int    // how many they are; 0 when nothing is under way
	seq        int64  // of the last event encoded
	durable    int64  // of the last event the store has
	size       int    // bytes encoded
	limit      int    // of size; what closes a run may go beyond it
	sealed     error  // why nothing may be said any more, but what closes the run
	failed     error  // why the store takes nothing any more
	// closed at the next change of durable or failed; nil where nobody waits
	moved chan struct{}
	// the message of the last calls, while nothing was said behind them
	caller string
	// what the user decided about cards of this run, by message id; nil where there is nothing
	decided map[string]string
	prefix  []byte
	spoke   func()      // called once, when the first text begins
	done    func(error) // appended
}

// newWriter returns a writer whose run has said so much that the last event was number after.
func newWriter(r *Run, m *Manager, epoch int, after int64, transcript *agui.Transcript, verifier *agui.Verifier) *writer {
	w := &writer{
		run: r, store: m.cfg.Store, log: m.log, epoch: epoch, limit: m.cfg.MaxSize,
		verifier: verifier, transcript: transcript, seq: after, durable: after,
		prefix: framePrefix(r.ID, epoch), batch: takeBuffer(), flight: takeBuffer(),
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

// Emit takes one event of the run. It waits while the store is far behind.
func (w *writer) Emit(e agui.Event) error { return w.emit(e, nil) }

// EmitBoth takes two events that reach the store in one batch.
func (w *writer) EmitBoth(first, second agui.Event) error { return w.emit(first, second) }

func (w *writer) emit(e, next agui.Event) error {
	hand, crowded, err := w.take(e, next)
	if hand {
		w.append()
	}
	if crowded {
		return w.wait(w.run.ctx, func() bool { return len(w.batch) <= maxUnwritten })
	}
	return err
}

// take adds what is emitted. It says whether the caller has to append, and whether the store is far
// behind. A panic leaves the lock free: the run still has to be ended.
func (w *writer) take(e, next agui.Event) (hand, crowded bool, err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if err = w.add(e); err == nil && next != nil {
		err = w.add(next)
	}
	if err != nil {
		return false, false, err
	}
	hand = (w.events >= maxBatchEvents || len(w.batch) >= maxBatchBytes) && w.launch()
	return hand, len(w.batch) > maxUnwritten, nil
}

// add is Emit for who holds the lock.
func (w *writer) add(e agui.Event) error {
	switch {
	case w.sealed != nil:
		return w.sealed
	case w.failed != nil:
		return w.failed
	case w.size > w.limit:
		return errTooMuch
	}
	if w.spoke != nil && e.Type() == agui.TypeTextMessageStart {
		w.spoke()
		w.spoke = nil
	}
	if w.decided != nil {
		w.keepDecision(e)
	}
	return w.put(e)
}

// put takes an event whatever state the run is in.
func (w *writer) put(e agui.Event) error {
	if err := w.verifier.Check(e); err != nil {
		return fmt.Errorf("event %s of run %s is out of order: %w", e.Type(), w.run.ID, err)
	}
	if err := w.transcript.Apply(e); err != nil {
		// clients warn too, and go on
		w.log.Warn("an event does not fit the transcript", "run", w.run.ID, "error", err)
	}
	switch e := e.(type) {
	case *agui.ToolCallStart:
		w.caller = e.ParentMessageID
	case *agui.TextMessageContent, *agui.ActivitySnapshot:
		w.caller = ""
	}
	return w.encode(e)
}

// tell says something that the transcript knows already.
func (w *writer) tell(e agui.Event) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.sealed != nil {
		return w.sealed
	}
	if err := w.verifier.Check(e); err != nil {
		return fmt.Errorf("event %s of run %s is out of order: %w", e.Type(), w.run.ID, err)
	}
	return w.encode(e)
}

// encode appends the event's frame to the batch.
func (w *writer) encode(e agui.Event) error {
	before := len(w.batch)
	batch, err := appendFrame(w.batch, w.prefix, w.seq+1, e)
	if err != nil {
		return fmt.Errorf("encode %s of run %s: %w", e.Type(), w.run.ID, err)
	}
	w.batch = batch
	w.size += len(batch) - before
	w.seq++
	w.events++
	return nil
}

// Flush hands over what was emitted so far, now or as soon as the append that is under way has
// ended.
func (w *writer) Flush() error {
	w.mu.Lock()
	hand, err := w.launch(), w.failed
	w.mu.Unlock()
	if hand {
		w.append()
	}
	return err
}

// launch makes ready what is to be appended. Where it reports true the caller must append it,
// without the lock.
func (w *writer) launch() bool {
	switch {
	case w.events == 0 || w.failed != nil || w.held:
		return false
	case w.flying > 0:
		w.due = true
		return false
	}
	w.flight, w.batch = w.batch, w.flight[:0]
	w.flying, w.events, w.due = w.events, 0, false
	return true
}

func (w *writer) append() {
	if err := w.handOver(); err != nil {
		w.giveUp(err)
	}
}

// handOver gives the store what is in flight. An error is that the store panicked.
func (w *writer) handOver() (err error) {
	defer guard.Error(&err)
	w.store.AppendEvents(w.run.owner, store.Batch{RunID: w.run.ID, Epoch: w.epoch, First: w.durable + 1, Count: w.flying, Frames: w.flight}, w.done)
	return nil
}

// appended is told by the store what became of the append. It must not call the store: what is due
// goes from a goroutine of its own.
func (w *writer) appended(err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	switch {
	case w.failed != nil: // the store answers after it was given up
	case err != nil:
		w.fail(err)
	default:
		w.durable += int64(w.flying)
		w.run.log.publish(w.flight, w.flying, false)
		w.flying = 0
		if w.due && w.launch() {
			go w.append()
		}
	}
	w.stir()
}

// fail gives the store up and stops the run.
func (w *writer) fail(err error) {
	if isFenced(err) {
		w.failed = fmt.Errorf("%w: %w", errFenced, err)
		w.run.cancel(errFenced)
		return
	}
	w.failed = fmt.Errorf("%w: %w", errStore, err)
	w.run.cancel(errStore)
}

// giveUp is fail for who does not hold the lock. Nothing is published any more after it.
func (w *writer) giveUp(err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.failed == nil {
		w.fail(err)
	}
	w.stir()
}

// isFenced reports whether an error says that the run is another one's to write, or nobody's any
// more.
func isFenced(err error) bool {
	return errors.Is(err, store.ErrFenced) || errors.Is(err, store.ErrConflict) || errors.Is(err, store.ErrNotFound)
}

// stir wakes those who wait.
func (w *writer) stir() {
	if w.moved != nil {
		close(w.moved)
		w.moved = nil
	}
}

// wait waits until the condition, which is asked with the lock held, comes true, the store fails,
// or ctx ends. A store that lets it wait too long has failed.
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
			w.giveUp(fmt.Errorf("it did not answer within %s", storePatience))
		}
	}
}

// Commit returns once everything emitted so far is durable: whatever happens to this process then,
// the next one knows of it. The messages themselves are stored with the run's end; until then the
// log holds them.
func (w *writer) Commit(ctx context.Context) error {
	if err := w.Flush(); err != nil {
		return err
	}
	return w.landed(ctx)
}

// landed waits until the store has all that was emitted until now, which must have been flushed.
func (w *writer) landed(ctx context.Context) error {
	w.mu.Lock()
	seq := w.seq
	w.mu.Unlock()
	return w.wait(ctx, func() bool { return w.durable >= seq })
}

// hold keeps what the store was not given yet for the run's end, and waits for what is under way.
func (w *writer) hold(ctx context.Context) error {
	w.mu.Lock()
	w.held, w.due = true, false
	w.mu.Unlock()
	return w.wait(ctx, func() bool { return w.flying == 0 })
}

// seal keeps everybody from saying more, but who closes the run. The first reason stays.
func (w *writer) seal(reason error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.sealed == nil {
		w.sealed = reason
	}
}

// letGo frees what a run that has ended needs no more.
func (w *writer) letGo() {
	w.mu.Lock()
	defer w.mu.Unlock()
	giveBuffer(w.batch)
	if w.flying == 0 { // else the store still has it
		giveBuffer(w.flight)
	}
	w.verifier, w.transcript, w.batch, w.flight, w.spoke = nil, nil, nil, nil, nil
}

// isOver returns why nothing may be said any more, or nil.
func (w *writer) isOver() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.sealed
}

// closing is what the messages are marked with that were cut off, and what calls without a result
// are told.
type closing struct {
	mark  string
	code  string   // of the error that ends the run; "" where none does
	leave []string // calls that keep waiting
	why   string
	known map[string]agui.ToolCallResult // what is known of calls, to be told in place of why
}

// close closes whatever is open and answers calls of this run that have no result, so that what is
// stored is a legal history.
func (w *writer) close(c closing) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if err := w.closeOpen(c.mark); err != nil {
		return err
	}
	for _, id := range w.verifier.Pending() {
		if slices.Contains(c.leave, id) {
			continue
		}
		r, known := c.known[id]
		if !known {
			r = errorResult(id, "interrupted", c.why)
		}
		delete(c.known, id)
		if err := w.put(&r); err != nil {
			return err
		}
	}
	// calls of earlier runs, which this one has carried out
	for _, id := range slices.Sorted(maps.Keys(c.known)) {
		r := c.known[id]
		if err := w.put(&r); err != nil {
			return err
		}
	}
	return w.explain(c.code)
}

// explain marks the message of the run's last calls where nothing was said behind them and an error
// ends the run: whoever loads the thread later would find calls that led to nothing, and no word
// about why.
func (w *writer) explain(code string) error {
	id := w.caller
	if code == "" || id == "" {
		return nil
	}
	metadata := agui.Metadata{Status: agui.StatusFailed, Code: code}
	if err := w.put(&agui.TextMessageStart{MessageID: id, Role: agui.RoleAssistant}); err != nil {
		return err
	}
	return w.put(&agui.TextMessageEnd{Base: agui.Base{Metadata: metadata.JSON()}, MessageID: id})
}

// cutOff closes whatever is open as failed, and returns the calls whose ENDs it sent: they were
// never complete.
func (w *writer) cutOff() (calls []string, err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, e := range w.verifier.Close() {
		if end, ok := e.(*agui.ToolCallEnd); ok {
			calls = append(calls, end.ToolCallID)
		}
	}
	return calls, w.closeOpen(agui.StatusFailed)
}

func (w *writer) closeOpen(status string) error {
	metadata := agui.Metadata{Status: status}
	for _, e := range w.verifier.Close() {
		if end, ok := e.(*agui.TextMessageEnd); ok {
			end.Metadata = metadata.JSON()
		}
		if err := w.put(e); err != nil {
			return err
		}
	}
	return nil
}

// ending returns the events the store does not have, with the terminal one at their end. Nothing
// may be under way.
func (w *writer) ending(terminal agui.Event) (store.Batch, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if _, failed := terminal.(*agui.RunError); !failed { // which is legal at any time
		if err := w.verifier.Check(terminal); err != nil {
			return store.Batch{}, fmt.Errorf("terminal event of run %s is out of order: %w", w.run.ID, err)
		}
	}
	frames, err := appendFrame(w.batch, w.prefix, w.seq+1, terminal)
	if err != nil {
		return store.Batch{}, fmt.Errorf("encode %s of run %s: %w", terminal.Type(), w.run.ID, err)
	}
	return store.Batch{RunID: w.run.ID, Epoch: w.epoch, First: w.durable + 1, Count: w.events + 1, Frames: frames}, nil
}

// alone returns a batch of nothing but a terminal event, which takes the place of all that the
// store did not take.
func (w *writer) alone(terminal *agui.RunError) store.Batch {
	w.mu.Lock()
	defer w.mu.Unlock()
	frames, err := appendFrame(nil, w.prefix, w.durable+1, terminal)
	if err != nil {
		w.log.Error("a terminal event cannot be encoded", "run", w.run.ID, "error", err)
		return store.Batch{}
	}
	return store.Batch{RunID: w.run.ID, Epoch: w.epoch, First: w.durable + 1, Count: 1, Frames: frames}
}

// changed returns the messages that are new or have changed since the last call.
func (w *writer) changed() []agui.Message {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.transcript.Changed()
}

// messages returns the thread as it is now.
func (w *writer) messages() []agui.Message {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.transcript.Messages()
}
