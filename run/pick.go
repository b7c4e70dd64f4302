package run

import (
	"context"
	"errors"

	"github.com/pageside/pageside/agent"
	"github.com/pageside/pageside/agui"
	"github.com/pageside/pageside/page"
	"github.com/pageside/pageside/run/history"
	"github.com/pageside/pageside/store"
)

// Picked returns what a user chose last in a thread: nothing in one that there is not. Errors are
// *Error.
func (s *stored) Picked(ctx context.Context, o store.Owner, threadID string) (agent.Pick, error) {
	_, thread, err := s.headOf(ctx, o, threadID)
	switch {
	case errors.Is(err, store.ErrNotFound):
		return agent.Pick{}, nil
	case err != nil:
		return agent.Pick{}, unreadable(err)
	}
	return pickIn(thread), nil
}

// pickIn returns what the user chose last in a thread.
func pickIn(thread []agui.Message) agent.Pick {
	model, effort := history.Pick(thread)
	return agent.Pick{Model: model, Effort: effort}
}

// checkPick refuses a model or an effort that the agent does not offer.
func checkPick(a *agent.Agent, at page.Forwarded) error {
	err := a.Choices.Check(agent.Pick{Model: at.Model, Effort: at.Effort})
	if e, ok := errors.AsType[*agent.InputError](err); ok {
		return &Error{Code: CodeInvalid, Field: "forwardedProps.pageside." + e.Field, Message: e.Err.Error()}
	}
	return err
}
