package agent

import (
	"context"
	"encoding/json"
	"sync"

	"github.com/pageside/pageside/tool"
)

// callUpdate is what a running call reports: progress, something to do for it, or its result. err
// is set if it did not start.
type callUpdate struct {
	call     *call
	progress tool.Progress
	request  *request
	result   *tool.Result
	err      error
}

// stateHost lets the handler of a call reach its run. do carries out what changes something.
type stateHost struct {
	shared *sharedState
	do     func(func() (*tool.Error, error)) error
}

// State implements tool.Host.
func (h *stateHost) State() json.RawMessage { return h.shared.document.Raw() }

// PatchState implements tool.Host.
func (h *stateHost) PatchState(patch json.RawMessage) error {
	return h.do(func() (*tool.Error, error) { return h.shared.patch(patch) })
}

// Emit implements tool.Host.
func (h *stateHost) Emit(e tool.Event) error {
	return h.do(func() (*tool.Error, error) { return h.shared.say(e) })
}

// callHost has the run's own goroutine, which alone emits, do what a handler wants.
type callHost struct {
	ctx     context.Context // ends with the call
	call    *call
	updates chan<- callUpdate
}

// request is something that a handler wants done. do returns why that was refused, or the failure
// that ends the run.
type request struct {
	do    func() (refused *tool.Error, err error)
	reply chan error
}

func (h *callHost) do(do func() (*tool.Error, error)) error {
	r := &request{do, make(chan error, 1)}
	select {
	case h.updates <- callUpdate{call: h.call, request: r}:
	case <-h.ctx.Done():
		return errCallOver
	}
	select {
	case err := <-r.reply:
		return err
	case <-h.ctx.Done():
		return errCallOver
	}
}

var errCallOver = &tool.Error{Code: tool.CodeInterrupted, Message: "the call is over"}

// serve does what the handler wants, unless the calls are to stop.
func (r *request) serve(ctx context.Context) error {
	if ctx.Err() != nil {
		r.reply <- errCallOver
		return context.Cause(ctx)
	}
	refused, err := r.do()
	switch {
	case err != nil:
		r.reply <- errCallOver
	case refused != nil:
		r.reply <- refused
	default:
		r.reply <- nil
	}
	return err
}

// Host lets the tool of a suggested action reach its run, as a call of the model's does: it reads
// and changes the state that the page and the agent share, and emits events of its own. state is
// the one that the run begins with. After end nothing changes any more. Safe for concurrent use if
// out is.
func (a *Agent) Host(runID string, state json.RawMessage, out Output) (host tool.Host, end func()) {
	h := &actionHost{}
	shared := newSharedState(a, &Input{RunID: runID, State: state}, &emitter{out: out})
	return &stateHost{shared, h.do}, h.end
}

// actionHost does what a handler wants until the action is over.
type actionHost struct {
	mu   sync.Mutex
	over bool
}

func (h *actionHost) end() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.over = true
}

func (h *actionHost) do(do func() (*tool.Error, error)) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.over {
		return errCallOver
	}
	refused, err := do()
	switch {
	case err != nil: // the run cannot continue
		return errCallOver
	case refused != nil:
		return refused
	}
	return nil
}
