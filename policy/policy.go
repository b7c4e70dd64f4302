package policy

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/pageside/pageside/auth"
)

// Decision is what a policy says.
type Decision string

// Decisions.
const (
	Allow Decision = "allow"
	Ask   Decision = "ask" // a person must approve each call; for tools and actions only
	Deny  Decision = "deny"
)

// Kind is what a question is about.
type Kind string

// Kinds.
const (
	Tool         Kind = "tool"
	Action       Kind = "action" // a suggested action that the server runs
	Page         Kind = "page"
	Agent        Kind = "agent"
	Instructions Kind = "instructions" // stored for a scope; Name is the scope's kind
	Inspector    Kind = "inspector"    // what other users' runs did, and prompts
	Definitions  Kind = "definitions"  // of all tools, payloads and pages
	Resolve      Kind = "resolve"      // the system prompt of a place
	Audit        Kind = "audit"
	Subject      Kind = "subject" // all data of a person
	Sharing      Kind = "sharing" // threads as links; Use makes one, Read opens another user's
	Push         Kind = "push"    // telling a client's own server of its tasks
)

// Verb is what the principal wants to do.
type Verb string

// Verbs.
const (
	Offer Verb = "offer" // show it to the model or the user
	Use   Verb = "use"   // run a tool or action, be on a page, ask an agent, share a thread
	Read  Verb = "read"
	Write Verb = "write"
)

// Question asks whether a principal may do something.
type Question struct {
	Principal auth.Principal
	Kind      Kind
	Name      string
	Verb      Verb
	Effect    string            // of a tool: its tool.Effect
	Frontend  bool              // a tool that runs in the page
	Args      json.RawMessage   // of a call; nil where it is not known yet
	Page      string            // where the user is: page, page/tab or page/tab/subtab
	Scope     map[string]string // what the place is about
	Tainted   bool              // the branch has read what others may have written
}

// Answer is a decision, the rule behind it and why, for the audit log and the inspector.
type Answer struct {
	Decision Decision `json:"decision"`
	Rule     string   `json:"rule,omitempty"`
	Reason   string   `json:"reason,omitempty"`
	// Allowances says that a standing approval of the user answers an Ask.
	Allowances bool `json:"allowances,omitempty"`
	// Err is why the policy failed, for the log. It may repeat arguments.
	Err error `json:"-"`
}

// Authorizer answers questions. Implementations are safe for concurrent use. An error means deny.
type Authorizer interface {
	Authorize(ctx context.Context, q Question) (Answer, error)
}

// Func is a function as an Authorizer.
type Func func(context.Context, Question) (Answer, error)

// Authorize implements Authorizer.
func (f Func) Authorize(ctx context.Context, q Question) (Answer, error) { return f(ctx, q) }

// Everything allows everything, for programs that decide elsewhere.
var Everything Authorizer = everything{}

type everything struct{}

func (everything) Authorize(context.Context, Question) (Answer, error) {
	return Answer{Decision: Allow}, nil
}

func (everything) Foresees(context.Context, Question) bool { return true }

// Decide asks an authorizer. Without one Default decides about whoever has signed in; the one user
// of a server without authentication, and a question about nobody, are allowed everything. An
// error, a panic, an unknown decision, and an Ask about anything but tools and actions are
// refusals.
func Decide(ctx context.Context, a Authorizer, q Question) (answer Answer) {
	switch {
	case a == nil && !signedIn(q.Principal):
		return Answer{Decision: Allow}
	case a == nil:
		a = Default()
	}
	defer func() {
		if p := recover(); p != nil {
			answer = failed(answer.Rule, fmt.Errorf("panic: %v", p))
		}
	}()
	answer, err := a.Authorize(ctx, q)
	switch {
	case err != nil:
		return failed(answer.Rule, err)
	case answer.Decision == Ask && q.Kind != Tool && q.Kind != Action:
		return failed(answer.Rule, fmt.Errorf("%s cannot be asked about", q.Kind))
	case answer.Decision != Allow && answer.Decision != Ask && answer.Decision != Deny:
		return failed(answer.Rule, fmt.Errorf("there is no decision %q", answer.Decision))
	}
	return answer
}

// signedIn reports whether a principal has proved who it is.
func signedIn(p auth.Principal) bool {
	return p.Subject != "" && (p.Subject != auth.Local.Subject || p.Method != auth.Local.Method)
}

// failed is the answer of a policy that failed. Err says why, for the log: it may repeat arguments.
func failed(rule string, err error) Answer {
	return Answer{Decision: Deny, Rule: rule, Reason: "the policy failed", Err: err}
}

// Strictest returns the stricter of two answers, the first of equals.
func Strictest(a, b Answer) Answer {
	if strictness(b.Decision, b.Allowances) > strictness(a.Decision, a.Allowances) {
		return b
	}
	return a
}
