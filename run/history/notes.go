package history

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/pageside/pageside/agui"
	"github.com/pageside/pageside/internal/visible"
	"github.com/pageside/pageside/page"
)

// Around is what a run's notes tell the model beside what is said.
type Around struct {
	Place page.Place
	// Context holds the keys of the page context, and ContextID stands for a change of them.
	Context   []string
	ContextID string
	Mentioned []string // names of items of the page context that the user's message mentions
	// Model and Effort are what the request chooses; "" keeps the thread's last choice.
	Model, Effort string
}

// Note adds notes to the new messages about what has changed since the last ones on the branch: the
// place, the status of payloads, the page context, and the choice of model.
func (m *Merged) Note(thread []agui.Message, a Around) {
	m.noteChanges(thread, a)
	m.noteMentions(a.Mentioned)
	m.notePick(thread, a.Model, a.Effort)
}

// noteChanges says before the user's message what has changed around it.
func (m *Merged) noteChanges(thread []agui.Message, a Around) {
	var notes []agui.Message
	for _, n := range newNotes(thread, a.Place) {
		notes = append(notes, m.note(n))
	}
	if !slices.Equal(a.Context, lastPageContext(thread)) {
		notes = append(notes, m.note(agui.Note{Kind: agui.NoteContext, ID: a.ContextID, Items: a.Context}))
	}
	i := slices.IndexFunc(m.Messages, isUser)
	if i < 0 {
		i = len(m.Messages)
	}
	m.Messages = slices.Insert(m.Messages, i, notes...)
}

func (m *Merged) note(n agui.Note) agui.Message { return n.Message(m.newID("note")) }

// Limits of a note about mentions: the page chooses the names in it.
const (
	maxMentions    = 8
	maxMentionName = 80 // bytes
)

// noteMentions says before the user's last message which items of the page context it mentions.
func (m *Merged) noteMentions(names []string) {
	last := -1
	for i := range m.Messages {
		if isUser(m.Messages[i]) {
			last = i
		}
	}
	if len(names) == 0 || last < 0 {
		return
	}
	quoted := make([]string, min(len(names), maxMentions))
	for i := range quoted {
		quoted[i] = strconv.Quote(firstWords(visible.Text(names[i]), maxMentionName))
	}
	text := "The message below mentions of the page context: " + strings.Join(quoted, ", ") + "."
	m.Messages = slices.Insert(m.Messages, last, m.note(agui.Note{Kind: agui.NoteMention, Text: text}))
}

// notePick notes before the user's message that the user has chosen another model or effort. A
// question sent again is already in the thread, so its note follows it. A run that continues a
// question, with an approval or a page's result, keeps the question's model.
func (m *Merged) notePick(thread []agui.Message, model, effort string) {
	if model == "" && effort == "" {
		return
	}
	if lastModel, lastEffort := Pick(thread); model == lastModel && effort == lastEffort {
		return
	}
	at := slices.IndexFunc(m.Messages, isUser)
	if at < 0 && !m.asks {
		return
	}
	if at < 0 {
		at = len(m.Messages)
	}
	m.Messages = slices.Insert(m.Messages, at, m.note(agui.Note{Kind: agui.NoteModel, Model: model, Effort: effort}))
}

// Pick returns the model and the effort that the user chose last in a thread; "" for none.
func Pick(thread []agui.Message) (model, effort string) {
	for i := range slices.Backward(thread) {
		if n, ok := agui.ReadNote(&thread[i], agui.NoteModel); ok {
			return n.Model, n.Effort
		}
	}
	return "", ""
}

// newNotes returns notes about what the thread's notes do not have yet: a new place, and the user's
// decisions about payloads.
func newNotes(thread []agui.Message, at page.Place) []agui.Note {
	var notes []agui.Note
	last := agui.Note{}
	told := map[string]string{} // status by message
	for i := range thread {
		switch n, ok := agui.ReadNote(&thread[i], agui.NotePage, agui.NotePayload); {
		case !ok:
		case n.Kind == agui.NotePage:
			last = n
		case n.Kind == agui.NotePayload:
			told[n.MessageID] = n.Status
		}
	}
	for i := range thread {
		msg := &thread[i]
		status := PayloadStatus(msg)
		if !IsDecision(status) || status == told[msg.ID] || status == agui.StatusOpen && told[msg.ID] == "" {
			continue
		}
		notes = append(notes, agui.Note{
			Kind: agui.NotePayload, MessageID: msg.ID, Status: status,
			Text: payloadText(payloadName(thread, i), status),
		})
	}
	if path := at.String(); path != "" && (path != last.Page || !maps.Equal(at.Scope, last.Scope)) {
		notes = append(notes, agui.Note{
			Kind: agui.NotePage, Page: path, Scope: at.Scope, Text: placeText(path, at.Scope),
		})
	}
	return notes
}

// lastPageContext returns the keys in the thread's last note about the page context.
func lastPageContext(thread []agui.Message) []string {
	for i := range slices.Backward(thread) {
		if n, ok := agui.ReadNote(&thread[i], agui.NoteContext); ok {
			return n.Items
		}
	}
	return nil
}

func payloadText(name, status string) string {
	if status == agui.StatusOpen {
		return fmt.Sprintf("The user took back the decision about the card %s.", name)
	}
	return fmt.Sprintf("The user %s the card %s.", status, name)
}

// payloadName names a payload for the model, which knows no ids: by its type, and a number if there
// are several.
func payloadName(thread []agui.Message, at int) string {
	kind := thread[at].ActivityType
	number, all := 0, 0
	for i := range thread {
		if thread[i].ActivityType == kind && IsDecision(PayloadStatus(&thread[i])) {
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
