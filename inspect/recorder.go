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
	"github.com/pageside/pageside/llm"
	"github.com/pageside/pageside/page"
)

// Recorder is an agent.Tracer that keeps the newest runs. It is safe for concurrent use.
type Recorder struct {
	limit int

	mu   sync.Mutex
	runs []*record // oldest first
}

// New returns a recorder that keeps so many runs; 0 means 100.
func New(limit int) *Recorder { return &Recorder{limit: cmp.Or(limit, 100)} }

// record is what is known of one run.
type record struct {
	agent.RunTrace
	owner, id string
	question  string // the newest thing the user said
	asked     string // the id of that message
	steps     []agent.ModelTrace
	calls     []*callRecord
	ended     time.Time
	err       error
}

type callRecord struct {
	agent.CallTrace
	step    int // of the model call that made it, from 0
	result  string
	isError bool
	ended   time.Time
}

// Began implements agent.Tracer.
func (r *Recorder) Began(t agent.RunTrace) {
	in := *t.Input // the loop's own changes while it runs
	t.Input = &in
	run := &record{RunTrace: t, owner: in.Owner, id: in.RunID}
	run.asked, run.question = questionOf(in.History)
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.runs) >= r.limit {
		r.runs = slices.Delete(r.runs, 0, 1)
	}
	r.runs = append(r.runs, run)
}

// questionOf is the newest user message with text.
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

// Asked implements agent.Tracer.
func (r *Recorder) Asked(runID string, m agent.ModelTrace) {
	request := *m.Request // its lists are only appended to
	m.Request = &request
	r.change(runID, func(run *record) { run.steps = append(run.steps, m) })
}

// Decided implements agent.Tracer.
func (r *Recorder) Decided(runID string, c agent.CallTrace) {
	r.change(runID, func(run *record) {
		run.calls = append(run.calls, &callRecord{CallTrace: c, step: len(run.steps) - 1})
	})
}

// Finished implements agent.Tracer.
func (r *Recorder) Finished(runID string, c agent.CallTrace) {
	r.change(runID, func(run *record) {
		i := slices.IndexFunc(run.calls, func(known *callRecord) bool { return known.ID == c.ID })
		if i < 0 { // decided in an earlier run, and approved since
			run.calls = append(run.calls, &callRecord{CallTrace: c, step: -1})
			i = len(run.calls) - 1
		}
		run.calls[i].result, run.calls[i].isError, run.calls[i].ended = c.Result, c.IsError, c.At
	})
}

// Ended implements agent.Tracer.
func (r *Recorder) Ended(runID string, err error) {
	r.change(runID, func(run *record) { run.ended, run.err = time.Now(), err })
}

// change changes the newest record of a run, if it is kept.
func (r *Recorder) change(runID string, do func(*record)) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, run := range slices.Backward(r.runs) {
		if run.id == runID {
			do(run)
			return
		}
	}
}

// of returns copies of what is kept of an owner's runs, oldest first.
func (r *Recorder) of(owner string) []record {
	r.mu.Lock()
	defer r.mu.Unlock()
	var out []record
	for _, run := range r.runs {
		if run.owner != owner {
			continue
		}
		c := *run
		c.steps = slices.Clone(run.steps)
		c.calls = make([]*callRecord, len(run.calls))
		for i, call := range run.calls {
			c.calls[i] = new(*call)
		}
		out = append(out, c)
	}
	return out
}

// status says how a run stands, in a word.
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

// textOf is a piece of a message as text.
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
