package agent

import (
	"context"
	"strings"
	"testing"

	"github.com/pageside/pageside/agui"
	"github.com/pageside/pageside/auth"
	"github.com/pageside/pageside/policy"
	"github.com/pageside/pageside/policy/condition"
	"github.com/pageside/pageside/test/must"
	"github.com/pageside/pageside/tool"
)

// permissionSetup is a rule about tools.
type permissionSetup struct {
	Roles, Tools, Actions []string
	When, Then, Reason    string
	Allowances            bool
}

// permit sets the policy.
func (c *conversation) permit(t *testing.T, s *setup) {
	c.input.Principal = auth.Principal{Subject: "ann", Roles: s.Roles}
	if s.Permissions == nil {
		c.agent.Authorizer = policy.Everything
		return
	}
	var rules []policy.Rule
	for _, p := range s.Permissions {
		on := map[policy.Kind][]string{}
		if p.Tools != nil {
			on[policy.Tool] = p.Tools
		}
		if p.Actions != nil {
			on[policy.Action] = p.Actions
		}
		rules = append(rules, policy.Rule{Roles: p.Roles, On: on, When: p.When, Then: policy.Decision(p.Then), Reason: p.Reason, Allowances: p.Allowances})
	}
	compiled := must.Get(policy.NewRules(condition.Compile, rules...))(t)
	c.agent.Authorizer = compiled
}

// authorizer is a policy as a function.
type authorizer func(policy.Question) policy.Decision

func (a authorizer) Authorize(_ context.Context, q policy.Question) (policy.Answer, error) {
	return policy.Answer{Decision: a(q)}, nil
}

// TestWithdrawnPermissionStartsNothing: calls of a step are judged together before the first runs.
// Those that are no longer permitted, or would have to be asked about, when their turn comes do not
// start.
func TestWithdrawnPermissionStartsNothing(t *testing.T) {
	for _, later := range []policy.Decision{policy.Deny, policy.Ask, policy.Allow} {
		t.Run(string(later), func(t *testing.T) {
			ran := 0
			pay := &tool.Tool{Name: "pay", Effect: tool.Read, Policy: tool.Policy{Sequential: true}, Handler: func(context.Context, *tool.Call) (tool.Result, error) {
				ran++
				return tool.Result{Text: "paid"}, nil
			}}
			a := &Agent{ID: "test", Model: &fakeModel{steps: [][]fakePart{manyCalls("pay", 3), textStep("Done.")}}, Pages: pagesOf(t, pay)}
			a.Authorizer = authorizer(func(policy.Question) policy.Decision {
				if ran > 0 {
					return later
				}
				return policy.Allow
			})
			in := Input{ThreadID: "t1", RunID: "r1", Principal: auth.Principal{Subject: "ann"}, History: []agui.Message{user("Go")}, Journal: &fakeJournal{}}
			out := newRecorder(in.History)
			must.Get(a.Run(t.Context(), in, out))(t)
			want := map[policy.Decision]int{policy.Deny: 1, policy.Ask: 1, policy.Allow: 3}[later]
			must.Be(t, ran, want, "calls that ran")
			if result := resultOf(out.transcript.Messages(), "c1"); strings.Contains(result, "paid") != (later == policy.Allow) {
				t.Errorf("the result of the second call is %q", result)
			}
		})
	}
}
