package agent

import (
	"cmp"
	"context"
	"iter"
	"log/slog"
	"strings"
	"time"

	"github.com/pageside/pageside/agent/usage"
	"github.com/pageside/pageside/internal/guard"
	"github.com/pageside/pageside/llm"
	"github.com/pageside/pageside/policy"
	"github.com/pageside/pageside/tool"
)

// trace reports one run to an agent's Tracer.
type trace struct {
	tracer RunTracer // may be nil
	runID  string
	log    *slog.Logger
}

const tracerPanicked = "a tracer panicked; it is told no more of this run"

// begin reports a resolved run.
func (t *trace) begin(tracer Tracer, run RunTrace) {
	defer guard.Log(t.log, tracerPanicked, "runId", t.runID)
	if tracer != nil {
		t.tracer = tracer.Began(run)
	}
}

// traced returns the trace of a run that has begun, for calls beside its loop.
func (a *Agent) traced(in *Input) *trace {
	t := &trace{runID: in.RunID, log: a.log()}
	if a.Tracer == nil {
		return t
	}
	defer guard.Log(t.log, tracerPanicked, "runId", t.runID)
	t.tracer = a.Tracer.Traced(in.Owner, in.RunID)
	return t
}

// tell calls the tracer. A panic in it does not affect the run.
func (t *trace) tell(tell func(RunTracer)) {
	tracer := t.tracer
	t.tracer = nil
	defer guard.Log(t.log, tracerPanicked, "runId", t.runID)
	tell(tracer)
	t.tracer = tracer
}

// ask makes the model call that begun describes, and reports it when it is over.
func (t *trace) ask(ctx context.Context, model llm.Model, begun ModelTrace) iter.Seq2[llm.Part, error] {
	parts := model.Stream(ctx, begun.Request)
	if t.tracer == nil {
		return parts
	}
	return func(yield func(llm.Part, error) bool) {
		m := recording{ModelTrace: begun, model: model, at: map[int]int{}}
		m.Began = time.Now()
		defer func() {
			if t.tracer != nil {
				t.tell(func(tracer RunTracer) { tracer.Asked(m.done()) })
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

// recording is a model call in progress.
type recording struct {
	ModelTrace
	model           llm.Model
	used            usage.Ledger
	text, reasoning strings.Builder
	args            []*strings.Builder // one per call
	at              map[int]int        // index into args by content block
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
		m.used.Take(p)
	case llm.FinishPart:
		m.Finish = p.Finish
	}
}

func (m *recording) done() ModelTrace {
	m.Text, m.Reasoning, m.Ended = m.text.String(), m.reasoning.String(), time.Now()
	for i, args := range m.args {
		m.Calls[i].Args = args.String()
	}
	m.Model = m.used.Answerer(m.model.Info().Name())
	m.Usage, m.Cost = m.used.Sum(), m.used.Total(m.model).Cost
	return m.ModelTrace
}

// decided reports the decision about a call that was just judged.
func (t *trace) decided(c *call, problem *tool.Error) {
	if t.tracer == nil {
		return
	}
	told := CallTrace{
		ID: c.id, Name: c.name, Args: c.args.String(), Decision: DecisionRuns, Rule: c.Permission.Rule,
		At: time.Now(),
	}
	switch {
	case problem != nil:
		told.Decision, told.Why = DecisionRefused, problem.Message
	case c.interrupt != nil && c.offer.question:
		told.Decision, told.Why = DecisionQuestion, c.interrupt.Message
	case c.interrupt != nil:
		told.Decision, told.Why = DecisionApproval, whyAsked(c)
	case c.ready.page:
		told.Decision, told.Why = DecisionPage, c.Permission.Reason
	case c.Allowance != "":
		told.Why = string(c.ready.tool.Effect) + ", and the user allowed exactly this"
	default:
		told.Why = string(c.ready.tool.Effect)
	}
	t.tell(func(tracer RunTracer) { tracer.Decided(told) })
}

// asked reports that the tool of a running call asks the user.
func (t *trace) asked(c *call) {
	if t.tracer == nil {
		return
	}
	told := CallTrace{
		ID: c.id, Name: c.name, Args: string(c.ready.args), Decision: DecisionQuestion,
		Why: c.interrupt.Message, Rule: c.Permission.Rule, At: time.Now(),
	}
	t.tell(func(tracer RunTracer) { tracer.Decided(told) })
}

// whyAsked says why a call waits for approval.
func whyAsked(c *call) string {
	switch {
	case c.Permission.Decision == policy.Ask:
		return cmp.Or(c.Permission.Reason, "a permission says so")
	case c.ready.tool.Policy.Approval == tool.ApprovalAlways:
		return "its policy"
	}
	return "it writes, and the model has read what others may have written"
}

// whyRan says why a call ran that was decided in an earlier run, or refused at the last moment.
func whyRan(c *call) string {
	switch {
	case c.Permission.Decision == policy.Deny:
		return c.Permission.Reason
	case c.Approved:
		return "the user approved it"
	}
	return ""
}

// finished reports the result of a call that ran on the server.
func (t *trace) finished(c *call, isError bool) {
	if t.tracer != nil {
		t.tell(func(tracer RunTracer) {
			tracer.Finished(CallTrace{
				ID: c.id, Name: c.name, Decision: DecisionRuns, Why: whyRan(c), Rule: c.Permission.Rule,
				Result: c.result.Text, IsError: isError, At: time.Now(),
			})
		})
	}
}

// warned reports what the operator should know.
func (t *trace) warned(text string) {
	if t.tracer != nil {
		t.tell(func(tracer RunTracer) { tracer.Warned(text) })
	}
}

// ended reports that the run left the loop.
func (t *trace) ended(ctx context.Context, err error) {
	if t.tracer == nil {
		return
	}
	if err != nil && ctx.Err() != nil {
		err = context.Cause(ctx)
	}
	t.tell(func(tracer RunTracer) { tracer.Ended(err) })
}
