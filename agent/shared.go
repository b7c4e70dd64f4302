package agent

import (
	"encoding/json"
	"fmt"
	"log/slog"
	"slices"

	"github.com/pageside/pageside/agui"
	"github.com/pageside/pageside/sharedstate"
	"github.com/pageside/pageside/tool"
)

// predictEvent is the custom event that tells clients which arguments grow into the state.
const predictEvent = "PredictState"

// maxSaid bounds what the tools of a run add to its stream, in bytes: changes of the state and
// events of their own. Beyond it they are refused, long before the run would fail.
const maxSaid = 8 << 20

// maxOwnEvent bounds one event of a tool, in bytes.
const maxOwnEvent = 64 << 10

// sharedState is the state that the page and the agent share, during a run, and what else tools
// tell the client. Only the run's goroutine changes it.
type sharedState struct {
	config    *sharedstate.Config
	document  *sharedstate.Document
	out       *emitter
	runID     string
	log       *slog.Logger
	predicted bool // the client has been told the predictions
	said      int
}

func newSharedState(a *Agent, in *Input, out *emitter) *sharedState {
	return &sharedState{
		config: &a.State, document: sharedstate.NewDocument(&a.State, in.State), out: out, runID: in.RunID,
		log: a.log(),
	}
}

// patch changes the state and tells the client. A patch that is refused changes nothing.
func (s *sharedState) patch(patch json.RawMessage) (refused *tool.Error, err error) {
	patch = slices.Clone(patch)
	next, problem := s.document.Patched(patch)
	if problem != nil {
		return invalidState(problem), nil
	}
	if refused, err := s.offer(&agui.StateDelta{Delta: patch}, len(patch)); refused != nil || err != nil {
		return refused, err
	}
	s.document.Set(next)
	return nil, nil
}

const codeInvalidState = "invalid_state"

// invalidState is the error for a change of the state that was refused.
func invalidState(err error) *tool.Error {
	return &tool.Error{
		Code: codeInvalidState, Message: "the state was not changed: " + err.Error(), Retryable: true,
		Hint: "Correct the change so that it fits the state as it is now.",
	}
}

// reservedEvents are the names of the server's own custom events.
var reservedEvents = []string{"tool_progress", "conversation_title", predictEvent}

// say sends an event of a tool.
func (s *sharedState) say(own tool.Event) (refused *tool.Error, err error) {
	refuse := func(format string, args ...any) (*tool.Error, error) {
		return &tool.Error{Code: codeRefusedEvent, Message: fmt.Sprintf(format, args...)}, nil
	}
	e := eventOf(own)
	if e == nil {
		return refuse("a tool may emit %s, %s, %s and %s, not %q", tool.CustomEvent, tool.RawEvent,
			tool.StepStarted, tool.StepFinished, own.Type)
	}
	if own.Type == tool.CustomEvent && (own.Name == "" || slices.Contains(reservedEvents, own.Name)) {
		return refuse("the event name %q is empty or the server's", own.Name)
	}
	body, problem := agui.MarshalEvent(e)
	switch {
	case problem != nil:
		return refuse("%v", problem)
	case len(body) > maxOwnEvent:
		return refuse("the event has %d bytes, at most %d are allowed", len(body), maxOwnEvent)
	}
	return s.offer(e, len(body))
}

// eventOf returns a tool's event as AG-UI has it; nil for any that a tool may not emit.
func eventOf(own tool.Event) agui.Event {
	base := agui.Base{Metadata: own.Metadata}
	switch own.Type {
	case tool.CustomEvent:
		return &agui.Custom{Base: base, Name: own.Name, Value: own.Value}
	case tool.RawEvent:
		return &agui.Raw{Base: base, Event: own.Value, Source: own.Name}
	case tool.StepStarted:
		return &agui.StepStarted{Base: base, StepName: own.Name}
	case tool.StepFinished:
		return &agui.StepFinished{Base: base, StepName: own.Name}
	}
	return nil
}

const codeRefusedEvent = "refused_event"

// offer sends an event of a tool, unless its order is wrong or tools have said too much.
func (s *sharedState) offer(e agui.Event, size int) (refused *tool.Error, err error) {
	if s.said += size; s.said > maxSaid {
		return &tool.Error{
			Code:    codeRefusedEvent,
			Message: fmt.Sprintf("the tools of this run have sent more than %d bytes of events and changes", maxSaid),
		}, nil
	}
	disorder, err := s.out.Offer(e)
	if disorder != nil {
		return &tool.Error{Code: codeRefusedEvent, Message: disorder.Message}, nil
	}
	if err != nil {
		return nil, err
	}
	return nil, s.out.Flush()
}

// tell emits the whole state: a client may show what has not come to be.
func (s *sharedState) tell() error {
	state := s.document.Raw()
	if state == nil {
		state = json.RawMessage("{}")
	}
	return s.out.Emit(&agui.StateSnapshot{Snapshot: state})
}
