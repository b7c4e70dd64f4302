// Package a2a serves A2A, the Agent2Agent protocol, version 1.0, in its JSON-RPC binding, so that
// agents elsewhere can ask ours. A context is a thread, a task is a run, and the answers to what a
// task waits for go on under its id. Texts and payloads of a run are the task's artifacts.
//
// The protocol is the library's (a2asrv), and its methods are here. What the library would take of
// a request, and we would not, is refused before: see docs/adr/0060. docs/reference/a2a.md says
// what of the protocol is served.
package a2a
