package prompt

import (
	"strings"

	"github.com/pageside/pageside/agui"
)

// noteLine returns a note about what the user did between two questions as the line that stands in
// front of the second, or "" for any other message.
func noteLine(m *agui.Message) string {
	n, ok := agui.ReadNote(m)
	if !ok || n.Kind != agui.NotePage && n.Kind != agui.NotePayload || n.Text == "" {
		return ""
	}
	return "<page_event>" + noteEscapes.Replace(strings.Join(strings.Fields(n.Text), " ")) + "</page_event>"
}

// noteEscapes keeps what is named in a note, such as a page's title, from ending it.
var noteEscapes = strings.NewReplacer("<", "&lt;", ">", "&gt;")
