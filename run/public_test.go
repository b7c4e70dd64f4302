package run

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/pageside/pageside/agent"
	"github.com/pageside/pageside/agui"
	"github.com/pageside/pageside/llm"
	"github.com/pageside/pageside/policy"
	"github.com/pageside/pageside/store/storetest/temp"
	"github.com/pageside/pageside/tool"
)

// breaking is a step that says something and fails.
func breaking(err error) step {
	return func(_ context.Context, _ *llm.Request, yield func(llm.Part, error) bool) {
		if yield(llm.Part{Kind: llm.TextDelta, Delta: "I was"}, nil) {
			yield(llm.Part{}, err)
		}
	}
}

// TestModelsChooseTheirErrors: code and words of a model written in Go reach the client; what is
// malformed, or claims what only the server says, and every other error is hidden. The next
// question is answered.
func TestModelsChooseTheirErrors(t *testing.T) {
	suspended := &llm.PublicError{Code: "account_suspended", Message: "Your account is suspended until Monday.", Err: errors.New("secret row 17")}
	with := func(code, message string) error { return &llm.PublicError{Code: code, Message: message} }
	hidden := agui.RunError{Code: "internal", Message: "internal error"}
	for name, c := range map[string]struct {
		err  error
		want agui.RunError
	}{
		"an error of its own":       {suspended, agui.RunError{Code: "account_suspended", Message: suspended.Message}},
		"inside another":            {fmt.Errorf("ask the billing service at 10.0.0.7: %w", suspended), agui.RunError{Code: "account_suspended", Message: suspended.Message}},
		"any other error":           {errors.New("password is hunter2"), hidden},
		"the server's code":         {with("quota_exceeded", "Pay more."), hidden},
		"a model's code":            {with("llm_rate_limited", "Wait."), hidden},
		"a code that is none":       {with("Not A Code", "No."), hidden},
		"no words":                  {with("empty_words", " "), hidden},
		"words on several lines":    {with("too_wide", "one\ntwo"), hidden},
		"words that are too many":   {with("too_long", strings.Repeat("x", 2000)), hidden},
		"words that are no text":    {with("no_text", "\xff"), hidden},
		"a code of the loop's end":  {with("tool_loop", "Again."), hidden},
		"what a client says itself": {with("abort", "Stopped."), hidden},
		"what the SDK says itself":  {with("connection_lost", "Gone."), hidden},
	} {
		t.Run(name, func(t *testing.T) {
			st := temp.Store(t)
			f := managerWith(t, st, agentWith(t, &steps{play: []step{breaking(c.err), say("fine")}}), nil)
			r := f.start(f.input("t1", "hello"))
			all := events(t, r, false)
			legal(t, all)
			end, ok := all[len(all)-1].(*agui.RunError)
			if !ok || end.Code != c.want.Code || end.Message != c.want.Message {
				t.Errorf("the run ends with %+v", all[len(all)-1])
			}
			if row, err := st.Run(t.Context(), ada, r.ID); err != nil || row.Error != c.want.Code {
				t.Errorf("stored is %+v, %v", row, err)
			}
			events(t, f.start(f.input("t1", "hello")), false)
			if got := f.end("t1"); got != "assistant=fine" {
				t.Errorf("then the thread ends with %q", got)
			}
		})
	}
}

// TestEveryCodeOfTheServerIsReserved: a model cannot say what a refused request says.
func TestEveryCodeOfTheServerIsReserved(t *testing.T) {
	for _, err := range []error{errDraining, conflict("r"), noThread("t"), noRun("r"), cancelledEarly("r"), tooMany(limitThreadLine, "x"), unavailable("x", errors.New("y"))} {
		e, ok := errors.AsType[*Error](err)
		if !ok || !reservedCodes[string(e.Code)] {
			t.Errorf("%v is not reserved", err)
		}
	}
	if !reservedCodes[codeBudget] {
		t.Error("budget_exceeded is not reserved")
	}
}

// TestAgentsOfOnesOwnChooseTheirErrors: an error of the model that such an agent asks reaches the
// client as well.
func TestAgentsOfOnesOwnChooseTheirErrors(t *testing.T) {
	own := &ownAgent{play: func(context.Context, Input, Output) (Outcome, error) {
		return Outcome{}, fmt.Errorf("ask the model: %w", &llm.PublicError{Code: "account_suspended", Message: "Come back on Monday."})
	}}
	f := ownManager(t, temp.Store(t), own, &agent.Agent{Authorizer: policy.Everything})
	all := events(t, f.start(f.input("t1", "hello")), false)
	legal(t, all)
	if end, ok := all[len(all)-1].(*agui.RunError); !ok || end.Code != "account_suspended" || end.Message != "Come back on Monday." {
		t.Errorf("the run ends with %+v", all[len(all)-1])
	}
}

// TestToolsEndRuns: a tool of one's own ends the run in its own words. The calls beside it have
// their results, those after it do not run, and the thread goes on.
func TestToolsEndRuns(t *testing.T) {
	world := newLedger()
	suspended := &tool.Error{Code: "account_suspended", Message: "Your account is suspended until Monday.", EndsRun: true}
	check := &tool.Tool{Name: "check", Description: "Checks the account.", Handler: func(context.Context, *tool.Call) (tool.Result, error) {
		return tool.Result{}, fmt.Errorf("row 17: %w", suspended)
	}}
	later := world.tool("ship", tool.Write, &mortal{left: -1}, "")
	later.Policy.Sequential = true
	model := &steps{play: []step{call("c", "pay", "{}", "check", "{}", "ship", "{}"), say("Try on Monday.")}}
	a := agentWith(t, model, world.tool("pay", tool.Write, &mortal{left: -1}, ""), check, later)
	f := managerWith(t, temp.Store(t), a, nil)
	all := events(t, f.start(f.input("t1", "pay")), false)
	legal(t, all)
	end, ok := all[len(all)-1].(*agui.RunError)
	if !ok || end.Code != "account_suspended" || end.Message != suspended.Message {
		t.Errorf("the run ends with %+v", all[len(all)-1])
	}
	wantEffects(t, world, map[string]int{"pay": 1})
	n := 0
	for _, e := range all {
		if e.Type() == agui.TypeToolCallResult {
			n++
		}
	}
	if n != 3 || model.calls() != 1 {
		t.Errorf("%d results, and the model was asked %d times: %s", n, model.calls(), typesOf(all))
	}
	suspended.Code = "thread_busy" // the server's: users are not told
	model.play = []step{call("d", "check", "{}"), say("Try on Monday.")}
	if code, _ := errorOf(events(t, f.start(f.input("t1", "again")), false)); code != "internal" {
		t.Errorf("with a code of the server's it ends with %q", code)
	}
	events(t, f.start(f.input("t1", "and now?")), false)
	if got := f.end("t1"); got != "assistant=Try on Monday." {
		t.Errorf("then the thread ends with %q", got)
	}
}
