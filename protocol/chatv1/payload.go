package chatv1

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/pageside/pageside/agui"
	"github.com/pageside/pageside/internal/jsonx"
	"github.com/pageside/pageside/server"
)

// payload is the protocol's ChatResponsePayload.
type payload struct {
	Message          string            `json:"message"`
	CustomPayload    *customPayload    `json:"custom_payload,omitzero"`
	SuggestedValues  []suggestedValue  `json:"suggested_values,omitzero"`
	SuggestedActions []suggestedAction `json:"suggested_actions,omitzero"`
	ToolHistory      []toolUse         `json:"tool_history,omitzero"`
	ConversationID   int64             `json:"conversation_id,omitzero"`
}

type customPayload struct {
	Type string          `json:"type"`
	Data json.RawMessage `json:"data"`
}

type suggestedValue struct {
	Label string `json:"label"`
	Value string `json:"value"`
}

type suggestedAction struct {
	Label   string `json:"label"`
	Action  string `json:"action"`
	Handler string `json:"handler"` // client or server
}

type toolUse struct {
	ToolName string          `json:"tool_name"`
	Input    json.RawMessage `json:"input"`
	Output   string          `json:"output"` // "" while there is no result
}

// payloadOf sums up the messages of an answer. earlier has calls of messages before them whose
// results are among them.
func payloadOf(messages []agui.Message, earlier map[string]agui.ToolCall) payload {
	var p payload
	var texts []string
	uses := map[string]int{} // call → its index in the history
	use := func(c agui.ToolCall) {
		uses[c.ID] = len(p.ToolHistory)
		p.ToolHistory = append(p.ToolHistory, toolUse{c.Name, agui.ArgumentsJSON(c.Arguments), ""})
	}
	for i := range messages {
		m := &messages[i]
		switch m.Role {
		case agui.RoleAssistant:
			if text := m.Content.Text(); text != "" {
				texts = append(texts, text)
			}
			for _, c := range m.ToolCalls {
				use(c)
			}
		case agui.RoleTool:
			at, ok := uses[m.ToolCallID]
			if c, known := earlier[m.ToolCallID]; known && !ok {
				use(c)
				at, ok = uses[m.ToolCallID]
			}
			if ok {
				p.ToolHistory[at].Output = outputOf(m.Content)
			}
		case agui.RoleActivity:
			p.show(m)
		}
		p.suggest(m)
	}
	p.Message = strings.Join(texts, server.Paragraph)
	return p
}

// show takes a card. The protocol has room for one: the last that can be shown.
func (p *payload) show(m *agui.Message) {
	if m.IsPayload() {
		p.CustomPayload = &customPayload{m.ActivityType, m.Activity}
	}
}

// suggest takes the suggestions at the end of an answer.
func (p *payload) suggest(m *agui.Message) {
	if !agui.HasMetadata(m.Metadata) {
		return
	}
	said, _ := agui.ReadMetadata(m.Metadata)
	for _, v := range said.Values {
		p.SuggestedValues = append(p.SuggestedValues, suggestedValue{v.Label, v.Value})
	}
	for _, a := range said.Actions {
		p.SuggestedActions = append(p.SuggestedActions, suggestedAction{a.Label, a.Action, a.Handler})
	}
}

// outputOf returns a result as text. One with attachments is its JSON.
func outputOf(c agui.Content) string {
	if c.IsText() || c.IsZero() {
		return c.Text()
	}
	return string(c.Raw())
}

// interruptPayload is the type of the payload that tells what the assistant waits for.
const interruptPayload = agui.ReservedPrefix + "interrupt"

type interrupt struct {
	ID        string          `json:"id"`
	Reason    string          `json:"reason"`
	Message   string          `json:"message"`
	Tool      string          `json:"tool,omitzero"`
	Effect    string          `json:"effect,omitzero"`
	Summary   string          `json:"summary,omitzero"`
	Input     json.RawMessage `json:"input,omitzero"`
	Schema    json.RawMessage `json:"response_schema,omitzero"`
	ExpiresAt string          `json:"expires_at,omitzero"`
}

// interruptsOf returns the payload of approvals and questions.
func interruptsOf(list []agui.Interrupt) *customPayload {
	var out struct {
		Interrupts []interrupt `json:"interrupts"`
	}
	for _, i := range list {
		m, _ := agui.ReadMetadata(i.Metadata)
		out.Interrupts = append(out.Interrupts, interrupt{
			i.ID, i.Reason, i.Message, m.Tool, m.Effect, m.Summary, slices.Clone(m.Args), i.ResponseSchema,
			i.ExpiresAt,
		})
	}
	return &customPayload{interruptPayload, jsonx.Marshal(out)}
}
