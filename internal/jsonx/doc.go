// Package jsonx reads and writes JSON, by hand where speed and strictness ask for it.
//
// It has a one-pass validator for untrusted bodies, a decoder that walks valid JSON without
// allocating, string quoting and unquoting, and RFC 6902 patches. What is not hot is written by
// Marshal, from tags. It knows nothing about AG-UI.
package jsonx
