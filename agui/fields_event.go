package agui

import "github.com/pageside/pageside/internal/jsonx"

// mostInt is the largest integer that every JSON reader represents exactly.
const mostInt = 1<<53 - 1

// head writes the common fields of events. Run events and message snapshots have no sub-agent tag.
func (b *Base) head(c *codec, t EventType) {
	c.constant("type", string(t), required)
	c.integer("timestamp", &b.Timestamp, -mostInt)
	c.opaque("rawEvent", &b.RawEvent, jsonx.Invalid, nullable)
	c.metadata(&b.Metadata)
}

// tagged is head with the sub-agent tag.
func (b *Base) tagged(c *codec, t EventType) {
	b.head(c, t)
	c.str("subagentRunId", &b.SubagentRunID, optional)
}

// untagged is head for events that must not carry the tag.
func (b *Base) untagged(c *codec, t EventType) {
	b.head(c, t)
	if c.mode == writing && b.SubagentRunID != "" {
		c.failIn("subagentRunId", "is not allowed on "+string(t))
	}
}

func (e *RunStarted) fields(c *codec) {
	e.untagged(c, e.Type())
	c.str("threadId", &e.ThreadID, required)
	c.str("runId", &e.RunID, required)
	c.str("protocolVersion", &e.ProtocolVersion, optional)
	c.str("parentRunId", &e.ParentRunID, optional)
	one(c, "input", &e.Input, optional)
}

func (e *RunFinished) fields(c *codec) {
	e.untagged(c, e.Type())
	c.str("threadId", &e.ThreadID, required)
	c.str("runId", &e.RunID, required)
	c.opaque("result", &e.Result, jsonx.Invalid, nullable)
	one(c, "outcome", &e.Outcome, nullable)
	list(c, "usage", &e.Usage, optional)
}

func (e *RunError) fields(c *codec) {
	e.untagged(c, e.Type())
	c.str("message", &e.Message, required)
	c.str("code", &e.Code, optional)
	list(c, "usage", &e.Usage, optional)
}

func (e *StepStarted) fields(c *codec) {
	e.tagged(c, e.Type())
	c.str("stepName", &e.StepName, required)
}

func (e *StepFinished) fields(c *codec) {
	e.tagged(c, e.Type())
	c.str("stepName", &e.StepName, required)
}

func (e *TextMessageStart) fields(c *codec) {
	e.tagged(c, e.Type())
	c.str("messageId", &e.MessageID, required)
	c.word("role", &e.Role, optional, textRoles)
	c.str("name", &e.Name, optional)
}

func (e *TextMessageContent) fields(c *codec) {
	e.tagged(c, e.Type())
	c.str("messageId", &e.MessageID, required)
	c.str("delta", &e.Delta, required)
}

func (e *TextMessageEnd) fields(c *codec) {
	e.tagged(c, e.Type())
	c.str("messageId", &e.MessageID, required)
}

func (e *TextMessageChunk) fields(c *codec) {
	e.tagged(c, e.Type())
	c.str("messageId", &e.MessageID, optional)
	c.word("role", &e.Role, optional, textRoles)
	c.str("name", &e.Name, optional)
	c.strPtr("delta", &e.Delta)
}

func (e *ToolCallStart) fields(c *codec) {
	e.tagged(c, e.Type())
	c.str("toolCallId", &e.ToolCallID, required)
	c.str("toolCallName", &e.ToolCallName, required)
	c.str("parentMessageId", &e.ParentMessageID, nullable)
}

func (e *ToolCallArgs) fields(c *codec) {
	e.tagged(c, e.Type())
	c.str("toolCallId", &e.ToolCallID, required)
	c.str("delta", &e.Delta, required)
}

func (e *ToolCallEnd) fields(c *codec) {
	e.tagged(c, e.Type())
	c.str("toolCallId", &e.ToolCallID, required)
}

func (e *ToolCallChunk) fields(c *codec) {
	e.tagged(c, e.Type())
	c.str("toolCallId", &e.ToolCallID, optional)
	c.str("toolCallName", &e.ToolCallName, optional)
	c.str("parentMessageId", &e.ParentMessageID, nullable)
	c.strPtr("delta", &e.Delta)
}

