package run

// Code says why a run was refused. It is the "code" of the HTTP error.
type Code string

// The reasons for refusing a run before its first event.
const (
	CodeUnknownAgent Code = "unknown_agent"   // no agent of that id
	CodeRunConflict  Code = "run_conflict"    // the run id was used with another body
	CodeThreadBusy   Code = "thread_busy"     // the thread's live run did not end in time
	CodeCancelled    Code = "cancelled"       // it was cancelled while it waited for its thread
	CodeTooLarge     Code = "too_large"       // a tool result beyond its limit
	CodeInvalid      Code = "invalid_request" // a field that cannot be honoured
	CodeDraining     Code = "draining"        // the server is shutting down
	CodeOverloaded   Code = "overloaded"      // as many runs are live as may be
	CodeNotFound     Code = "not_found"       // no such run, or somebody else's
	CodeStore        Code = "store_unavailable"
)

// Error says why a run was refused. Message is safe to show. Field names the field of the request that is at fault, where one is;
// Live is the run that is in the way of a CodeThreadBusy.
type Error struct {
	Code    Code
	Message string
	Field   string
	Live    string
	Err     error
}

func (e *Error) Error() string { return string(e.Code) + ": " + e.Message }
func (e *Error) Unwrap() error { return e.Err }
