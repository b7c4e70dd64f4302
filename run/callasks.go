package run

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"time"

	"github.com/pageside/pageside/audit"
	"github.com/pageside/pageside/policy"
	"github.com/pageside/pageside/run/refusal"
	"github.com/pageside/pageside/store"
	"github.com/pageside/pageside/tool"
)

// approve asks a person at once. It returns the call as it is judged with their approval: what is
// permitted may have changed while they thought.
func (c *directCall) approve(ctx context.Context) (*directCall, error) {
	c.record(ctx, audit.Ask, audit.Waiting)
	if err := c.ask(ctx); err != nil {
		return nil, err
	}
	again, err := c.m.judge(ctx, c.CallRequest)
	if err != nil {
		return nil, err
	}
	if again.fingerprint != c.fingerprint {
		return nil, again.offer(ctx)
	}
	again.Approved = true
	return again, nil
}

// ask asks a person. Its error is why the call is not made.
func (c *directCall) ask(ctx context.Context) error {
	summary, objection := tool.Summarize(ctx, c.Tool, tool.Call{Args: c.args, Principal: c.Principal, Log: c.m.log})
	if objection != nil {
		return badArgs(objection)
	}
	ctx, cancel := context.WithTimeout(ctx, approvalAge)
	defer cancel()
	approved, err := c.Ask(ctx, CallQuestion{
		Tool: c.Tool.Name, Effect: c.Tool.Effect, Summary: cmp.Or(summary, c.Tool.Purpose()), Args: c.Tool.Unbound(c.args),
	})
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		c.record(ctx, audit.Expired, audit.NotRun)
		return &refusal.Error{
			Code:    refusal.NotApproved,
			Message: "nobody answered in time whether " + c.Tool.Name + " may run: it was not executed",
		}
	case err != nil:
		c.record(ctx, audit.Deny, audit.NotRun)
		return err
	case !approved:
		c.record(ctx, audit.Declined, audit.NotRun)
		return &refusal.Error{
			Code:    refusal.NotApproved,
			Message: "the user declined the call of " + c.Tool.Name + ": it was not executed",
		}
	}
	return nil
}

// offer returns the refusal of a call that needs the user's approval. Its approval id permits
// exactly this call to this caller, once.
func (c *directCall) offer(ctx context.Context) error {
	c.record(ctx, audit.Ask, audit.Waiting)
	a := store.ActionApproval{
		ID: "apv_" + rand.Text(), Fingerprint: c.fingerprint, ExpiresAt: time.Now().Add(approvalAge),
	}
	if err := c.m.cfg.Store.OfferApproval(ctx, c.owner, a); err != nil {
		return StoreError("offer an approval", err)
	}
	message := fmt.Sprintf("approvalId: %s needs the user's approval of these arguments", c.Tool.Name)
	if c.ApprovalID != "" {
		message = "approvalId: it is not valid (any more) for this action: ask the user again"
	}
	return &refusal.Error{Code: refusal.Approval, Field: "approvalId", Message: message, Details: map[string]any{
		"tool": c.Tool.Name, "effect": c.Tool.Effect, "args": c.args,
		"approvalId": a.ID, "expiresAt": a.ExpiresAt.UTC().Format(time.RFC3339),
	}}
}

// forbidden is the error for a call that a policy denies.
func (c *directCall) forbidden() error {
	kind, name := policy.Tool, c.Tool.Name
	if c.Action != "" {
		kind, name = policy.Action, c.Action
	}
	return &refusal.Error{
		Code:    refusal.Forbidden,
		Message: fmt.Sprintf("you are not permitted to use %s %q%s", kind, name, because(c.Permission)),
		Details: map[string]any{"kind": kind, "name": name, "verb": policy.Use},
	}
}

// badArgs is the error for arguments that a tool does not take.
func badArgs(err error) error {
	e, ok := errors.AsType[*tool.Error](err)
	switch {
	case !ok:
		return err
	case e.Code == tool.CodeUnavailable:
		return &refusal.Error{Code: refusal.Unavailable, Message: e.Message}
	}
	return &refusal.Error{Code: refusal.InvalidArgs, Field: "args", Message: "args: " + e.Message}
}

func unknownOutcome(why string) error {
	return &refusal.Error{
		Code:    refusal.UnknownOutcome,
		Message: why + ": whether it had its effect is not known. It was not run again",
	}
}

var errKeyReused = &refusal.Error{
	Code: refusal.KeyReused, Field: "Idempotency-Key",
	Message: "Idempotency-Key: it was used for another action: take a new one for each click",
}
