package history

import (
	"cmp"
	"slices"

	"github.com/pageside/pageside/agui"
	"github.com/pageside/pageside/calls"
	"github.com/pageside/pageside/page"
	"github.com/pageside/pageside/run/refusal"
)

// Check refuses a request that asks for things which exclude each other.
func Check(at page.Forwarded, in *agui.RunAgentInput) error {
	return cmp.Or(checkContinues(at, in), checkWithdraw(at, in))
}

// checkWithdraw refuses a request that withdraws what waits and also says or answers something.
func checkWithdraw(at page.Forwarded, in *agui.RunAgentInput) error {
	bad := func(message string) error {
		return refusal.Field("forwardedProps.pageside.withdraw", "%s", message)
	}
	resolves := func(e agui.ResumeEntry) bool { return e.Status == agui.ResumeResolved }
	switch {
	case !at.Withdraw:
		return nil
	case at.Replaces != "" || at.Continues != "":
		return bad("a run cannot withdraw what waits and replace a question or go on with an answer")
	case len(in.Messages) > 0:
		return bad("a run cannot withdraw what waits and bring messages")
	case slices.ContainsFunc(in.Resume, resolves):
		return bad("a run cannot withdraw what waits and answer it")
	}
	return nil
}

// withdraw has the run end what waits on the branch. Where nothing does, it shows the thread.
func (m *Merged) withdraw(open []calls.Interrupt) {
	m.Answer = len(open) > 0 || len(m.Pending) > 0
	m.Snapshot = !m.Answer
	m.Resume = nil
	for _, i := range open {
		m.Resume = append(m.Resume, agui.ResumeEntry{InterruptID: i.ID, Status: agui.ResumeCancelled})
	}
}

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
	return refusal.Field(continuesField, format, args...)
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
