package policy_test

import (
	"testing"

	"github.com/pageside/pageside/auth"
	. "github.com/pageside/pageside/policy" // whose conditions are compiled by a package above it
	"github.com/pageside/pageside/test/must"
)

// TestForeseen: a use is foreseen where nothing can make the policy ask or deny once the call is
// written.
func TestForeseen(t *testing.T) {
	rules := func(list ...Rule) Authorizer { return rulesOf(t, list...) }
	allow := Rule{On: tools("show"), Then: Allow}
	for _, c := range []struct {
		name   string
		a      Authorizer
		effect string
		want   bool
	}{
		{"no rules", rules(), "page", true},
		{"no authorizer", nil, "page", true},
		{"no authorizer, a page's tool that writes", nil, "write", false},
		{"no rules, a page's tool that writes", rules(), "write", false},
		{"everything", Everything, "destructive", true},
		{"a function, which may say anything", Func(Everything.Authorize), "read", false},
		{"a rule about another tool", rules(Rule{On: tools("pay"), Then: Deny}), "page", true},
		{"a rule that allows", rules(allow), "write", true},
		{"a rule that asks", rules(allow, Rule{On: tools("*"), Then: Ask}), "page", false},
		{"a rule that denies when it is used", rules(Rule{On: tools("*"), Verbs: []Verb{Use}, Then: Deny}), "page", false},
		{"a rule that denies some arguments", rules(Rule{On: tools("*"), When: "args.id == 7", Then: Deny}), "page", false},
		{"a rule that allows some arguments", rules(Rule{On: tools("*"), When: "args.id == 7", Then: Allow}), "write", false},
		{"a rule that allows some arguments, and fails without them", rules(Rule{On: tools("*"), When: "args.id == 7", Then: Allow}), "page", false},
		{"a rule that asks once the branch is tainted", rules(Rule{On: tools("*"), When: "tainted", Then: Ask}), "page", false},
		{"a rule that holds for clean branches alone", rules(Rule{On: tools("*"), When: "!tainted", Then: Allow}), "write", false},
		{"a rule that denies somebody else", rules(Rule{On: tools("*"), When: "principal.subject == 'bob'", Then: Deny}), "page", true},
	} {
		must.Be(t, Foreseen(t.Context(), c.a, inPage(c.effect)), c.want, "%s", c.name)
	}
}

// TestNobodyDecides: without an authorizer whoever has signed in has the default rules.
func TestNobodyDecides(t *testing.T) {
	for name, c := range map[string]struct {
		who  auth.Principal
		want Decision
	}{
		"signed in":                     {ann, Deny},
		"a user whose name is local":    {auth.Principal{Subject: "local", Method: "oidc:https://id.example.com"}, Deny},
		"the user of a server without":  {auth.Local, Allow},
		"nobody, in a program of tests": {auth.Principal{}, Allow},
	} {
		q := use("wipe", "destructive", "{}")
		q.Principal = c.who
		must.Be(t, Decide(t.Context(), nil, q).Decision, c.want, "%s", name)
	}
}
