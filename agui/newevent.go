package agui

import (
	"reflect"
	"sync"
)

// eventStructs are the structs of the events of AG-UI 1.0, by their names on the wire.
var eventStructs = sync.OnceValue(func() map[EventType]reflect.Type {
	types := map[EventType]reflect.Type{}
	for _, e := range []Event{
		new(RunStarted), new(RunFinished), new(RunError), new(StepStarted), new(StepFinished),
		new(TextMessageStart), new(TextMessageContent), new(TextMessageEnd), new(TextMessageChunk),
		new(ToolCallStart), new(ToolCallArgs), new(ToolCallEnd), new(ToolCallChunk), new(ToolCallResult),
		new(StateSnapshot), new(StateDelta), new(MessagesSnapshot), new(ActivitySnapshot), new(ActivityDelta),
		new(Raw), new(Custom),
		new(ReasoningStart), new(ReasoningEnd), new(ReasoningMessageStart), new(ReasoningMessageContent),
		new(ReasoningMessageEnd), new(ReasoningMessageChunk), new(ReasoningEncryptedValue),
		new(SubagentStarted), new(SubagentFinished), new(SubagentError),
	} {
		types[e.Type()] = reflect.TypeOf(e).Elem()
	}
	return types
})

// newEvent returns an empty event of type t, or nil if AG-UI 1.0 has no such type.
func newEvent(t EventType) Event {
	known, ok := eventStructs()[t]
	if !ok {
		return nil
	}
	return reflect.New(known).Interface().(Event)
}
