package agent

import (
	"encoding/json"
	"strings"

	"github.com/pageside/pageside/agui"
	"github.com/pageside/pageside/internal/jsonx"
)

// The notes that tell the model what the user did between two questions. The server writes them; they stay in the thread, so that a prompt
// is only ever appended to.
const (
	notePage    = "page"    // the user went to another place
	notePayload = "payload" // the user accepted or dismissed a card
)

// noteLine returns a note as the line that stands in front of the next question, or "" for any other message.
func noteLine(m *agui.Message) string {
	if m.ActivityType != noteType {
		return ""
	}
	var n struct{ Kind, Text string }
	if json.Unmarshal(m.Activity, &n) != nil || n.Kind != notePage && n.Kind != notePayload || n.Text == "" {
		return ""
	}
	return "<page_event>" + noteEscapes.Replace(strings.Join(strings.Fields(n.Text), " ")) + "</page_event>"
}

// noteEscapes keeps what is named in a note, such as a page's title, from ending it.
var noteEscapes = strings.NewReplacer("<", "&lt;", ">", "&gt;")

// cardMetadata is metadata.pageside of a card.
type cardMetadata struct {
	Source         string `json:"source"`
	ToolCallID     string `json:"toolCallId"`
	Status         string `json:"status"`
	Streaming      bool   `json:"streaming"`
	EncryptedValue string `json:"encryptedValue"`
	// Parent is the message of the same turn whose calls the card began behind. In the thread their results may stand before the card.
	Parent string `json:"parentMessageId"`
}

// parseCard reads the metadata of a card that the model wrote. ok is false for any other message.
func parseCard(m *agui.Message) (c cardMetadata, ok bool) {
	if m.Role != agui.RoleActivity {
		return c, false
	}
	raw := jsonx.Find(m.Metadata, "pageside")
	return c, raw != nil && json.Unmarshal(raw, &c) == nil && c.Source == "llm"
}

// json is the metadata of a card that a tool made.
func (c cardMetadata) json() json.RawMessage {
	b := append(json.RawMessage(nil), `{"pageside":{"source":`...)
	b = jsonx.AppendString(b, c.Source)
	b = append(b, `,"toolCallId":`...)
	b = jsonx.AppendString(b, c.ToolCallID)
	b = append(b, `,"status":`...)
	b = jsonx.AppendString(b, c.Status)
	return append(b, "}}"...)
}
