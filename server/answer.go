package server

import (
	"cmp"
	"net/http"
	"strings"

	"github.com/pageside/pageside/agui"
	"github.com/pageside/pageside/internal/lazy"
	"github.com/pageside/pageside/run/refusal"
)

// Paragraph is between the texts of an answer's steps, where a protocol has one text for them.
const Paragraph = "\n\n"

// Steps tells the texts of an answer's steps apart.
type Steps struct{ message string }

// Begins reports whether a piece begins the text of another message than the piece before it.
func (s *Steps) Begins(e *agui.TextMessageContent) bool {
	begins := s.message != e.MessageID
	s.message = e.MessageID
	return begins
}

// Delta returns a piece as one of the text of all steps.
func (s *Steps) Delta(e *agui.TextMessageContent) string {
	if first := s.message == ""; s.Begins(e) && !first {
		return Paragraph + e.Delta
	}
	return e.Delta
}

// FailureOf returns why the last event of a run leaves a client without an answer, or nil. It is
// for protocols that cannot ask a person, which cannotAsk says of them.
func FailureOf(e agui.Event, cannotAsk string) *Error {
	switch e := e.(type) {
	case *agui.RunError:
		return &Error{Status: http.StatusBadGateway, Code: cmp.Or(e.Code, "server_error"), Message: e.Message}
	case *agui.RunFinished:
		switch o := e.Outcome; {
		case o == nil:
		case o.Type == agui.OutcomeCancelled:
			return &Error{Status: http.StatusConflict, Code: "cancelled", Message: "the answer was cancelled"}
		case len(o.Interrupts) > 0:
			return &Error{
				Status: http.StatusForbidden, Code: "approval_required",
				Message: "the answer waits for a person, " + cannotAsk + ": " + o.Interrupts[0].Message,
			}
		}
	}
	return nil
}

// NotFound returns the error for what there is not, or not for the caller.
func NotFound(message string) *Error {
	return &Error{Status: http.StatusNotFound, Code: string(refusal.NotFound), Message: message}
}

// OrNotFound returns an error, with the protocol's own message if it says that there is no such
// run or thread.
func OrNotFound(err error, message string) error {
	if refusal.CodeOf(err) == refusal.NotFound {
		return NotFound(message)
	}
	return err
}

// Tell sets a header of the answer that pages of other origins may read too.
func (x *Exchange) Tell(name, value string) {
	h := x.Writer.Header()
	h.Set(name, value)
	if h.Get("Access-Control-Allow-Origin") != "" {
		h.Add("Access-Control-Expose-Headers", name)
	}
}

// Ignored are the names of what a request asks for and the operator's configuration decides.
type Ignored []string

// maxIgnored bounds how many of them are told: the client chooses the names.
const maxIgnored = 30

var tellable = lazy.Regexp(`^[\w.-]{1,64}$`)

// Add adds a name, behind the field that has it, if any. One that does not look like a name is left
// out: it would stand in a header.
func (i *Ignored) Add(field, name string) {
	if tellable().MatchString(name) {
		*i = append(*i, field+name)
	}
}

// Ignore names what of the request is ignored in the header of the answer. No values are told:
// credentials may be among them.
func (x *Exchange) Ignore(list Ignored) {
	if len(list) > 0 {
		x.Writer.Header().Set("Pageside-Ignored", strings.Join(list[:min(len(list), maxIgnored)], ", "))
	}
}
