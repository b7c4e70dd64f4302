package run

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/pageside/pageside/agent"
	"github.com/pageside/pageside/agui"
	"github.com/pageside/pageside/llm"
	"github.com/pageside/pageside/policy"
	"github.com/pageside/pageside/store/storetest/temp"
)

// TestEveryCodeOfTheServerIsReserved: a model cannot say what a refused request says.
func TestEveryCodeOfTheServerIsReserved(t *testing.T) {
	for _, err := range []error{errDraining, conflict("r"), noThread("t"), noRun("r"), cancelledEarly("r"), tooMany(limitThreadLine, "x"), unavailable("x", errors.New("y"))} {
		e, ok := errors.AsType[*Error](err)
		if !ok || !reservedCodes[string(e.Code)] {
			t.Errorf("%v is not reserved", err)
		}
	}
	if !reservedCodes[string(codeBudget)] {
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
