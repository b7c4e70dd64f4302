package agent

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/pageside/pageside/agui"
	"github.com/pageside/pageside/calls"
	"github.com/pageside/pageside/journal"
	"github.com/pageside/pageside/page"
	"github.com/pageside/pageside/test/must"
	"github.com/pageside/pageside/tool"
)

// revocable allows every call until it is revoked; then there is nothing, or nothing can be read.
type revocable struct {
	mu      sync.Mutex
	revoked bool
	fail    error
}

func (a *revocable) Find(context.Context, string, string, json.RawMessage, []string) (string, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.revoked {
		return "", a.fail
	}
	return "alw_1", nil
}

func (a *revocable) Give(context.Context, calls.Allowance) error { return nil }

func (a *revocable) revoke() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.revoked = true
}

// TestRevokedAllowanceStartsNothing: calls of a step that were let through by an allowance, and had
// not begun when it was revoked, or when it could no longer be looked up, are not executed. What
// needs no allowance still runs.
func TestRevokedAllowanceStartsNothing(t *testing.T) {
	for name, fail := range map[string]error{"revoked": nil, "unreadable": errors.New("the disk is gone")} {
		t.Run(name, func(t *testing.T) {
			if fail != nil {
				quiet(t)
			}
			kept := &revocable{fail: fail}
			ran := map[string]int{}
			count := func(_ context.Context, call *tool.Call) (tool.Result, error) {
				ran[call.Tool]++
				kept.revoke()
				return tool.Result{Text: "done"}, nil
			}
			create := &tool.Tool{Name: "create", Effect: tool.Write, Handler: count, Policy: tool.Policy{Sequential: true}}
			free := &tool.Tool{Name: "free", Effect: tool.Write, Handler: count, Policy: tool.Policy{Sequential: true, Approval: tool.ApprovalNever}}
			step := manyCalls("create", 4)
			step[9].part.Name = "free" // the start of the last call
			model := &fakeModel{steps: [][]fakePart{step, textStep("Done.")}}
			a := &Agent{ID: "test", Model: model, Pages: pagesOf(t, create, free)}
			entries := &fakeJournal{}
			in := Input{ThreadID: "t1", RunID: "r1", Tainted: true, History: []agui.Message{user("Go")}, Allowances: kept, Journal: entries}
			out := newRecorder(in.History)
			must.Get(a.Run(t.Context(), in, out))(t)
			if ran["create"] != 1 || ran["free"] != 1 {
				t.Errorf("calls that ran: %v", ran)
			}
			for id, want := range map[string]string{"c0": "done", "c1": "not_executed", "c2": "not_executed", "c3": "done"} {
				must.Have(t, resultOf(out.transcript.Messages(), id), want, "the result of %s", id)
				if entries.calls[id].State != journal.Finished {
					t.Errorf("the journal has %s as %s: it would run after a crash", id, entries.calls[id].State)
				}
			}
			if log := entries.String(); strings.Contains(log, "started c1") || strings.Contains(log, "started c2") {
				t.Errorf("calls that must not begin were started:\n%s", log)
			}
		})
	}
}

func resultOf(thread []agui.Message, callID string) string {
	for i := range thread {
		if thread[i].Role == agui.RoleTool && thread[i].ToolCallID == callID {
			return thread[i].Content.Text()
		}
	}
	return fmt.Sprintf("%s has no result", callID)
}

// TestCheckAnswerIsAboutApprovals: always is a word of approvals. What a question is answered with
// is the question's business.
func TestCheckAnswerIsAboutApprovals(t *testing.T) {
	for _, reason := range []string{calls.ReasonInput, calls.ReasonConfirmation} {
		question := &calls.Interrupt{ID: "i1", Reason: reason, Tool: "ask_user"}
		for _, payload := range []string{`{"answer":"yes","always":true}`, `{"always":"now and then"}`, `{"always":7}`} {
			must.Be(t, question.CheckAnswer(json.RawMessage(payload)), nil, "%s: the answer %s", reason, payload)
		}
	}
	approval := &calls.Interrupt{ID: "i1", Reason: calls.ReasonToolCall, Tool: "create"}
	for _, payload := range []string{`{"approved":true,"always":true}`, `{"approved":true,"always":"yes"}`} {
		if err := approval.CheckAnswer(json.RawMessage(payload)); err == nil {
			t.Errorf("an approval takes the answer %s", payload)
		}
	}
}

// firstTool is the first backend tool, or the first of the page's.
func (s *setup) firstTool() string {
	if len(s.Tools) > 0 {
		return s.Tools[0].Name
	}
	return s.Frontend[0].Name
}

// allow sets what the user has allowed in earlier runs.
func (c *conversation) allow(t *testing.T, s *setup, registry *tool.Registry) {
	definition := func(name string) string {
		if t, ok := registry.Get(name); ok {
			return t.Definition()
		}
		tools := must.Get(c.agent.offerTools(t.Context(), page.View{}, c.input.Frontend))(t)
		return tools.offers[name].page.Definition()
	}
	for i := range s.Interrupts {
		if strings.Contains(s.Interrupts[i], "DEFINITION") {
			s.Interrupts[i] = strings.ReplaceAll(s.Interrupts[i], "DEFINITION", definition(s.firstTool()))
		}
	}
	if s.Allowed == nil {
		return
	}
	kept := &fakeAllowances{journal: c.journal, ids: map[[3]string]string{}}
	c.input.Allowances = kept
	for i, a := range s.Allowed {
		hash := must.Get(tool.Hash(json.RawMessage(a.Args)))(t)
		kept.ids[[3]string{a.Tool, definition(a.Tool) + a.Changed, hash}] = fmt.Sprint("alw_", i+1)
	}
}
