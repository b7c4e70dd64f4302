package agent

import (
	"context"
	"encoding/json"
	"log/slog"
	"slices"

	"github.com/pageside/pageside/auth"
	"github.com/pageside/pageside/calls"
	"github.com/pageside/pageside/policy"
	"github.com/pageside/pageside/tool"
)

// notAllowable is the problem with an "always" that cannot be granted.
const notAllowable = "always: this call can only be approved for itself"

// allowances are the standing approvals of a run's user.
type allowances struct {
	kept                     Allowances // may be nil
	agentID, threadID, runID string
	principal                auth.Principal
	log                      *slog.Logger
}

// allowable returns the definition of a tool whose calls can be allowed for good, else "".
func (a *allowances) allowable(t *tool.Tool, permission policy.Answer) string {
	on := calls.Judgement{Permission: permission}
	if a.kept == nil || !on.Case(t, false).Allowable() {
		return ""
	}
	return t.Definition()
}

// offerAllowance fills in the kind of call an approval is about, and how such calls can be allowed
// for good.
func (a *allowances) offerAllowance(i *Interrupt, t *tool.Tool, args json.RawMessage, permission policy.Answer) {
	i.Effect, i.Allowable, i.OpenArgs, i.ResponseSchema = t.Effect, a.allowable(t, permission), nil, approvalSchema
	if i.Allowable != "" {
		i.OpenArgs = openable(t, args)
		i.ResponseSchema = allowableSchema(i.OpenArgs)
	}
}

// checkTerms returns what is wrong with an always, or "".
func (a *allowances) checkTerms(t *terms, i *Interrupt, of *tool.Tool, permission policy.Answer) string {
	if t == nil {
		return ""
	}
	if i.Allowable == "" || i.Allowable != a.allowable(of, permission) {
		return notAllowable
	}
	open := slices.DeleteFunc(slices.Clone(i.OpenArgs), func(name string) bool { return !slices.Contains(of.Policy.OpenArgs, name) })
	if err := t.check(open); err != nil {
		return err.Error()
	}
	return ""
}

// allowed reports whether the user has allowed this call. If the lookup fails, the user is asked.
func (a *allowances) allowed(ctx context.Context, c *call) bool {
	id, hash := a.findAllowance(ctx, c)
	if c.Allowance = id; id == "" {
		return false
	}
	a.log.InfoContext(ctx, "a call runs without asking: the user allowed it", "agent", a.agentID, "threadId", a.threadID, "runId", a.runID, "toolCallId", c.id,
		"tool", c.ready.tool.Name, "argsHash", hash, "allowance", id)
	return true
}

// findAllowance returns the id of a valid allowance for this call, and the hash of the call's
// arguments. The id is "" if there is none or the lookup fails.
func (a *allowances) findAllowance(ctx context.Context, c *call) (id, hash string) {
	definition := a.allowable(c.ready.tool, c.Permission)
	if definition == "" {
		return "", ""
	}
	hash, err := tool.Hash(c.ready.args)
	if err != nil {
		return "", ""
	}
	if id, err = a.kept.Find(ctx, c.ready.tool.Name, definition, c.ready.args, c.ready.tool.Policy.OpenArgs); err != nil {
		a.log.ErrorContext(ctx, "what the user has allowed could not be looked up: the call does not run unasked", "threadId", a.threadID, "runId", a.runID,
			"toolCallId", c.id, "error", err)
		return "", hash
	}
	return id, hash
}

// lapsed reports whether the allowance under which a call is about to run no longer holds. All
// calls of a step are judged before the first one runs, and the user may have withdrawn it since.
func (a *allowances) lapsed(ctx context.Context, c *call) bool {
	if c.Allowance == "" {
		return false
	}
	id, _ := a.findAllowance(ctx, c)
	return id == ""
}

// giveAllowances stores the new standing approvals before any of the calls run.
func (a *allowances) giveAllowances(ctx context.Context, calls []*call) error {
	for _, c := range calls {
		if c.always == nil {
			continue
		}
		given, err := c.always.allowance(c.ready.tool, a.allowable(c.ready.tool, c.Permission), c.ready.args)
		if err != nil {
			return err
		}
		if err := a.kept.Give(ctx, given); err != nil {
			return err
		}
	}
	return nil
}
