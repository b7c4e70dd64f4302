package calls

import (
	"context"
	"encoding/json"
	"log/slog"
	"slices"
	"time"

	"github.com/pageside/pageside/policy"
	"github.com/pageside/pageside/tool"
)

// notAllowable is the problem with an "always" that cannot be granted.
const notAllowable = "always: this call can only be approved for itself"

// Allowance is a standing approval: until it expires, calls of a tool with these arguments run
// without asking.
type Allowance struct {
	Tool       string
	Definition string          // of the tool, as it was when the user agreed
	Args       json.RawMessage // as approved
	OpenArgs   []string        // the ones that may have any value
	ArgsHash   string          // tool.HashExcept(Args, OpenArgs)
	UserWide   bool            // on all threads of the user, not only on this one
	ExpiresAt  time.Time
}

// Allowances stores the standing approvals of one user for one agent on one branch of a thread.
// Safe for concurrent use.
type Allowances interface {
	// Find returns the id of an unexpired allowance for a call of this tool definition, or "". open
	// holds the arguments that an allowance of the tool may leave open. After an error the user is
	// asked.
	Find(ctx context.Context, tool, definition string, args json.RawMessage, open []string) (id string, err error)
	// Give stores an allowance. It returns once that is durable. An error fails the run.
	Give(ctx context.Context, a Allowance) error
}

// Grants are the standing approvals of the user that calls are made for.
type Grants struct {
	Kept Allowances // may be nil: then there are none
	Log  *slog.Logger
}

// allowable returns the definition of a tool whose calls can be allowed for good, else "".
func (g *Grants) allowable(t *tool.Tool, permission policy.Answer) string {
	on := Judgement{Permission: permission}
	if g.Kept == nil || !on.Case(t, false).Allowable() {
		return ""
	}
	return t.Definition()
}

// Offer fills in the kind of call that an approval is about, and how such calls can be allowed for
// good.
func (g *Grants) Offer(i *Interrupt, t *tool.Tool, args json.RawMessage, permission policy.Answer) {
	i.Effect, i.Allowable, i.OpenArgs, i.ResponseSchema = t.Effect, g.allowable(t, permission), nil, ApprovalSchema
	if i.Allowable != "" {
		i.OpenArgs = openable(t, args)
		i.ResponseSchema = allowableSchema(i.OpenArgs)
	}
}

// Check returns what is wrong with the terms of an answer, or "". No terms are right.
func (g *Grants) Check(t *Terms, i *Interrupt, of *tool.Tool, permission policy.Answer) string {
	if t == nil {
		return ""
	}
	if i.Allowable == "" || i.Allowable != g.allowable(of, permission) {
		return notAllowable
	}
	open := slices.DeleteFunc(slices.Clone(i.OpenArgs), func(name string) bool { return !slices.Contains(of.Policy.OpenArgs, name) })
	if err := t.check(open); err != nil {
		return err.Error()
	}
	return ""
}

// Find returns the id of an allowance that holds for a call, or "". If the lookup fails there is
// none: the user is asked.
func (g *Grants) Find(ctx context.Context, t *tool.Tool, args json.RawMessage, permission policy.Answer) string {
	definition := g.allowable(t, permission)
	if definition == "" {
		return ""
	}
	id, err := g.Kept.Find(ctx, t.Name, definition, args, t.Policy.OpenArgs)
	if err != nil {
		g.Log.ErrorContext(ctx, "what the user has allowed could not be looked up: the call does not run unasked", "tool", t.Name, "error", err)
		return ""
	}
	return id
}

// Give stores a standing approval on the terms of an answer. It returns once that is durable.
func (g *Grants) Give(ctx context.Context, terms *Terms, t *tool.Tool, args json.RawMessage, permission policy.Answer) error {
	given, err := terms.allowance(t, g.allowable(t, permission), args)
	if err != nil {
		return err
	}
	return g.Kept.Give(ctx, given)
}
