package agent

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"time"

	"github.com/pageside/pageside/agent/prompt"
	"github.com/pageside/pageside/agui"
	"github.com/pageside/pageside/journal"
	"github.com/pageside/pageside/llm"
	"github.com/pageside/pageside/page"
	"github.com/pageside/pageside/tool"
)

// Agent is one assistant: a model, what it is told, and the pages and tools it works with. Its zero
// limits mean the defaults. It is safe for concurrent use once built.
type Agent struct {
	ID           string // names it in URLs: "default"
	Description  string
	Instructions string // the first block of the system prompt
	Model        llm.Model
	Pages        *page.Registry // nil is an assistant without pages and backend tools
	// names new threads; nil names them after the first words of the user
	TitleModel llm.Model
	Approvals  Approvals
	// offers the model the tool ask_user, whose calls wait for the user's answer
	AskUser bool
	Tracer  Tracer       // is told what runs do; nil for nobody
	Logger  *slog.Logger // default slog.Default()

	// model calls a run may make before it must answer; 0 means 12. Runs split by frontend calls
	// share four times as many
	MaxSteps      int
	MaxToolCalls  int // calls that run at once; 0 means 8
	ContextTokens int // budget of the page context in tokens, estimated; 0 means 1500
	// how long a step may be retried while nothing of it was emitted; 0 means 30 s
	RetryFor time.Duration
	// bytes of a tool's result the model is shown at once, the rest can be read on; 0 means 16 KiB,
	// at least 1 KiB
	MaxResult int

	scale scale // what a token weighs, learned from the provider's counts

	newID func(prefix string) string // for tests; nil makes random ones
}

// Approvals is the server's policy for tools that leave approval to it.
type Approvals struct {
	// Untrusted: on a tainted branch every tool but those that only read needs approval. A branch
	// is tainted, and stays so, once the model has read on it what somebody other than the user and
	// the operator may have written: see Taints.
	Untrusted bool
	Expiry    time.Duration // how long an approval or question stays open; 0 means 24 h
}

// The defaults of an Agent's limits.
const (
	DefaultMaxSteps      = 12
	DefaultMaxToolCalls  = 8
	DefaultContextTokens = 1500
	DefaultRetryFor      = 30 * time.Second
	DefaultMaxResult     = 16 << 10
	DefaultExpiry        = 24 * time.Hour
)

// Input is what one run of the loop works on. The caller has authenticated, merged and stored it.
type Input struct {
	ThreadID, RunID string
	// Owner says whose thread it is, tenant and subject, unlike anybody else's. It only goes into
	// the idempotency keys of tool calls.
	Owner string
	// History is the thread so far, the server's truth, with this run's new messages at its end.
	// Calls in it that have no result are settled first, as Run says. System and developer messages
	// are not shown to the model, and of activity messages only those a client cannot have written.
	History []agui.Message
	// Frontend are the tools the client declared for this run.
	Frontend []agui.Tool
	Context  []agui.ContextItem
	Details  []page.ContextDetail // describes Context by position; may be shorter
	Place    page.Place
	State    json.RawMessage
	// Tainted: the branch that the run goes on from is. What this run reads, its input and its
	// history included, is added to that.
	Tainted bool

	Instructions []string // stored for the scope of the place
	// what the page's useAssistantAdditionalContext says, as far as the server trusts it
	ClientInstructions []string

	// the thread's open interrupts, as the run that ended with them said; those whose call has a
	// result are ignored
	Interrupts []Interrupt
	// the client's answers to them; those to other interrupts are ignored
	Resume []agui.ResumeEntry
	// calls of earlier runs that the client was given and has not answered: they wait on, whatever
	// is declared now
	Waiting []string

	// Allowances keeps what the user has allowed for good. If it is nil, nothing is kept or
	// offered.
	Allowances Allowances

	// Journal keeps what became of tool calls; nil keeps nothing beyond the run. Calls is not nil,
	// though perhaps empty, if this run goes on after a crash: it holds what the journal knew of
	// the calls of History that have no result, by call id. A call was never begun if it is not in
	// Calls, does not wait for a person and is not of a frontend tool of this run.
	Journal Journal
	Calls   map[string]journal.ToolCall
	// Cut are the calls of History that were still being written, or held back, when the crash
	// came: the caller has just sent their ENDs. Nobody carries them out.
	Cut []string
}

