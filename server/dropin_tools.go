package server

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"

	"github.com/pageside/pageside/agent"
	"github.com/pageside/pageside/audit"
	"github.com/pageside/pageside/policy"
	"github.com/pageside/pageside/run"
	"github.com/pageside/pageside/tool"
)

// ToolCall is a call of a backend tool that a client makes itself, without a model.
type ToolCall struct {
	Agent, Tool string // whose tool, and its name: see Exchange.Tools
	Args        json.RawMessage
	Report      func(tool.Progress)
	// Approve asks a person about a call that may not run without one. Its error refuses the call.
	Approve func(context.Context, Approval) (approved bool, err error)
}

// Approval is what a person is asked about a call.
type Approval struct {
	Tool    string
	Effect  tool.Effect
	Summary string // in the tool's words; may be ""
	Args    json.RawMessage
}

// Tools returns an agent's backend tools that the caller may call without a page. There are none if
// the caller may not ask the agent.
func (x *Exchange) Tools(agentID string) (tools []*tool.Tool) {
	a, view, err := x.s.at(x.c, placeJSON{Agent: agentID})
	if err != nil {
		return nil
	}
	for _, t := range view.Tools {
		q := policy.Question{Kind: policy.Tool, Name: t.Name, Verb: policy.Offer, Effect: string(t.Effect), Tainted: true}
		if t.Unmet(x.Principal, tool.Origin{}) == "" && x.s.mayCall(x.c, a, q).Decision != policy.Deny {
			tools = append(tools, t)
		}
	}
	return tools
}

// mayCall asks the server's policy and the agent's about a tool.
func (s *Server) mayCall(c call, a *agent.Agent, q policy.Question) policy.Answer {
	answer := s.decide(c.r.Context(), c, q)
	q.Principal = c.principal
	return policy.Strictest(answer, policy.Decide(c.r.Context(), a.Authorizer, q))
}

// Call carries out a backend tool for the caller, as an action outside a thread: with the limits,
// the checks of the arguments, the policy, the approval and the audit entries of one. Nobody knows
// who wrote the arguments, so the call counts as tainted. It is stopped when ctx ends.
func (x *Exchange) Call(ctx context.Context, call ToolCall) (run.ActResult, error) {
	if x.s.cfg.Runs.Draining() {
		return run.ActResult{}, &Error{Status: http.StatusServiceUnavailable, Code: string(run.CodeDraining), Message: "the server is shutting down"}
	}
	if err := x.s.limits.admit(x.c, classActions); err != nil {
		return run.ActResult{}, err
	}
	x.out.begin()
	k, err := x.direct(ctx, &call)
	if err != nil {
		return run.ActResult{}, err
	}
	answer, err := x.s.once(x.c, k)
	if e, ok := errors.AsType[*Error](err); ok && e.Code == approvalRequired {
		id, _ := e.Details["approvalId"].(string)
		if err := x.ask(ctx, k, &call); err != nil {
			return run.ActResult{}, err
		}
		// what is permitted may have changed while the person thought
		if k, err = x.direct(ctx, &call); err != nil {
			return run.ActResult{}, err
		}
		k.approvalID = id
		answer, err = x.s.once(x.c, k)
	}
	if err != nil {
		return run.ActResult{}, err
	}
	var result actionResult
	if err := json.Unmarshal(answer, &result); err != nil {
		return run.ActResult{}, fmt.Errorf("read the result of tool %q: %w", call.Tool, err)
	}
	return run.ActResult{Text: result.Text, IsError: result.IsError, PayloadType: result.Type, Payload: result.Payload}, nil
}

// direct checks a call of a tool.
func (x *Exchange) direct(ctx context.Context, call *ToolCall) (*click, error) {
	tools := x.Tools(call.Agent)
	i := slices.IndexFunc(tools, func(t *tool.Tool) bool { return t.Name == call.Tool })
	if i < 0 {
		return nil, &Error{Status: http.StatusNotFound, Code: "unknown_tool", Message: fmt.Sprintf("there is no tool %q", call.Tool)}
	}
	a, _, err := x.s.at(x.c, placeJSON{Agent: call.Agent})
	if err != nil {
		return nil, err
	}
	k := &click{agent: a, name: call.Tool, tool: tools[i], tainted: true, direct: true, within: ctx, report: call.Report}
	if k.args, err = k.tool.ParseArgs(string(call.Args), x.Principal, k.origin); err != nil {
		return nil, badArgs(err)
	}
	if k.key, err = new(actionRequest).keyOf(new(http.Request)); err != nil {
		return nil, err
	}
	q := policy.Question{Kind: policy.Tool, Name: k.tool.Name, Verb: policy.Use, Effect: string(k.tool.Effect), Args: k.args, Tainted: true}
	k.permission = x.s.mayCall(x.c, a, q)
	if k.permission.Decision == policy.Deny {
		x.s.notRun(x.c, k, audit.Deny)
		return nil, forbidden(q, k.permission)
	}
	k.asks = a.Asks(k.tool, true, k.permission)
	return k, k.identify()
}

// badArgs is the error for arguments that a tool does not take.
func badArgs(err error) error {
	e, ok := errors.AsType[*tool.Error](err)
	switch {
	case !ok:
		return err
	case e.Code == tool.CodeUnavailable:
		return &Error{Status: http.StatusUnprocessableEntity, Code: "unavailable", Message: e.Message}
	}
	return &Error{Status: http.StatusUnprocessableEntity, Code: "invalid_arguments", Message: "args: " + e.Message, Details: map[string]any{"field": "args"}}
}

// notRun records that a call or an action was refused.
func (s *Server) notRun(c call, k *click, decision string) {
	e := s.actionEntry(c, k)
	e.Decision, e.Outcome = decision, audit.NotRun
	s.record(c, e)
}

// ask asks a person about a call. Its error is why the call is not made.
func (x *Exchange) ask(ctx context.Context, k *click, call *ToolCall) error {
	summary, objection := tool.Summarize(ctx, k.tool, tool.Call{Args: k.args, Principal: x.Principal, Log: x.s.log})
	if objection != nil {
		return badArgs(objection)
	}
	ctx, cancel := context.WithTimeout(ctx, approvalAge)
	defer cancel()
	approved, err := call.Approve(ctx, Approval{Tool: k.tool.Name, Effect: k.tool.Effect, Summary: summary, Args: k.tool.Unbound(k.args)})
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		x.s.notRun(x.c, k, audit.Expired)
		return &Error{Status: http.StatusConflict, Code: "not_approved", Message: "nobody answered in time whether " + k.tool.Name + " may run: it was not executed"}
	case err != nil:
		x.s.notRun(x.c, k, audit.Deny)
		return err
	case !approved:
		x.s.notRun(x.c, k, audit.Declined)
		return &Error{Status: http.StatusForbidden, Code: "not_approved", Message: "the user declined the call of " + k.tool.Name + ": it was not executed"}
	}
	return nil
}

// Explain returns what a client is told of an error, and logs those of the server.
func (x *Exchange) Explain(err error) *Error {
	e := asError(err)
	x.s.logError(x.Request, e)
	return e
}
