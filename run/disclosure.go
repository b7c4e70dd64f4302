package run

import (
	"context"
	"slices"

	"github.com/pageside/pageside/agent"
	"github.com/pageside/pageside/auth"
	"github.com/pageside/pageside/page"
)

// places tells what agents work with at a place, with the instructions that are stored for its
// scope.
type places struct {
	*stored
	agents *roster
}

// Describe returns all that an agent works with at a place. Errors are *Error if there is no such
// agent, and those of StoreError.
func (p *places) Describe(ctx context.Context, o Owner, agentID string, at page.Place) (Description, error) {
	a, err := p.agents.known(agentID)
	if err != nil {
		return Description{}, err
	}
	scope, err := p.instructionsAt(ctx, o, at.Scope)
	if err != nil {
		return Description{}, StoreError("describe a place", err)
	}
	return a.desk.Describe(at, scope), nil
}

// DisclosureRequest asks what an agent works with at a place, and where data goes.
type DisclosureRequest struct {
	Principal auth.Principal // who is told
	Agent     string
	Place     page.Place
	Pick      Pick   // what the user would choose for the next question
	ThreadID  string // whose last choice holds if Pick is the zero value; "" is none
}

// Disclose tells a user what an agent works with at a place. Errors are *Error if there is no such
// agent or choice, and those of StoreError.
func (p *places) Disclose(ctx context.Context, req DisclosureRequest) (Disclosure, error) {
	a, err := p.agents.known(req.Agent)
	if err != nil {
		return Disclosure{}, err
	}
	pick, err := p.nextPick(ctx, a.desk, req)
	if err != nil {
		return Disclosure{}, err
	}
	scope, err := p.instructionsAt(ctx, ownerOf(req.Principal), req.Place.Scope)
	if err != nil {
		return Disclosure{}, StoreError("disclose a place", err)
	}
	d := a.desk.Disclose(ctx, req.Principal, req.Place, scope, pick)
	if a.own { // it is given no other part of the prompt
		d.Instructions = slices.DeleteFunc(d.Instructions, func(in agent.DisclosedInstructions) bool {
			return in.Name != "scope"
		})
	}
	return d, nil
}

// nextPick returns the pick that holds for the next question: what the user would choose, or else
// the thread's.
func (p *places) nextPick(ctx context.Context, a *agent.Agent, req DisclosureRequest) (Pick, error) {
	if req.Pick == (Pick{}) && req.ThreadID != "" {
		return p.picked(ctx, ownerOf(req.Principal), req.ThreadID)
	}
	return req.Pick, checkPick(a, "", req.Pick)
}
