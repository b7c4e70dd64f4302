package agui

import "encoding/json"

// EventType is the wire name of an event, as AG-UI 1.0 spells it.
type EventType string

// The 31 event types of AG-UI 1.0, in the order of its specification.
const (
	TypeRunStarted              EventType = "RUN_STARTED"
	TypeRunFinished             EventType = "RUN_FINISHED"
	TypeRunError                EventType = "RUN_ERROR"
	TypeStepStarted             EventType = "STEP_STARTED"
	TypeStepFinished            EventType = "STEP_FINISHED"
	TypeTextMessageStart        EventType = "TEXT_MESSAGE_START"
	TypeTextMessageContent      EventType = "TEXT_MESSAGE_CONTENT"
	TypeTextMessageEnd          EventType = "TEXT_MESSAGE_END"
	TypeTextMessageChunk        EventType = "TEXT_MESSAGE_CHUNK"
	TypeToolCallStart           EventType = "TOOL_CALL_START"
	TypeToolCallArgs            EventType = "TOOL_CALL_ARGS"
	TypeToolCallEnd             EventType = "TOOL_CALL_END"
	TypeToolCallChunk           EventType = "TOOL_CALL_CHUNK"
	TypeToolCallResult          EventType = "TOOL_CALL_RESULT"
	TypeStateSnapshot           EventType = "STATE_SNAPSHOT"
	TypeStateDelta              EventType = "STATE_DELTA"
	TypeMessagesSnapshot        EventType = "MESSAGES_SNAPSHOT"
	TypeActivitySnapshot        EventType = "ACTIVITY_SNAPSHOT"
	TypeActivityDelta           EventType = "ACTIVITY_DELTA"
	TypeRaw                     EventType = "RAW"
	TypeCustom                  EventType = "CUSTOM"
	TypeReasoningStart          EventType = "REASONING_START"
	TypeReasoningEnd            EventType = "REASONING_END"
	TypeReasoningMessageStart   EventType = "REASONING_MESSAGE_START"
	TypeReasoningMessageContent EventType = "REASONING_MESSAGE_CONTENT"
	TypeReasoningMessageEnd     EventType = "REASONING_MESSAGE_END"
	TypeReasoningMessageChunk   EventType = "REASONING_MESSAGE_CHUNK"
	TypeReasoningEncryptedValue EventType = "REASONING_ENCRYPTED_VALUE"
	TypeSubagentStarted         EventType = "SUBAGENT_STARTED"
	TypeSubagentFinished        EventType = "SUBAGENT_FINISHED"
	TypeSubagentError           EventType = "SUBAGENT_ERROR"
)

// Event is one AG-UI event: a pointer to one of the structs below, and nothing else.
type Event interface {
	Type() EventType
	base() *Base
	wired
}

// Base holds the fields common to all events. The zero value is absent on the wire.
type Base struct {
	Timestamp     *int64          // milliseconds since the Unix epoch, within ±(2^53−1)
	RawEvent      json.RawMessage // the provider's own event, opaque
	Metadata      json.RawMessage // a JSON object; merged per key, last write wins
	SubagentRunID string          // its sub-agent; refused on RUN_* and MESSAGES_SNAPSHOT
}

func (b *Base) base() *Base { return b }

// BaseOf returns the common fields of e, for reading and writing.
func BaseOf(e Event) *Base { return e.base() }

