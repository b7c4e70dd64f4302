package policy

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/google/cel-go/cel"
)

// Rule decides the questions it matches. It matches a question if everything it says matches.
type Rule struct {
	// Name stands in answers, the audit log and the inspector; default "rule N", counted from 1.
	Name string
	// Roles are patterns: the principal must have one that matches. None means everybody.
	Roles []string
	// Except are patterns of roles: the rule is not for principals that have one of them.
	Except []string
	// On holds patterns of names by kind. In a pattern * stands for any characters. A pattern of a
	// page also matches the tabs and subtabs of the page.
	On map[Kind][]string
	// Effects limits the rule to tools and actions with one of these effects. A page's own tools
	// have none.
	Effects []string
	Verbs   []Verb // none means all
	// When is a condition in CEL; "" is always true. See Variables.
	When string
	Then Decision
	// Allowances lets a user's standing approval answer an ask. Otherwise the user is asked each
	// time.
	Allowances bool
	Reason     string // shown to the user and the model where the rule asks or denies
}

// RuleError is a mistake in a rule.
type RuleError struct {
	Index  int    // of the rule
	Field  string // of Rule, such as "When"
	Column int    // of When, from 1; 0 if the mistake has no position
	Reason string
}

// Error implements error.
func (e *RuleError) Error() string {
	if e.Column > 0 {
		return fmt.Sprintf("rule %d: %s, column %d: %s", e.Index+1, e.Field, e.Column, e.Reason)
	}
	return fmt.Sprintf("rule %d: %s: %s", e.Index+1, e.Field, e.Reason)
}

// rule is a Rule, compiled.
type rule struct {
	Rule
	roles, except patterns
	on            map[Kind]patterns
	when          cel.Program // nil is always true
}

var kinds = []Kind{
	Tool, Action, Page, Agent, Instructions, Inspector, Definitions, Resolve, Audit, Subject, Sharing, Push,
}

func compile(i int, r Rule, env *cel.Env) (*rule, error) {
	if r.Name == "" {
		r.Name = fmt.Sprintf("rule %d", i+1)
	}
	if field, err := r.check(); err != nil {
		return nil, &RuleError{Index: i, Field: field, Reason: err.Error()}
	}
	out := &rule{Rule: r, roles: newPatterns(r.Roles), except: newPatterns(r.Except), on: map[Kind]patterns{}}
	for kind, names := range r.On {
		out.on[kind] = newPatterns(names)
	}
	if r.When == "" {
		return out, nil
	}
	var problem *RuleError
	if out.when, problem = compileCondition(env, r.When); problem != nil {
		problem.Index, problem.Field = i, "When"
		return nil, problem
	}
	return out, nil
}

// check returns the first field with a mistake, besides When.
func (r *Rule) check() (field string, err error) {
	switch {
	case r.Then != Allow && r.Then != Ask && r.Then != Deny:
		return "Then", errors.New("must be allow, ask or deny")
	case len(r.On) == 0:
		return "On", errors.New("must name what the rule is about")
	case r.Allowances && r.Then != Ask:
		return "Allowances", errors.New("goes with ask only")
	}
	for kind, names := range r.On {
		switch {
		case !slices.Contains(kinds, kind):
			return "On", fmt.Errorf("there is no kind %q", kind)
		case len(names) == 0:
			return "On", fmt.Errorf("%s has no name or pattern", kind)
		case slices.Contains(names, ""):
			return "On", fmt.Errorf("%s has an empty name", kind)
		case r.Then == Ask && kind != Tool && kind != Action:
			return "On", fmt.Errorf("%s can be allowed or denied: only tools and actions can be asked about", kind)
		}
	}
	for _, v := range r.Verbs {
		if v != Offer && v != Use && v != Read && v != Write {
			return "Verbs", fmt.Errorf("there is no verb %q", v)
		}
	}
	return "", nil
}

// matches reports whether the rule matches a question, apart from its condition.
func (r *rule) matches(q *Question) bool {
	names, ok := r.on[q.Kind]
	switch {
	case !ok, !names.match(q.Kind, q.Name):
	case len(r.Roles) > 0 && !r.roles.any(q.Principal.Roles), r.except.any(q.Principal.Roles):
	case len(r.Verbs) > 0 && !slices.Contains(r.Verbs, q.Verb):
	case len(r.Effects) > 0 && !slices.Contains(r.Effects, q.Effect):
	default:
		return true
	}
	return false
}

// patterns are compiled patterns; any of them may match.
type patterns []*regexp.Regexp

func newPatterns(list []string) patterns {
	out := make(patterns, len(list))
	for i, p := range list {
		out[i] = regexp.MustCompile(`(?s)\A` + strings.ReplaceAll(regexp.QuoteMeta(p), `\*`, `.*`) + `\z`)
	}
	return out
}

func (p patterns) any(names []string) bool {
	return slices.ContainsFunc(names, func(name string) bool { return p.one(name) })
}

func (p patterns) one(name string) bool {
	return slices.ContainsFunc(p, func(re *regexp.Regexp) bool { return re.MatchString(name) })
}

// match reports whether a name matches. A place also matches as part of its page and tab.
func (p patterns) match(kind Kind, name string) bool {
	if p.one(name) {
		return true
	}
	for kind == Page {
		i := strings.LastIndexByte(name, '/')
		if i < 0 {
			return false
		}
		if name = name[:i]; p.one(name) {
			return true
		}
	}
	return false
}
