// Package a2a serves A2A, the Agent2Agent protocol, version 1.0, in its JSON-RPC binding, so that
// agents elsewhere can ask ours. A context is a thread, a task is a run, and the answers to what a
// task waits for go on under its id. Texts and payloads of a run are the task's artifacts.
//
// The translation is complete here: docs/reference/a2a.md says what of the protocol is served.
package a2a
