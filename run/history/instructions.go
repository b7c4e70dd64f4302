package history

import (
	"fmt"
	"slices"
	"strings"

	"github.com/pageside/pageside/agui"
	"github.com/pageside/pageside/run/refusal"
)

// Instructs reports whether a message is the client's instructions: they are for its run alone, and
// no message of the thread.
func Instructs(m *agui.Message) bool {
	return m.Role == agui.RoleSystem || m.Role == agui.RoleDeveloper
}

// CheckInstructions refuses more instructions of a client than most bytes.
func CheckInstructions(messages []agui.Message, most int) error {
	size := 0
	for i := range messages {
		msg := &messages[i]
		if !Instructs(msg) {
			continue
		}
		if size += len(msg.Content.Text()); size > most {
			return &refusal.Error{
				Code: refusal.TooLarge, Field: fmt.Sprintf("messages[%d].content", i),
				Message: fmt.Sprintf("the system and developer messages of a request may have %d bytes together: what is data belongs in context",
					most),
			}
		}
	}
	return nil
}

// instructions returns what the client's instructions say.
func instructions(messages []agui.Message) (told []string) {
	for i := range messages {
		if !Instructs(&messages[i]) {
			continue
		}
		if text := strings.TrimSpace(messages[i].Content.Text()); text != "" {
			told = append(told, text)
		}
	}
	return told
}

// withoutInstructions returns the messages that belong to a thread.
func withoutInstructions(messages []agui.Message) []agui.Message {
	if !slices.ContainsFunc(messages, func(msg agui.Message) bool { return Instructs(&msg) }) {
		return messages
	}
	return slices.DeleteFunc(slices.Clone(messages), func(msg agui.Message) bool { return Instructs(&msg) })
}

// lastOf returns the client's last message, ignoring the page's descriptions of itself, or nil.
func lastOf(messages []agui.Message) *agui.Message {
	for i := range slices.Backward(messages) {
		if !Instructs(&messages[i]) {
			return &messages[i]
		}
	}
	return nil
}

// asksForAnswer reports whether the client's last message is the user's.
func asksForAnswer(messages []agui.Message) bool {
	last := lastOf(messages)
	return last != nil && last.Role == agui.RoleUser
}
