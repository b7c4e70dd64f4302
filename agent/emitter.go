package agent

import (
	"context"
	"errors"
	"fmt"

	"github.com/pageside/pageside/agui"
)

// emitter is the Output of a run. It keeps the first error and writes nothing after it.
type emitter struct {
	out  Output
	held agui.Event // goes out with the next event, or alone at a pause
	err  error
}

// Emit sends an event, after the held one if any.
func (e *emitter) Emit(ev agui.Event) error {
	if e.held != nil {
		return e.EmitAll(ev)
	}
	if e.err == nil {
		e.remember(e.out.Emit(ev))
	}
	return e.err
}

// Offer sends an event that is not the loop's own. One that may not come now is refused: that
// changes nothing, and is no failure of the run.
func (e *emitter) Offer(ev agui.Event) (refused *agui.RuleError, err error) {
	if err := e.emitHeld(); err != nil {
		return nil, err
	}
	err = e.out.Emit(ev)
	if refused, ok := errors.AsType[*agui.RuleError](err); ok {
		return refused, nil
	}
	e.remember(err)
	return nil, e.err
}

// EmitAll sends events that are stored together, and with the held one if any.
func (e *emitter) EmitAll(events ...agui.Event) error {
	if held := e.held; held != nil {
		e.held = nil
		events = append([]agui.Event{held}, events...)
	}
	if e.err == nil {
		e.remember(e.out.EmitAll(events...))
	}
	return e.err
}

// EmitWithNext holds back an event that ends the answer, unless another one follows.
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

// Flush sends what is held: nothing more is ready now.
func (e *emitter) Flush() error {
	if err := e.emitHeld(); err != nil {
		return err
	}
	e.remember(e.out.Flush())
	return e.err
}

// Commit returns once everything is stored. It does not keep its error: events can still be sent
// when they cannot be stored.
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
