package run

import (
	"context"
	"errors"
	"slices"

	"github.com/pageside/pageside/agent"
	"github.com/pageside/pageside/agui"
	"github.com/pageside/pageside/auth"
	"github.com/pageside/pageside/page"
	"github.com/pageside/pageside/run/history"
	"github.com/pageside/pageside/run/refusal"
	"github.com/pageside/pageside/store"
)

// Served is an agent of a manager, with what the server knows about it: permissions and approvals
// beside its pages.
type Served struct {
	ID          string
	Description string
	Pages       *page.Registry // its tools, payload types and pages

	impl Agent
	desk *agent.Agent
	own  bool // not the built-in agent
	kept *stored
}

// Capabilities returns what the agent can do for a principal. offers is what clients are told
// besides, in Pageside's own words.
func (s *Served) Capabilities(ctx context.Context, p auth.Principal, offers map[string]any) *agui.Capabilities {
	if s.own {
		return s.desk.OwnCapabilities(s.impl.Capabilities(), offers)
	}
	return s.desk.Capabilities(ctx, p, offers)
}

// Describe returns all that the agent works with at a place. Errors are those of StoreError.
func (s *Served) Describe(ctx context.Context, o Owner, at page.Place) (agent.Description, error) {
	scope, err := s.kept.instructionsAt(ctx, o, at.Scope)
	if err != nil {
		return agent.Description{}, StoreError("describe a place", err)
	}
	return s.desk.Describe(at, scope), nil
}

// Disclose tells a user what the agent works with at a place, and where data goes: with the pick,
// or, without one, with what was chosen last in the thread, if any. Errors are *refusal.Error for a
// choice that there is not, and those of StoreError.
func (s *Served) Disclose(
	ctx context.Context, p auth.Principal, at page.Place, pick Pick, threadID string,
) (d agent.Disclosure, err error) {
	if pick == (Pick{}) && threadID != "" {
		pick, err = s.kept.picked(ctx, ownerOf(p), threadID)
	} else {
		err = checkPick(s.desk, "", pick)
	}
	if err != nil {
		return d, err
	}
	scope, err := s.kept.instructionsAt(ctx, ownerOf(p), at.Scope)
	if err != nil {
		return d, StoreError("disclose a place", err)
	}
	d = s.desk.Disclose(ctx, p, at, scope, pick)
	if s.own { // it is given no other part of the prompt
		d.Instructions = slices.DeleteFunc(d.Instructions, func(in agent.DisclosedInstructions) bool {
			return in.Name != "scope"
		})
	}
	return d, nil
}

// picked returns what a user chose last in a thread: nothing in one that there is not. Errors are
// *refusal.Error.
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
		return refusal.Field(in+e.Path, "%s", e.Reason)
	}
	return err
}
