package policy

import (
	"context"
	"fmt"
	"slices"
	"sync"
)

// Rules is an Authorizer made of rules. All rules that match a question count, in any order, and
// the strictest wins: deny before ask before allow. So a rule that denies can only take away. What
// no rule matches is denied, except for tools with effect "read" and those of the page with effect
// "page".
//
// While a tool is only offered, its arguments are not known. A condition that depends on them may
// come true later: then a rule that denies does not count yet, and one that allows does. The call
// is decided when it has its arguments.
//
// A condition that fails, or costs too much, denies the question, also if another rule allows it.
type Rules struct {
	rules []*rule // the strictest first: the first that counts decides, unless a condition fails
}

// NewRules compiles rules, and their conditions with compile, which is nil where no rule has one.
// Its error is a *RuleError.
func NewRules(compile Compile, list ...Rule) (*Rules, error) {
	out := &Rules{}
	for i, r := range list {
		c, err := newRule(i, r, compile)
		if err != nil {
			return nil, err
		}
		out.rules = append(out.rules, c)
	}
	slices.SortStableFunc(out.rules, func(a, b *rule) int {
		return strictness(b.Then, b.Allowances) - strictness(a.Then, a.Allowances)
	})
	return out, nil
}

// RoleAuditor is the role that Default lets read the audit log.
const RoleAuditor = "auditor"

// Default are the rules of a server that has authentication and no rules of its own: whoever has
// signed in may ask each agent on each page, share threads and read shared ones, and an auditor may
// read the audit log. Nothing else is allowed but tools with effect "read", and those of the page
// with effect "page".
func Default() *Rules { return defaultRules() }

var defaultRules = sync.OnceValue(func() *Rules {
	r, err := NewRules(nil,
		Rule{Name: "signed in", On: map[Kind][]string{Agent: {"*"}, Page: {"*"}, Sharing: {"*"}}, Then: Allow},
		Rule{Name: "auditor", Roles: []string{RoleAuditor}, On: map[Kind][]string{Audit: {"*"}}, Then: Allow},
	)
	if err != nil {
		panic("policy: " + err.Error()) // the rule is a constant
	}
	return r
})

const (
	ruleDefault = "default" // names what holds where no rule matches
	effectRead  = "read"    // tool.Read: this package knows no tools
	effectPage  = "page"    // tool.Page
)

// Authorize implements Authorizer.
func (p *Rules) Authorize(ctx context.Context, q Question) (Answer, error) {
	f := &Facts{Question: &q, Open: q.Verb == Offer && q.Args == nil}
	var strictest *rule
	for _, r := range p.rules {
		if !r.matches(&q) {
			continue
		}
		counts, err := r.counts(ctx, f)
		if err != nil {
			return Answer{Decision: Deny, Rule: r.Name}, fmt.Errorf("%s: %w", r.Name, err)
		}
		if counts && strictest == nil {
			strictest = r
		}
		if strictest != nil && strictest.Then == Deny {
			break
		}
	}
	switch {
	case strictest != nil:
		return Answer{
			Decision: strictest.Then, Rule: strictest.Name, Reason: strictest.Reason,
			Allowances: strictest.Allowances,
		}, nil
	case q.harmless() && q.Effect == effectPage:
		return Answer{Decision: Allow, Rule: ruleDefault, Reason: "it acts in the user's own page"}, nil
	case q.harmless():
		return Answer{Decision: Allow, Rule: ruleDefault, Reason: "it only reads"}, nil
	}
	return Answer{Decision: Deny, Rule: ruleDefault, Reason: "no rule allows it"}, nil
}

// counts reports whether the condition of a matching rule holds.
func (r *rule) counts(ctx context.Context, f *Facts) (bool, error) {
	v, err := r.evaluate(ctx, f)
	return v == Yes || v == Maybe && r.Then != Deny, err
}

// evaluate returns what the condition of the rule says: yes if it has none.
func (r *rule) evaluate(ctx context.Context, f *Facts) (Verdict, error) {
	if r.when == nil {
		return Yes, nil
	}
	return r.when.Evaluate(ctx, f)
}

// Covers reports whether any rule that does not deny is about a kind.
func (p *Rules) Covers(kind Kind) bool {
	return slices.ContainsFunc(p.rules, func(r *rule) bool { return r.on[kind] != nil && r.Then != Deny })
}

// strictness orders answers. Of two that ask, the one that no standing approval answers is
// stricter.
func strictness(d Decision, allowances bool) int {
	switch {
	case d == Allow:
		return 0
	case d == Ask && allowances:
		return 1
	case d == Ask:
		return 2
	}
	return 3
}
