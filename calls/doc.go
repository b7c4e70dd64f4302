// Package calls decides whether a tool call may run now, and records what became of it, whoever
// makes the call: a model, a button of the page, or a client of another protocol.
//
//	judged := calls.Judgement{Tainted: true, Permission: access.Decide(ctx, question)}
//	switch judged.Case(t, false).Verdict() {
//	case calls.Runs:
//		result, err := executor.Run(ctx, t, call, entry, nil)
//
// A call is written, held for a person, approved, started and done (State). Case is the rule about
// whether it must be held; Judgement is what was decided; Interrupt is the question, Decision the
// answer, Grants what the user has allowed for good; Executor records and runs it.
//
// How the question travels is left to the caller: as an interrupt of a run, as HTTP 409, or as a
// form of the client. The decision is the same behind each of these doors. The package knows no
// runs, no threads and no protocol.
package calls
