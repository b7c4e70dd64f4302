package agent

import (
	"encoding/json"
	"strings"

	"github.com/pageside/pageside/agui"
)

// The notes that tell the model what the user did between two questions. The server writes them;
// they stay in the thread, so that a prompt is only ever appended to.
const (
	notePage    = "page"    // the user went to another place
	notePayload = "payload" // the user accepted or dismissed a card
)

// noteLine returns a note as the line that stands in front of the next question, or "" for any
// other message.
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
