package agent

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"
	"strings"
	"time"

	"github.com/pageside/pageside/agui"
	"github.com/pageside/pageside/llm"
	"github.com/pageside/pageside/page"
)

// Agent is one assistant: a model, what it is told, and the pages and tools it works with. Its zero limits mean the defaults.
// It is safe for concurrent use once built.
type Agent struct {
	ID           string // names it in URLs: "default"
	Description  string
	Instructions string // the first block of the system prompt
	Model        llm.Model
	Pages        *page.Registry // nil is an assistant without pages and backend tools

	MaxSteps      int           // model calls a run may make before it must answer; 0 means 12. Runs split by frontend calls share four times as many
	MaxToolCalls  int           // calls that run at once; 0 means 8
	ContextTokens int           // budget of the page context in tokens, estimated; 0 means 1500
	RetryFor      time.Duration // how long a step may be retried while nothing of it was emitted; 0 means 30 s

	newID func(prefix string) string // for tests; nil makes random ones
}

// The defaults of an Agent's limits.
const (
	DefaultMaxSteps      = 12
	DefaultMaxToolCalls  = 8
	DefaultContextTokens = 1500
	DefaultRetryFor      = 30 * time.Second
)

// Input is what one run of the loop works on. The caller has authenticated, merged and stored it.
type Input struct {
	ThreadID, RunID string
	// History is the thread so far, the server's truth, with this run's new messages at its end.
	// System, developer and activity messages in it are not shown to the model: a client may have written them.
	History []agui.Message
	// Frontend are the tools the client declared for this run.
	Frontend []agui.Tool
	Context  []agui.ContextItem
	Details  []page.ContextDetail // describes Context by position; may be shorter
	Place    page.Place
	State    json.RawMessage
}

// Output takes what the loop produces. Its methods are called from one goroutine.
type Output interface {
	// Emit takes one event, never RUN_STARTED, RUN_FINISHED or RUN_ERROR: those are the caller's.
	Emit(agui.Event) error
	// Flush says that nothing more is ready now: what was emitted should reach the readers.
	Flush() error
	// Commit returns once everything emitted so far is stored. The loop calls it before it releases frontend calls.
	Commit(ctx context.Context) error
}

// ErrStopped is the cause with which a caller ends a run's context when somebody stopped it on purpose: what was said until then
// counts as said. Text cut off by anything else is marked as failed, and a retry answers in its place.
var ErrStopped = errors.New("stopped on purpose")

// Outcome says how a run of the loop ended. Usage is also set when the run failed.
type Outcome struct {
	Pending []string // frontend tool calls that wait for the client, in order
	Usage   []agui.TokenUsage
	Finish  llm.Finish // why the model stopped its last turn; FinishLength is an answer that was cut
}

// Validate reports what is missing for the agent to run.
func (a *Agent) Validate() error {
	switch {
	case a.ID == "":
		return errors.New("agent: it has no id")
	case a.Model == nil:
		return fmt.Errorf("agent %q: it has no model", a.ID)
	case a.MaxSteps < 0, a.MaxToolCalls < 0, a.ContextTokens < 0, a.RetryFor < 0:
		return fmt.Errorf("agent %q: a limit is negative", a.ID)
	}
	return nil
}

// Run answers the end of in.History: it asks the model, runs the tools it calls, and goes on until there is an answer or a
// frontend call waits for the client. What happens on the way goes to out, as it happens.
//
// A tool that fails, panics or times out is something the model is told, and not an error. The errors are: ctx ended (its cause
// is returned), the model failed (an *llm.Error), out failed, a frontend tool that cannot be used (an *InputError), and a history
// in which a call has no result. Whatever was opened is closed and every call is answered before Run returns one of them,
// as far as out lets it.
func (a *Agent) Run(ctx context.Context, in Input, out Output) (outcome Outcome, err error) {
	defer func() {
		if p := recover(); p != nil {
			slog.ErrorContext(ctx, "the agent loop panicked", "agent", a.ID, "threadId", in.ThreadID, "runId", in.RunID, "panic", p, "stack", string(debug.Stack()))
			err = errors.New("agent: internal error")
		}
	}()
	r, err := a.start(ctx, in, out)
	if err != nil {
		return Outcome{}, err
	}
	err = r.answer(ctx)
	return r.outcome(), err
}

func (a *Agent) maxSteps() int           { return cmp.Or(a.MaxSteps, DefaultMaxSteps) }
func (a *Agent) maxToolCalls() int       { return cmp.Or(a.MaxToolCalls, DefaultMaxToolCalls) }
func (a *Agent) contextTokens() int      { return cmp.Or(a.ContextTokens, DefaultContextTokens) }
func (a *Agent) retryFor() time.Duration { return cmp.Or(a.RetryFor, DefaultRetryFor) }

// id makes an id nobody can guess: the one of a page context must not be.
func (a *Agent) id(prefix string) string {
	if a.newID != nil {
		return a.newID(prefix)
	}
	return prefix + strings.ToLower(rand.Text()[:20])
}
