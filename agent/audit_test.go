package agent

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/pageside/pageside/agui"
	"github.com/pageside/pageside/audit"
	"github.com/pageside/pageside/calls"
	"github.com/pageside/pageside/llm"
	"github.com/pageside/pageside/page"
	"github.com/pageside/pageside/policy"
	"github.com/pageside/pageside/test/must"
	"github.com/pageside/pageside/tool"
)

// fakeAudit keeps entries. It fails for those that fail selects.
type fakeAudit struct {
	mu      sync.Mutex
	entries []audit.Entry
	fail    func(audit.Entry) error
	confirm error
}

func (a *fakeAudit) Record(_ context.Context, e audit.Entry) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.fail != nil {
		if err := a.fail(e); err != nil {
			return err
		}
	}
	a.entries = append(a.entries, e)
	return nil
}

func (a *fakeAudit) Begin(ctx context.Context, e audit.Entry) (func(context.Context) error, error) {
	return func(context.Context) error { return a.confirm }, a.Record(ctx, e)
}

// find returns the position of the first entry about a call that fits, or -1.
func (a *fakeAudit) find(call string, fits func(audit.Entry) bool) int {
	a.mu.Lock()
	defer a.mu.Unlock()
	return slices.IndexFunc(a.entries, func(e audit.Entry) bool { return e.CallID == call && fits(e) })
}

func isEnd(e audit.Entry) bool {
	return e.Kind == audit.ToolCall && e.Outcome != audit.Begun && e.Outcome != audit.Waiting
}

// checkAudit holds that the audit log has everything a conversation has done: each result, each
// call that waits, each decision of a person, and the beginning of each call that ran.
func checkAudit(t *testing.T, c *conversation, outcome Outcome) {
	t.Helper()
	for _, event := range c.out.events {
		event, ok := event.(*agui.ToolCallResult)
		if !ok {
			continue
		}
		at := c.audit.find(event.ToolCallID, isEnd)
		if at < 0 {
			t.Errorf("the result of call %s is not in the audit log", event.ToolCallID)
			continue
		}
		began := c.audit.find(event.ToolCallID, func(e audit.Entry) bool { return e.Outcome == audit.Begun })
		if e := c.audit.entries[at]; c.finishedHere(event.ToolCallID) && e.Outcome == audit.NotRun {
			t.Errorf("call %s ran, and its end is recorded as %+v", event.ToolCallID, e)
		}
		if e := c.audit.entries[at]; (e.Outcome == audit.OK || e.Outcome == audit.Failed) && e.Decision == "" && began < 0 && c.startedHere(event.ToolCallID) && !strings.HasPrefix(e.Rule, "effect read") || began > at {
			t.Errorf("call %s: its end is entry %d, its beginning %d", event.ToolCallID, at, began)
		}
	}
	for _, id := range c.stillOpen(outcome) {
		waits := func(e audit.Entry) bool { return e.Outcome == audit.Waiting }
		if !c.waitedBefore(id) && c.audit.find(id, waits) < 0 {
			t.Errorf("call %s waits, and is not in the audit log", id)
		}
	}
	open := c.input.Waiting.Interrupts
	for _, answer := range c.input.Waiting.Resume {
		i := slices.IndexFunc(open, func(i calls.Interrupt) bool { return i.ID == answer.InterruptID && i.Reason == calls.ReasonToolCall })
		if i < 0 || !c.isOpen(open[i].ToolCallID) {
			continue
		}
		if entry, _ := c.input.Crash.call(open[i].ToolCallID); entry.State != "" {
			continue
		}
		if c.audit.find(open[i].ToolCallID, func(e audit.Entry) bool { return e.Kind == audit.Approval }) < 0 {
			t.Errorf("the answer to %s is not in the audit log", answer.InterruptID)
		}
	}
}

// startedHere reports whether the journal of the conversation has the call's start.
func (c *conversation) startedHere(id string) bool {
	return strings.Contains(c.journal.String(), "started "+id)
}

// finishedHere reports whether the journal of the conversation has its start and its result.
func (c *conversation) finishedHere(id string) bool {
	return c.startedHere(id) && strings.Contains(c.journal.String(), "finished "+id+" ")
}

// waitedBefore reports whether a call waited before the run.
func (c *conversation) waitedBefore(id string) bool {
	return c.isOpen(id)
}

