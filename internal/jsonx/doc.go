// Package jsonx reads and writes JSON by hand where the wire is hot and must be strict.
//
// It has a one-pass validator for untrusted bodies, a cursor that walks already valid JSON without
// allocating, string quoting and unquoting, and RFC 6902 patches. It knows nothing of AG-UI.
package jsonx