// Interrupt is a call that waits for a person: for an approval, or for the answer to a question
// (ask_user). It is kept as JSON. It is open while its call has no result in the thread.
type Interrupt struct {
	ID      string `json:"id"`
	Reason  string `json:"reason"` // tool_call, input_required or confirmation
	Message string `json:"message,omitempty"`
	// what the call would do, where its tool says so: the message too
	Summary        string          `json:"summary,omitempty"`
	ToolCallID     string          `json:"toolCallId"`
	Tool           string          `json:"tool"`
	Args           json.RawMessage `json:"args"`
	ResponseSchema json.RawMessage `json:"responseSchema,omitempty"`
	ExpiresAt      time.Time       `json:"expiresAt,omitzero"`

	Effect tool.Effect `json:"effect,omitempty"` // of the tool that needs approval
	// the definition of the tool that can be allowed for good; "" is none
	Allowable string `json:"allowable,omitempty"`
	// Definition is that of the tool that needs approval, as it was when the user was asked. The
	// answer is about no other; "" is an interrupt of a version that did not keep it.
	Definition string `json:"definition,omitempty"`
}

// Journal keeps what became of the calls of a run. Methods are safe for concurrent use and are
// called in the order planned, started, finished for each call, without started where a call is not
// to run after all; a run that goes on after a crash takes up the order where it was. A call that
// was left while it ran, because the run's context ended, is not finished: nobody knows. An error
// fails the run.
type Journal interface {
	// Taint records that the run's branch is tainted, at most once in a run. It returns once that
	// is durable.
	Taint(ctx context.Context) error
	// Plan records calls that are about to run. It need not wait until that is durable.
	Plan(ctx context.Context, calls []journal.ToolCall) error
	// Start records that the call's handler is about to begin. It returns once that is durable,
	// except for read tools.
	Start(ctx context.Context, callID string) error
	// Finish records the result. It need not wait: whatever is stored of the run later is stored
	// after it.
	Finish(ctx context.Context, callID string, state journal.ToolCall) error
	// Result returns the whole text of an earlier call's result on this thread, or an error that
	// can be told to the model.
	Result(ctx context.Context, callID string) (string, error)
}

// Allowance is a standing approval: calls of a tool with exactly these arguments run without
// asking, until it expires.
type Allowance struct {
	Tool       string
	Definition string          // of the tool, as it was when the user agreed
	Args       json.RawMessage // those that were approved
	ArgsHash   string          // tool.Hash of them
	ExpiresAt  time.Time
}

// Allowances keeps the standing approvals of one user for one agent on one branch of a thread.
// Methods are safe for concurrent use.
type Allowances interface {
	// Find returns the id of an allowance that holds now for calls of a tool of that definition
	// with arguments of that hash, "" where there is none. After an error the user is asked.
	Find(ctx context.Context, tool, definition, argsHash string) (id string, err error)
	// Give keeps an allowance. It returns once that is durable. An error fails the run.
	Give(ctx context.Context, a Allowance) error
}

// Output takes what the loop produces. Its methods are called from one goroutine.
type Output interface {
	// Emit takes one event, never RUN_STARTED, RUN_FINISHED or RUN_ERROR: those are the caller's.
	Emit(agui.Event) error
	// EmitBoth takes two events that are stored together or not at all: a crash between them would
	// read as an answer that is complete.
	EmitBoth(first, second agui.Event) error
	// Flush says that nothing more is ready now: what was emitted should reach the readers.
	Flush() error
	// Commit returns once everything emitted so far is stored. The loop calls it before it releases
	// frontend calls.
	Commit(ctx context.Context) error
}

// Tracer is told what the loop does beyond what its events say: what a model was sent, and how
// calls were decided. It is for an inspector. Began, which is told that a run was resolved, is
// called for many runs at once and returns who is told of the rest of this one: two owners may have
// runs of the same id. What they are given must not be changed, and is the run's own again when
// they return.
type Tracer interface {
	Began(RunTrace) RunTracer
}

