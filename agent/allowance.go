package agent

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"time"

	jsonv2 "github.com/go-json-experiment/json"

	"github.com/pageside/pageside/tool"
)

// allowanceAge is how long an allowance holds. Who comes back another day is asked again.
const allowanceAge = 24 * time.Hour

// allowableSchema is approvalSchema where the answer may be always.
var allowableSchema = json.RawMessage(`{"type":"object","properties":{` +
	`"approved":{"type":"boolean","description":"true runs the call, anything else denies it"},` +
	`"always":{"type":"boolean","description":"true with approved: on this thread, calls of this tool with exactly the approved arguments run without asking for 24 hours"},` +
	`"args":{"type":"object","description":"the arguments to run it with, in place of those proposed"},` +
	`"reason":{"type":"string","description":"why it is denied; the assistant is told"}},"required":["approved"]}`)

// notAllowable is what was wrong with an answer of always.
const notAllowable = "always: this call can only be approved for itself"

// allowable returns the definition of a tool whose calls can be allowed for good, "" for any other:
// what sends data away, what cannot be taken back and what the operator wants to be asked about is
// asked about each time.
func (r *run) allowable(t *tool.Tool) string {
	if r.in.Allowances == nil || t.Policy.Approval != tool.ApprovalPolicy {
		return ""
	}
	switch t.Effect {
	case tool.Read, tool.Idempotent, tool.Write:
		return t.Definition()
	}
	return ""
}

// offerAllowance says in an approval what kind of call it is about, and whether calls like it can
// be allowed for good.
func (r *run) offerAllowance(i *Interrupt, t *tool.Tool) {
	i.Effect, i.Allowable, i.ResponseSchema = t.Effect, r.allowable(t), approvalSchema
	if i.Allowable != "" {
		i.ResponseSchema = allowableSchema
	}
}

// allowed reports whether the user has allowed exactly this call. What cannot be looked up is
// asked.
func (r *run) allowed(ctx context.Context, c *call) bool {
	id, hash := r.findAllowance(ctx, c)
	if c.allowance = id; id == "" {
		return false
	}
	slog.InfoContext(ctx, "a call runs without asking: the user allowed it", "agent", r.agent.ID, "threadId", r.in.ThreadID, "runId", r.in.RunID, "toolCallId", c.id,
		"tool", c.ready.tool.Name, "argsHash", hash, "allowance", id)
	return true
}

// findAllowance returns the id of an allowance that holds now for exactly this call, "" where there
// is none or it cannot be looked up, and the hash of the call's arguments.
func (r *run) findAllowance(ctx context.Context, c *call) (id, hash string) {
	definition := r.allowable(c.ready.tool)
	if definition == "" {
		return "", ""
	}
	hash, err := tool.Hash(c.ready.args)
	if err != nil {
		return "", ""
	}
	if id, err = r.in.Allowances.Find(ctx, c.ready.tool.Name, definition, hash); err != nil {
		slog.ErrorContext(ctx, "what the user has allowed could not be looked up: the call does not run unasked", "threadId", r.in.ThreadID, "runId", r.in.RunID,
			"toolCallId", c.id, "error", err)
		return "", hash
	}
	return id, hash
}

// lapsed reports whether the allowance by which a call is about to run holds no more. All calls of
// a turn are judged before the first one runs, and the user may have taken it back meanwhile.
func (r *run) lapsed(ctx context.Context, c *call) bool {
	if c.allowance == "" {
		return false
	}
	id, _ := r.findAllowance(ctx, c)
	return id == ""
}

// giveAllowances keeps what was allowed for good, before any of it runs.
func (r *run) giveAllowances(ctx context.Context, t *turn) error {
	for _, c := range t.calls {
		if !c.always {
			continue
		}
		hash, err := tool.Hash(c.ready.args)
		if err != nil {
			return err
		}
		a := Allowance{
			Tool: c.ready.tool.Name, Definition: r.allowable(c.ready.tool), Args: c.ready.args, ArgsHash: hash, ExpiresAt: time.Now().Add(allowanceAge),
		}
		if err := r.in.Allowances.Give(ctx, a); err != nil {
			return err
		}
	}
	return nil
}

// CheckAnswer reports what of an answer to an approval cannot be honoured, as an *InputError: an
// always that is no boolean, that is not offered or that goes with a denial. Everything else is
// decided when the run gets to it, and so are answers to questions.
func (i *Interrupt) CheckAnswer(payload json.RawMessage) error {
	if i.Reason != ReasonToolCall {
		return nil // a question's answer has whatever fields it asks for
	}
	var fields map[string]json.RawMessage
	if jsonv2.Unmarshal(payload, &fields) != nil {
		return nil // no answer that could approve anything
	}
	always, ok := fields["always"]
	switch {
	case !ok, string(always) == "false":
		return nil
	case string(always) != "true":
		return &InputError{"always", errors.New("must be true or false")}
	case i.Allowable == "":
		return &InputError{"always", errors.New("this call can only be approved for itself")}
	case string(fields["approved"]) != "true":
		return &InputError{"always", errors.New("goes with approved only")}
	}
	return nil
}
