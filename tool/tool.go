package tool

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"time"

	"github.com/pageside/pageside/auth"
	"github.com/pageside/pageside/limit"
)

// Effect says what running a tool may change. The zero value is Write.
type Effect string

// The effect classes, from harmless to dangerous. Idempotent is a Write that may be repeated, after
// a crash for instance. That says nothing about the harm it may do.
const (
	Read        Effect = "read"        // changes nothing
	Page        Effect = "page"        // acts in the browser with the rights of its user
	Idempotent  Effect = "idempotent"  // changes something, and a second time nothing more
	Write       Effect = "write"       // changes something
	Exfil       Effect = "exfil"       // tells somebody else something
	Destructive Effect = "destructive" // what it does cannot be taken back
)

// Handler runs a call whose arguments have been validated against the tool's schema.
// The model gets the error, which does not end the run.
type Handler func(ctx context.Context, call *Call) (Result, error)

// Tool is a backend tool: one that runs on the server. Make one with New, or fill the fields for a
// tool whose schema is data. It knows no pages: pages refer to it by name. A Registry keeps a copy,
// so later changes have no effect.
type Tool struct {
	Name        string          // ^[a-zA-Z0-9_-]{1,64}$
	Description string          // for the model
	InputSchema json.RawMessage // a JSON Schema object; nil is a tool without arguments
	Category    string
	// Global means that it is offered on every page. One that is not has to be named by a page, or
	// page.NewRegistry fails.
	Global bool
	// Bundled means that it came together with others, such as those of an MCP server: pages may
	// name a few of them, and leave it out.
	Bundled bool
	// the type of the payload that it returns beside its text; "" where it returns none
	PayloadType string
	Effect      Effect
	Policy      Policy
	Handler     Handler
	// Withdraw, if set, is called when what Handler has asked gets no answer: the user declines,
	// goes on without one or comes too late, the run breaks off, or nobody can be asked. The call
	// is the one that asked, with the question's Memo in Reply. It has WithdrawTimeout, and logs
	// what fails.
	Withdraw func(ctx context.Context, call *Call)
	// what the handler reaches, where the configuration decides that and not code: part of
	// Definition
	Target string
	// Host is the host that calls go to, for people; "" is none, or unknown.
	Host string
	// Bind sets arguments by name from what a call comes with, such as scope.stream. The model is
	// not shown them and cannot choose them. Where a source has no value the tool is not offered.
	Bind map[string]Source
	// Needs names sources that must have a value where the tool is offered.
	Needs []Source
	// Foreign means that somebody other than the operator wrote the description and the schema, and
	// nobody has approved them. A model that is offered such a tool has read foreign text.
	Foreign bool
	// MaxResult is the longest text of a result, in bytes: a longer one is an error. The model sees
	// an excerpt of what is too long for it, and reads the rest with read_result. 0 means 1 MiB.
	MaxResult int64

	err     error                   // why New could not infer the schema; NewRegistry reports it
	schema  func() (*Schema, error) // compiles InputSchema once; set by NewRegistry and Builtin
	binding *binding                // Bind compiled; set by NewRegistry
	running *leaks                  // set by NewRegistry and Builtin
	calls   *Limiter
}

// Schema returns the compiled InputSchema of a tool that came from a Registry or is a Builtin, and
// nil for any other.
func (t *Tool) Schema() *Schema {
	if t.schema == nil {
		return nil
	}
	compiled, err := t.schema()
	if err != nil { // of a Builtin: a Registry has refused it
		panic(fmt.Sprintf("tool %q: its input schema: %v", t.Name, err))
	}
	return compiled
}

// Policy bounds how a tool runs.
type Policy struct {
	Timeout    time.Duration // 0 means DefaultTimeout
	Sequential bool          // runs alone, never beside another call of its step
	Approval   Approval      // whether a person must agree before it runs
	Rate       limit.Rate    // how often one user may have it called; zero is no limit
	Summary    Summary       // what the person who must agree is told; nil tells the tool's Purpose
	// OpenArgs names arguments that a standing approval may leave open: calls with any value there
	// then run unasked. Name only what does no harm, such as a title, never a recipient or an id.
	// AnyArgs opens all of them; only frontend tools have it.
	OpenArgs []string
}

