package agent

import (
	"context"
	"encoding/json"

	"github.com/pageside/pageside/auth"
	"github.com/pageside/pageside/calls"
	"github.com/pageside/pageside/page"
	"github.com/pageside/pageside/policy"
	"github.com/pageside/pageside/tool"
)

// access asks the policy what the user of a run may do at the run's place. A tool is asked about
// when it is offered, when a call is judged, and again just before the call runs: meanwhile the
// user may have edited the arguments, or lost the permission.
type access struct {
	calls.Access
	taint *taint
}

func newAccess(a *Agent, in *Input, t *taint) *access {
	about := policy.Question{Principal: in.Principal, Page: in.Place.String(), Scope: in.Place.Scope}
	return &access{calls.Access{Authorizers: []policy.Authorizer{a.Authorizer}, About: about, Log: a.log()}, t}
}

// Permits asks the policy whether a principal may ask the agent (policy.Agent) or be at a place
// with it (policy.Page).
func (a *Agent) Permits(ctx context.Context, p auth.Principal, at page.Place, kind policy.Kind) policy.Answer {
	name := a.ID
	if kind == policy.Page {
		name = at.String()
	}
	if kind == policy.Page && name == "" {
		return policy.Answer{Decision: policy.Allow}
	}
	may := newAccess(a, &Input{Principal: p, Place: at}, &taint{})
	return may.Decide(ctx, policy.Question{Kind: kind, Name: name, Verb: policy.Use})
}

// Tools returns the agent's backend tools that may be offered to a principal, at some place or
// other.
func (a *Agent) Tools(ctx context.Context, p auth.Principal) (tools []*tool.Tool) {
	may := newAccess(a, &Input{Principal: p}, &taint{})
	for t := range a.Pages.Tools().All() {
		if may.offers(ctx, policy.Tool, t.Name, t.Effect, false).Decision != policy.Deny {
			tools = append(tools, t)
		}
	}
	return tools
}

// offers reports whether a tool or action may be offered.
func (a *access) offers(
	ctx context.Context, kind policy.Kind, name string, effect tool.Effect, frontend bool,
) policy.Answer {
	return a.Decide(ctx, policy.Question{
		Kind: kind, Name: name, Verb: policy.Offer, Effect: string(effect), Frontend: frontend,
		Tainted: a.taint.marked,
	})
}

// mayObject reports whether the policy may ask or deny once a call of a page's tool has arguments.
func (a *access) mayObject(ctx context.Context, t *tool.Tool) bool {
	q := a.About
	q.Kind, q.Name, q.Verb, q.Effect, q.Frontend, q.Tainted = policy.Tool, t.Name, policy.Use, string(t.Effect), true, a.taint.marked
	return !policy.Foreseen(ctx, a.Authorizers[0], q)
}

// withhold takes from a run's tools those that its user may not use. A name that is taken away
// stays taken: a page's tool must not stand in for a tool of the server.
func (a *access) withhold(ctx context.Context, tools toolset) {
	for name, o := range tools.offers {
		if o.builtin {
			continue
		}
		if answer := a.offers(ctx, policy.Tool, name, o.tool().Effect, o.page != nil); answer.Decision == policy.Deny {
			tools.denied[name] = answer
			delete(tools.offers, name)
		}
	}
}

// actions returns the actions of a place that may be offered. What the page handles itself is as
// much its own as its tools.
func (a *access) actions(ctx context.Context, list []page.Action, tools *tool.Registry) (allowed []page.Action) {
	for _, action := range list {
		t, ok := tools.Get(action.Tool)
		effect := tool.Effect("")
		if ok {
			effect = t.Effect
		}
		answer := a.offers(ctx, policy.Action, action.Name, effect, action.Handler != page.HandlerServer)
		if ok {
			answer = policy.Strictest(answer, a.offers(ctx, policy.Tool, t.Name, effect, false))
		}
		if answer.Decision != policy.Deny {
			allowed = append(allowed, action)
		}
	}
	return allowed
}

// use asks whether a call may run with its arguments. A built-in tool may: it only reaches what the
// run was given.
func (a *access) use(ctx context.Context, c *call, args json.RawMessage) policy.Answer {
	if c.builtin() {
		return policy.Answer{Decision: policy.Allow}
	}
	q := policy.Question{
		Kind: policy.Tool, Name: c.ready.tool.Name, Verb: policy.Use, Effect: string(c.ready.tool.Effect),
		Args: args, Frontend: c.ready.page, Tainted: c.Tainted,
	}
	return a.Decide(ctx, q)
}

// withdrawn returns the result of a call that must not start any more: the policy refuses it, or
// wants it asked about and nobody has agreed. It returns nil if the call may start.
func (a *access) withdrawn(ctx context.Context, c *call) *tool.Result {
	answer := a.use(ctx, c, c.ready.args)
	e := calls.NotPermitted(c.name, answer)
	switch (calls.Case{Permission: answer, Agreed: c.Agreed(), Judged: true}).Verdict() {
	case calls.Refused:
	case calls.Asks:
		e = &tool.Error{
			Code: tool.CodeNotExecuted, Message: "not executed: this call needs the user's approval by now",
			Retryable: true,
			Hint:      "Call the tool again only if it is still needed: the user is asked then.",
		}
	default:
		return nil
	}
	c.Permission = answer
	result := e.Result()
	return &result
}
