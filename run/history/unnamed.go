package history

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/pageside/pageside/agui"
)

// Some clients send messages without ids. Such a message gets one that follows from its position
// among the client's messages of its role, and from its content: the same message has the same id
// when it is sent again, with or without others behind it.

// derived begins the ids of messages that came without.
const derived = "derived-"

// NameMessages gives ids to the messages that came without.
func NameMessages(messages []agui.Message) {
	position := map[string]int{}
	for i := range messages {
		m := &messages[i]
		if m.ID == "" {
			m.ID = deriveID(position[m.Role], m)
		}
		position[m.Role]++
	}
}

func deriveID(position int, m *agui.Message) string {
	parts := []string{m.Role, m.Name, contentKey(m), m.ToolCallID, m.ActivityType, string(m.Activity)}
	for _, c := range m.ToolCalls {
		parts = append(parts, c.ID, c.Name, c.Arguments)
	}
	return derived + digest(position, parts...)
}

// digest returns a hash of a position and texts, which it keeps apart.
func digest(position int, texts ...string) string {
	h := sha256.New()
	fmt.Fprint(h, position)
	for _, text := range texts {
		fmt.Fprintf(h, " %d:", len(text))
		_, _ = io.WriteString(h, text) // a hash never fails
	}
	return hex.EncodeToString(h.Sum(nil)[:16])
}

// contentKey is equal for equal content, however its JSON was written.
func contentKey(m *agui.Message) string {
	if m.Content.IsText() {
		return "text " + m.Content.Text()
	}
	return "parts " + string(m.Content.Raw())
}

func isDerived(m *agui.Message) bool { return strings.HasPrefix(m.ID, derived) }

// recognise matches messages that came without ids with the thread. The client's list begins with
// the whole history or with the end of it; the user's messages there get the ids they have in the
// thread.
//
// A list with a single user message that the thread already has is ambiguous. If the thread's last
// user message is unanswered, or is its only one, the message was sent again. Otherwise the client
// sends only what is new, and the user has said the same thing twice.
func (h *past) recognise(sent []agui.Message) {
	if !slices.ContainsFunc(sent, func(m agui.Message) bool { return isDerived(&m) }) {
		return
	}
	h.said = make(map[string]bool, len(h.thread))
	var thread []*agui.Message
	for i := range h.thread {
		h.said[echoKey(&h.thread[i])] = true
		if isUser(h.thread[i]) {
			thread = append(thread, &h.thread[i])
		}
	}
	users, ok := unnamedUsers(sent)
	if !ok {
		return
	}
	n := overlap(thread, users)
	if len(users) == 1 && !unanswered(h.Messages) && len(thread) > 1 {
		n = 0
		if slices.ContainsFunc(thread, func(m *agui.Message) bool { return m.ID == users[0].ID }) {
			users[0].ID = derived + digest(0, users[0].ID, h.RunID)
		}
	}
	for i := range n {
		users[i].ID = thread[len(thread)-n+i].ID
	}
}

// unnamedUsers returns the user's messages among those sent, and false unless all of them came
// without ids.
func unnamedUsers(sent []agui.Message) (users []*agui.Message, ok bool) {
	for i := range sent {
		if !isUser(sent[i]) {
			continue
		}
		if !isDerived(&sent[i]) {
			return nil, false
		}
		users = append(users, &sent[i])
	}
	return users, len(users) > 0
}

// overlap returns how many messages at the end of the thread are those at the beginning of the
// list.
func overlap(thread, list []*agui.Message) int {
	keys := func(messages []*agui.Message) []string {
		keys := make([]string, len(messages))
		for i, m := range messages {
			keys[i] = contentKey(m)
		}
		return keys
	}
	told, sent := keys(thread), keys(list)
	for n := min(len(told), len(sent)); n > 0; n-- {
		if slices.Equal(told[len(told)-n:], sent[:n]) {
			return n
		}
	}
	return 0
}

// echoes reports whether a message that came without an id is one that the thread has: an answer or
// a result that the client only sends back.
func (h *past) echoes(sent *agui.Message) bool {
	return isDerived(sent) && !isUser(*sent) && h.said[echoKey(sent)]
}

// echoKey is equal for messages that say the same, whatever their ids.
func echoKey(m *agui.Message) string {
	if m.Role == agui.RoleTool {
		return "result of " + m.ToolCallID
	}
	parts := []string{m.Role, contentKey(m)}
	for _, c := range m.ToolCalls {
		parts = append(parts, c.ID)
	}
	return digest(0, parts...)
}
