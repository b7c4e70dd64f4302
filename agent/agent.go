package agent

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/pageside/pageside/agent/prompt"
	"github.com/pageside/pageside/agent/usage"
	"github.com/pageside/pageside/agui"
	"github.com/pageside/pageside/audit"
	"github.com/pageside/pageside/auth"
	"github.com/pageside/pageside/calls"
	"github.com/pageside/pageside/journal"
	"github.com/pageside/pageside/limit"
	"github.com/pageside/pageside/llm"
	"github.com/pageside/pageside/page"
	"github.com/pageside/pageside/policy"
	"github.com/pageside/pageside/sharedstate"
	"github.com/pageside/pageside/tool"
)

// Agent is one assistant: a model, its instructions, and the pages and tools it works with. Zero
// limits mean the defaults. Safe for concurrent use once built.
type Agent struct {
	ID           string // names it in URLs: "default"
	Description  string
	Instructions string // the first block of the system prompt
	Model        llm.Model
	Choices      Choices        // that users may choose from, Model first; none: Model alone
	Pages        *page.Registry // nil: an assistant without pages and backend tools
	// Page is where clients are that name no page, such as stock ones of AG-UI; the zero place is
	// at none
	Page page.Place
	// names new threads; if nil, a thread is named after the user's first words
	TitleModel llm.Model
	Approvals  Approvals
	// decides what users may do: see policy.Question; if nil, policy.Default does for whoever has
	// signed in (policy.Everything allows all)
	Authorizer policy.Authorizer
	// offers the model the tool ask_user, whose calls wait for the user's answer
	AskUser bool
	State   sharedstate.Config // that the page and the agent share
	// the operator's settings for frontend tools, by name; they override what the page declares
	PageTools map[string]PageTool
	Tracer    Tracer // traces runs; may be nil
	// records every call and every approval; may be nil. A call of a tool that is not read-only
	// does not run if it cannot be recorded
	Audit  audit.Recorder
	Logger *slog.Logger // default slog.Default()

	Limits Limits

	estimates usage.Estimates

	warned uint32   // bits of the kinds of warnings that were logged; atomic
	cutAt  sync.Map // names of places where it was logged that page context was cut

	newID func(prefix string) string // for tests; nil makes random ids
}

// PageTool is the operator's settings for a frontend tool. Without them the client's declaration
// counts, and a tool that declares nothing is Approvals.PageTools.
type PageTool struct {
	Effect   tool.Effect   // "" is what the page declares
	Approval tool.Approval // "" is what the page declares, which cannot be ApprovalNever
	Calls    *tool.Limiter // how often one user may have it called; nil is no limit
}

// Approvals is the server's policy for tools that do not set their own. The zero value asks as
// calls.Case says.
type Approvals struct {
	// IgnoreTaint treats tainted branches like others: what only changes something runs there
	// unasked. See Taints and calls.Case.
	IgnoreTaint bool
	// PageTools is the effect of frontend tools that declare none; "" is tool.Page, which runs at
	// once.
	PageTools tool.Effect
	// Words asks in words, for front ends that draw no interrupts: what waits is said as a message,
	// the run ends in success, and the user's next message decides. See Interrupt.Words.
	Words  bool
	Expiry time.Duration // how long an approval or question stays open; 0 means 24 h
}

// DefaultExpiry is how long an approval or question stays open where Approvals say nothing.
const DefaultExpiry = 24 * time.Hour

// Input is the input of one run. The caller has authenticated, merged and stored it.
type Input struct {
	ThreadID, RunID string
	// Owner identifies the owner of the thread (tenant and subject) uniquely. It is only used in
	// the idempotency keys of tool calls.
	Owner string
	// Principal is the user the run is for.
	Principal auth.Principal
	// History is the thread as the server has it, ending with this run's new messages. Calls in it
	// without a result are resolved first: see Run. The model is not shown system and developer
	// messages, nor activity messages that a client could have written.
	History []agui.Message
	// Continues is the id of the cut answer that the run continues instead of answering: its
	// last message, marked as cut (agui.CutBy). "" is none.
	Continues string
	// Frontend holds the tools the client declared for this run.
	Frontend []agui.Tool
	Context  []agui.ContextItem
	Details  []page.ContextDetail // describes Context by position; may be shorter
	Place    page.Place
	Look     *Look           // from Agent.Look; nil has the run look for itself
	State    json.RawMessage // shared with the page; nil if there is none
	// Pick is the model and effort that the user has chosen for the run. The agent ignores a choice
	// that it does not offer, or no longer offers.
	Pick Pick
	// Tainted reports whether the run continues a tainted branch. The run's own input and history
	// may taint it further.
	Tainted bool
	// Words has the user asked in words, whatever Approvals.Words says.
	Words bool

	Instructions []string // stored for the scope of the place
	// guidance from the page's code (useAssistantAdditionalContext) and system messages of other
	// clients: it is below the operator's instructions and grants nothing
	ClientInstructions []string

	Waiting Waiting // what earlier runs have left open, and its answers
	// MustCall names tools of which the first step must call one. Where none of them is offered,
	// the model decides.
	MustCall []string

	// Allowances stores standing approvals. If nil, none are stored or offered.
	Allowances calls.Allowances

	// Spent is called after each model call with what the run has used so far, before the events
	// that end the step. Outcome says the same at the end, but is lost in a crash. May be nil.
	Spent func(usage.Spending)
	// Budget bounds what the run's model calls use. If nil, only the agent's limits do.
	Budget limit.Budget

	Journal Journal // records what became of tool calls; nil records nothing
	Crash   *Crash  // what this run goes on after; nil is none
}