// The events of AG-UI 1.0. Optional strings are absent if empty.
type (
	// RunStarted opens a run. It is the first event and occurs once.
	RunStarted struct {
		Base
		ThreadID, RunID string
		ParentRunID     string
		ProtocolVersion string // the server's own, "1.0"
		Input           *RunAgentInput
	}
	// RunFinished ends a successful run, after everything else is closed. It repeats the ids of
	// RunStarted.
	RunFinished struct {
		Base
		ThreadID, RunID string
		Result          json.RawMessage
		Outcome         *Outcome // nil means success
		Usage           []TokenUsage
	}
	// RunError ends a failed run, whatever is open. Message is shown to people.
	RunError struct {
		Base
		Message string
		Code    string
		Usage   []TokenUsage
	}
	// StepStarted opens a step. Its name identifies it within its agent.
	StepStarted struct {
		Base
		StepName string
	}
	// StepFinished closes a step.
	StepFinished struct {
		Base
		StepName string
	}
	// TextMessageStart opens a text message, or continues the one with its id.
	TextMessageStart struct {
		Base
		MessageID string
		Role      string // developer, system, assistant or user; empty means assistant
		Name      string
	}
	// TextMessageContent appends to an open text message.
	TextMessageContent struct {
		Base
		MessageID string
		Delta     string
	}
	// TextMessageEnd closes a text message.
	TextMessageEnd struct {
		Base
		MessageID string
	}
	// TextMessageChunk combines the three events above, for stateless producers. This server does
	// not send it.
	TextMessageChunk struct {
		Base
		MessageID, Role, Name string
		Delta                 *string
	}
	// ToolCallStart opens a tool call, as part of the assistant message it names or of a new one.
	ToolCallStart struct {
		Base
		ToolCallID, ToolCallName string
		ParentMessageID          string
	}
	// ToolCallArgs appends to an open tool call's arguments.
	ToolCallArgs struct {
		Base
		ToolCallID string
		Delta      string
	}
	// ToolCallEnd closes a tool call: its arguments are complete.
	ToolCallEnd struct {
		Base
		ToolCallID string
	}
	// ToolCallChunk combines the three events above. This server does not send it.
	ToolCallChunk struct {
		Base
		ToolCallID, ToolCallName, ParentMessageID string
		Delta                                     *string
	}
	// ToolCallResult is the result of a tool call that has ended; it makes a tool message.
	ToolCallResult struct {
		Base
		MessageID, ToolCallID string
		Content               Content
		Role                  string // "tool" or empty
	}
	// StateSnapshot sets the state of the thread.
	StateSnapshot struct {
		Base
		Snapshot json.RawMessage // any JSON, null included
	}
	// StateDelta patches the state of the thread.
	StateDelta struct {
		Base
		Delta json.RawMessage // an RFC 6902 array
	}
	// MessagesSnapshot restates the messages of the thread. See Transcript for the treatment of
	// messages it omits.
	MessagesSnapshot struct {
		Base
		Messages []Message
	}
	// ActivitySnapshot makes an activity (a message with data in place of text) or replaces its
	// content.
	ActivitySnapshot struct {
		Base
		MessageID, ActivityType string
		Content                 json.RawMessage // an object
		Replace                 *bool           // nil means true
	}
	// ActivityDelta patches an activity's content.
	ActivityDelta struct {
		Base
		MessageID, ActivityType string
		Patch                   json.RawMessage // an RFC 6902 array
	}
	// Raw is an event of another protocol.
	Raw struct {
		Base
		Event  json.RawMessage
		Source string
	}
	// Custom is an event of the application.
	Custom struct {
		Base
		Name  string
		Value json.RawMessage // any JSON, null included; nil is written as null
	}
	// ReasoningStart opens a span of reasoning. The messages inside have their own ids, which may
	// equal the span's.
	ReasoningStart struct {
		Base
		MessageID string
	}
	// ReasoningEnd closes a span of reasoning.
	ReasoningEnd struct {
		Base
		MessageID string
	}
	// ReasoningMessageStart opens a reasoning message, inside a span or not.
	ReasoningMessageStart struct { // its role is always "reasoning"
		Base
		MessageID string
	}
	// ReasoningMessageContent appends to an open reasoning message.
	ReasoningMessageContent struct {
		Base
		MessageID string
		Delta     string
	}
	// ReasoningMessageEnd closes a reasoning message.
	ReasoningMessageEnd struct {
		Base
		MessageID string
	}
	// ReasoningMessageChunk combines the three events above. This server does not send it.
	ReasoningMessageChunk struct {
		Base
		MessageID string
		Delta     *string
	}
	// ReasoningEncryptedValue attaches a provider's opaque value to a message or tool call. It goes
	// back to the provider unchanged.
	ReasoningEncryptedValue struct {
		Base
		Subtype        string // "tool-call" or "message"
		EntityID       string
		EncryptedValue string
	}
	// SubagentStarted opens the run of a sub-agent, once per id.
	SubagentStarted struct { // Base.SubagentRunID is the identity here, not a tag
		Base
		Name, Description                     string
		ParentSubagentRunID, ParentToolCallID string
		ParentMessageID                       string
	}
	// SubagentFinished ends the run of a sub-agent.
	SubagentFinished struct {
		Base
		Result  json.RawMessage
		Outcome *SubagentOutcome
	}
	// SubagentError ends the run of a failed sub-agent.
	SubagentError struct {
		Base
		Message, Code string
	}
)

