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
	code := CodeInvalid
	if errors.Is(err, agent.ErrStateTooLarge) {
		code = CodeTooLarge
	}
	return &Error{Code: code, Field: field, Message: err.Error()}
}

// takeState sets the state that the run begins with: the branch's, with what the client has
// changed. If the schema refuses only the two together, the branch's stays; the client is told.
func (x *execution) takeState(ctx context.Context, b *branch) error {
	ours, theirs := b.state, x.Input.State
	if ours == nil {
		ours = x.agent.State.Initial
	}
	x.state = ours
	if isEmpty(theirs) {
		return nil
	}
	base, err := x.stateBase(ctx, b)
	if err != nil {
		return err
	}
	merged := theirs
	if ours != nil {
		merged = jsonx.Merge(base, theirs, ours)
	}
	if ours != nil && jsonx.Equal(merged, ours) {
		return nil
	}
	if err := checkState(x.agent, "state", merged); err != nil {
		return err
	}
	if err := x.agent.State.Validate(merged); err != nil {
		if x.agent.State.Validate(theirs) == nil {
			return nil
		}
		return &Error{Code: CodeInvalid, Field: "state", Message: "state: " + err.Error()}
	}
	x.state = merged
	return nil
}

// stateBase returns the state that the client was last given, or nil if none or unknown. It tries,
// in this order: the state the client names, the end of the run it names as the parent, and the run
// of the last message it has. The SDK follows its thread, so it has the branch's state.
func (x *execution) stateBase(ctx context.Context, b *branch) (json.RawMessage, error) {
	switch {
	case x.Place.StateBase != nil && isEmpty(x.Place.StateBase):
		return nil, nil
	case x.Place.StateBase != nil:
		return x.Place.StateBase, nil
	case b.New:
		return nil, nil
	}
	if id := x.Input.ParentRunID; id != "" {
		if parent, known, err := x.run.named(ctx, id); err != nil || known {
			return parent.State, err
		}
	}
	if base, known, err := x.messageState(ctx, b); err != nil || known {
		return base, err
	}
	if x.Place.IsGiven {
		return b.state, nil
	}
	return nil, nil
}

// messageState returns the state that came with the last message of the branch that the client has.
// With a message of its user it has seen only the beginning of that run.
func (x *execution) messageState(
	ctx context.Context, b *branch,
) (state json.RawMessage, known bool, err error) {
	r := x.run
	ours := history.IDs(b.Messages)
	for i := len(x.Input.Messages) - 1; i >= 0; i-- {
		msg := &x.Input.Messages[i]
		if !ours[msg.ID] {
			continue
		}
		by, err := x.m.cfg.Store.MessageRun(ctx, r.owner, r.ThreadID, msg.ID)
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
	return state != nil && !(isEmpty(state) && isEmpty(sent)) && !(sent != nil && jsonx.Equal(state, sent))
}

// isEmpty reports whether a state says nothing: clients that do not use it send {} or null.
func isEmpty(state json.RawMessage) bool {
	return state == nil || jsonx.Equal(state, json.RawMessage("{}")) || jsonx.Equal(state, json.RawMessage("null"))
}
