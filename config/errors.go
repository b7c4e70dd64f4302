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
	slices.SortStableFunc(problems, func(a, b Error) int { return cmp.Or(cmp.Compare(a.Line, b.Line), cmp.Compare(a.Field, b.Field)) })
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
