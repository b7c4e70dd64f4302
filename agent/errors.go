package agent

// InputError names the field of a run's input that is invalid. Its text can be shown to the client.
type InputError struct {
	Field string // "tools[2].parameters"
	Err   error
}

// Error implements error.
func (e *InputError) Error() string { return e.Field + ": " + e.Err.Error() }

// Unwrap returns what went wrong.
func (e *InputError) Unwrap() error { return e.Err }
