package agent

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/pageside/pageside/calls"
	"github.com/pageside/pageside/llm"
	"github.com/pageside/pageside/tool"
)

// judge decides for every call of a step whether it may run; a call that may not gets an error
// result.
func (x *executor) judge(ctx context.Context, s *step) {
	for _, c := range s.calls {
		if refused := x.loops.admit(c.name); refused != nil {
			x.trace.decided(c, refused)
			c.answer(refused.Result())
			continue
		}
		args, problem := x.check(s, c)
		if problem == nil {
			problem = c.offer.calls.TooOften(c.name, x.journal.principal)
		}
		if problem == nil {
			c.ready, c.Tainted = c.offer.ready(args), x.approvals.taint.marked
			problem = x.approvals.hold(ctx, c)
		}
		x.trace.decided(c, problem)
		if problem == nil {
			delete(x.loops.failures, c.name)
			continue
		}
		x.loops.failed(c.name, problem)
		c.answer(problem.Result())
	}
}

// check returns the arguments a call may run with, or the problem.
func (x *executor) check(s *step, c *call) (json.RawMessage, *tool.Error) {
	if s.finish != llm.FinishStop && s.finish != llm.FinishTools {
		return nil, cutOff(s.finish)
	}
	if c.offer == nil {
		if answer, denied := x.tools.denied[c.name]; denied {
			c.Permission = answer
			return nil, calls.NotPermitted(c.name, answer)
		}
		if lacks := x.tools.unmet[c.name]; lacks != "" {
			return nil, notHere(c.name, lacks)
		}
		return nil, x.tools.unknown(c.name)
	}
	args, err := x.parseArgs(c)
	if err != nil {
		return nil, err.(*tool.Error)
	}
	if problem := x.shared.foresee(c.name, args); problem != nil {
		return nil, problem
	}
	if c.offer.backend == nil && string(args) != strings.TrimSpace(c.args.String()) {
		// The browser has the text the model wrote, not the repaired one.
		return nil, &tool.Error{
			Code: tool.CodeInvalidArgs, Message: "the arguments are not valid JSON", Retryable: true,
			Hint: "Write the arguments as one JSON object, and call the tool again.",
		}
	}
	return args, nil
}

// parseArgs reads the arguments of a call, and adds those that are bound.
func (x *executor) parseArgs(c *call) (json.RawMessage, error) {
	if t := c.offer.backend; t != nil {
		return t.ParseArgs(c.args.String(), x.journal.principal, x.journal.origin)
	}
	return tool.ParseArgs(c.args.String(), c.offer.schema())
}

// notHere is the error for a call of a tool that lacks something at the place.
func notHere(name, lacks string) *tool.Error {
	return &tool.Error{
		Code: tool.CodeUnavailable, Message: fmt.Sprintf("the tool %s cannot be used here: %s", name, lacks),
		Hint: "Go on without it.",
	}
}

func cutOff(finish llm.Finish) *tool.Error {
	if finish == llm.FinishLength {
		return &tool.Error{
			Code:      tool.CodeCutOff,
			Message:   "the call was cut off by the limit on the length of an answer and was not executed",
			Retryable: true,
			Hint:      "Say less before the call, or make it shorter.",
		}
	}
	return &tool.Error{
		Code:    tool.CodeCutOff,
		Message: "the turn was ended by the provider before the call could be trusted; it was not executed",
	}
}
