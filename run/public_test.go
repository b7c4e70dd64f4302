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
	"github.com/pageside/pageside/store"
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
	} {
		t.Run(name, func(t *testing.T) {
			withStores(t, func(t *testing.T, st store.Store) {
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
	f := ownManager(t, store.NewMemory(), own, &agent.Agent{})
	all := events(t, f.start(f.input("t1", "hello")), false)
	legal(t, all)
	if end, ok := all[len(all)-1].(*agui.RunError); !ok || end.Code != "account_suspended" || end.Message != "Come back on Monday." {
		t.Errorf("the run ends with %+v", all[len(all)-1])
	}
}
