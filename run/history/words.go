package history

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/pageside/pageside/agui"
	"github.com/pageside/pageside/calls"
)

// What counts as a plain yes or no, without punctuation and in lower case.
var (
	yes = []string{
		"yes", "y", "yep", "yeah", "yes please", "ok", "okay", "sure", "go ahead", "do it", "approve",
		"approved", "confirm", "confirmed", "ja", "ja bitte", "klar", "einverstanden", "oui", "sí", "si", "sim",
		"да", "はい", "是", "好",
	}
	no = []string{
		"no", "n", "nope", "no thanks", "no thank you", "deny", "denied", "decline", "cancel", "stop", "don't",
		"do not", "nein", "nein danke", "nicht", "non", "não", "нет", "いいえ", "不", "否",
	}
)

// answerInWords lets the user's new message answer what was asked in words: a plain yes or no
// decides, and whatever else is said declines, as a new message does. Only the user's own typed
// words count: no suggestion that was clicked, and nothing that another model may have written.
func (m *Merged) answerInWords(open []calls.Interrupt, relayed bool) {
	i := slices.IndexFunc(m.Messages, isUser)
	if i < 0 || relayed || slices.ContainsFunc(m.Messages[i+1:], isUser) {
		return
	}
	said := &m.Messages[i]
	if own, _ := agui.ReadMetadata(said.Metadata); own.Suggested || !said.Content.IsText() {
		return
	}
	text := strings.ToLower(strings.Trim(oneLine(said.Content.Text()), " .,!"))
	if agrees := slices.Contains(yes, text); agrees || slices.Contains(no, text) {
		m.answerAll(open, agrees)
	}
}

// answerAll answers all approvals that were asked for in words and have no other answer, or else
// the questions: a yes to one thing must not allow another.
func (m *Merged) answerAll(open []calls.Interrupt, agrees bool) {
	approvals := slices.ContainsFunc(open, func(i calls.Interrupt) bool {
		return i.Words && i.Reason == calls.ReasonToolCall
	})
	for _, asked := range open {
		if !asked.Words || approvals && asked.Reason != calls.ReasonToolCall || HasAnswer(m.Resume, asked.ID) {
			continue
		}
		var payload any
		switch asked.Reason {
		case calls.ReasonToolCall:
			payload = map[string]bool{"approved": agrees}
		case calls.ReasonConfirmation:
			payload = map[string]bool{"answer": agrees}
		default:
			continue // a text: the message itself is the answer
		}
		raw, _ := json.Marshal(payload) // a bool: cannot fail
		m.Resume = append(m.Resume, agui.ResumeEntry{InterruptID: asked.ID, Status: agui.ResumeResolved, Payload: raw})
	}
}

// InWords adds to the calls that wait for the client those that a person was asked about in words:
// in AG-UI a run that succeeds lists all of its calls that have no result, in the order in which
// they began.
func InWords(messages []agui.Message, pending []string, open []calls.Interrupt) []string {
	if !slices.ContainsFunc(open, func(i calls.Interrupt) bool { return i.Words }) {
		return pending
	}
	began := openCalls(messages)
	return slices.DeleteFunc(began.ids(), func(id string) bool {
		asked := slices.ContainsFunc(open, func(i calls.Interrupt) bool {
			return i.Words && !i.Frontend && i.ToolCallID == id
		})
		return !asked && !slices.Contains(pending, id)
	})
}

// Drawn returns the interrupts that a client is to draw: those that were not asked in words.
func Drawn(open []calls.Interrupt) []agui.Interrupt {
	var asked []agui.Interrupt
	for i := range open {
		if !open[i].Words {
			asked = append(asked, open[i].AGUI())
		}
	}
	return asked
}
