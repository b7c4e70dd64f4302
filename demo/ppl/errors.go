package ppl

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/pageside/pageside/internal/nearest"
	"github.com/pageside/pageside/internal/visible"
)

// Error says what is wrong with a query, and where. Line and Column count from 1, Column and Length
// in code points; a Length of 0 is at the query's end. Expected lists what would have been
// accepted, if known.
type Error struct {
	Message  string
	Line     int
	Column   int
	Length   int
	Expected []string
}

func (e *Error) Error() string {
	return fmt.Sprintf("line %d, column %d: %s", e.Line, e.Column, e.Message)
}

func errorAt(p Pos, expected []string, format string, args ...any) *Error {
	return &Error{Message: fmt.Sprintf(format, args...), Line: p.Line, Column: p.Column, Length: p.Length, Expected: expected}
}

// unknownName returns the error for an unknown name, with the nearest known ones.
func unknownName(p Pos, what, name string, known []string) *Error {
	meant, hint := Meant(name, known)
	return errorAt(p, meant, "unknown %s %q%s", what, name, hint)
}

// Meant returns which known names an unknown one is near to, or all of them, and the same in words.
func Meant(name string, known []string) (names []string, hint string) {
	if near := nearestTo(name, known, 3); len(near) > 0 {
		return near, "; did you mean " + strings.Join(near, " or ") + "?"
	}
	return known, "; there are: " + strings.Join(known, ", ")
}

// nearestTo returns at most limit candidates that name is most likely a misspelling of, best first.
func nearestTo(name string, candidates []string, limit int) []string {
	type scored struct {
		name     string
		distance int
	}
	var near []scored
	name = strings.ToLower(visible.Cut(name, 64))
	for _, c := range candidates {
		lower := strings.ToLower(c)
		d := nearest.Distance(name, lower)
		if len(name) >= 3 && (strings.Contains(lower, name) || strings.Contains(name, lower)) {
			d = min(d, 1)
		}
		if d <= max(1, len(name)/3) {
			near = append(near, scored{c, d})
		}
	}
	slices.SortStableFunc(near, func(a, b scored) int { return a.distance - b.distance })
	var names []string
	for _, s := range near[:min(limit, len(near))] {
		names = append(names, s.name)
	}
	return names
}

// AsError returns the *Error in err's chain, or nil.
func AsError(err error) *Error {
	e, _ := errors.AsType[*Error](err)
	return e
}
