package agent

import (
	"context"
	"encoding/json"

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
func (h *stateHost) State() json.RawMessage { return h.shared.now() }

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