// Waiting is what earlier runs of a thread have left open, and what the client says to it.
type Waiting struct {
	// as reported by the runs that ended with them; those whose call has a result are ignored
	Interrupts []calls.Interrupt
	// the client's answers to them; answers to other interrupts are ignored
	Resume []agui.ResumeEntry
	// Withdraw leaves every call without an answer that waits for the client or a person. The run
	// ends with that: ErrStopped.
	Withdraw bool
	// calls that the client has received but not answered: they keep waiting, whatever the client
	// declares now
	Calls []string
}

// Crash is what a process left of the run that this one goes on with.
type Crash struct {
	// Calls holds by id what the journal knows about the calls in History that have no result. A
	// call that is not there, does not wait for a person and is not of a frontend tool of this run
	// was never started.
	Calls map[string]journal.ToolCall
	// Cut lists the calls in History that were incomplete or held back. The caller has just sent
	// their ENDs. They are never run.
	Cut []string
}

// call returns what the journal knows about a call.
func (c *Crash) call(id string) (entry journal.ToolCall, known bool) {
	if c != nil {
		entry, known = c.Calls[id]
	}
	return entry, known
}

// cut reports whether a call was incomplete.
func (c *Crash) cut(id string) bool { return c != nil && slices.Contains(c.Cut, id) }

// Look is what the page of a run's input shows the model: the place, resolved, what its context
// builder writes, and the page context. It is immutable.
type Look struct {
	view  page.View
	shown shown
}

// shown is what a run's page shows: what its context builder writes, and the page context, of which
// the last items are the client's.
type shown struct {
	built page.Built
	items []page.Item
	keys  []string // of the items; see Look.Keys
	given int      // how many items are the client's
}

// reasonGuestsCall is for a guest that asks about a call of its own. Under AG-UI's reason a page
// would take the guest's question for one of the server's, about a call that the server has judged.
const reasonGuestsCall = "agent:tool_call"

// Journal records the progress of a run's calls. Methods are safe for concurrent use and are called
// in the order Plan, Start, Finish for each call; Start is skipped for a call that turns out not to
// run. A run that resumes after a crash continues that order. A call still running when the run's
// context ends is never finished: its outcome is unknown. An error fails the run.
type Journal interface {
	// Taint records that the run's branch is tainted, at most once per run. It returns once the
	// record is durable.
	Taint(ctx context.Context) error
	// Plan records calls that are about to run. It need not be durable on return.
	Plan(ctx context.Context, calls []journal.ToolCall) error
	// Start records that the call's handler is about to begin. Unless the tool is read-only, it
	// returns once that is durable.
	Start(ctx context.Context, callID string) error
	// Finish records the result. It need not be durable on return: anything stored for the run
	// later is stored after it.
	Finish(ctx context.Context, callID string, state journal.ToolCall) error
	// Result returns the full result of an earlier call on this thread. Its error can be shown to
	// the model.
	Result(ctx context.Context, callID string) (string, error)
}

// Output receives what the loop produces. Its methods are called from one goroutine.
type Output interface {
	// Emit takes one event, but never RUN_STARTED, RUN_FINISHED or RUN_ERROR: the caller sends
	// those.
	Emit(agui.Event) error
	// EmitAll takes events that are stored together or not at all: after a crash between them
	// the answer would look complete.
	EmitAll(events ...agui.Event) error
	// Flush sends everything emitted so far to the readers: nothing more is ready now.
	Flush() error
	// Commit returns once everything emitted so far is stored. The loop calls it before it releases
	// frontend calls.
	Commit(ctx context.Context) error
}

