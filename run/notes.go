package run

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/pageside/pageside/agent"
	"github.com/pageside/pageside/agui"
	"github.com/pageside/pageside/internal/visible"
	"github.com/pageside/pageside/page"
	"github.com/pageside/pageside/store"
)

// note adds notes about what has changed since the last ones, before the user's message: the place,
// the status of payloads, and the keys of the page context.
func (m *merged) note(thread []agui.Message, at page.Place, pageContext []string) {
	var notes []agui.Message
	for _, n := range newNotes(thread, at) {
		notes = append(notes, newNote(n))
	}
	if !slices.Equal(pageContext, lastPageContext(thread)) {
		notes = append(notes, newNote(agui.Note{
			Kind: agui.NoteContext, ID: strings.ToLower(rand.Text()[:20]), Items: pageContext,
		}))
	}
	i := slices.IndexFunc(m.messages, isUser)
	if i < 0 {
		i = len(m.messages)
	}
	m.messages = slices.Insert(m.messages, i, notes...)
}

// Limits of a note about mentions: the page chooses the names in it.
const (
	maxMentions    = 8
	maxMentionName = 80 // bytes
)

// noteMentions says before the user's last message which items of the page context it mentions.
func (m *merged) noteMentions(names []string) {
	last := -1
	for i := range m.messages {
		if isUser(m.messages[i]) {
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
	m.messages = slices.Insert(m.messages, last, newNote(agui.Note{Kind: agui.NoteMention, Text: text}))
}

// notePick notes before the user's message that the user has chosen another model or effort. A
// question sent again is already in the thread, so its note follows it. A run that continues a
// question, with an approval or a page's result, keeps the question's model.
func (m *merged) notePick(thread []agui.Message, chosen agent.Pick, asks bool) {
	if chosen == (agent.Pick{}) || chosen == lastPick(thread) {
		return
	}
	at := slices.IndexFunc(m.messages, isUser)
	if at < 0 && !asks {
		return
	}
	if at < 0 {
		at = len(m.messages)
	}
	m.messages = slices.Insert(m.messages, at, newNote(agui.Note{
		Kind: agui.NoteModel, Model: chosen.Model, Effort: chosen.Effort,
	}))
}

// lastPick returns what the user chose last in a thread.
func lastPick(thread []agui.Message) agent.Pick {
	for i := range slices.Backward(thread) {
		if n, ok := agui.ReadNote(&thread[i], agui.NoteModel); ok {
			return agent.Pick{Model: n.Model, Effort: n.Effort}
		}
	}
	return agent.Pick{}
}

// Picked returns what a user chose last in a thread: nothing in one that there is not. Errors are
// *Error.
func (m *Manager) Picked(ctx context.Context, o store.Owner, threadID string) (agent.Pick, error) {
	_, thread, err := m.headOf(ctx, o, threadID)
	switch {
	case errors.Is(err, store.ErrNotFound):
		return agent.Pick{}, nil
	case err != nil:
		return agent.Pick{}, unavailable("the thread could not be read", err)
	}
	return lastPick(thread), nil
}

// pickOf returns what a request chooses. The zero value keeps the thread's last choice.
func pickOf(at page.Forwarded) agent.Pick { return agent.Pick{Model: at.Model, Effort: at.Effort} }

// checkPick refuses a model or an effort that the agent does not offer.
func checkPick(a *agent.Agent, at page.Forwarded) error {
	err := a.Choices.Check(pickOf(at))
	if e, ok := errors.AsType[*agent.InputError](err); ok {
		return &Error{Code: CodeInvalid, Field: "forwardedProps.pageside." + e.Field, Message: e.Err.Error()}
	}
	return err
}

func newNote(n agui.Note) agui.Message { return n.Message(newID("note")) }

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
		status := payloadStatus(msg)
		if !isDecision(status) || status == told[msg.ID] || status == agui.StatusOpen && told[msg.ID] == "" {
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
