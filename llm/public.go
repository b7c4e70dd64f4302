package llm

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/pageside/pageside/internal/lazy"
)

// PublicError is an error in the application's own words: its code and message are shown to the
// user, as RUN_ERROR. A Model written in Go returns one to say what only it knows, such as that an
// account is suspended. It is never retried, and no fallback is asked. Every other error but an
// *Error is hidden from users as "internal".
type PublicError struct {
	// Code is for programs: lower-case letters, digits and underscores, beginning with a letter, at
	// most 64. The codes that the server gives itself are taken, and so is what begins with llm_.
	Code    string
	Message string // for the user: one line of plain text, at most 1000 bytes
	Err     error  // the cause, for the log; may be nil
}

func (e *PublicError) Error() string { return e.Code + ": " + e.Message }
func (e *PublicError) Unwrap() error { return e.Err }

const maxPublicMessage = 1000 // bytes

var publicCode = lazy.Regexp(`^[a-z][a-z0-9_]{0,63}$`)

// Validate returns why the error cannot be shown, or nil.
func (e *PublicError) Validate() error {
	switch {
	case !publicCode().MatchString(e.Code):
		return fmt.Errorf("the code %.80q must be 1 to 64 lower-case letters, digits and underscores, beginning with a letter",
			e.Code)
	case strings.HasPrefix(e.Code, "llm_"):
		return fmt.Errorf("the code %q: codes that begin with llm_ are of an llm.Error", e.Code)
	case strings.TrimSpace(e.Message) == "":
		return fmt.Errorf("the message of %q is empty", e.Code)
	case len(e.Message) > maxPublicMessage:
		return fmt.Errorf("the message of %q has %d bytes; at most %d are shown", e.Code, len(e.Message),
			maxPublicMessage)
	case !utf8.ValidString(e.Message) || strings.ContainsFunc(e.Message, func(r rune) bool {
		return r < ' ' || r == 0x7f
	}):
		return fmt.Errorf("the message of %q must be one line of text", e.Code)
	}
	return nil
}