// Tracer observes what events do not show: what the model was sent and how calls were decided. An
// inspector uses it. Began is called when a run has been resolved, concurrently for many runs, and
// returns the observer of the rest of that run; two owners may have runs with the same id.
// Arguments must not be changed, nor used after the method returns.
type Tracer interface {
	Began(RunTrace) RunTracer
	// Traced returns the observer of a run that has begun, for calls made beside its loop, such as
	// that for a title; nil if there is none.
	Traced(owner, runID string) RunTracer
}

// RunTracer observes one run. Its methods are called concurrently from the run's goroutines and
// must not block.
type RunTracer interface {
	// Asked is called after each model call, including failed ones that are retried.
	Asked(ModelTrace)
	// Decided is called when a tool call is decided, Finished when one has run on the server.
	Decided(CallTrace)
	Finished(CallTrace)
	// Warned is called when a model's server does something that an operator should know and no
	// error says, such as cutting the prompt; once per run and kind.
	Warned(text string)
	// Ended is called when the run leaves the loop; err is nil unless it failed.
	Ended(err error)
}

// RunTrace describes a run at its beginning.
type RunTrace struct {
	Agent    string
	Model    llm.Info
	Effort   string // that the user has chosen; "" for none
	Input    *Input
	Sections []page.Section // of the system prompt, in their order
	Tools    []llm.ToolDecl // offered to the model
	Withheld []Withheld     // tools of the place that are not offered, sorted by name
	At       time.Time
}

// Withheld is a tool that is not offered: the policy refuses it, or the place lacks what it needs.
type Withheld struct {
	Name   string `json:"name"`
	Rule   string `json:"rule"` // the policy's; "" where the place is the reason
	Reason string `json:"reason,omitempty"`
}

// Purposes of a model call. The zero value is a step of the answer.
const (
	PurposeSummary = "summary" // of older messages, to make room
	PurposeTitle   = "title"   // of the thread
)

// ModelTrace is one model call.
type ModelTrace struct {
	Purpose   string
	Model     string // provider/model that answered; with a fallback, the last one asked
	Request   *llm.Request
	Attempt   int // from 1
	Text      string
	Reasoning string
	Calls     []llm.ToolCall
	Usage     llm.Usage // of all models that were asked
	Cost      *float64  // in US dollars; nil if a count or a price is unknown
	Finish    llm.Finish
	Err       error
	Began     time.Time
	First     time.Time // when the first part of the answer arrived; zero if none did
	Ended     time.Time
}

// CallTrace is one tool call. Decision is one of the constants below; Why explains it, if there is
// more to say.
type CallTrace struct {
	ID, Name string
	Args     string // as the model wrote them
	Decision string
	Why      string
	Rule     string // of the policy, if it was asked
	Result   string // as shown to the model
	IsError  bool
	At       time.Time
}

// Decisions about a tool call.
const (
	DecisionRuns     = "runs"     // on the server
	DecisionPage     = "page"     // the client runs it
	DecisionApproval = "approval" // a person must agree first
	DecisionQuestion = "question" // a person must answer it
	DecisionRefused  = "refused"  // it is not run
)

// ErrStopped is the cause with which a caller ends a run's context to stop it on purpose, and how a
// run with Input.Withdraw ends: the text so far then counts as the answer. Text cut off for any
// other reason is marked as failed, and a retry replaces it.
var ErrStopped = errors.New("stopped on purpose")

// Outcome is how a run of the loop ended. Usage is also set if the run failed.
type Outcome struct {
	// Pending lists the run's frontend tool calls that wait for the client, in order. After a crash
	// it lists all of the thread's.
	Pending []string
	// Interrupts lists the calls that wait for a person, including those of earlier runs. If there
	// are any, the run ends with outcome interrupt; Pending may be set too. A failed run also sets
	// it if it left calls of earlier runs waiting.
	Interrupts []calls.Interrupt
	usage.Spending
	Finish llm.Finish      // why the model stopped in its last step
	Result json.RawMessage // of RUN_FINISHED, from a guest; may be nil
}

// Validate returns an error if the agent lacks something it needs to run.
func (a *Agent) Validate() error {
	switch {
	case a.ID == "":
		return errors.New("agent: it has no id")
	case a.Model == nil:
		return fmt.Errorf("agent %q: it has no model", a.ID)
	case a.Limits.areNegative(), a.State.MaxBytes < 0, a.Approvals.Expiry < 0:
		return fmt.Errorf("agent %q: a limit is negative", a.ID)
	}
	if err := a.Choices.check(); err != nil {
		return fmt.Errorf("agent %q: %w", a.ID, err)
	}
	if len(a.Choices) > 0 && a.Choices[0].Model.Info().Name() != a.Model.Info().Name() {
		return fmt.Errorf("agent %q: choices[0].model: must be the agent's model, which is %s", a.ID,
			a.Model.Info().Name())
	}
	if err := a.State.Check(a.Pages.Tools(), func(name string) bool {
		_, named := a.PageTools[name]
		return named
	}); err != nil {
		return fmt.Errorf("agent %q: state.%w", a.ID, err)
	}
	return nil
}

