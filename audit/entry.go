package audit

import (
	"context"
	"encoding/json"
	"time"

	"github.com/pageside/pageside/auth"
)

// Kind is what happened.
type Kind string

// Kinds.
const (
	ToolCall     Kind = "tool.call"    // a call began, was refused, or ended
	Approval     Kind = "approval"     // a person decided about a call
	Allowance    Kind = "allowance"    // a standing approval was given, used or revoked
	Action       Kind = "action"       // a suggested action was carried out by the server
	Instructions Kind = "instructions" // a scope's instructions changed
	SignIn       Kind = "signin"       // credentials were refused
	Forged       Kind = "forged"       // a client sent what only the server may write
	Limit        Kind = "limit"        // somebody reached a limit
	AdminRead    Kind = "admin.read"   // inspector, audit log, definitions or resolve were read
	Denied       Kind = "denied"       // the policy refused something other than a tool call
	Forget       Kind = "forget"       // a person's data was deleted
	Key          Kind = "key"          // an API key was made or revoked
	Thread       Kind = "thread"       // threads were deleted, restored or purged
	Share        Kind = "share"        // a thread was shared, a share revoked or read
	Purge        Kind = "audit.purge"  // the log's own oldest rows were removed
)

// Values of Entry.Decision. Policies may add their own.
const (
	Allow    = "allow"
	Ask      = "ask" // a person must decide
	Deny     = "deny"
	Approved = "approved"
	Edited   = "edited"   // approved with other arguments
	Declined = "declined" // by the person who was asked
	Expired  = "expired"  // nobody answered in time
	Given    = "given"    // of allowances
	Used     = "used"
	Revoked  = "revoked"
	Read     = "read"
	Changed  = "changed"
	Deleted  = "deleted"
	Restored = "restored"
	Ignored  = "ignored"
)

// Values of Entry.Outcome.
const (
	Begun   = "begun"
	OK      = "ok"
	Failed  = "error"
	Unknown = "unknown" // it began, and whether it had its effect is not known
	NotRun  = "not_run"
	Waiting = "waiting" // for the page or a person
)

// Entry is one line of the audit log. It holds no secret, no prompt and no answer.
type Entry struct {
	Time      time.Time // zero means now
	Principal auth.Principal
	Kind      Kind
	ThreadID  string
	RunID     string
	CallID    string
	Tool      string          // or the name of what else it is about
	ArgsHash  string          // of the arguments
	Args      json.RawMessage // only where the configuration says so
	Decision  string          // allow, ask, deny, approved, declined …
	Rule      string          // behind the decision
	Outcome   string          // ok, error, unknown …
	Detail    string          // one sentence
}

// Recorder records entries, in order. Implementations are safe for concurrent use. An entry about
// a call that is about to begin is as durable as the call's journal entry that follows it.
type Recorder interface {
	Record(ctx context.Context, e Entry) error
}

// Beginner is a Recorder that can say when an entry is durable. Begin does not wait: confirm
// returns once the entry is durable, or its error.
type Beginner interface {
	Recorder
	Begin(ctx context.Context, e Entry) (confirm func(context.Context) error, err error)
}

// Begin records an entry about something that must not happen unless it is recorded. Do it only
// after confirm has returned nil. r may be nil.
func Begin(ctx context.Context, r Recorder, e Entry) (confirm func(context.Context) error, err error) {
	confirm = func(context.Context) error { return nil }
	switch r := r.(type) {
	case nil:
		return confirm, nil
	case Beginner:
		return r.Begin(ctx, e)
	}
	return confirm, r.Record(ctx, e)
}
