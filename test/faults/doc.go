// Package faults proves that runs survive: processes are killed, connections cut, disks filled and
// models made to misbehave, and what a client has seen, what a tool has done and what a thread
// holds afterwards is compared with what is promised. docs/reliability.md says what that is, and
// which program proves what.
//
// The package has no code of its own, only programs written as tests. `make test` runs the one that
// lives in virtual time, `make test-long` all of them, and `make faults` their long version: it
// sets FAULTS=long and prints a table of what was done and measured. FAULTS=20% makes a fifth of
// it. PAGESIDE_SEED repeats the choices of a run, though not its timing.
//
// Where a process has to die it is this test binary, started again as a server (serveChild): the
// real routes, runs, agent and SQLite store on a loopback port, with tools that write into a ledger
// outside and failpoints in front of and behind the store's operations. The model is an HTTP server
// in the parent (provider), which counts calls and refuses histories as real providers do. What
// concerns signals and shutdown is tested with cmd/pageside itself.
package faults