// picked returns the model and effort that a pick stands for.
func (a *Agent) picked(p Pick) (llm.Model, string) {
	if choice, _ := a.Choices.find(p.Model); choice.Model != nil && a.Choices.Check(p) == nil {
		return choice.Model, p.Effort
	}
	return a.Model, ""
}

func (a *Agent) log() *slog.Logger     { return cmp.Or(a.Logger, slog.Default()) }
func (a *Agent) expiry() time.Duration { return cmp.Or(a.Approvals.Expiry, DefaultExpiry) }

// id makes an id that cannot be guessed, as a page context needs.
func (a *Agent) id(prefix string) string {
	if a.newID != nil {
		return a.newID(prefix)
	}
	return prefix + strings.ToLower(rand.Text()[:20])
}

// Failure ends a run with the code and the message of its RUN_ERROR, which may be shown. Err is for
// the log.
type Failure struct {
	Code, Message string
	Err           error
}

// Error implements error.
func (e *Failure) Error() string {
	if e.Err != nil {
		return e.Message + ": " + e.Err.Error()
	}
	return e.Message
}

// Unwrap returns what went wrong.
func (e *Failure) Unwrap() error { return e.Err }

// Codes of a Failure.
const (
	CodeStepsExhausted = "steps_exhausted" // a limit of model calls or of tool calls was reached
	// the same calls kept giving the same results, or kept failing
	CodeToolLoop    = "tool_loop"
	CodeAgentFailed = "agent_failed" // a guest returned an error, or panicked
	CodeAgentEvent  = "agent_event"  // a guest emitted what it may not
)

// Limits bounds what an agent's runs use. The zero value of a field means its default.
type Limits struct {
	// Steps is how many model calls a run may make before it must answer; default 12. Runs linked
	// by frontend calls share four times as many.
	Steps int
	// CallsAtOnce is how many tool calls may run concurrently; default 8.
	CallsAtOnce int
	// CallsPerQuestion is how many tool calls one question may make, also across the runs that
	// calls of the page split it into; default 64. read_result and retrieve_items are not counted.
	CallsPerQuestion int
	// ContextTokens is the estimated token budget of the page context; default 1500. Texts and
	// schemas of clients without Pageside's metadata then have 8 % of the model's window for
	// themselves, at most 16,000 tokens, and 8,000 where the window is unknown.
	ContextTokens int
	// RetryFor is how long a step may be retried before it has emitted anything; default 30 s.
	RetryFor time.Duration
	// ResultBytes is how much of a tool result is put into the prompt; the model can read the rest
	// on request. The default is 16 KiB, and the least 1 KiB.
	ResultBytes int
}

const defaultContextTokens = 1500

// effective returns the limits with their defaults, but for ContextTokens: see contextBudget.
func (l Limits) effective() Limits {
	l.Steps = cmp.Or(l.Steps, 12)
	l.CallsAtOnce = cmp.Or(l.CallsAtOnce, 8)
	l.CallsPerQuestion = cmp.Or(l.CallsPerQuestion, 64)
	l.RetryFor = cmp.Or(l.RetryFor, 30*time.Second)
	l.ResultBytes = max(cmp.Or(l.ResultBytes, 16<<10), prompt.LeastResult)
	return l
}

func (l Limits) areNegative() bool {
	return min(l.Steps, l.CallsAtOnce, l.CallsPerQuestion, l.ContextTokens, l.ResultBytes) < 0 || l.RetryFor < 0
}

// What texts and schemas of plain clients may have of a prompt, in tokens.
const (
	wholePercent = 8 // of the model's window
	mostWhole    = 16_000
	usualWhole   = 8_000 // where the window is unknown
)

// contextBudget is the budget of the page context for a model.
func (l Limits) contextBudget(model llm.Info) page.Budget {
	if l.ContextTokens > 0 {
		return page.Budget{Tokens: l.ContextTokens}
	}
	whole := usualWhole
	if model.ContextWindow > 0 {
		whole = min(model.ContextWindow*wholePercent/100, mostWhole)
	}
	if whole <= defaultContextTokens { // a small window has no room for both
		whole = 0
	}
	return page.Budget{Tokens: defaultContextTokens, Whole: whole}
}
