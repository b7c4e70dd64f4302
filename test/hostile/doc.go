// Package hostile proves that the server decides what happens, and nobody else: a model that obeys
// whatever it reads, a client that forges answers, another user, or an address that leads inside.
// It has no code of its own, only programs written as tests.
//
// Each generates its cases from tables and runs a sample of them with -short. What must not happen
// is counted where it would happen: at an endpoint, a tool, or a listening socket. Each program
// has controls that must have an effect, so that one that tries nothing fails.
package hostile
