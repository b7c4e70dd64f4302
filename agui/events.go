package agui

import (
	"encoding/json"
	"reflect"
)

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
}

// Base holds the fields common to all events. The zero value is absent on the wire.
type Base struct {
	// Timestamp is in milliseconds since the Unix epoch, within ±(2^53−1).
	Timestamp *int64 `agui:"timestamp,signed"`
	// RawEvent is the provider's own event, opaque.
	RawEvent json.RawMessage `agui:"rawEvent,nullable"`
	// Metadata is a JSON object; merged per key, last write wins.
	Metadata json.RawMessage `agui:"metadata,object"`
	// SubagentRunID is the event's sub-agent; refused on RUN_* and MESSAGES_SNAPSHOT.
	SubagentRunID string `agui:"subagentRunId"`
}

func (b *Base) base() *Base { return b }

// BaseOf returns the common fields of e, for reading and writing.
func BaseOf(e Event) *Base { return e.base() }

// Copy returns a copy of e, whose common fields can be written without changing those of e. What
// its fields point to is shared.
func Copy(e Event) Event {
	from := reflect.ValueOf(e).Elem()
	to := reflect.New(from.Type())
	to.Elem().Set(from)
	return to.Interface().(Event) // of e's type
}

// The events of AG-UI 1.0. Optional strings are absent if empty. For the tags see tags.go.
type (
	// RunStarted opens a run. It is the first event and occurs once.
	RunStarted struct {
		Base            `agui:"untagged"`
		ThreadID        string         `agui:"threadId,required"`
		RunID           string         `agui:"runId,required"`
		ProtocolVersion string         `agui:"protocolVersion"` // the server's own, "1.0"
		ParentRunID     string         `agui:"parentRunId"`
		Input           *RunAgentInput `agui:"input"`
	}
	// RunFinished ends a successful run, after everything else is closed. It repeats the ids of
	// RunStarted.
	RunFinished struct {
		Base     `agui:"untagged"`
		ThreadID string          `agui:"threadId,required"`
		RunID    string          `agui:"runId,required"`
		Result   json.RawMessage `agui:"result,nullable"`
		Outcome  *Outcome        `agui:"outcome,nullable"` // nil means success
		Usage    []TokenUsage    `agui:"usage"`
	}
	// RunError ends a failed run, whatever is open. Message is shown to people.
	RunError struct {
		Base    `agui:"untagged"`
		Message string       `agui:"message,required"`
		Code    string       `agui:"code"`
		Usage   []TokenUsage `agui:"usage"`
	}
	// StepStarted opens a step. Its name identifies it within its agent.
	StepStarted struct {
		Base
		StepName string `agui:"stepName,required"`
	}
	// StepFinished closes a step.
	StepFinished struct {
		Base
		StepName string `agui:"stepName,required"`
	}
	// TextMessageStart opens a text message, or continues the one with its id.
	TextMessageStart struct {
		Base
		MessageID string `agui:"messageId,required"`
		Role      string `agui:"role,oneof=developer system assistant user"` // none: assistant
		Name      string `agui:"name"`
	}
	// TextMessageContent appends to an open text message.
	TextMessageContent struct {
		Base
		MessageID string `agui:"messageId,required"`
		Delta     string `agui:"delta,required"`
	}
	// TextMessageEnd closes a text message.
	TextMessageEnd struct {
		Base
		MessageID string `agui:"messageId,required"`
	}
	// TextMessageChunk combines the three events above, for stateless producers. This server does
	// not send it.
	TextMessageChunk struct {
		Base
		MessageID string  `agui:"messageId"`
		Role      string  `agui:"role,oneof=developer system assistant user"`
		Name      string  `agui:"name"`
		Delta     *string `agui:"delta"`
	}
	// ToolCallStart opens a tool call, as part of the assistant message it names or of a new one.
	ToolCallStart struct {
		Base
		ToolCallID      string `agui:"toolCallId,required"`
		ToolCallName    string `agui:"toolCallName,required"`
		ParentMessageID string `agui:"parentMessageId,nullable"`
	}
	// ToolCallArgs appends to an open tool call's arguments.
	ToolCallArgs struct {
		Base
		ToolCallID string `agui:"toolCallId,required"`
		Delta      string `agui:"delta,required"`
	}
	// ToolCallEnd closes a tool call: its arguments are complete.
	ToolCallEnd struct {
		Base
		ToolCallID string `agui:"toolCallId,required"`
	}
	// ToolCallChunk combines the three events above. This server does not send it.
	ToolCallChunk struct {
		Base
		ToolCallID      string  `agui:"toolCallId"`
		ToolCallName    string  `agui:"toolCallName"`
		ParentMessageID string  `agui:"parentMessageId,nullable"`
		Delta           *string `agui:"delta"`
	}
	// ToolCallResult is the result of a tool call that has ended; it makes a tool message.
	ToolCallResult struct {
		Base
		MessageID  string  `agui:"messageId,required"`
		ToolCallID string  `agui:"toolCallId,required"`
		Content    Content `agui:"content,required,parts"`
		Role       string  `agui:"role,oneof=tool"`
	}
	// StateSnapshot sets the state of the thread.
	StateSnapshot struct {
		Base
		Snapshot json.RawMessage `agui:"snapshot,required,any"` // any JSON, null included
	}
	// StateDelta patches the state of the thread.
	StateDelta struct {
		Base
		Delta json.RawMessage `agui:"delta,required,patch"` // an RFC 6902 array
	}
	// MessagesSnapshot restates the messages of the thread. See Transcript for the treatment of
	// messages it omits.
	MessagesSnapshot struct {
		Base     `agui:"untagged"`
		Messages []Message `agui:"messages,required"`
	}
	// ActivitySnapshot makes an activity (a message with data in place of text) or replaces its
	// content.
	ActivitySnapshot struct {
		Base
		MessageID    string          `agui:"messageId,required"`
		ActivityType string          `agui:"activityType,required"`
		Content      json.RawMessage `agui:"content,required,object"` // an object
		Replace      *bool           `agui:"replace"`                 // nil means true
	}
	// ActivityDelta patches an activity's content.
	ActivityDelta struct {
		Base
		MessageID    string          `agui:"messageId,required"`
		ActivityType string          `agui:"activityType,required"`
		Patch        json.RawMessage `agui:"patch,required,patch"` // an RFC 6902 array
	}
	// Raw is an event of another protocol.
	Raw struct {
		Base
		Event  json.RawMessage `agui:"event,required,any"`
		Source string          `agui:"source"`
	}
	// Custom is an event of the application.
	Custom struct {
		Base
		Name  string          `agui:"name,required"`
		Value json.RawMessage `agui:"value,required,any"` // nil is written as null
	}
	// ReasoningStart opens a span of reasoning. The messages inside have their own ids, which may
	// equal the span's.
	ReasoningStart struct {
		Base
		MessageID string `agui:"messageId,required"`
	}
	// ReasoningEnd closes a span of reasoning.
	ReasoningEnd struct {
		Base
		MessageID string `agui:"messageId,required"`
	}
	// ReasoningMessageStart opens a reasoning message, inside a span or not.
	ReasoningMessageStart struct { // its role is always "reasoning"
		Base
		MessageID string `agui:"messageId,required"`
	}
	// ReasoningMessageContent appends to an open reasoning message.
	ReasoningMessageContent struct {
		Base
		MessageID string `agui:"messageId,required"`
		Delta     string `agui:"delta,required"`
	}
	// ReasoningMessageEnd closes a reasoning message.
	ReasoningMessageEnd struct {
		Base
		MessageID string `agui:"messageId,required"`
	}
	// ReasoningMessageChunk combines the three events above. This server does not send it.
	ReasoningMessageChunk struct {
		Base
		MessageID string  `agui:"messageId"`
		Delta     *string `agui:"delta"`
	}
	// ReasoningEncryptedValue attaches a provider's opaque value to a message or tool call. It goes
	// back to the provider unchanged.
	ReasoningEncryptedValue struct {
		Base
		Subtype        string `agui:"subtype,required,oneof=tool-call message"`
		EntityID       string `agui:"entityId,required"`
		EncryptedValue string `agui:"encryptedValue,required"`
	}
	// SubagentStarted opens the run of a sub-agent, once per id.
	SubagentStarted struct { // Base.SubagentRunID is the identity here, not a tag
		Base                `agui:"subagent"`
		Name                string `agui:"name,required"`
		Description         string `agui:"description"`
		ParentSubagentRunID string `agui:"parentSubagentRunId"`
		ParentToolCallID    string `agui:"parentToolCallId"`
		ParentMessageID     string `agui:"parentMessageId"`
	}
	// SubagentFinished ends the run of a sub-agent.
	SubagentFinished struct {
		Base    `agui:"subagent"`
		Result  json.RawMessage  `agui:"result,nullable"`
		Outcome *SubagentOutcome `agui:"outcome"`
	}
	// SubagentError ends the run of a failed sub-agent.
	SubagentError struct {
		Base    `agui:"subagent"`
		Message string `agui:"message,required"`
		Code    string `agui:"code"`
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
