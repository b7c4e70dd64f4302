package agent

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/pageside/pageside/calls"
	"github.com/pageside/pageside/tool"
)

// approvals decides which calls of a run wait for a person.
type approvals struct {
	calls.Grants
	agent  *Agent
	in     *Input
	access *access
	taint  *taint
	origin tool.Origin // of the run's own calls
}

func newApprovals(a *Agent, in *Input, from tool.Origin, t *taint, may *access) *approvals {
	log := a.log().With("agent", a.ID, "threadId", in.ThreadID, "runId", in.RunID)
	return &approvals{calls.Grants{Kept: in.Allowances, Log: log}, a, in, may, t, from}
}

// hold decides whether a runnable call must wait for a person first.
func (a *approvals) hold(ctx context.Context, c *call) *tool.Error {
	c.Permission = a.access.use(ctx, c, c.ready.args)
	verdict := c.Case(c.ready.tool, a.agent.Approvals.IgnoreTaint).Verdict()
	if verdict == calls.Refused {
		return calls.NotPermitted(c.name, c.Permission)
	}
	if c.ready.page && !c.withheld {
		return nil // neither the agent nor the policy asks about such tools
	}
	if c.offer.question {
		question, err := parseQuestion(c.ready.args)
		if err != nil {
			return err
		}
		c.interrupt = a.newInterrupt(c, c.ready.args, question.reason(), question.Question, question.schema())
		return nil
	}
	if verdict == calls.Runs || a.allowed(ctx, c) {
		return nil
	}
	interrupt, err := a.approval(ctx, c, c.ready)
	c.interrupt = interrupt
	return err
}

// withhold marks the frontend tools whose calls the client is given only once they are decided. The
// client could run a call as soon as it knows of it. It gets the others as the model writes them.
func (a *approvals) withhold(ctx context.Context, tools toolset) {
	for _, o := range tools.offers {
		if o.page == nil || o.builtin {
			continue
		}
		then := calls.Judgement{Tainted: true} // the branch may be, by the time the model calls it
		asks := then.Case(o.page, a.agent.Approvals.IgnoreTaint).Verdict() == calls.Asks
		o.withheld = asks || a.access.mayObject(ctx, o.page) || o.calls != nil
	}
}

// approval returns the interrupt that asks whether a call may run as it is, or the tool's objection
// to it.
func (a *approvals) approval(ctx context.Context, c *call, ready *ready) (*calls.Interrupt, *tool.Error) {
	from := a.origin
	if c.origin != nil { // it was made by an earlier run
		from = *c.origin
	}
	summary, err := tool.Summarize(ctx, ready.tool, tool.Call{
		ID: c.id, Args: ready.args, ThreadID: a.in.ThreadID, RunID: a.in.RunID, Principal: a.in.Principal,
		Origin: from, Log: a.agent.log(),
	})
	if err != nil {
		return nil, err
	}
	i := a.newInterrupt(c, ready.args, calls.ReasonToolCall,
		cmp.Or(summary, fmt.Sprintf("The assistant wants to run %s.", c.name)), calls.ApprovalSchema)
	i.Summary = cmp.Or(summary, ready.tool.Purpose())
	i.Definition, i.Frontend, i.Origin = ready.tool.Definition(), ready.page, &from
	a.Offer(i, ready.tool, ready.args, c.Permission)
	return i, nil
}

// question returns the interrupt that asks the user what the tool of a running call wants to know.
func (a *approvals) question(c *call, q tool.Question) *calls.Interrupt {
	from := a.origin
	if c.origin != nil {
		from = *c.origin
	}
	i := a.newInterrupt(c, c.ready.args, calls.ReasonInput, q.Text, (&question{Kind: askText}).schema())
	i.Asked, i.Memo, i.Definition, i.Origin = true, q.Memo, c.ready.tool.Definition(), &from
	return i
}

func (a *approvals) newInterrupt(
	c *call, args json.RawMessage, reason, message string, schema json.RawMessage,
) *calls.Interrupt {
	return &calls.Interrupt{
		ID: a.agent.id("int_"), Reason: reason, Message: message, ToolCallID: c.id, Tool: c.name, Args: args,
		ResponseSchema: schema, ExpiresAt: time.Now().Add(a.agent.expiry()).UTC().Truncate(time.Second),
	}
}

// allowed reports whether the user has allowed this call.
func (a *approvals) allowed(ctx context.Context, c *call) bool {
	id := a.Find(ctx, c.ready.tool, c.ready.args, c.Permission)
	if c.Allowance = id; id == "" {
		return false
	}
	a.Log.InfoContext(ctx, "a call runs without asking: the user allowed it",
		"toolCallId", c.id, "tool", c.ready.tool.Name, "argsHash", hashOf(c.ready.args), "allowance", id)
	return true
}

// lapsed reports whether the allowance under which a call is about to run no longer holds. All
// calls of a step are judged before the first one runs, and the user may have withdrawn it since.
func (a *approvals) lapsed(ctx context.Context, c *call) bool {
	return c.Allowance != "" && a.Find(ctx, c.ready.tool, c.ready.args, c.Permission) == ""
}

// giveAllowances stores the new standing approvals before any of the calls run.
func (a *approvals) giveAllowances(ctx context.Context, calls []*call) error {
	for _, c := range calls {
		if c.always == nil {
			continue
		}
		if err := a.Give(ctx, c.always, c.ready.tool, c.ready.args, c.Permission); err != nil {
			return err
		}
	}
	return nil
}
