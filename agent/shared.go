package agent

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"sync"

	"github.com/pageside/pageside/agui"
	"github.com/pageside/pageside/internal/jsonx"
	"github.com/pageside/pageside/tool"
)

// predictEvent is the custom event that tells clients which arguments grow into the state.
const predictEvent = "PredictState"

// predictions are the arguments of tools that grow into the state while the model writes them.
// Clients read them from the stream of arguments; the server stores them after the call.
type predictions struct {
	list []Prediction
	told bool
}

// maxSaid bounds what the tools of a run add to its stream, in bytes: changes of the state and
// events of their own. Beyond it they are refused, long before the run would fail.
const maxSaid = 8 << 20

// maxOwnEvent bounds one event of a tool, in bytes.
const maxOwnEvent = 64 << 10

// sharedState is the state that the page and the agent share, during a run. Only the run's
// goroutine changes it.
type sharedState struct {
	config      *State
	out         *emitter
	predictions *predictions
	runID       string
	log         *slog.Logger
	said        int

	mu  sync.Mutex
	doc jsonx.Document
}

func newSharedState(a *Agent, in *Input, out *emitter) *sharedState {
	s := &sharedState{
		config: &a.State, out: out, predictions: &predictions{list: a.State.Predict}, runID: in.RunID,
		log: a.log(),
	}
	if in.State != nil {
		s.doc = jsonx.NewDocument(in.State)
	}
	return s
}

// now returns the state as it is now, nil if there is none.
func (s *sharedState) now() json.RawMessage {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.doc.Raw()
}

// patch changes the state and tells the client. A patch that is refused changes nothing.
func (s *sharedState) patch(patch json.RawMessage) (refused *tool.Error, err error) {
	patch = slices.Clone(patch)
	next, refused := s.patched(patch)
	if refused != nil {
		return refused, nil
	}
	if refused, err := s.offer(&agui.StateDelta{Delta: patch}, len(patch)); refused != nil || err != nil {
		return refused, err
	}
	s.mu.Lock()
	s.doc = next
	s.mu.Unlock()
	return nil, nil
}

// patched returns the state with a patch applied.
func (s *sharedState) patched(patch json.RawMessage) (next jsonx.Document, refused *tool.Error) {
	delta := &agui.StateDelta{Delta: patch}
	if _, err := agui.MarshalEvent(delta); err != nil {
		if field, ok := errors.AsType[*agui.FieldError](err); ok {
			err = field
		}
		return next, invalidState(err)
	}
	var ops []json.RawMessage
	if err := json.Unmarshal(patch, &ops); err != nil || len(ops) > maxStateOps {
		return next, invalidState(fmt.Errorf("a patch may have %d operations, not %d", maxStateOps, len(ops)))
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	next = s.doc
	if next.IsZero() {
		next = jsonx.NewDocument(json.RawMessage("{}"))
	}
	next, err := next.Patch(patch)
	if problem, ok := errors.AsType[*jsonx.Error](err); ok {
		err = fmt.Errorf("%s: %s", problem.Path, problem.Reason)
	}
	if err != nil {
		return next, invalidState(err)
	}
	state := next.Raw()
	if err := s.config.Fits(state); err != nil {
		return next, invalidState(err)
	}
	if err := s.config.Validate(state); err != nil {
		return next, invalidState(err)
	}
	return next, nil
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
	state := s.now()
	if state == nil {
		state = json.RawMessage("{}")
	}
	return s.out.Emit(&agui.StateSnapshot{Snapshot: state})
}

// updateTool returns the tool with which the model changes the state, or nil if it may not. Nobody
// is asked before a call: it reaches only what the conversation holds, and the user sees it.
func (s *State) updateTool() *tool.Tool {
	if s.Model != StateWrite {
		return nil
	}
	t := &tool.Tool{
		Name: updateStateName, InputSchema: schemaOf("update_state"), Effect: tool.Write,
		Policy: tool.Policy{Approval: tool.ApprovalNever, Sequential: true},
	}
	t.Description = "Changes the state that you and the page share. The page shows the change at once."
	if schema := s.declaration(); schema != "" {
		t.Description += " The state must match this JSON Schema: " + schema
	}
	t.Handler = func(_ context.Context, call *tool.Call) (tool.Result, error) {
		patch := jsonx.Find(call.Args, "patch")
		if err := call.PatchState(patch); err != nil {
			return tool.Result{}, err
		}
		return tool.Result{Text: `{"ok":true}`}, nil
	}
	return builtin(t)
}

// declaration returns the schema of the state as JSON, "" for none.
func (s *State) declaration() string {
	if s.Schema == nil {
		return ""
	}
	return string(s.Schema.Declaration())
}
