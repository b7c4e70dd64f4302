package run

import (
	"strings"

	"github.com/pageside/pageside/agui"
)

// markSuggested marks the user's new messages that say what an answer of the thread, or elsewhere
// reports to have, suggested. A click on a suggestion sends it as the user's message, and the user
// may have seen its label only. The client marks such messages; the comparison finds those of
// clients that do not.
func (m *merged) markSuggested(thread []agui.Message, elsewhere func(string) bool) {
	suggested := suggestedBy(thread)
	if len(suggested) == 0 && elsewhere == nil {
		return
	}
	for i := range m.messages {
		msg := &m.messages[i]
		if msg.Role != agui.RoleUser {
			continue
		}
		text := oneLine(msg.Content.Text())
		if text != "" && (suggested[text] || elsewhere != nil && elsewhere(text)) {
			msg.Metadata = agui.WithSuggested(msg.Metadata)
		}
	}
}

// suggestedBy returns what the messages of a thread suggest, except for the pages' own suggestions.
func suggestedBy(thread []agui.Message) map[string]bool {
	texts := map[string]bool{}
	for i := range thread {
		if thread[i].Role == agui.RoleUser {
			continue
		}
		for _, v := range agui.SuggestedIn(thread[i].Metadata) {
			texts[oneLine(v.Value)] = true
		}
	}
	return texts
}

func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }
