package run

import (
	"context"
	"errors"
	"fmt"
	"iter"

	"github.com/pageside/pageside/agent"
	"github.com/pageside/pageside/calls"
	"github.com/pageside/pageside/internal/guard"
	"github.com/pageside/pageside/limit"
	"github.com/pageside/pageside/llm"
	"github.com/pageside/pageside/run/history"
	"github.com/pageside/pageside/store"
)

// Host returns an agent of one's own with settings of the server's: of those, the pages, the
// authorizer, the approvals, the page's tools, the shared state, the title model, the tracer, the
// audit log and the logger count. Id and description are the agent's own, and its answers are too:
// the settings have no model. Host takes them over.
//
// An agent without Host has the manager's audit log and logger.
func Host(settings *agent.Agent, a Agent) Agent {
	info := a.Info()
	settings.ID, settings.Description, settings.Model = info.ID, info.Description, noModel{info.ID, info.Host}
	return &hosted{a, settings}
}

type hosted struct {
	Agent
	desk *agent.Agent
}

// noModel is the model of an agent that answers by itself.
type noModel struct{ agent, host string }

func (m noModel) Info() llm.Info { return llm.Info{Provider: "agent", Model: m.agent, Host: m.host} }

func (m noModel) Stream(context.Context, *llm.Request) iter.Seq2[llm.Part, error] {
	return func(yield func(llm.Part, error) bool) {
		yield(llm.Part{}, &llm.Error{
			Kind: llm.KindBadRequest, Model: m.Info().Name(),
			Message: "the agent answers by itself: it has no model to ask",
		})
	}
}

// answer runs the agent. in and out are what the built-in agent gets.
func (s *Served) answer(ctx context.Context, in agent.Input, x *execution) (agent.Outcome, error) {
	if !s.own {
		return s.desk.Run(ctx, in, x.w)
	}
	outcome, err := s.desk.RunGuest(ctx, in, x.w, s.runOwn, Input{
		ThreadID: in.ThreadID, RunID: in.RunID, ParentRunID: x.parentRunID(), Principal: in.Principal,
		Context: in.Context, Place: in.Place, Instructions: in.Instructions,
		ClientInstructions: in.ClientInstructions, ForwardedProps: x.Input.ForwardedProps,
	})
	if amount := outcome.Amount(); x.account != nil && amount != (limit.Amount{}) {
		x.account.Settle(ctx, amount)
	}
	return outcome, err
}

// runOwn calls an agent of one's own. What it returns or panics with is a *Failure or a public
// error of its model, unless the run was stopped.
func (s *Served) runOwn(ctx context.Context, in Input, out Output) (outcome Outcome, err error) {
	outcome, err = func() (outcome Outcome, err error) {
		defer guard.Error(&err)
		return s.impl.Run(ctx, in, out)
	}()
	_, said := errors.AsType[*Failure](err)
	_, public := errors.AsType[*llm.PublicError](err)
	if err == nil || said || public || ctx.Err() != nil {
		return outcome, err
	}
	return outcome, &Failure{
		Code: agent.CodeAgentFailed, Message: fmt.Sprintf("the agent %q failed", s.desk.ID), Err: err,
	}
}

// parentRunID returns the run that this one continues, or "" if it is the first of its thread.
func (x *execution) parentRunID() string {
	if x.run.parent == store.RootRun {
		return ""
	}
	return x.run.parent
}

// stillAsked returns the interrupts of earlier runs that may still be open at the end of this one.
func (x *execution) stillAsked(failed bool) []calls.Interrupt {
	if x.call != nil || !x.merged.Answer || x.resumed {
		return x.interrupts
	}
	return history.StillAsked(x.interrupts, x.merged.Resume, failed)
}
