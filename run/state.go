package run

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/pageside/pageside/agent"
	"github.com/pageside/pageside/agui"
	"github.com/pageside/pageside/internal/jsonx"
	"github.com/pageside/pageside/run/history"
	"github.com/pageside/pageside/run/refusal"
	"github.com/pageside/pageside/sharedstate"
)

// The state that a page and its agent share belongs to a branch: a run begins with the state that
// its parent ended with. A client sends a whole state with each run. Only its changes to the state
// that it was last given count.

// checkState refuses a state that the agent does not accept.
func checkState(a *agent.Agent, field string, state json.RawMessage) error {
	err := a.State.Fits(state)
	if err == nil {
		return nil
	}
	code := refusal.Invalid
	if errors.Is(err, sharedstate.ErrTooLarge) {
		code = refusal.TooLarge
	}
	return &refusal.Error{Code: code, Field: field, Message: err.Error()}
}

// stateAt returns the state that the run begins with: the branch's, with what the client has
// changed. If the schema refuses only the two together, the branch's stays; the client is told.
func (c *candidate) stateAt(ctx context.Context, b *branch) (json.RawMessage, error) {
	ours, theirs := b.state, c.Input.State
	if ours == nil {
		ours = c.agent.State.Initial
	}
	if sharedstate.IsEmpty(theirs) {
		return ours, nil
	}
	base, err := c.stateBase(ctx, b)
	if err != nil {
		return nil, err
	}
	merged := theirs
	if ours != nil {
		merged = jsonx.Merge(base, theirs, ours)
	}
	if ours != nil && jsonx.Equal(merged, ours) {
		return ours, nil
	}
	if err := checkState(c.agent, "state", merged); err != nil {
		return nil, err
	}
	if err := c.agent.State.Validate(merged); err != nil {
		if c.agent.State.Validate(theirs) == nil {
			return ours, nil
		}
		return nil, refusal.Field("state", "state: %v", err)
	}
	return merged, nil
}

// stateBase returns the state that the client was last given, or nil if none or unknown. It tries,
// in this order: the state the client names, the end of the run it names as the parent, and the run
// of the last message it has. The SDK follows its thread, so it has the branch's state.
func (c *candidate) stateBase(ctx context.Context, b *branch) (json.RawMessage, error) {
	switch {
	case c.Place.StateBase != nil && sharedstate.IsEmpty(c.Place.StateBase):
		return nil, nil
	case c.Place.StateBase != nil:
		return c.Place.StateBase, nil
	case b.New:
		return nil, nil
	}
	if id := c.Input.ParentRunID; id != "" {
		if parent, known, err := c.run.named(ctx, id); err != nil || known {
			return parent.State, err
		}
	}
	if base, known, err := c.messageState(ctx, b); err != nil || known {
		return base, err
	}
	if c.Place.IsGiven {
		return b.state, nil
	}
	return nil, nil
}

// messageState returns the state that came with the last message of the branch that the client has.
// With a message of its user it has seen only the beginning of that run.
func (c *candidate) messageState(
	ctx context.Context, b *branch,
) (state json.RawMessage, known bool, err error) {
	r := c.run
	ours := history.IDs(b.Messages)
	for i := len(c.Input.Messages) - 1; i >= 0; i-- {
		msg := &c.Input.Messages[i]
		if !ours[msg.ID] {
			continue
		}
		by, err := c.m.cfg.Store.MessageRun(ctx, r.owner, r.ThreadID, msg.ID)
		if err != nil {
			return nil, false, unavailable(fmt.Sprintf("the run of message %q could not be read", msg.ID), err)
		}
		if msg.Role == agui.RoleUser {
			return by.StartState, true, nil
		}
		return by.State, true, nil
	}
	return nil, false, nil
}

// tellsState reports whether the run tells the client the state that it begins with: not if that is
// what the client has sent.
func (x *execution) tellsState() bool {
	state, sent := x.state, x.Input.State
	return state != nil && !(sharedstate.IsEmpty(state) && sharedstate.IsEmpty(sent)) && !(sent != nil && jsonx.Equal(state, sent))
}
