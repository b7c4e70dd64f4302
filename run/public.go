package run

import (
	"errors"
	"fmt"

	"github.com/pageside/pageside/agent"
	"github.com/pageside/pageside/llm"
)

// publicError returns the error in the words of a model, tool or agent written in Go, or nil.
func (x *execution) publicError(cause error) *llm.PublicError {
	e, ok := errors.AsType[*llm.PublicError](cause)
	if !ok {
		return nil
	}
	err := e.Validate()
	if err == nil && reservedCodes[e.Code] {
		err = fmt.Errorf("the code %q is the server's", e.Code)
	}
	if err != nil {
		x.m.log.Error("an error cannot be shown to the user", "run", x.run.ID, "agent", x.agent.ID, "problem", err)
		return nil
	}
	x.m.log.Warn("a run failed, as its model, agent or tool said", "run", x.run.ID, "agent", x.agent.ID,
		"code", e.Code, "error", e.Err)
	return e
}

// reservedCodes are the codes of RUN_ERROR that only the server gives, and those that clients give
// themselves. See also codeBudget and agent.Failure.
var reservedCodes = map[string]bool{
	"internal": true, "timeout": true, "interrupted": true, "output_limit": true, string(codeBudget): true,
	agent.CodeStepsExhausted: true, agent.CodeToolLoop: true,
	string(CodeStore): true, string(CodeQuota): true, string(CodeUnknownAgent): true, string(CodeRunConflict): true,
	string(CodeThreadBusy): true, string(CodeCancelled): true, string(CodeTooLarge): true, string(CodeInvalid): true,
	string(CodeDraining): true, string(CodeOverloaded): true, string(CodeForbidden): true,
	string(CodeTooManyRuns): true,
	string(CodeNotFound):    true,
	"abort":                 true, "protocol": true, "run_error": true, "network": true,
	"connection_lost": true, "unauthenticated": true,
}
