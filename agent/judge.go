package agent

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/pageside/pageside/llm"
	"github.com/pageside/pageside/tool"
)

// ready is a call that may run, with the arguments it runs with.
type ready struct {
	tool *tool.Tool // nil is a frontend call
	args json.RawMessage
}

// maxFailures is how often in a row a model may get a call of one tool wrong before it is told to
// leave it. Once more, and it has to answer without tools.
const maxFailures = 2

// judge decides about every call of a turn: it is ready to run, or answered with what is wrong with
// it.
func (r *run) judge(ctx context.Context, t *turn) {
	for _, c := range t.calls {
		args, problem := r.check(t, c)
		if problem == nil {
			c.ready = &ready{c.offer.backend, args}
			problem = r.hold(ctx, c)
		}
		r.traceDecision(c, problem)
		if problem == nil {
			delete(r.failures, c.name)
			continue
		}
		r.failures[c.name]++
		if n := r.failures[c.name]; n >= maxFailures {
			problem.Retryable = false
			problem.Hint = fmt.Sprintf("This was attempt %d. Do not call %s again: go on without it, and tell the user what is missing.", n, c.name)
			if n > maxFailures {
				r.giveUp(CodeToolLoop)
			}
		}
		c.answer(problem.Result())
	}
}

// check returns the arguments a call may run with, or what is wrong with it.
func (r *run) check(t *turn, c *call) (json.RawMessage, *tool.Error) {
	if t.finish != llm.FinishStop && t.finish != llm.FinishTools {
		return nil, cutOff(t.finish)
	}
	if c.offer == nil {
		return nil, r.unknown(c.name)
	}
	args, err := tool.ParseArgs(c.args.String(), c.offer.schema)
	if err != nil {
		return nil, err.(*tool.Error)
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

// unknown is never taken for a frontend tool: a frontend tool is one that the client declared for
// this run.
func (r *run) unknown(name string) *tool.Error {
	e := &tool.Error{Code: tool.CodeUnknownTool, Message: fmt.Sprintf("there is no tool %.100q here", name), Retryable: true}
	if near := r.tools.nearest(name); len(near) > 0 {
		e.Message += "; did you mean " + strings.Join(near, " or ") + "?"
	}
	e.Hint = "The tools are: " + strings.Join(r.tools.names(), ", ") + "."
	if len(r.tools.offers) == 0 {
		e.Hint = "No tools are offered here: answer without one."
	}
	return e
}

func cutOff(finish llm.Finish) *tool.Error {
	if finish == llm.FinishLength {
		return &tool.Error{
			Code: tool.CodeCutOff, Message: "the call was cut off by the limit on the length of an answer and was not executed", Retryable: true,
			Hint: "Say less before the call, or make it shorter.",
		}
	}
	return &tool.Error{Code: tool.CodeCutOff, Message: "the turn was ended by the provider before the call could be trusted; it was not executed"}
}

func notOffered() tool.Result {
	return (&tool.Error{Code: tool.CodeNotExecuted, Message: "no tools can be called any more in this request"}).Result()
}

func interrupted() tool.Result {
	return (&tool.Error{Code: tool.CodeInterrupted, Message: "the run ended before the call was finished"}).Result()
}
