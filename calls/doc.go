// Package calls decides whether a tool call may run now, and records what became of it, whoever
// makes the call: a model, a button of the page, or a client of another protocol.
//
//	judged := calls.Judgement{Tainted: true, Permission: access.Decide(ctx, question)}
//	switch judged.Case(t, false).Verdict() {
//	case calls.Runs:
//		result, err := executor.Run(ctx, t, call, entry, nil)
//
// How a person is asked is left to the caller: an interrupt of a run, HTTP 409, a form of the
// client. The decision is the same behind each of these doors. The package knows no runs, no
// threads and no protocol.
package calls
