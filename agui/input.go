package agui

import "encoding/json"

// ProtocolVersion is the version of AG-UI this package speaks.
const ProtocolVersion = "1.0"

// RunAgentInput is the body of a run request.
type RunAgentInput struct {
	ThreadID, RunID string
	ParentRunID     string
	ProtocolVersion string          // "MAJOR.MINOR"; empty means a 0.x client
	State           json.RawMessage // nil if absent or null
	Messages        []Message
	Tools           []Tool
	Context         []ContextItem
	ForwardedProps  json.RawMessage // opaque
	Resume          []ResumeEntry
}

// Tool is a frontend tool as a client declares it.
type Tool struct {
	Name, Description string
	Parameters        json.RawMessage // a JSON Schema, or nil
	Metadata          json.RawMessage
}

// ContextItem is one item of page context. It is data, never instructions.
type ContextItem struct {
	Description string
	Value       string // text; a value that is not a string is taken as its JSON
	// Source and Type are extensions: the part of the page that the item comes from, and what the
	// client calls such items, as "static" or "dynamic".
	Source, Type string
}

// ResumeEntry answers one open interrupt. Status is resolved or cancelled.
type ResumeEntry struct {
	InterruptID string
	Status      string
	Payload     json.RawMessage
	Metadata    json.RawMessage
}

// Values of ResumeEntry.Status.
const (
	ResumeResolved  = "resolved"
	ResumeCancelled = "cancelled"
)

// Interrupt is a question that a run waits for.
type Interrupt struct {
	ID, Reason, Message, ToolCallID string
	ResponseSchema                  json.RawMessage
	ExpiresAt                       string // RFC 3339
	Metadata                        json.RawMessage
	SubagentRunID                   string
}

// Outcomes of a run.
const (
	OutcomeSuccess   = "success"
	OutcomeInterrupt = "interrupt"
	OutcomeCancelled = "cancelled"
)

// Outcome is how a run ended. PendingToolCallIDs goes with success, Interrupts with interrupt.
type Outcome struct {
	Type               string
	PendingToolCallIDs []string
	Interrupts         []Interrupt
}

// OutcomeSuspended is the outcome of a sub-agent that waits for an interrupt to be answered.
const OutcomeSuspended = "suspended"

// SubagentOutcome is how a sub-agent ended: success or suspended.
type SubagentOutcome struct {
	Type         string
	InterruptIDs []string
}

// TokenUsage counts the tokens of one provider and model. A nil count is unknown, not zero. Input
// and output are totals; the others are parts of them.
type TokenUsage struct {
	Provider, Model       string
	InputTokens           *int64
	OutputTokens          *int64
	TotalTokens           *int64
	ReasoningTokens       *int64
	CachedInputTokens     *int64
	CacheWriteInputTokens *int64
}
