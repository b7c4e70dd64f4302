package history

import (
	"fmt"
	"slices"

	"github.com/pageside/pageside/agui"
	"github.com/pageside/pageside/page"
)

// continuesField names the message that a request continues.
const continuesField = "forwardedProps.pageside.continues"

// checkContinues refuses a request that continues an answer and also says something.
func checkContinues(at page.Forwarded, in *agui.RunAgentInput) error {
	switch {
	case at.Continues == "":
		return nil
	case at.Replaces != "":
		return badContinues("a run cannot go on with an answer and replace a question")
	case len(in.Resume) > 0:
		return badContinues("a run cannot go on with an answer and answer interrupts")
	}
	return nil
}

func badContinues(format string, args ...any) error {
	return &Error{Field: continuesField, Message: fmt.Sprintf(format, args...)}
}

// goOn makes the run continue a cut answer. The answer must end the branch, and the request may
// bring nothing else.
func (m *Merged) goOn(thread []agui.Message, id string) error {
	if id == "" {
		return nil
	}
	switch err := checkCut(thread, id); {
	case err != nil:
		return err
	case len(m.Messages) > 0:
		return badContinues("a run cannot go on with message %q and bring new ones", id)
	}
	m.Answer, m.Snapshot = true, false
	return nil
}

// checkCut refuses a message that is not the end of the thread's last answer, or was not cut off.
func checkCut(thread []agui.Message, id string) error {
	for i := range slices.Backward(thread) {
		msg := &thread[i]
		switch _, isPayload := readPayload(msg); {
		case msg.ID == id && agui.CutBy(msg) == "":
			return badContinues("message %q was not cut off", id)
		case msg.ID == id:
			return nil
		case msg.Role == agui.RoleReasoning, msg.Role == agui.RoleTool, msg.IsNote(), isPayload:
			// part of the same answer
		case slices.ContainsFunc(thread, func(m agui.Message) bool { return m.ID == id }):
			return badContinues("message %q is not the thread's last answer", id)
		}
	}
	return badContinues("the thread has no message %q", id)
}
