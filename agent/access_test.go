package agent

import (
	"testing"

	"github.com/pageside/pageside/auth"
	"github.com/pageside/pageside/policy"
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
	compiled, err := policy.NewRules(rules...)
	if err != nil {
		t.Fatal(err)
	}
	c.agent.Authorizer = compiled
}
