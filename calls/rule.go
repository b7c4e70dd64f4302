package calls

import (
	"context"
	"log/slog"

	"github.com/pageside/pageside/policy"
	"github.com/pageside/pageside/tool"
)

// Verdict says whether a call may run now.
type Verdict string

// Verdicts.
const (
	Runs    Verdict = "runs"
	Asks    Verdict = "asks"    // a person must agree first
	Refused Verdict = "refused" // whoever agrees
)

// Agreement says who has agreed to a call; the zero value is nobody.
type Agreement string

// Agreements.
const (
	ByAllowance Agreement = "allowance" // the user allowed such calls earlier
	ByPerson    Agreement = "person"    // of this very call
)

// Case is everything that the verdict about a call depends on. Who wants it made, at which place
// and with which arguments is part of Permission.
type Case struct {
	Effect   tool.Effect
	Approval tool.Approval // the operator's word about the tool
	// Tainted means that the author of the call may have read what others have written, or that
	// nobody knows.
	Tainted     bool
	IgnoreTaint bool          // the operator treats tainted branches like others
	Permission  policy.Answer // the zero value objects to nothing
	Agreed      Agreement
	// Judged means that the call was found to need no agreement when it was made, or has got it:
	// it is about to start, and only the policy can still object.
	Judged bool
}

// Verdict decides about a call. It is the only place that does, for every door:
//
//	effect               asks
//	read, page           never
//	idempotent, write    on tainted branches
//	exfil, destructive   on every branch
//
// The operator's approval of the tool wins over its effect. A policy that asks adds to both, and
// one that denies ends it. The approval of a person answers every question, an allowance only what
// is Allowable.
func (c Case) Verdict() Verdict {
	switch {
	case c.Permission.Decision == policy.Deny:
		return Refused
	case !c.asks(), c.Agreed == ByPerson, c.Agreed == ByAllowance && c.Allowable():
		return Runs
	}
	return Asks
}

// asks reports whether somebody must agree.
func (c Case) asks() bool {
	switch {
	case c.Permission.Decision == policy.Ask:
		return true
	case c.Judged || c.Approval == tool.ApprovalNever:
		return false
	case c.Approval == tool.ApprovalAlways:
		return true
	}
	switch c.Effect {
	case tool.Read, tool.Page:
		return false
	case tool.Idempotent, tool.Write, "":
		return c.Tainted && !c.IgnoreTaint
	}
	return true
}

// Allowable reports whether a standing approval of the user can answer the question. A tool that
// sends data away, cannot be undone, or always asks by the operator's word is asked about each
// time. So is what a rule of the policy asks about, unless it permits allowances.
func (c Case) Allowable() bool {
	switch {
	case c.Permission.Decision == policy.Ask && !c.Permission.Allowances:
		return false
	case c.Judged:
		return true
	case c.Approval != tool.ApprovalPolicy:
		return false
	}
	switch c.Effect {
	case tool.Read, tool.Page, tool.Idempotent, tool.Write:
		return true
	}
	return false
}

// Access asks policies what a principal may do at a place. With several of them the strictest
// answer counts.
type Access struct {
	Authorizers []policy.Authorizer // at least one; each may be nil: see policy.Decide
	About       policy.Question     // principal, page and scope
	Log         *slog.Logger
}

// Decide answers a question about the principal at the place.
func (a *Access) Decide(ctx context.Context, q policy.Question) (answer policy.Answer) {
	q.Principal, q.Page, q.Scope = a.About.Principal, a.About.Page, a.About.Scope
	for i, by := range a.Authorizers {
		one := policy.Decide(ctx, by, q)
		if one.Err != nil {
			a.Log.ErrorContext(ctx, "the policy failed, which refuses what it was asked about",
				"kind", q.Kind, "name", q.Name, "rule", one.Rule, "subject", q.Principal.Subject, "error", one.Err)
		}
		if i == 0 {
			answer = one
			continue
		}
		answer = policy.Strictest(answer, one)
	}
	return answer
}
