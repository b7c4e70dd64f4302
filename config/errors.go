package config

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// Error is one problem of a file.
type Error struct {
	File   string
	Line   int    // 0 for the whole file
	Field  string // such as pages[0].tools[2]
	Reason string
}

// Error returns FILE:LINE: FIELD: REASON, as far as they are known.
func (e Error) Error() string {
	where := e.File
	if e.Line > 0 {
		where = fmt.Sprintf("%s:%d", e.File, e.Line)
	}
	if e.Field == "" {
		return where + ": " + e.Reason
	}
	return where + ": " + e.Field + ": " + e.Reason
}

// sortByLine sorts problems by line, then by field.
func sortByLine(problems Errors) {
	slices.SortStableFunc(problems, func(a, b Error) int {
		return cmp.Or(cmp.Compare(a.Line, b.Line), cmp.Compare(a.Field, b.Field))
	})
}

// with adds problems that were found later, except those that follow from the ones before: about
// the same field, one inside it, or one around it.
func (e Errors) with(later Errors) Errors {
	before := e[:len(e):len(e)]
	for _, l := range later {
		if !slices.ContainsFunc(before, func(b Error) bool {
			return inside(l.Field, b.Field) || inside(b.Field, l.Field)
		}) && !slices.Contains(e, l) {
			e = append(e, l)
		}
	}
	return e
}

// inside reports whether a field is another one, or stands in it. Nothing is inside the whole file.
func inside(field, other string) bool {
	rest, ok := strings.CutPrefix(field, other)
	return ok && other != "" && (rest == "" || rest[0] == '.' || rest[0] == '[')
}

// Errors is every problem of a file, in the order of its lines.
type Errors []Error

// Error returns one line for each problem.
func (e Errors) Error() string {
	lines := make([]string, len(e))
	for i, one := range e {
		lines[i] = one.Error()
	}
	return strings.Join(lines, "\n")
}
