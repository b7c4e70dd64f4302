// Package copilotkit speaks the protocol between CopilotKit's front end and its runtime, so that
// its React UI runs on Pageside with no Node server. Runs are AG-UI's in both, and pass through as
// they are; this package adds what is around them: the runtime's description, threads that are
// shown again after a reload, stopping, suggestions, and the form in which all of it goes to one
// address. The reference is docs/reference/copilotkit.md.
package copilotkit
