package agent

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/pageside/pageside/agent/prompt"
	"github.com/pageside/pageside/agui"
	"github.com/pageside/pageside/calls"
	"github.com/pageside/pageside/journal"
	"github.com/pageside/pageside/llm"
	"github.com/pageside/pageside/llm/llmtest/dialects"
	"github.com/pageside/pageside/page"
	"github.com/pageside/pageside/test/must"
	"github.com/pageside/pageside/tool"
)

// fakeModel plays steps given as parts, one after another, and remembers what it was asked.
type fakeModel struct {
	info  llm.Info
	steps [][]fakePart

	mu       sync.Mutex
	requests []*llm.Request
	refused  []error // of requests that a provider would refuse
}

// fakePart is a part, an error, or a function that is called at that point of the stream.
type fakePart struct {
	part llm.Part
	err  error
	do   func(ctx context.Context)
}

var fakeInfo = llm.Info{Provider: "fake", Model: "one", Tools: true, ParallelTools: true, Images: true}

func (m *fakeModel) Info() llm.Info {
	if m.info == (llm.Info{}) {
		return fakeInfo
	}
	return m.info
}

func (m *fakeModel) Stream(ctx context.Context, req *llm.Request) iter.Seq2[llm.Part, error] {
	m.mu.Lock()
	n := len(m.requests)
	copied := *req
	copied.Messages = append([]llm.Message(nil), req.Messages...)
	copied.System = append([]llm.Block(nil), req.System...)
	m.requests = append(m.requests, &copied)
	m.mu.Unlock()
	if err := dialects.Check(&copied); err != nil {
		m.refused = append(m.refused, err)
		return dialects.Refuse(m.Info(), err)
	}
	return func(yield func(llm.Part, error) bool) {
		if n >= len(m.steps) {
			yield(llm.Part{}, &llm.Error{Kind: llm.KindBadRequest, Model: "fake/one", Message: fmt.Sprintf("the test has no step %d", n+1)})
			return
		}
		for _, p := range m.steps[n] {
			if p.do != nil {
				p.do(ctx)
				continue
			}
			if ctx.Err() != nil {
				yield(llm.Part{}, &llm.Error{Kind: llm.KindCancelled, Model: "fake/one", Message: "cancelled", Err: context.Cause(ctx)})
				return
			}
			if !yield(p.part, p.err) || p.err != nil {
				return
			}
		}
	}
}

// recorder is an Output that keeps what it is given, and checks it as a server does.
type recorder struct {
	verifier   *agui.Verifier
	transcript *agui.Transcript
	lines      []string
	events     []agui.Event
	together   []string // events that came in one call

	failEmit   func(agui.Event) error
	failCommit error
}

func newRecorder(history []agui.Message) *recorder {
	r := &recorder{verifier: agui.NewVerifier(), transcript: agui.NewTranscript(history)}
	if err := r.check(&agui.RunStarted{ThreadID: "t1", RunID: "r1"}); err != nil {
		panic(err)
	}
	return r
}

func (r *recorder) check(e agui.Event) error {
	if err := r.verifier.Check(e); err != nil {
		return err
	}
	return r.transcript.Apply(e)
}

func (r *recorder) Emit(e agui.Event) error {
	if r.failEmit != nil {
		if err := r.failEmit(e); err != nil {
			return err
		}
	}
	switch e.(type) {
	case *agui.RunStarted, *agui.RunFinished, *agui.RunError:
		return fmt.Errorf("%s is the caller's to send", e.Type())
	}
	if err := r.check(e); err != nil {
		return err
	}
	b, err := agui.MarshalEvent(e)
	r.lines = append(r.lines, string(b))
	r.events = append(r.events, e)
	return err
}

func (r *recorder) EmitAll(events ...agui.Event) error {
	var types, problems = []string{}, []error{}
	for _, e := range events {
		types, problems = append(types, string(e.Type())), append(problems, r.Emit(e))
	}
	r.together = append(r.together, strings.Join(types, " "))
	return errors.Join(problems...)
}

func (r *recorder) Flush() error { return nil }

func (r *recorder) Commit(context.Context) error {
	r.lines = append(r.lines, "commit")
	return r.failCommit
}

// finish ends the run as a server does and returns what is wrong with the sequence.
func (r *recorder) finish(o Outcome, err error) error {
	if err != nil {
		return r.check(&agui.RunError{Message: "failed", Code: "x"})
	}
	end := &agui.Outcome{Type: agui.OutcomeSuccess, PendingToolCallIDs: o.Pending}
	if len(o.Interrupts) > 0 {
		end = &agui.Outcome{Type: agui.OutcomeInterrupt}
		for i := range o.Interrupts {
			end.Interrupts = append(end.Interrupts, o.Interrupts[i].AGUI())
		}
	}
	finished := &agui.RunFinished{ThreadID: "t1", RunID: "r1", Outcome: end}
	if _, err := agui.MarshalEvent(finished); err != nil {
		return err
	}
	return r.check(finished)
}

