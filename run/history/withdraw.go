package history

import (
	"cmp"
	"slices"

	"github.com/pageside/pageside/agui"
	"github.com/pageside/pageside/calls"
	"github.com/pageside/pageside/page"
)

// Check refuses a request that asks for things which exclude each other.
func Check(at page.Forwarded, in *agui.RunAgentInput) error {
	return cmp.Or(checkContinues(at, in), checkWithdraw(at, in))
}

// checkWithdraw refuses a request that withdraws what waits and also says or answers something.
func checkWithdraw(at page.Forwarded, in *agui.RunAgentInput) error {
	bad := func(message string) error {
		return &Error{Field: "forwardedProps.pageside.withdraw", Message: message}
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
