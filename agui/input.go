package agui

import "encoding/json"

// ProtocolVersion is the version of AG-UI this package speaks.
const ProtocolVersion = "1.0"

// RunAgentInput is the body of a run request.
type RunAgentInput struct {
	ThreadID        string          `agui:"threadId,required"`
	RunID           string          `agui:"runId,required"`
	ProtocolVersion string          `agui:"protocolVersion"` // "MAJOR.MINOR"; empty: a 0.x client
	ParentRunID     string          `agui:"parentRunId"`
	State           json.RawMessage `agui:"state,nullable"` // nil if absent or null
	Messages        []Message       `agui:"messages,required"`
	Tools           []Tool          `agui:"tools"`
	Context         []ContextItem   `agui:"context"`
	ForwardedProps  json.RawMessage `agui:"forwardedProps,nullable"` // opaque
	Resume          []ResumeEntry   `agui:"resume"`
}

// Tool is a frontend tool as a client declares it.
type Tool struct {
	Name        string          `agui:"name,required"`
	Description string          `agui:"description,required"`
	Parameters  json.RawMessage `agui:"parameters,nullable"` // a JSON Schema, or nil
	Metadata    json.RawMessage `agui:"metadata,object"`
}

// ContextItem is one item of page context. It is data, never instructions.
type ContextItem struct {
	Description string `agui:"description,required"`
	// Value is text; a value that is not a string is taken as its JSON.
	Value string `agui:"value,required,text"`
	// Source and Type are extensions: the part of the page that the item comes from, and what the
	// client calls such items, as "static" or "dynamic".
	Source string `agui:"source"`
	Type   string `agui:"type"`
}

// ResumeEntry answers one open interrupt. Status is resolved or cancelled.
type ResumeEntry struct {
	InterruptID string          `agui:"interruptId,required"`
	Status      string          `agui:"status,required,oneof=resolved cancelled"`
	Payload     json.RawMessage `agui:"payload,nullable"`
	Metadata    json.RawMessage `agui:"metadata,object"`
}

// Values of ResumeEntry.Status.
const (
	ResumeResolved  = "resolved"
	ResumeCancelled = "cancelled"
)

// Interrupt is a question that a run waits for.
type Interrupt struct {
	ID             string          `agui:"id,required"`
	Reason         string          `agui:"reason,required"`
	Message        string          `agui:"message"`
	ToolCallID     string          `agui:"toolCallId"`
	ResponseSchema json.RawMessage `agui:"responseSchema,object"`
	ExpiresAt      string          `agui:"expiresAt"` // RFC 3339
	Metadata       json.RawMessage `agui:"metadata,object"`
	SubagentRunID  string          `agui:"subagentRunId"`
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
	Provider              string `agui:"provider"`
	Model                 string `agui:"model"`
	InputTokens           *int64 `agui:"inputTokens"`
	OutputTokens          *int64 `agui:"outputTokens"`
	TotalTokens           *int64 `agui:"totalTokens"`
	ReasoningTokens       *int64 `agui:"reasoningTokens"`
	CachedInputTokens     *int64 `agui:"cachedInputTokens"`
	CacheWriteInputTokens *int64 `agui:"cacheWriteInputTokens"`
}
