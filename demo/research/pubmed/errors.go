package pubmed

import "fmt"

// Error is a search that cannot be read. Position and Length are in code points, from 0; Length 0
// points at the end.
type Error struct {
	Message  string
	Position int
	Length   int
	Expected []string // what could stand there; may be empty
}

func (e *Error) Error() string { return fmt.Sprintf("at %d: %s", e.Position, e.Message) }

func errorAt(position, length int, expected []string, format string, args ...any) *Error {
	return &Error{Message: fmt.Sprintf(format, args...), Position: position, Length: length, Expected: expected}
}
