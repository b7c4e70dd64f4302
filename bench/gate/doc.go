// Package gate counts what a run costs the server, in allocations and bytes, and its test fails
// where that rises: a count is the same on a quiet machine and on a busy one, which a time is not.
package gate
