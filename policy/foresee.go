package policy

import "context"

// A Foreseer is an Authorizer that may know before a call is written that it will be allowed.
type Foreseer interface {
	Authorizer
	// Foresees reports whether the use that q asks about will be allowed, whatever its arguments
	// are and whatever the branch reads until then.
	Foresees(ctx context.Context, q Question) bool
}

// Foreseen reports whether an authorizer, or the rule that stands in for one, will allow a use
// whatever its arguments are. One that is no Foreseer may always object.
func Foreseen(ctx context.Context, a Authorizer, q Question) bool {
	if a == nil {
		if !signedIn(q.Principal) {
			return true
		}
		a = Default()
	}
	f, ok := a.(Foreseer)
	return ok && f.Foresees(ctx, q)
}

// Foresees implements Foreseer. A condition that depends on the arguments may fail with them, so it
// leaves the use open whatever its rule says.
func (p *Rules) Foresees(ctx context.Context, q Question) bool {
	q.Verb, q.Args = Use, nil
	for _, q.Tainted = range []bool{true, q.Tainted} {
		if !p.allowsAnyway(ctx, &q) {
			return false
		}
	}
	return true
}

func (p *Rules) allowsAnyway(ctx context.Context, q *Question) bool {
	f, allowed := &Facts{Question: q, Open: true}, q.harmless()
	for _, r := range p.rules {
		if !r.matches(q) {
			continue
		}
		v, err := r.evaluate(ctx, f)
		if err != nil || v == Maybe || v == Yes && r.Then != Allow {
			return false
		}
		allowed = allowed || v == Yes
	}
	return allowed
}

// harmless reports whether a question needs no rule that allows it.
func (q *Question) harmless() bool {
	return q.Kind == Tool && (q.Effect == effectRead || q.Frontend && q.Effect == effectPage)
}
