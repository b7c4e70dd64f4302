package tool

import "encoding/json"

// Host is what a call reaches of the run that it belongs to. The agent provides it.
type Host interface {
	State() json.RawMessage
	PatchState(patch json.RawMessage) error
	Emit(e Event) error
}

// Event is an event of a tool's own, which is stored and replayed with the run.
type Event struct {
	Type     EventType
	Name     string          // of a custom event or of a step; where a raw event is from, or ""
	Value    json.RawMessage // of a custom event; the whole of a raw one
	Metadata json.RawMessage // a JSON object for clients; nil is none
}

// EventType is the type of an Event, as AG-UI has it.
type EventType string

// The events that a tool may emit.
const (
	CustomEvent  EventType = "CUSTOM"
	RawEvent     EventType = "RAW"
	StepStarted  EventType = "STEP_STARTED"
	StepFinished EventType = "STEP_FINISHED"
)

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

// Emit sends an event of the tool's own to the page. An event that may not come now, such as the
// end of a step that is not open, is refused with an error and changes nothing. Steps that a run
// leaves open are finished at its end. After the handler has returned, Emit fails.
func (c *Call) Emit(e Event) error {
	if c.Host == nil {
		return errNoHost
	}
	return c.Host.Emit(e)
}

var errNoHost = &Error{Code: CodeUnavailable, Message: "the call does not belong to a run"}
