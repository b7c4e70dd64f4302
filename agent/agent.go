package agent

import (
	"context"
	"encoding/json"
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
	Pages        *page.Registry

	MaxSteps      int           // model calls a run may make before it must answer; 0 means 12
	MaxToolCalls  int           // calls that run at once; 0 means 8
	ContextTokens int           // budget of the page context in tokens, estimated; 0 means 1500
	RetryFor      time.Duration // how long a step may be retried while nothing of it was emitted; 0 means 30 s
}

// Input is what one run of the loop works on. The caller has authenticated, merged and stored it.
type Input struct {
	ThreadID, RunID string
	// History is the thread so far, the server's truth, with this run's new messages at its end.
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

// Outcome says how a run of the loop ended when it did not fail.
type Outcome struct {
	Pending []string // frontend tool calls that wait for the client, in order
	Usage   []agui.TokenUsage
}
