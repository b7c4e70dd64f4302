package agent

import (
	"context"
	"fmt"

	"github.com/pageside/pageside/agui"
)

// emitter is the Output of a run. It remembers the first error: after it nothing is written any
// more.
type emitter struct {
	out  Output
	held agui.Event // goes with the next event, or alone where there is a pause first
	err  error
}

// Emit passes an event on, behind the one that is held.
func (e *emitter) Emit(ev agui.Event) error {
	if held := e.held; held != nil {
		e.held = nil
		return e.emitBoth(held, ev)
	}
	if e.err == nil {
		e.remember(e.out.Emit(ev))
	}
	return e.err
}

func (e *emitter) emitBoth(first, second agui.Event) error {
	if e.err == nil {
		e.remember(e.out.EmitBoth(first, second))
	}
	return e.err
}

// EmitWithNext is Emit for an event that says that the answer is over unless another one follows.
func (e *emitter) EmitWithNext(ev agui.Event) error {
	if err := e.emitHeld(); err != nil {
		return err
	}
	e.held = ev
	return nil
}

func (e *emitter) emitHeld() error {
	held := e.held
	if e.held = nil; held == nil {
		return e.err
	}
	return e.Emit(held)
}

// Flush says that nothing more is ready now.
func (e *emitter) Flush() error {
	if err := e.emitHeld(); err != nil {
		return err
	}
	e.remember(e.out.Flush())
	return e.err
}

// Commit returns once everything is stored. Its error is not remembered: that something could not
// be stored does not mean that it cannot be said.
func (e *emitter) Commit(ctx context.Context) error {
	if err := e.emitHeld(); err != nil {
		return err
	}
	return e.out.Commit(ctx)
}

func (e *emitter) remember(err error) {
	if err != nil {
		e.err = fmt.Errorf("agent: writing events: %w", err)
	}
}
