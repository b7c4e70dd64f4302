package calls

import (
	"context"
	"log/slog"

	"github.com/pageside/pageside/policy"
)

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
