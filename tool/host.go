package tool

import (
	"encoding/json"

	"github.com/pageside/pageside/agui"
)

// Host is what a call reaches of the run that it belongs to. The agent provides it.
type Host interface {
	State() json.RawMessage
	PatchState(patch json.RawMessage) error
	Emit(e agui.Event) error
}

// State returns the state that the page and the agent share, as it is now; nil if there is none.
// Whoever wrote it may have meant harm: it is data, like page context. The caller must not change
// it.
func (c *Call) State() json.RawMessage {
	if c.Host == nil {
		return nil
	}
	return c.Host.State()
}

// PatchState changes the shared state with a JSON Patch (RFC 6902) and tells the page. It returns
// once the events that say so are on their way. A patch that does not fit, or whose result breaks
// the schema or a limit of the state, changes nothing; the error, an *Error, names the path. After
// the handler has returned, PatchState fails.
func (c *Call) PatchState(patch json.RawMessage) error {
	if c.Host == nil {
		return errNoHost
	}
	return c.Host.PatchState(patch)
}

// Emit sends an event of the tool's own to the page: Custom, Raw, StepStarted or StepFinished. An
// event that may not come now, such as the end of a step that is not open, is refused with an error
// and changes nothing. Steps that a run leaves open are finished at its end. After the handler has
// returned, Emit fails.
func (c *Call) Emit(e agui.Event) error {
	if c.Host == nil {
		return errNoHost
	}
	return c.Host.Emit(e)
}

var errNoHost = &Error{Code: CodeUnavailable, Message: "the call does not belong to a run"}
