package history

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/pageside/pageside/agui"
	"github.com/pageside/pageside/calls"
	"github.com/pageside/pageside/run/refusal"
)

// unanswered reports whether the last user message has no answer; then sending it again is a retry.
// A payload is an answer too, unless the text next to it was cut off.
func unanswered(stored []agui.Message) bool {
	payload, broken := false, false
	for i := len(stored) - 1; i >= 0; i-- {
		msg := &stored[i]
		switch msg.Role {
		case agui.RoleUser, agui.RoleTool:
			return broken || !payload
		case agui.RoleActivity:
			payload = payload || isAnswer(msg)
		case agui.RoleAssistant:
			if !failed(msg) {
				return false
			}
			broken = true
		}
	}
	return false
}

// Answered reports whether a run was complete that made some of the messages: it ends with an
// answer of its own.
func Answered(messages []agui.Message, made map[string]bool) bool {
	for _, msg := range slices.Backward(messages) {
		switch msg.Role {
		case agui.RoleAssistant:
			return made[msg.ID] && len(msg.ToolCalls) == 0 && msg.Content.Text() != "" && !failed(&msg)
		case agui.RoleActivity:
			if made[msg.ID] && isAnswer(&msg) {
				return true
			}
			if _, ok := agui.ReadNote(&msg, agui.NoteCall); ok && made[msg.ID] {
				return false // the model has made a call
			}
		case agui.RoleUser, agui.RoleTool:
			return false
		}
	}
	return false
}

// Answerable returns the messages without answers cut off by an error: the model answers again.
func Answerable(messages []agui.Message) []agui.Message {
	isFailed := func(m agui.Message) bool { return failed(&m) }
	if !slices.ContainsFunc(messages, isFailed) {
		return messages
	}
	return slices.DeleteFunc(slices.Clone(messages), isFailed)
}

// failed reports whether an error cut off the message.
func failed(msg *agui.Message) bool {
	if msg.Role != agui.RoleAssistant || len(msg.ToolCalls) > 0 {
		return false
	}
	return agui.StatusOf(msg.Metadata) == agui.StatusFailed
}

// checkResume refuses answers to open interrupts that ask for more than was offered.
func checkResume(open []calls.Interrupt, sent []agui.ResumeEntry) error {
	for n, entry := range sent {
		i := slices.IndexFunc(open, func(i calls.Interrupt) bool { return i.ID == entry.InterruptID })
		if i < 0 || entry.Status != agui.ResumeResolved {
			continue
		}
		err := open[i].CheckAnswer(entry.Payload)
		if e, ok := errors.AsType[*agui.FieldError](err); ok {
			field := strings.TrimSuffix(fmt.Sprintf("resume[%d].payload.%s", n, e.Path), ".")
			return refusal.Field(field, "%s: %s", field, e.Reason)
		}
	}
	return nil
}

// checkAnswers refuses a request that answers some of an agent's own questions and says nothing to
// the others: they are answered together.
func (m *Merged) checkAnswers(open []calls.Interrupt) error {
	if len(m.Resume) == 0 || m.goesOn() {
		return nil
	}
	for _, i := range open {
		if i.Own && !HasAnswer(m.Resume, i.ID) {
			return refusal.Field("resume",
				"resume: the interrupt %q has no answer: all of an agent's questions are answered together", i.ID)
		}
	}
	return nil
}