// fakeJournal keeps what is entered, one line each, and holds that the order is kept: planned,
// started, finished.
type fakeJournal struct {
	mu        sync.Mutex
	lines     []string
	calls     map[string]journal.ToolCall
	failStart error
	failTaint error
	taints    []string // when the branch was tainted
	model     *fakeModel
}

func (j *fakeJournal) note(format string, args ...any) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.lines = append(j.lines, fmt.Sprintf(format, args...))
}

// String sorts the lines by call: those of calls that run side by side come in any order.
func (j *fakeJournal) String() string {
	var b strings.Builder
	callOf := func(line string) string { return strings.Fields(line)[1] }
	slices.SortStableFunc(j.lines, func(a, b string) int { return strings.Compare(callOf(a), callOf(b)) })
	for _, line := range j.lines {
		b.WriteString(line + "\n")
	}
	return b.String()
}

func (j *fakeJournal) move(id string, from journal.State, to journal.ToolCall) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	if have, ok := j.calls[id]; ok && have.State != from {
		return fmt.Errorf("call %s is %s and becomes %s", id, have.State, to.State)
	}
	if j.calls == nil {
		j.calls = map[string]journal.ToolCall{}
	}
	j.calls[id] = to
	return nil
}

func (j *fakeJournal) Taint(context.Context) error {
	asked := 0
	if j.model != nil {
		asked = len(j.model.requests)
	}
	j.taints = append(j.taints, fmt.Sprintf("after %d model calls", asked))
	return j.failTaint
}

func (j *fakeJournal) Plan(_ context.Context, calls []journal.ToolCall) error {
	for _, c := range calls {
		by := ""
		if c.AllowedBy != "" {
			by = " by " + c.AllowedBy
		}
		j.note("planned %s %s %s %s %s%s", c.ID, c.Tool, c.Effect, c.RunID, c.Args, by)
		if err := j.move(c.ID, "", c); err != nil {
			return err
		}
	}
	return nil
}

func (j *fakeJournal) Start(_ context.Context, id string) error {
	j.note("started %s", id)
	if j.failStart != nil {
		return j.failStart
	}
	j.mu.Lock()
	c := j.calls[id]
	j.mu.Unlock()
	c.ID, c.State = id, journal.Started
	return j.move(id, journal.Planned, c)
}

func (j *fakeJournal) Finish(_ context.Context, id string, c journal.ToolCall) error {
	j.note("finished %s error=%t %.60s", id, c.IsError, c.Result)
	j.mu.Lock()
	from := journal.Started
	if c.IsError && j.calls[id].State == journal.Planned {
		from = journal.Planned // it is not to run after all
	}
	j.mu.Unlock()
	return j.move(id, from, c)
}

func (j *fakeJournal) Result(_ context.Context, id string) (string, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	c, ok := j.calls[id]
	if !ok {
		return "", fmt.Errorf("no result of %s is kept", id)
	}
	return c.Result, nil
}

// fakeAllowances keeps allowances by tool, definition and hash of the arguments.
type fakeAllowances struct {
	journal *fakeJournal
	ids     map[[3]string]string
	fail    error
}

func (f *fakeAllowances) Find(_ context.Context, name, definition string, args json.RawMessage, _ []string) (string, error) {
	hash, err := tool.Hash(args)
	return f.ids[[3]string{name, definition, hash}], cmp.Or(err, f.fail)
}

func (f *fakeAllowances) Give(_ context.Context, a calls.Allowance) error {
	f.journal.note("allowed %s %s until %s", a.Tool, a.Args, a.ExpiresAt.UTC().Format(time.DateTime))
	if a.UserWide || len(a.OpenArgs) > 0 {
		f.journal.note("userWide=%t openArgs=%q", a.UserWide, a.OpenArgs)
	}
	f.ids[[3]string{a.Tool, a.Definition, a.ArgsHash}] = "alw_given"
	return f.fail
}

// prompted is the thread as the model is given it.
func prompted(thread []agui.Message) []llm.Message {
	return prompt.Build(prompt.Thread{History: thread}, prompt.View{Model: fakeInfo}).Messages()
}

// registryOf has no pages.
func registryOf(t *testing.T, tools *tool.Registry) *page.Registry {
	t.Helper()
	return must.Get(page.NewRegistry(tools, nil))(t)
}
