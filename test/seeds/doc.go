// Package seeds proves, from outside, what the texts that Pageside comes from ask of its server:
// the whole of it, over HTTP, on SQLite. It has no code of its own, only tests.
//
// What the texts ask of the protocols of others and of the client is tested with those: in
// protocol/*, in web/conformance, and in the packages' tests.
package seeds
