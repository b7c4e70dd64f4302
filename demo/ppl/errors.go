package ppl

import (
	"fmt"
	"slices"
	"strings"

	"github.com/pageside/pageside/demo/refuse"
	"github.com/pageside/pageside/internal/nearest"
	"github.com/pageside/pageside/internal/visible"
)

// errorAt says what is wrong with a query, where, and what would have been accepted, if known. A
// length of 0 is at the query's end.
func errorAt(p Pos, expected []string, format string, args ...any) *refuse.Error {
	at := map[string]any{"line": p.Line, "column": p.Column, "length": p.Length}
	e := refuse.BadQuery("ppl_error", fmt.Sprintf(format, args...), at, expected)
	e.Where = fmt.Sprintf("query: line %d, column %d: ", p.Line, p.Column)
	return e
}

// unknownName returns the error for an unknown name, with the nearest known ones.
func unknownName(p Pos, what, name string, known []string) *refuse.Error {
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
