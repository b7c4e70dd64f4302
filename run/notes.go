package run

import (
	"crypto/rand"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/pageside/pageside/agui"
	"github.com/pageside/pageside/page"
)

// Notes are lines the server writes into the thread, so that what changed beside the conversation
// keeps its place in it and the prompt stays append-only. They are activity messages of this type.
// Clients neither write them nor are shown them.
const noteType = "pageside_note"

// note is the content of a note. Text is what the model is shown.
type note struct {
	Kind      string            `json:"kind"`            // page, payload or context
	Text      string            `json:"text,omitempty"`  // of kind page and payload
	Page      string            `json:"page,omitempty"`  // kind page: the place's path
	Scope     map[string]string `json:"scope,omitempty"` // kind page
	MessageID string            `json:"messageId,omitempty"`
	Status    string            `json:"status,omitempty"`

	// kind context: of the block that stands here in the prompt
	ID string `json:"id,omitempty"`
	// kind context: what is on screen, as agent.ContextKeys names it
	Items []string `json:"items,omitempty"`
}

const (
	notePage    = "page"
	notePayload = "payload"
	noteContext = "context"
)

// note adds notes about what has changed since the last ones, in front of what the user says: the
// place, what became of cards, and what is on screen, by its keys.
func (m *merged) note(thread []agui.Message, at page.Place, screen []string) {
	var notes []agui.Message
	for _, n := range newNotes(thread, at) {
		notes = append(notes, n.message())
	}
	if !slices.Equal(screen, lastScreen(thread)) {
		notes = append(notes, note{Kind: noteContext, ID: strings.ToLower(rand.Text()[:20]), Items: screen}.message())
	}
	i := slices.IndexFunc(m.messages, isUser)
	if i < 0 {
		i = len(m.messages)
	}
	m.messages = slices.Insert(m.messages, i, notes...)
}

func (n note) message() agui.Message {
	content, _ := json.Marshal(n) // strings: cannot fail
	return agui.Message{ID: newID("note"), Role: agui.RoleActivity, ActivityType: noteType, Activity: content}
}

// newNotes returns what the thread's notes do not tell yet: that the user is somewhere else, and
// what became of payloads.
func newNotes(thread []agui.Message, at page.Place) []note {
	var notes []note
	last := note{}
	told := map[string]string{} // status by message
	for i := range thread {
		switch n, ok := readNote(&thread[i]); {
		case !ok:
		case n.Kind == notePage:
			last = n
		case n.Kind == notePayload:
			told[n.MessageID] = n.Status
		}
	}
	for i := range thread {
		msg := &thread[i]
		status := payloadStatus(msg)
		if !isDecision(status) || status == told[msg.ID] || status == statusOpen && told[msg.ID] == "" {
			continue
		}
		notes = append(notes, note{Kind: notePayload, MessageID: msg.ID, Status: status, Text: payloadText(cardName(thread, i), status)})
	}
	if path := at.String(); path != "" && (path != last.Page || !maps.Equal(at.Scope, last.Scope)) {
		notes = append(notes, note{Kind: notePage, Page: path, Scope: at.Scope, Text: placeText(path, at.Scope)})
	}
	return notes
}

// lastScreen is what was on screen when the thread's last note about it was written.
func lastScreen(thread []agui.Message) []string {
	for i := range slices.Backward(thread) {
		if n, ok := readNote(&thread[i]); ok && n.Kind == noteContext {
			return n.Items
		}
	}
	return nil
}

func readNote(m *agui.Message) (n note, ok bool) {
	if m.Role != agui.RoleActivity || m.ActivityType != noteType {
		return n, false
	}
	return n, json.Unmarshal(m.Activity, &n) == nil
}

func payloadText(card, status string) string {
	if status == statusOpen {
		return fmt.Sprintf("The user took back the decision about the card %s.", card)
	}
	return fmt.Sprintf("The user %s the card %s.", status, card)
}

// cardName names a card for the model, which knows no ids: by its type, and its number where there
// are more of them.
func cardName(thread []agui.Message, at int) string {
	kind := thread[at].ActivityType
	number, all := 0, 0
	for i := range thread {
		if thread[i].ActivityType == kind && isDecision(payloadStatus(&thread[i])) {
			all++
			if i <= at {
				number = all
			}
		}
	}
	if all == 1 {
		return fmt.Sprintf("%q", kind)
	}
	return fmt.Sprintf("%q, number %d of %d", kind, number, all)
}

func placeText(path string, scope map[string]string) string {
	text := fmt.Sprintf("The user is now at %q", path)
	var about []string
	for _, kind := range slices.Sorted(maps.Keys(scope)) {
		about = append(about, fmt.Sprintf("%s %q", kind, scope[kind]))
	}
	if len(about) > 0 {
		text += " (" + strings.Join(about, ", ") + ")"
	}
	return text + "."
}