func (e *ToolCallResult) fields(c *codec) {
	e.tagged(c, e.Type())
	c.str("messageId", &e.MessageID, required)
	c.str("toolCallId", &e.ToolCallID, required)
	c.content("content", &e.Content, required, true)
	c.word("role", &e.Role, optional, resultRoles)
}

func (e *StateSnapshot) fields(c *codec) {
	e.tagged(c, e.Type())
	c.anything("snapshot", &e.Snapshot)
}

func (e *StateDelta) fields(c *codec) {
	e.tagged(c, e.Type())
	c.patch("delta", &e.Delta)
}

func (e *MessagesSnapshot) fields(c *codec) {
	e.untagged(c, e.Type())
	list(c, "messages", &e.Messages, required)
}

func (e *ActivitySnapshot) fields(c *codec) {
	e.tagged(c, e.Type())
	c.str("messageId", &e.MessageID, required)
	c.str("activityType", &e.ActivityType, required)
	c.opaque("content", &e.Content, jsonx.Object, required)
	c.boolean("replace", &e.Replace)
}

func (e *ActivityDelta) fields(c *codec) {
	e.tagged(c, e.Type())
	c.str("messageId", &e.MessageID, required)
	c.str("activityType", &e.ActivityType, required)
	c.patch("patch", &e.Patch)
}

func (e *Raw) fields(c *codec) {
	e.tagged(c, e.Type())
	c.anything("event", &e.Event)
	c.str("source", &e.Source, optional)
}

func (e *Custom) fields(c *codec) {
	e.tagged(c, e.Type())
	c.str("name", &e.Name, required)
	c.anything("value", &e.Value)
}

func (e *ReasoningStart) fields(c *codec) {
	e.tagged(c, e.Type())
	c.str("messageId", &e.MessageID, required)
}

func (e *ReasoningEnd) fields(c *codec) {
	e.tagged(c, e.Type())
	c.str("messageId", &e.MessageID, required)
}

func (e *ReasoningMessageStart) fields(c *codec) {
	e.tagged(c, e.Type())
	c.str("messageId", &e.MessageID, required)
	c.constant("role", RoleReasoning, required)
}

func (e *ReasoningMessageContent) fields(c *codec) {
	e.tagged(c, e.Type())
	c.str("messageId", &e.MessageID, required)
	c.str("delta", &e.Delta, required)
}

func (e *ReasoningMessageEnd) fields(c *codec) {
	e.tagged(c, e.Type())
	c.str("messageId", &e.MessageID, required)
}

func (e *ReasoningMessageChunk) fields(c *codec) {
	e.tagged(c, e.Type())
	c.str("messageId", &e.MessageID, optional)
	c.strPtr("delta", &e.Delta)
}

func (e *ReasoningEncryptedValue) fields(c *codec) {
	e.tagged(c, e.Type())
	c.word("subtype", &e.Subtype, required, encryptedKinds)
	c.str("entityId", &e.EntityID, required)
	c.str("encryptedValue", &e.EncryptedValue, required)
}

func (e *SubagentStarted) fields(c *codec) {
	e.head(c, e.Type())
	c.str("subagentRunId", &e.SubagentRunID, required)
	c.str("name", &e.Name, required)
	c.str("description", &e.Description, optional)
	c.str("parentSubagentRunId", &e.ParentSubagentRunID, optional)
	c.str("parentToolCallId", &e.ParentToolCallID, optional)
	c.str("parentMessageId", &e.ParentMessageID, optional)
}

func (e *SubagentFinished) fields(c *codec) {
	e.head(c, e.Type())
	c.str("subagentRunId", &e.SubagentRunID, required)
	c.opaque("result", &e.Result, jsonx.Invalid, nullable)
	one(c, "outcome", &e.Outcome, optional)
}

func (e *SubagentError) fields(c *codec) {
	e.head(c, e.Type())
	c.str("subagentRunId", &e.SubagentRunID, required)
	c.str("message", &e.Message, required)
	c.str("code", &e.Code, optional)
}
