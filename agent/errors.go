package agent

// Failure ends a run with the code and the message of its RUN_ERROR, which may be shown. Err is for
// the log.
type Failure struct {
	Code, Message string
	Err           error
}

// Error implements error.
func (e *Failure) Error() string {
	if e.Err != nil {
		return e.Message + ": " + e.Err.Error()
	}
	return e.Message
}

// Unwrap returns what went wrong.
func (e *Failure) Unwrap() error { return e.Err }

// Codes of a Failure.
const (
	CodeStepsExhausted = "steps_exhausted" // a limit of model calls or of tool calls was reached
	// the same calls kept giving the same results, or kept failing
	CodeToolLoop    = "tool_loop"
	CodeAgentFailed = "agent_failed" // a guest returned an error, or panicked
	CodeAgentEvent  = "agent_event"  // a guest emitted what it may not
)
