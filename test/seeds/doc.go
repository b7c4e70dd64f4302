// Package seeds proves, from outside, what the texts that Pageside comes from ask for: one named
// test for each requirement, against the whole server over HTTP on SQLite. It has no code of its
// own, only tests.
//
// What the client's side owes is tested beside this in web/conformance and in the packages' tests.
package seeds