// Summary says in a sentence or two what a call would do, for the person who decides whether it
// runs. It should name things by their names, not their ids. The arguments have been validated. It
// may read, and must change nothing. An error is the call's result, and nobody is asked.
type Summary func(ctx context.Context, call *Call) (string, error)

// Approval says whether a person must agree to a call before it runs.
type Approval string

// AnyArgs among the open arguments of a standing approval allows the tool, whatever its arguments.
const AnyArgs = "*"

// The approvals. ApprovalPolicy leaves it to the server's policy: if the configuration says so,
// calls of tools whose effect is not Read need approval once the model has read something that
// neither the user nor the operator may have written.
const (
	ApprovalPolicy Approval = ""
	ApprovalNever  Approval = "never"
	ApprovalAlways Approval = "always"
)

// DefaultTimeout bounds a call whose tool names no timeout.
const DefaultTimeout = 60 * time.Second

// Call is one call of a tool.
type Call struct {
	ID       string // the model's toolCallId
	Tool     string
	Args     json.RawMessage // validated
	ThreadID string
	RunID    string
	// Principal is the user the call is made for: authenticated, unlike the Origin.
	Principal auth.Principal
	// Origin is where the user was: Place, Scope and Context.
	Origin
	// Key is an idempotency key: the same if this call runs again after a crash, and different from
	// any other call's.
	Key string
	// Host is the run that the call belongs to; see State, PatchState and Emit. It may be nil.
	Host Host
	// Log takes what goes wrong with the call and is not for the model. nil is slog.Default().
	Log *slog.Logger
	// Reply is the user's answer to what the handler has asked (Result.Ask); nil until then.
	Reply *Reply
	// CanAsk says that the user can be asked: Execute turns other questions into errors.
	CanAsk   bool
	progress func(Progress)
}

// Logger returns Log, or slog.Default() where it is nil.
func (c *Call) Logger() *slog.Logger { return cmp.Or(c.Log, slog.Default()) }

// Result is what a tool answers: Text is for the model, Payload for the user. Payload is data of
// the tool's PayloadType: anything that encoding/json marshals to an object, or nil.
type Result struct {
	Text    string
	Payload any
	IsError bool
	// Sources is what the result rests on. The server numbers them, tells the model the numbers,
	// and shows them under the answer, where marks such as [1] lead to them.
	Sources []CitableSource
	// Ask has the user asked, instead of a result: the handler is called again with the answer.
	Ask *Question

	Ends *Error // set by Execute for an Error that ends the run
}

// CitableSource is something that an answer may cite.
type CitableSource struct {
	Title string `json:"title"`
	// URL is an http or https address, the id of an element of the page (#row-3), or a path of the
	// application (/articles/12). Any other is left out. "" is none.
	URL string `json:"url,omitempty"`
	// Snippet is a passage or a sentence about it, as plain text; "" is none.
	Snippet string `json:"snippet,omitempty"`
}

// MaxSources is how many sources of a result are kept.
const MaxSources = 50

// Question is what a handler needs to know of the user to continue.
type Question struct {
	Text string // for the user; at most MaxQuestion bytes are shown
	// Memo is JSON that is kept with the question and comes back with its answer. The user does not
	// see it.
	Memo json.RawMessage
}

// MaxQuestion bounds the text of a Question.
const MaxQuestion = 4 << 10

// Reply is the user's answer to a Question.
type Reply struct {
	Text string
	Memo json.RawMessage // the Question's
}

// Progress is one report of a running call. Fraction is 0 to 1, or negative where unknown.
type Progress struct {
	CallID, Tool   string
	Stage, Message string
	Fraction       float64
}

// Progress tells the user how far the call is. It never blocks for long and may be called from any
// goroutine. Reports are coalesced to at most ten a second. The last one before the handler returns
// always arrives; those after it are dropped.
func (c *Call) Progress(stage, message string, fraction float64) {
	if c.progress != nil {
		c.progress(Progress{c.ID, c.Tool, stage, message, fraction})
	}
}
