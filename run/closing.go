package run

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"github.com/pageside/pageside/agui"
	"github.com/pageside/pageside/run/history"
	"github.com/pageside/pageside/store"
)

// closing says how the end of a run closes open messages and calls.
type closing struct {
	status string                         // of messages that are cut off
	code   string                         // of the error that ends the run, if any
	leave  []string                       // calls that keep waiting
	why    string                         // the result of calls that have none
	known  map[string]agui.ToolCallResult // results to use instead of why

	results []agui.ToolCallResult // set by close: those that calls got
}

// close closes what is open and gives calls of this run that have no result one, so that the stored
// history is valid.
func (w *writer) close(c *closing) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if err := cmp.Or(w.closeOpen(c.status), w.failAction()); err != nil {
		return err
	}
	leave := make(map[string]bool, len(c.leave))
	for _, id := range c.leave {
		leave[id] = true
	}
	for _, id := range w.verifier.Pending() {
		if leave[id] {
			continue
		}
		r, known := c.known[id]
		if !known {
			r = history.ErrorResult(newID("msg"), id, "interrupted", c.why)
		}
		delete(c.known, id)
		c.results = append(c.results, r)
		if err := w.emitUnchecked(&r); err != nil {
			return err
		}
	}
	// calls of earlier runs that this run has executed
	for _, id := range slices.Sorted(maps.Keys(c.known)) {
		r := c.known[id]
		c.results = append(c.results, r)
		if err := w.emitUnchecked(&r); err != nil {
			return err
		}
	}
	return w.explain(c.code)
}

// closeOpen ends open messages and calls, and sets a status on the messages. The message that the
// run continues stays marked as cut instead: most of it belongs to an earlier run. Requires w.mu.
func (w *writer) closeOpen(status string) error {
	metadata := agui.EndMark{Status: status}
	for _, e := range w.verifier.Close() {
		if end, ok := e.(*agui.TextMessageEnd); ok && end.MessageID != w.continues {
			end.Metadata = metadata.JSON()
		}
		if err := w.emitUnchecked(e); err != nil {
			return err
		}
	}
	return nil
}

// closeCrashed ends what a crash left open as failed. It returns the calls it ended: they are
// incomplete.
func (w *writer) closeCrashed() (calls []string, err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, e := range w.verifier.Close() {
		if end, ok := e.(*agui.ToolCallEnd); ok {
			calls = append(calls, end.ToolCallID)
		}
	}
	return calls, w.closeOpen(agui.StatusFailed)
}

// explain marks the message of the run's last calls if an error ended the run before any text
// followed: otherwise nothing in the thread would show why the calls led nowhere. Requires w.mu.
func (w *writer) explain(code string) error {
	id := w.caller
	if code == "" || id == "" {
		return nil
	}
	metadata := agui.EndMark{Status: agui.StatusFailed, Code: code}
	if err := w.emitUnchecked(&agui.TextMessageStart{MessageID: id, Role: agui.RoleAssistant}); err != nil {
		return err
	}
	return w.emitUnchecked(&agui.TextMessageEnd{Base: agui.Base{Metadata: metadata.JSON()}, MessageID: id})
}

// lastBatch returns the pending events and the terminal event. Nothing may be in flight.
func (w *writer) lastBatch(terminal agui.Event) (store.Batch, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if _, failed := terminal.(*agui.RunError); !failed { // RunError is legal at any time
		if err := w.verifier.Check(terminal); err != nil {
			return store.Batch{}, fmt.Errorf("terminal event of run %s is out of order: %w", w.run.ID, err)
		}
	}
	frames, err := w.frame(w.pending.frames, w.seq+1, terminal)
	if err != nil {
		return store.Batch{}, fmt.Errorf("encode %s of run %s: %w", terminal.Type(), w.run.ID, err)
	}
	return w.batch(chunk{frames: frames, events: w.pending.events + 1}), nil
}

// errorBatch returns a batch with only a terminal event, in place of all that the store has not
// taken.
func (w *writer) errorBatch(terminal *agui.RunError) store.Batch {
	w.mu.Lock()
	defer w.mu.Unlock()
	frames, err := w.frame(nil, w.durable+1, terminal)
	if err != nil {
		w.log.Error("a terminal event cannot be encoded", "run", w.run.ID, "error", err)
		return store.Batch{}
	}
	return w.batch(chunk{frames: frames, events: 1})
}

// release frees what an ended run no longer needs.
func (w *writer) release() {
	w.mu.Lock()
	defer w.mu.Unlock()
	giveBuffer(w.pending.frames)
	if w.flight.events == 0 { // else the store still has it
		giveBuffer(w.flight.frames)
	}
	w.verifier, w.transcript, w.pending, w.flight, w.onText = nil, nil, chunk{}, chunk{}, nil
}
