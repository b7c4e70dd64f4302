package inspect

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/pageside/pageside/agent"
	"github.com/pageside/pageside/agui"
	"github.com/pageside/pageside/auth"
	"github.com/pageside/pageside/llm"
	"github.com/pageside/pageside/page"
)

// Recorder is an agent.Tracer that keeps the newest runs. It is safe for concurrent use.
type Recorder struct {
	limit int
	bytes int // the limit of kept

	mu   sync.Mutex
	runs []*record // oldest first
	kept int       // about how many bytes they take
}

// maxBytes is how many bytes a recorder keeps: prompts may be long.
const maxBytes = 64 << 20

// New returns a recorder that keeps at most limit runs (0 means 100) and about 64 MiB, but always
// the newest run.
func New(limit int) *Recorder { return &Recorder{limit: cmp.Or(limit, 100), bytes: maxBytes} }

// record is what is known of one run.
type record struct {
	agent.RunTrace
	recorder  *Recorder
	owner, id string
	principal auth.Principal
	question  string   // the newest thing the user said
	asked     string   // the id of that message
	brings    []string // the page's tools whose results came with the run
	steps     []modelCall
	calls     []*callRecord
	warnings  []string
	ended     time.Time
	err       error

	bytes   int
	dropped bool
}

// modelCall is a model call with the part of its prompt that is shown. The prompt itself belongs to
// the agent's loop, which keeps using it.
type modelCall struct {
	agent.ModelTrace // without its request
	messages         []MessageView
	// how many of the first messages the prompt of the previous call had too
	unchanged int
	usage     Usage
	effort    string // that it was asked for
}

type callRecord struct {
	agent.CallTrace
	step    int // of the model call that made it, from 0
	result  string
	isError bool
	ended   time.Time
}