// RunTracer is told of one run. Its methods are called from the goroutines of the run, some at
// once: they must be safe for that and must not block.
type RunTracer interface {
	// Asked says that a model call ended, also where it failed and is tried again.
	Asked(ModelTrace)
	// Decided says what becomes of a tool call, and Finished what came of one that ran here.
	Decided(CallTrace)
	Finished(CallTrace)
	// Ended says that the run left the loop; err is why, where it failed.
	Ended(err error)
}

// RunTrace is a run as it begins.
type RunTrace struct {
	Agent    string
	Model    llm.Info
	Input    *Input
	Sections []page.Section // of the system prompt, in their order
	Tools    []llm.ToolDecl // the model is offered
	At       time.Time
}

// ModelTrace is one model call.
type ModelTrace struct {
	Request   *llm.Request
	Attempt   int // from 1
	Text      string
	Reasoning string
	Calls     []llm.ToolCall
	Usage     llm.Usage
	Finish    llm.Finish
	Err       error
	Began     time.Time
	First     time.Time // when the first part of the answer came; zero where none did
	Ended     time.Time
}

// CallTrace is one tool call. Decision is one of the constants; Why says more, where there is more
// to say.
type CallTrace struct {
	ID, Name string
	Args     string // as the model wrote them
	Decision string
	Why      string
	Result   string // as the model is told
	IsError  bool
	At       time.Time
}

// The decisions about a tool call.
const (
	DecisionRuns     = "runs"     // here, at once
	DecisionPage     = "page"     // the client runs it
	DecisionApproval = "approval" // a person must agree first
	DecisionQuestion = "question" // a person must answer it
	DecisionRefused  = "refused"  // it is not executed
)

// ErrStopped is the cause with which a caller ends a run's context when somebody stopped it on
// purpose: what was said until then counts as said. Text cut off by anything else is marked as
// failed, and a retry answers in its place.
var ErrStopped = errors.New("stopped on purpose")

// Outcome says how a run of the loop ended. Usage is also set when the run failed.
type Outcome struct {
	// Pending are the frontend tool calls of the run that wait for the client, in order. Where it
	// went on after a crash, all of the thread's.
	Pending []string
	// Interrupts are the calls that wait for a person, those of earlier runs that still do
	// included. The run ends with outcome interrupt where there are any; Pending may be set beside.
	// They are also set when the run failed, where it left calls of earlier runs waiting.
	Interrupts []Interrupt
	Spending
	Finish llm.Finish // why the model stopped in its last step
}

// Validate reports what is missing for the agent to run.
func (a *Agent) Validate() error {
	switch {
	case a.ID == "":
		return errors.New("agent: it has no id")
	case a.Model == nil:
		return fmt.Errorf("agent %q: it has no model", a.ID)
	case a.MaxSteps < 0, a.MaxToolCalls < 0, a.ContextTokens < 0, a.RetryFor < 0, a.MaxResult < 0, a.Approvals.Expiry < 0:
		return fmt.Errorf("agent %q: a limit is negative", a.ID)
	}
	return nil
}

func (a *Agent) maxSteps() int           { return cmp.Or(a.MaxSteps, DefaultMaxSteps) }
func (a *Agent) maxToolCalls() int       { return cmp.Or(a.MaxToolCalls, DefaultMaxToolCalls) }
func (a *Agent) contextTokens() int      { return cmp.Or(a.ContextTokens, DefaultContextTokens) }
func (a *Agent) retryFor() time.Duration { return cmp.Or(a.RetryFor, DefaultRetryFor) }
func (a *Agent) maxResult() int {
	return max(cmp.Or(a.MaxResult, DefaultMaxResult), prompt.LeastResult)
}
func (a *Agent) log() *slog.Logger     { return cmp.Or(a.Logger, slog.Default()) }
func (a *Agent) expiry() time.Duration { return cmp.Or(a.Approvals.Expiry, DefaultExpiry) }

// id makes an id nobody can guess: the one of a page context must not be.
func (a *Agent) id(prefix string) string {
	if a.newID != nil {
		return a.newID(prefix)
	}
	return prefix + strings.ToLower(rand.Text()[:20])
}
