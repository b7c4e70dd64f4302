package run

import (
	"slices"

	"github.com/pageside/pageside/agui"
	"github.com/pageside/pageside/page"
)

// checkWithdraw refuses a request that withdraws what waits and also says or answers something.
func checkWithdraw(at page.Forwarded, in *agui.RunAgentInput) error {
	bad := func(message string) error {
		return &Error{Code: CodeInvalid, Field: "forwardedProps.pageside.withdraw", Message: message}
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
func (m *merged) withdraw(h history) {
	m.answer = len(h.interrupts) > 0 || len(m.pending) > 0
	m.snapshot = !m.answer
	m.resume = nil
	for _, i := range h.interrupts {
		m.resume = append(m.resume, agui.ResumeEntry{InterruptID: i.ID, Status: agui.ResumeCancelled})
	}
}