// Began implements agent.Tracer.
func (r *Recorder) Began(t agent.RunTrace) agent.RunTracer {
	in := t.Input
	run := &record{RunTrace: t, recorder: r, owner: in.Owner, id: in.RunID, principal: in.Principal}
	run.asked, run.question = questionOf(in.History)
	// Only what is shown of it: the thread may be long.
	run.Input = &agent.Input{
		ThreadID: in.ThreadID, RunID: in.RunID, Frontend: in.Frontend, Context: in.Context, Details: in.Details,
		Place: in.Place,
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.bring(run, in.History)
	if len(r.runs) >= r.limit {
		r.drop()
	}
	r.runs = append(r.runs, run)
	r.grow(run, weightOf(&run.RunTrace)+len(run.question))
	return run
}

// bring gives the calls of the page's tools the results that a run begins with: the run that made
// a call has ended by then. Requires r.mu.
func (r *Recorder) bring(run *record, history []agui.Message) {
	for _, m := range slices.Backward(history) { // a note may stand behind the results
		if m.Role == agui.RoleAssistant {
			return
		}
		call, of := r.pageCall(run, m.ToolCallID)
		if m.Role != agui.RoleTool || call == nil {
			continue
		}
		run.brings = slices.Insert(run.brings, 0, call.Name)
		call.result, call.isError, call.ended = m.Content.Text(), m.Error != "", run.At
		r.grow(of, len(call.result))
	}
}

// pageCall returns an open call of the page's tool in an earlier run of a run's thread, and the
// run. Requires r.mu.
func (r *Recorder) pageCall(run *record, id string) (*callRecord, *record) {
	for _, earlier := range slices.Backward(r.runs) {
		if earlier.owner != run.owner || earlier.Input.ThreadID != run.Input.ThreadID {
			continue
		}
		for _, call := range earlier.calls {
			if call.ID == id && call.Decision == agent.DecisionPage && call.ended.IsZero() {
				return call, earlier
			}
		}
	}
	return nil, nil
}

// Traced implements agent.Tracer.
func (r *Recorder) Traced(owner, runID string) agent.RunTracer {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, run := range slices.Backward(r.runs) {
		if run.owner == owner && run.id == runID {
			return run
		}
	}
	return nil
}

// drop forgets the oldest run. Requires r.mu.
func (r *Recorder) drop() {
	r.kept -= r.runs[0].bytes
	r.runs[0].dropped = true
	r.runs = slices.Delete(r.runs, 0, 1)
}

// grow counts what a run keeps, and drops the oldest runs beyond the limit. Requires r.mu.
func (r *Recorder) grow(run *record, bytes int) {
	if run.dropped {
		return
	}
	run.bytes += bytes
	r.kept += bytes
	for r.kept > r.bytes && len(r.runs) > 1 {
		r.drop()
	}
}

// overhead is about how many bytes an entry takes besides its texts.
const overhead = 100

func weightOf(t *agent.RunTrace) int {
	n := overhead
	for _, s := range t.Sections {
		n += overhead + len(s.Text)
	}
	for _, d := range t.Tools {
		n += overhead + len(d.Description) + len(d.Parameters)
	}
	for _, f := range t.Input.Frontend {
		n += overhead + len(f.Description) + len(f.Parameters)
	}
	for _, c := range t.Input.Context {
		n += overhead + len(c.Description) + len(c.Value)
	}
	return n
}

// questionOf returns the newest user message with text.
func questionOf(history []agui.Message) (id, text string) {
	for _, m := range slices.Backward(history) {
		if m.Role == agui.RoleUser {
			if text := strings.TrimSpace(m.Content.Text()); text != "" {
				return m.ID, text
			}
		}
	}
	return "", ""
}

// Asked implements agent.RunTracer.
func (r *record) Asked(m agent.ModelTrace) {
	step := modelCall{
		ModelTrace: m, messages: make([]MessageView, 0, len(m.Request.Messages)+1), usage: usageOf(m),
		effort: m.Request.Effort,
	}
	step.Request = nil
	if m.Purpose == agent.PurposeTitle { // its system prompt is not the run's
		step.messages = append(step.messages, systemView(m.Request.System))
	}
	for _, message := range m.Request.Messages {
		step.messages = append(step.messages, viewOf(message))
	}
	r.change(func() int {
		if last := r.lastStep(m.Purpose); last >= 0 {
			step.share(r.steps[last].messages)
		}
		r.steps = append(r.steps, step)
		return step.weight()
	})
}

// lastStep returns the index of the newest model call for a purpose, -1 if there is none.
func (r *record) lastStep(purpose string) int {
	for i, step := range slices.Backward(r.steps) {
		if step.Purpose == purpose {
			return i
		}
	}
	return -1
}

// share reuses the memory of the first messages that the previous prompt had too.
func (s *modelCall) share(previous []MessageView) {
	for s.unchanged < min(len(previous), len(s.messages)) && s.messages[s.unchanged] == previous[s.unchanged] {
		s.messages[s.unchanged] = previous[s.unchanged]
		s.unchanged++
	}
}

func (s *modelCall) weight() int {
	n := overhead*(1+len(s.messages)) + len(s.Text) + len(s.Reasoning)
	for _, m := range s.messages[s.unchanged:] {
		n += len(m.Text)
	}
	for _, c := range s.Calls {
		n += overhead + len(c.Args)
	}
	return n
}

// Decided implements agent.RunTracer.
func (r *record) Decided(c agent.CallTrace) {
	r.change(func() int {
		r.calls = append(r.calls, &callRecord{CallTrace: c, step: r.lastStep("")})
		return overhead + len(c.Args) + len(c.Why)
	})
}

// Finished implements agent.RunTracer.
func (r *record) Finished(c agent.CallTrace) {
	r.change(func() int {
		i := slices.IndexFunc(r.calls, func(known *callRecord) bool { return known.ID == c.ID })
		if i < 0 { // decided in an earlier run and approved since
			r.calls = append(r.calls, &callRecord{CallTrace: c, step: -1})
			i = len(r.calls) - 1
		}
		// The policy may have refused it at the last moment, or a person agreed meanwhile.
		r.calls[i].Why, r.calls[i].Rule = cmp.Or(c.Why, r.calls[i].Why), cmp.Or(c.Rule, r.calls[i].Rule)
		r.calls[i].result, r.calls[i].isError, r.calls[i].ended = c.Result, c.IsError, c.At
		return overhead + len(c.Result)
	})
}

// Warned implements agent.RunTracer.
func (r *record) Warned(text string) {
	r.change(func() int {
		r.warnings = append(r.warnings, text)
		return overhead + len(text)
	})
}

// Ended implements agent.RunTracer.
func (r *record) Ended(err error) {
	r.change(func() int {
		r.ended, r.err = time.Now(), err
		return 0
	})
}

// change changes the record and counts by how much it has grown.
func (r *record) change(do func() (bytes int)) {
	r.recorder.mu.Lock()
	defer r.recorder.mu.Unlock()
	r.recorder.grow(r, do())
}

// Forget drops the runs of an owner.
func (r *Recorder) Forget(owner string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.runs = slices.DeleteFunc(r.runs, func(run *record) bool {
		if run.owner != owner {
			return false
		}
		r.kept -= run.bytes
		run.dropped = true
		return true
	})
}

// of returns copies of what is kept of the runs that wanted selects, oldest first.
func (r *Recorder) of(wanted func(*record) bool) []record {
	r.mu.Lock()
	defer r.mu.Unlock()
	var out []record
	for _, run := range r.runs {
		if !wanted(run) {
			continue
		}
		c := *run
		c.steps = slices.Clone(run.steps)
		c.warnings = slices.Clone(run.warnings)
		c.calls = make([]*callRecord, len(run.calls))
		for i, call := range run.calls {
			c.calls[i] = new(*call)
		}
		out = append(out, c)
	}
	return out
}

// status returns the run's status in one word.
func (r *record) status() string {
	switch {
	case r.ended.IsZero():
		return "live"
	case errors.Is(r.err, agent.ErrStopped):
		return "cancelled"
	case errors.Is(r.err, context.Canceled), errors.Is(r.err, context.DeadlineExceeded):
		return "interrupted"
	case r.err != nil:
		return "failed"
	}
	return "done"
}

// tokens estimates how many tokens a message is for a model.
func tokens(m llm.Message) (n int) {
	for _, c := range m.Content {
		n += page.Tokens(textOf(c))
	}
	return n
}

// textOf returns a piece of a message as text.
func textOf(c llm.Content) string {
	switch c := c.(type) {
	case llm.Text:
		return c.String()
	case llm.Reasoning:
		return c.Text
	case llm.ToolCall:
		return c.Name + " " + c.Args
	case llm.ToolResult:
		return c.Content.String()
	case llm.Media:
		return "[" + cmp.Or(c.MimeType, c.Kind) + "]"
	}
	return ""
}
