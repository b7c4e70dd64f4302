package agent

import (
	"context"
	"iter"
	"log/slog"
	"strings"
	"time"

	"github.com/pageside/pageside/internal/guard"
	"github.com/pageside/pageside/llm"
	"github.com/pageside/pageside/page"
	"github.com/pageside/pageside/tool"
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

func (r *run) traceBegin(sections []page.Section) {
	defer guard.Log(slog.Default(), tracerPanicked, "runId", r.in.RunID)
	if a := r.agent; a.Tracer != nil {
		r.tracer = a.Tracer.Began(RunTrace{Agent: a.ID, Model: r.model, Input: &r.in, Sections: sections, Tools: r.tools.decls(), At: time.Now()})
	}
}

const tracerPanicked = "a tracer panicked; it is told no more of this run"

// trace tells the tracer something. One that panics costs the run nothing.
func (r *run) trace(tell func(RunTracer)) {
	t := r.tracer
	r.tracer = nil
	defer guard.Log(slog.Default(), tracerPanicked, "runId", r.in.RunID)
	tell(t)
	r.tracer = t
}

// traced passes a model's answer on and tells the tracer of it when it is over.
func (r *run) traced(req *llm.Request, attempt int, parts iter.Seq2[llm.Part, error]) iter.Seq2[llm.Part, error] {
	if r.tracer == nil {
		return parts
	}
	return func(yield func(llm.Part, error) bool) {
		m := recording{ModelTrace: ModelTrace{Request: req, Attempt: attempt, Began: time.Now()}, at: map[int]int{}}
		defer func() {
			if r.tracer != nil {
				r.trace(func(t RunTracer) { t.Asked(m.done()) })
			}
		}()
		for p, err := range parts {
			m.take(&p, err)
			if !yield(p, err) {
				return
			}
		}
	}
}

// recording is a model call while its answer comes.
type recording struct {
	ModelTrace
	text, reasoning strings.Builder
	args            []*strings.Builder // of the calls
	at              map[int]int        // the calls by content block
}

func (m *recording) take(p *llm.Part, err error) {
	if err != nil {
		m.Err = err
		return
	}
	if m.First.IsZero() && p.Kind != llm.Pause && p.Kind != llm.UsagePart {
		m.First = time.Now()
	}
	switch p.Kind {
	case llm.TextDelta:
		m.text.WriteString(p.Delta)
	case llm.ReasoningDelta:
		m.reasoning.WriteString(p.Delta)
	case llm.ToolStart:
		m.at[p.Index] = len(m.Calls)
		m.Calls = append(m.Calls, llm.ToolCall{ID: p.ID, Name: p.Name})
		m.args = append(m.args, &strings.Builder{})
	case llm.ToolArgs:
		if i, ok := m.at[p.Index]; ok {
			m.args[i].WriteString(p.Delta)
		}
	case llm.UsagePart:
		if p.Usage != nil {
			m.Usage = *p.Usage
		}
	case llm.FinishPart:
		m.Finish = p.Finish
	}
}

func (m *recording) done() ModelTrace {
	m.Text, m.Reasoning, m.Ended = m.text.String(), m.reasoning.String(), time.Now()
	for i, args := range m.args {
		m.Calls[i].Args = args.String()
	}
	return m.ModelTrace
}

// traceDecision tells what becomes of a call that was just judged.
func (r *run) traceDecision(c *call, problem *tool.Error) {
	if r.tracer == nil {
		return
	}
	t := CallTrace{ID: c.id, Name: c.name, Args: c.args.String(), Decision: DecisionRuns, At: time.Now()}
	switch {
	case problem != nil:
		t.Decision, t.Why = DecisionRefused, problem.Message
	case c.interrupt != nil && c.offer.question:
		t.Decision, t.Why = DecisionQuestion, c.interrupt.Message
	case c.interrupt != nil:
		t.Decision, t.Why = DecisionApproval, "its policy"
		if c.ready.tool.Policy.Approval != tool.ApprovalAlways {
			t.Why = "it writes, and the model has read what others may have written"
		}
	case c.ready.tool == nil:
		t.Decision = DecisionPage
	case c.allowance != "":
		t.Why = string(c.ready.tool.Effect) + ", and the user allowed exactly this"
	default:
		t.Why = string(c.ready.tool.Effect)
	}
	r.trace(func(tracer RunTracer) { tracer.Decided(t) })
}

func (r *run) traceResult(c *call, result tool.Result) {
	if r.tracer != nil {
		r.trace(func(t RunTracer) {
			t.Finished(CallTrace{ID: c.id, Name: c.name, Decision: DecisionRuns, Result: c.result.Text, IsError: result.IsError, At: time.Now()})
		})
	}
}

func (r *run) traceEnd(ctx context.Context, err error) {
	if r.tracer == nil {
		return
	}
	if err != nil && ctx.Err() != nil {
		err = context.Cause(ctx)
	}
	r.trace(func(t RunTracer) { t.Ended(err) })
}
