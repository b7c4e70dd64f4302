package agent

import (
	"time"

	"github.com/pageside/pageside/llm"
	"github.com/pageside/pageside/page"
)

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
