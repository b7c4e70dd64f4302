package agent

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/pageside/pageside/agui"
	"github.com/pageside/pageside/tool"
)

// The reasons of an Interrupt, as AG-UI has them.
const (
	ReasonToolCall     = "tool_call"      // a call needs approval
	ReasonInput        = "input_required" // ask_user wants a choice or a text
	ReasonConfirmation = "confirmation"   // ask_user wants yes or no
)

// gate is what a call waits for, and what the journal knows of it.
type gate struct {
	interrupt *Interrupt // a person has to answer first
	old       bool       // an earlier run made the call, or this one before a crash
	overtaken bool       // the user has said something since
	planned   string     // the run that planned it, where that was not this one just now
	started   bool       // the journal has it as started: it runs again

	// the arguments it ran with, where a person changed what the model wrote
	changed json.RawMessage

	always    bool   // it was approved for good: the next one like it runs without asking
	allowance string // the id of the allowance by which it runs without asking
}

// waits reports whether nothing more is to be done about the call until a client or a person has
// answered.
func (c *call) waits() bool { return c.result == nil && (c.frontend() || c.interrupt != nil) }

// AGUI is the interrupt as RUN_FINISHED carries it. What AG-UI has no field for stands in its
// metadata, the args being exactly those that run when the call is approved. An effect is there for
// approvals, an allowance where the answer may be always.
func (i *Interrupt) AGUI() agui.Interrupt {
	metadata := agui.Metadata{Tool: i.Tool, Effect: string(i.Effect), Summary: i.Summary, Args: i.Args}
	if i.Allowable != "" {
		metadata.Allowance = &agui.AllowanceOffer{Scope: "thread", MaxAge: int(allowanceAge.Seconds())}
	}
	out := agui.Interrupt{
		ID: i.ID, Reason: i.Reason, Message: i.Message, ToolCallID: i.ToolCallID,
		ResponseSchema: i.ResponseSchema, Metadata: metadata.JSON(),
	}
	if !i.ExpiresAt.IsZero() {
		out.ExpiresAt = i.ExpiresAt.UTC().Format(time.RFC3339)
	}
	return out
}

// approvalSchema is what an approval is answered with.
var approvalSchema = json.RawMessage(`{"type":"object","properties":{` +
	`"approved":{"type":"boolean","description":"true runs the call, anything else denies it"},` +
	`"args":{"type":"object","description":"the arguments to run it with, in place of those proposed"},` +
	`"reason":{"type":"string","description":"why it is denied; the assistant is told"}},"required":["approved"]}`)

// hold decides whether a call that may run has to wait for a person.
func (r *run) hold(ctx context.Context, c *call) *tool.Error {
	if c.ready.tool == nil {
		return nil
	}
	if c.offer.question {
		question, err := parseQuestion(c.ready.args)
		if err != nil {
			return err
		}
		c.interrupt = r.newInterrupt(c, c.ready.args, question.reason(), question.Question, question.schema())
		return nil
	}
	if !r.needsApproval(c.ready.tool) || r.allowed(ctx, c) {
		return nil
	}
	interrupt, err := r.approval(ctx, c, c.ready)
	c.interrupt = interrupt
	return err
}

// approval is the question whether a call may run as it stands, or what the tool says against it.
func (r *run) approval(ctx context.Context, c *call, ready *ready) (*Interrupt, *tool.Error) {
	summary, err := tool.Summarize(ctx, ready.tool, tool.Call{ID: c.id, Args: ready.args, ThreadID: r.in.ThreadID, RunID: r.in.RunID})
	if err != nil {
		return nil, err
	}
	i := r.newInterrupt(c, ready.args, ReasonToolCall, cmp.Or(summary, fmt.Sprintf("The assistant wants to run %s.", c.name)), approvalSchema)
	i.Summary, i.Definition = summary, ready.tool.Definition()
	r.offerAllowance(i, ready.tool)
	return i, nil
}

func (r *run) newInterrupt(c *call, args json.RawMessage, reason, message string, schema json.RawMessage) *Interrupt {
	return &Interrupt{
		ID: r.agent.id("int_"), Reason: reason, Message: message, ToolCallID: c.id, Tool: c.name, Args: args,
		ResponseSchema: schema, ExpiresAt: time.Now().Add(r.agent.expiry()).UTC().Truncate(time.Second),
	}
}

// needsApproval says whether a person must agree before a tool runs.
func (r *run) needsApproval(t *tool.Tool) bool {
	switch t.Policy.Approval {
	case tool.ApprovalAlways:
		return true
	case tool.ApprovalNever:
		return false
	}
	return t.Effect != tool.Read && r.agent.Approvals.Untrusted && r.tainted
}
