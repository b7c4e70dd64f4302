package agui

import "github.com/pageside/pageside/internal/jsonx"

// Values of enumerated fields.
var (
	roles = []string{
		RoleDeveloper, RoleSystem, RoleAssistant, RoleUser, RoleTool, RoleActivity, RoleReasoning,
	}
	partTypes        = []string{PartText, PartImage, PartAudio, PartVideo, PartDocument}
	sourceTypes      = []string{SourceData, SourceURL, SourceFile}
	outcomes         = []string{OutcomeSuccess, OutcomeInterrupt, OutcomeCancelled}
	subagentOutcomes = []string{OutcomeSuccess, OutcomeSuspended}
)

func (m *Message) choose(c *codec) { m.Role = c.kind("role", roles) }

func (m *Message) fields(c *codec) {
	c.messageID(&m.ID)
	c.word("role", &m.Role, required, roles)
	switch m.Role {
	case RoleDeveloper, RoleSystem:
		c.content("content", &m.Content, required, false)
		c.str("name", &m.Name, optional)
	case RoleAssistant:
		c.content("content", &m.Content, optional, false)
		c.list("toolCalls", &m.ToolCalls, optional)
		c.str("name", &m.Name, optional)
	case RoleUser:
		c.content("content", &m.Content, required, true)
		c.str("name", &m.Name, optional)
	case RoleTool:
		c.content("content", &m.Content, required, true)
		c.str("toolCallId", &m.ToolCallID, required)
		c.str("error", &m.Error, optional)
	case RoleReasoning:
		c.content("content", &m.Content, required, false)
	case RoleActivity:
		c.str("activityType", &m.ActivityType, required)
		c.opaque("content", &m.Activity, jsonx.Object, required)
	}
	if m.Role != RoleActivity {
		c.str("encryptedValue", &m.EncryptedValue, optional)
	}
	c.metadata(&m.Metadata)
	c.str("subagentRunId", &m.SubagentRunID, optional)
}

// messageID is the id of a message. A client's may be absent, but not empty.
func (c *codec) messageID(p *string) {
	switch {
	case !c.unnamed:
		c.str("id", p, required)
	case c.mode == writing:
		c.str("id", p, optional)
	case c.wants("id", nullable) && c.is("id", jsonx.String):
		if *p, _ = jsonx.Unquote(c.in.Raw()); *p == "" {
			c.failIn("id", "must not be empty")
		}
	}
}

func (t *ToolCall) fields(c *codec) {
	c.str("id", &t.ID, required)
	c.constant("type", "function", required)
	c.part("function", (*toolFunction)(t), required)
	c.str("encryptedValue", &t.EncryptedValue, optional)
	c.metadata(&t.Metadata)
}

// toolFunction is the object inside a tool call that holds its name and arguments.
type toolFunction ToolCall

func (t *toolFunction) fields(c *codec) {
	c.str("name", &t.Name, required)
	c.str("arguments", &t.Arguments, required)
}

func (p *ContentPart) choose(c *codec) { p.Type = c.kind("type", partTypes) }

func (p *ContentPart) fields(c *codec) {
	c.word("type", &p.Type, required, partTypes)
	c.str("id", &p.ID, optional)
	if p.Type == PartText {
		c.str("text", &p.Text, required)
		c.opaque("metadata", &p.Metadata, jsonx.Invalid, optional)
		return
	}
	c.one("source", &p.Source, required)
	c.opaque("metadata", &p.Metadata, jsonx.Invalid, nullable)
}

func (s *Source) choose(c *codec) { s.Type = c.kind("type", sourceTypes) }

func (s *Source) fields(c *codec) {
	c.word("type", &s.Type, required, sourceTypes)
	c.str("value", &s.Value, required)
	if s.Type == SourceData {
		c.str("mimeType", &s.MimeType, required)
		return
	}
	c.str("mimeType", &s.MimeType, optional)
	if s.Type == SourceFile {
		c.str("provider", &s.Provider, optional)
	}
}

func (t *Tool) fields(c *codec) {
	c.tagged(t)
	if c.mode == reading && jsonx.ForbiddenKey(t.Name) {
		c.failIn("name", "must not be "+t.Name)
	}
}

func (e *ReasoningMessageStart) fields(c *codec) {
	c.tagged(e)
	c.constant("role", RoleReasoning, required)
}

func (o *Outcome) choose(c *codec) { o.Type = c.kind("type", outcomes) }

func (o *Outcome) fields(c *codec) {
	c.word("type", &o.Type, required, outcomes)
	switch o.Type {
	case OutcomeSuccess:
		c.words("pendingToolCallIds", &o.PendingToolCallIDs)
	case OutcomeInterrupt:
		c.list("interrupts", &o.Interrupts, required)
		if (c.mode == writing || c.mode == closing) && c.err == nil && len(o.Interrupts) == 0 {
			c.failIn("interrupts", "must not be empty")
		}
	}
}

func (o *SubagentOutcome) choose(c *codec) { o.Type = c.kind("type", subagentOutcomes) }

func (o *SubagentOutcome) fields(c *codec) {
	c.word("type", &o.Type, required, subagentOutcomes)
	if o.Type == OutcomeSuspended {
		c.words("interruptIds", &o.InterruptIDs)
	}
}