// Type returns TypeRunStarted.
func (*RunStarted) Type() EventType { return TypeRunStarted }

// Type returns TypeRunFinished.
func (*RunFinished) Type() EventType { return TypeRunFinished }

// Type returns TypeRunError.
func (*RunError) Type() EventType { return TypeRunError }

// Type returns TypeStepStarted.
func (*StepStarted) Type() EventType { return TypeStepStarted }

// Type returns TypeStepFinished.
func (*StepFinished) Type() EventType { return TypeStepFinished }

// Type returns TypeTextMessageStart.
func (*TextMessageStart) Type() EventType { return TypeTextMessageStart }

// Type returns TypeTextMessageContent.
func (*TextMessageContent) Type() EventType { return TypeTextMessageContent }

// Type returns TypeTextMessageEnd.
func (*TextMessageEnd) Type() EventType { return TypeTextMessageEnd }

// Type returns TypeTextMessageChunk.
func (*TextMessageChunk) Type() EventType { return TypeTextMessageChunk }

// Type returns TypeToolCallStart.
func (*ToolCallStart) Type() EventType { return TypeToolCallStart }

// Type returns TypeToolCallArgs.
func (*ToolCallArgs) Type() EventType { return TypeToolCallArgs }

// Type returns TypeToolCallEnd.
func (*ToolCallEnd) Type() EventType { return TypeToolCallEnd }

// Type returns TypeToolCallChunk.
func (*ToolCallChunk) Type() EventType { return TypeToolCallChunk }

// Type returns TypeToolCallResult.
func (*ToolCallResult) Type() EventType { return TypeToolCallResult }

// Type returns TypeStateSnapshot.
func (*StateSnapshot) Type() EventType { return TypeStateSnapshot }

// Type returns TypeStateDelta.
func (*StateDelta) Type() EventType { return TypeStateDelta }

// Type returns TypeMessagesSnapshot.
func (*MessagesSnapshot) Type() EventType { return TypeMessagesSnapshot }

// Type returns TypeActivitySnapshot.
func (*ActivitySnapshot) Type() EventType { return TypeActivitySnapshot }

// Type returns TypeActivityDelta.
func (*ActivityDelta) Type() EventType { return TypeActivityDelta }

// Type returns TypeRaw.
func (*Raw) Type() EventType { return TypeRaw }

// Type returns TypeCustom.
func (*Custom) Type() EventType { return TypeCustom }

// Type returns TypeReasoningStart.
func (*ReasoningStart) Type() EventType { return TypeReasoningStart }

// Type returns TypeReasoningEnd.
func (*ReasoningEnd) Type() EventType { return TypeReasoningEnd }

// Type returns TypeReasoningMessageStart.
func (*ReasoningMessageStart) Type() EventType { return TypeReasoningMessageStart }

// Type returns TypeReasoningMessageContent.
func (*ReasoningMessageContent) Type() EventType { return TypeReasoningMessageContent }

// Type returns TypeReasoningMessageEnd.
func (*ReasoningMessageEnd) Type() EventType { return TypeReasoningMessageEnd }

// Type returns TypeReasoningMessageChunk.
func (*ReasoningMessageChunk) Type() EventType { return TypeReasoningMessageChunk }

// Type returns TypeReasoningEncryptedValue.
func (*ReasoningEncryptedValue) Type() EventType { return TypeReasoningEncryptedValue }

// Type returns TypeSubagentStarted.
func (*SubagentStarted) Type() EventType { return TypeSubagentStarted }

// Type returns TypeSubagentFinished.
func (*SubagentFinished) Type() EventType { return TypeSubagentFinished }

// Type returns TypeSubagentError.
func (*SubagentError) Type() EventType { return TypeSubagentError }
