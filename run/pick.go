package run

import (
	"context"
	"errors"

	"github.com/pageside/pageside/agent"
	"github.com/pageside/pageside/agui"
	"github.com/pageside/pageside/run/history"
	"github.com/pageside/pageside/store"
)

// picked returns what a user chose last in a thread: nothing in one that there is not. Errors are
// *Error.
func (s *stored) picked(ctx context.Context, o Owner, threadID string) (Pick, error) {
	_, thread, err := s.headOf(ctx, o, threadID)
	switch {
	case errors.Is(err, store.ErrNotFound):
		return Pick{}, nil
	case err != nil:
		return Pick{}, unreadable(err)
	}
	return pickIn(thread), nil
}

// pickIn returns what the user chose last in a thread.
func pickIn(thread []agui.Message) Pick {
	model, effort := history.Pick(thread)
	return Pick{Model: model, Effort: effort}
}

// checkPick refuses a model or an effort that the agent does not offer. The error names the field
// below in.
func checkPick(a *agent.Agent, in string, pick Pick) error {
	err := a.Choices.Check(pick)
	if e, ok := errors.AsType[*agui.FieldError](err); ok {
		return &Error{Code: CodeInvalid, Field: in + e.Path, Message: e.Reason}
	}
	return err
}
