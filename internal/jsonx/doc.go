// Package jsonx reads and writes JSON by hand for speed and strictness.
//
// It has a one-pass validator for untrusted bodies, a decoder that walks valid JSON without
// allocating, string quoting and unquoting, and RFC 6902 patches. It knows nothing about AG-UI.
package jsonx
