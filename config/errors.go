package config

import (
	"fmt"
	"strings"
)

// Error is one thing that is wrong with a file.
type Error struct {
	File   string
	Line   int    // 0 where it concerns the whole file
	Field  string // such as pages[0].tools[2]
	Reason string
}

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

// Errors is everything that is wrong with a file, in the order of its lines.
type Errors []Error

func (e Errors) Error() string {
	lines := make([]string, len(e))
	for i, one := range e {
		lines[i] = one.Error()
	}
	return strings.Join(lines, "\n")
}