// isOpen reports whether the conversation began with the call and no result of it.
func (c *conversation) isOpen(id string) bool {
	return slices.ContainsFunc(openCalls(c.input.History), func(open *call) bool { return open.id == id })
}

// auditedAgent has one tool of an effect that counts its calls, and a model that calls it once.
func auditedAgent(t *testing.T, effect tool.Effect, log audit.Recorder) (a *Agent, ran *int) {
	t.Helper()
	ran = new(int)
	registry, err := tool.NewRegistry(&tool.Tool{
		Name: "touch", Description: "Touches.", Effect: effect, Global: true, InputSchema: json.RawMessage(`{"type":"object"}`),
		Handler: func(context.Context, *tool.Call) (tool.Result, error) { *ran++; return tool.Result{Text: "done"}, nil },
	})
	must.Do(t, err)
	pages := must.Get(page.NewRegistry(registry, nil))(t)
	model := &fakeModel{steps: [][]fakePart{
		{{part: llm.Part{Kind: llm.ToolStart, ID: "c1", Name: "touch"}}, {part: llm.Part{Kind: llm.ToolArgs, Delta: "{}"}}, {part: llm.Part{Kind: llm.FinishPart, Finish: llm.FinishTools}}},
		{{part: llm.Part{Kind: llm.TextDelta, Delta: "Done."}}, {part: llm.Part{Kind: llm.FinishPart, Finish: llm.FinishStop}}},
	}}
	return &Agent{ID: "default", Model: model, Pages: pages, Audit: log, Authorizer: policy.Everything}, ran
}

// TestNothingUnrecordedRuns: a call that changes something does not run if it cannot be recorded; a
// call that only reads does.
func TestNothingUnrecordedRuns(t *testing.T) {
	lost := errors.New("no space")
	for _, effect := range []tool.Effect{tool.Read, tool.Idempotent, tool.Write, tool.Exfil, tool.Destructive} {
		for name, log := range map[string]*fakeAudit{
			"refused": {fail: func(audit.Entry) error { return lost }},
			"lost":    {confirm: lost},
		} {
			a, ran := auditedAgent(t, effect, log)
			out := newRecorder(nil)
			in := Input{ThreadID: "t", RunID: "r", History: []agui.Message{{ID: "u1", Role: agui.RoleUser, Content: agui.TextContent("Go.")}}}
			must.Be(t, must.Err(a.Run(t.Context(), in, out)), nil, "%s %s", effect, name)
			want := 0
			if effect == tool.Read {
				want = 1
			}
			if *ran != want {
				t.Errorf("%s %s: the tool ran %d times, want %d", effect, name, *ran, want)
			}
		}
	}
}

// TestRecordedBeforeItRuns: when a handler begins, the log has its beginning, with the principal, a
// hash of the arguments and the rule.
func TestRecordedBeforeItRuns(t *testing.T) {
	log := &fakeAudit{}
	a, _ := auditedAgent(t, tool.Write, log)
	in := Input{ThreadID: "t", RunID: "r", History: []agui.Message{{ID: "u1", Role: agui.RoleUser, Content: agui.TextContent("Go.")}}, Journal: &auditOrder{log: log, t: t}}
	in.Principal.Subject = "ada"
	must.Get(a.Run(t.Context(), in, newRecorder(nil)))(t)
	if len(log.entries) != 2 {
		t.Fatalf("entries are %+v", log.entries)
	}
	hash, _ := tool.Hash(json.RawMessage("{}"))
	if e := log.entries[0]; e.Outcome != audit.Begun || e.Principal.Subject != "ada" || e.Tool != "touch" || e.ArgsHash != hash || e.Rule == "" || e.ThreadID != "t" || e.RunID != "r" {
		t.Errorf("its beginning is %+v", e)
	}
	if e := log.entries[1]; e.Outcome != audit.OK || e.CallID != "c1" {
		t.Errorf("its end is %+v", e)
	}
}

// auditOrder is a journal that checks that a call is recorded before it starts.
type auditOrder struct {
	memory
	log *fakeAudit
	t   *testing.T
}

func (j *auditOrder) Start(ctx context.Context, id string) error {
	if j.log.find(id, func(e audit.Entry) bool { return e.Outcome == audit.Begun }) < 0 {
		j.t.Error("the journal has the start of a call before the audit log")
	}
	return j.memory.Start(ctx, id)
}

var _ Journal = (*auditOrder)(nil)
