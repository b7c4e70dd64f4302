package server

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"

	"github.com/pageside/pageside/run"
	"github.com/pageside/pageside/run/refusal"
)

// ToolCall is a call of a backend tool that a client makes itself, without a model.
type ToolCall struct {
	Agent, Tool string // whose tool, and its name: see Exchange.Tools
	Args        json.RawMessage
	Report      func(run.Progress)
	// Approve asks a person about a call that may not run without one. Its error refuses the call.
	Approve func(context.Context, run.CallQuestion) (approved bool, err error)
}

// Tools returns an agent's backend tools that the caller may call without a page. There are none if
// the caller may not ask the agent.
func (x *Exchange) Tools(agentID string) []*run.Tool {
	a, err := x.s.at(x.c, placeJSON{Agent: agentID})
	if err != nil {
		return nil
	}
	return x.s.cfg.Runs.Callable(x.Request.Context(), x.s.callOf(x.c, a.ID))
}

// Call carries out a backend tool for the caller: see run.Manager.Call. It counts with the actions
// among the limits, and is stopped when ctx ends.
func (x *Exchange) Call(ctx context.Context, call ToolCall) (run.CallResult, error) {
	if err := x.s.limits.admit(x.c, classActions); err != nil {
		return run.CallResult{}, err
	}
	x.out.begin()
	tools := x.Tools(call.Agent)
	i := slices.IndexFunc(tools, func(t *run.Tool) bool { return t.Name == call.Tool })
	if i < 0 {
		return run.CallResult{}, &Error{
			Status: http.StatusNotFound, Code: "unknown_tool",
			Message: fmt.Sprintf("there is no tool %q", call.Tool),
		}
	}
	req := x.s.callOf(x.c, call.Agent)
	req.Tool, req.Args, req.Report, req.Ask = tools[i], call.Args, call.Report, call.Approve
	result, err := x.s.cfg.Runs.Call(ctx, req)
	if _, refused := errors.AsType[*refusal.Error](err); refused {
		err = AsError(err)
	}
	return result, err
}

// Explain returns what a client is told of an error, and logs those of the server.
func (x *Exchange) Explain(err error) *Error {
	e := AsError(err)
	x.s.logError(x.Request, e)
	return e
}
