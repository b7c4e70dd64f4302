// Package refuse has the one error of the demo: what is said to a client or a model whose request,
// query or arguments are not taken.
package refuse

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"unicode/utf8"
)

// Error is a refused request.
type Error struct {
	Status  int
	Code    string
	Message string
	Details map[string]any // may be nil

	// A model is told where it went wrong in front of the message, such as "query: at character 5:
	// ", and perhaps what to do.
	Where, Hint string
}

func (e *Error) Error() string { return e.Where + e.Message }

// BadField returns the error for an invalid field of a request.
func BadField(field, format string, args ...any) *Error {
	return &Error{Status: http.StatusBadRequest, Code: "invalid_request", Message: field + " " + fmt.Sprintf(format, args...), Details: map[string]any{"field": field}}
}

// NotFound returns the error for something that does not exist.
func NotFound(format string, args ...any) *Error {
	return &Error{Status: http.StatusNotFound, Code: "not_found", Message: fmt.Sprintf(format, args...)}
}

// BadQuery returns the error for a query that cannot be read: where in it that is, and what was
// expected there.
func BadQuery(code, message string, at map[string]any, expected []string) *Error {
	at["expected"] = List(expected)
	return &Error{Status: http.StatusUnprocessableEntity, Code: code, Message: message, Details: at}
}

// Length checks how long a text of a request is, without the space around it.
func Length(field, text string, least, most int) error {
	if n := utf8.RuneCountInString(strings.TrimSpace(text)); n < least || n > most {
		return BadField(field, "must have %d to %d characters", least, most)
	}
	return nil
}

// Count checks the length of a list of a request.
func Count(field string, n, most int) error {
	if n > most {
		return BadField(field, "has more than %d values", most)
	}
	return nil
}

// OneOf checks a word of a request; empty is the default.
func OneOf(field, value string, allowed ...string) error {
	if value != "" && !slices.Contains(allowed, value) {
		return BadField(field, "must be one of %s", strings.Join(allowed, ", "))
	}
	return nil
}

// Caught is deferred by parsers, which give up by a panic with an *Error: that becomes err.
func Caught(err *error) {
	switch r := recover().(type) {
	case nil:
	case *Error:
		*err = r
	default:
		panic(r)
	}
}

// List returns a list for the client: never null.
func List[T any](list []T) []T {
	if list == nil {
		return []T{}
	}
	return list
}
