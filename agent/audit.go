package agent

import (
	"cmp"
	"context"
	"encoding/json"

	"github.com/pageside/pageside/agui"
	"github.com/pageside/pageside/audit"
	"github.com/pageside/pageside/calls"
	"github.com/pageside/pageside/tool"
)

// auditor records in the audit log what becomes of a run's calls: each that the model makes has an
// entry about its end, and before that one about its beginning, or about whom it waited for.
type auditor struct {
	calls.Executor
	about audit.Entry // principal, thread and run
}

func newAuditor(a *Agent, in *Input) *auditor {
	return &auditor{
		calls.Executor{Audit: a.Audit, Log: a.log()},
		audit.Entry{Principal: in.Principal, ThreadID: in.ThreadID, RunID: in.RunID},
	}
}

// entry returns an entry about a call.
func (a *auditor) entry(c *call, kind audit.Kind, decision, outcome string) audit.Entry {
	e := a.about
	e.Kind, e.CallID, e.Tool, e.Decision, e.Outcome, e.Rule = kind, c.id, c.name, decision, outcome, cmp.Or(c.rule, c.Permission.Rule)
	if c.ready != nil && len(c.ready.args) > 0 {
		e.Args = c.ready.args
	} else if args := json.RawMessage(c.args.String()); json.Valid(args) {
		e.Args = args
	}
	e.ArgsHash = hashOf(e.Args)
	return e
}

// begin records that a backend call is about to begin: see Executor.Begin. Of a read-only call only
// the end is recorded: it need not be recorded to run, and there are many.
func (a *auditor) begin(ctx context.Context, c *call, start func(context.Context) error) error {
	if a.Audit == nil {
		return start(ctx)
	}
	decision := a.agreed(ctx, c)
	e := a.entry(c, audit.ToolCall, decision, audit.Begun)
	e.Rule = cmp.Or(e.Rule, calls.RuleOf(c.ready.tool))
	if c.rule = e.Rule; c.ready.tool.Effect == tool.Read {
		c.decision = decision
		return start(ctx)
	}
	return a.Begin(ctx, e, start)
}

// agreed returns under which decision a call begins, or is handed to the page, and records the use
// of an allowance.
func (a *auditor) agreed(ctx context.Context, c *call) string {
	switch {
	case c.Allowance != "":
		c.rule = "allowance " + c.Allowance
		a.Record(ctx, a.entry(c, audit.Allowance, audit.Used, audit.OK))
		return audit.Used
	case c.Approved:
		return audit.Approved
	}
	return audit.Allow
}

// ended records the end of a call that has begun.
func (a *auditor) ended(ctx context.Context, c *call, result tool.Result) {
	if a.Audit == nil || c.recorded {
		return
	}
	c.recorded = true
	e := calls.Ended(ctx, a.entry(c, audit.ToolCall, c.decision, ""), result)
	if !c.begun {
		e.Outcome = audit.NotRun
	}
	a.Record(ctx, e)
}

// answered records a result that no handler gave: the call was refused, denied, answered by the
// user, or its outcome is lost. It does nothing for a call whose end is recorded.
func (a *auditor) answered(c *call) {
	if a.Audit == nil || c.recorded {
		return
	}
	c.recorded = true
	e := a.entry(c, audit.ToolCall, audit.Deny, audit.NotRun)
	e.Detail = tool.ErrorCode(c.result.Text)
	switch {
	case e.Detail == calls.CodeUnknownOutcome:
		e.Decision, e.Outcome = "", audit.Unknown
	case e.Detail == tool.CodeInterrupted && c.begun:
		e.Decision, e.Outcome = "", audit.Unknown
	case e.Detail == "" && !c.result.IsError:
		e.Decision, e.Outcome = "", audit.OK
	case c.result.IsError && e.Detail == "":
		e.Decision, e.Outcome = "", audit.Failed
	}
	a.Record(context.Background(), e) // the run's context may have ended
}

// waits records a call that was handed to the page, or that a person must decide about.
func (a *auditor) waits(ctx context.Context, c *call) {
	switch {
	case a.Audit == nil:
	case c.interrupt == nil:
		a.Record(ctx, a.entry(c, audit.ToolCall, a.agreed(ctx, c), audit.Waiting))
	case c.interrupt.Reason == calls.ReasonToolCall:
		a.asked(ctx, c)
	default:
		a.Record(ctx, a.entry(c, audit.ToolCall, audit.Ask, audit.Waiting))
	}
}

// asked records that a person is asked to approve a call.
func (a *auditor) asked(ctx context.Context, c *call) {
	e := a.entry(c, audit.Approval, audit.Ask, audit.Waiting)
	e.Args, e.ArgsHash = c.interrupt.Args, hashOf(c.interrupt.Args)
	if e.Rule == "" {
		e.Rule = "effect " + string(c.interrupt.Effect) + " on a tainted branch, or approval always"
	}
	e.Detail = "interrupt " + c.interrupt.ID
	a.Record(ctx, e)
}

// resumed records what became of a call that waited for an approval. The run's principal is the one
// who answered.
func (a *auditor) resumed(ctx context.Context, c *call, interrupt *calls.Interrupt, answer *agui.ResumeEntry) {
	if a.Audit == nil || interrupt == nil || interrupt.Reason != calls.ReasonToolCall || c.planned != "" {
		return
	}
	e := a.entry(c, audit.Approval, audit.Declined, audit.NotRun)
	e.Detail = "interrupt " + interrupt.ID
	switch {
	case c.interrupt != nil && c.interrupt.ID != interrupt.ID:
		a.asked(ctx, c)
		return
	case c.interrupt != nil && answer == nil: // it keeps waiting
		return
	case c.interrupt != nil:
		e.Decision, e.Outcome = audit.Ignored, audit.Waiting
	case c.ready != nil && sameJSON(c.ready.args, interrupt.Args):
		e.Decision, e.Outcome = audit.Approved, audit.OK
	case c.ready != nil:
		e.Decision, e.Outcome = audit.Edited, audit.OK
		e.Detail += ", proposed were " + hashOf(interrupt.Args)
	case c.result != nil && tool.ErrorCode(c.result.Text) == calls.CodeExpired:
		e.Decision = audit.Expired
	case answer == nil || c.result != nil && tool.ErrorCode(c.result.Text) != calls.CodeDenied:
		e.Decision = audit.Ignored
	}
	a.Record(ctx, e)
}

// notRecorded is the result of a call that may not run without an entry.
func notRecorded() tool.Result {
	return (&tool.Error{
		Code: tool.CodeUnavailable, Message: "not executed: it could not be recorded in the audit log", Retryable: true,
		Hint: "Tell the user. Nothing that changes anything can be done until the log works again.",
	}).Result()
}
