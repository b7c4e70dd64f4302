package tool

import (
	"encoding/json"
	"errors"
	"strings"

	"github.com/pageside/pageside/internal/jsonx"
)

// Error says what went wrong with a call. The model gets it as data. A handler may return one to
// say more than a sentence.
type Error struct {
	Code      string // one of the codes below, or the tool's own
	Message   string // for the model, and for people who open the call
	Retryable bool   // the same call, or a corrected one, may succeed
	Hint      string // what to do instead; may be empty
	// EndsRun ends the run with RUN_ERROR, Code and Message, once the calls that run beside this
	// one have ended: nothing that the model could say helps the user. Both are shown to the user,
	// so they must be as an llm.PublicError has them: lower-case words, and one line of text.
	EndsRun bool
}

// The codes of errors the server itself gives.
const (
	CodeInvalidArgs = "invalid_args" // not JSON, or not what the schema asks for
	CodeUnknownTool = "unknown_tool" // no tool of that name is offered here
	CodeFailed      = "failed"       // the handler returned an error
	CodePanic       = "panic"        // the handler panicked; the log has the stack
	CodeTimeout     = "timeout"      // the handler took longer than its tool allows
	CodeUnavailable = "unavailable"  // too many earlier calls never returned
	CodeRateLimited = "rate_limited" // the user had it called too often; the call was not made
	CodeTooLarge    = "too_large"    // the result is too large for a model
	// the model's answer ended before the call was complete: it was not executed
	CodeCutOff      = "cut_off"
	CodeNotExecuted = "not_executed" // nobody ran the call
	CodeInterrupted = "interrupted"  // the run ended while the call was open
	CodeRepeated    = "repeated"     // the same call gave the same result too often
	// the tool asked the user for more and got no answer
	CodeInputRequired = "input_required"
)

func (e *Error) Error() string { return e.Message }

// JSON returns the form that a model sees: {"error":{"code","message","retryable","hint"}}.
func (e *Error) JSON() string {
	type problem struct {
		Code      string `json:"code"`
		Message   string `json:"message"`
		Retryable bool   `json:"retryable"`
		Hint      string `json:"hint,omitzero"`
	}
	return string(jsonx.Marshal(map[string]problem{"error": {e.Code, e.Message, e.Retryable, e.Hint}}))
}

// InDoubt completes the error of a call that broke off. A tool that only reads, or that may be
// called twice, can be called again; whether any other has had an effect is not known.
func (e *Error) InDoubt(effect Effect) *Error {
	if effect == Read || effect == Idempotent {
		e.Retryable = true
		return e
	}
	e.Message += ": whether it had an effect is not known"
	e.Hint = "Find out before you try again."
	return e
}

// Result returns the error as the result of a call.
func (e *Error) Result() Result {
	r := Result{Text: e.JSON(), IsError: true}
	if e.EndsRun {
		r.Ends = e
	}
	return r
}

const errorPrefix = `{"error":{"code":`

// IsErrorText reports whether a result's text is an Error: AG-UI's TOOL_CALL_RESULT has no field
// that says so.
func IsErrorText(text string) bool { return strings.HasPrefix(text, errorPrefix) }

// HasErrorCode reports whether a result's text is an error with the code.
func HasErrorCode(text, code string) bool {
	rest, ok := strings.CutPrefix(text, errorPrefix)
	return ok && strings.HasPrefix(rest, `"`+code+`"`)
}

// ErrorCode returns the code of a result's text that is an Error, else "".
func ErrorCode(text string) string {
	code, _, _ := readError(text)
	return code
}

// ErrorMessage returns the message of a result's text that is an Error, else the text.
func ErrorMessage(text string) string {
	if _, message, ok := readError(text); ok {
		return message
	}
	return text
}

func readError(text string) (code, message string, ok bool) {
	var doc struct {
		Error struct{ Code, Message string }
	}
	ok = IsErrorText(text) && json.Unmarshal([]byte(text), &doc) == nil
	return doc.Error.Code, doc.Error.Message, ok
}

// IsErrorJSON is IsErrorText for a text given as a JSON string literal.
func IsErrorJSON(quoted json.RawMessage) bool {
	return strings.HasPrefix(string(quoted[:min(len(quoted), len(quotedErrorPrefix))]), quotedErrorPrefix)
}

var quotedErrorPrefix = strings.TrimSuffix(string(jsonx.AppendString(nil, errorPrefix)), `"`)

// asError returns err as an *Error, wrapping any other in CodeFailed.
func asError(err error) *Error {
	if e, ok := errors.AsType[*Error](err); ok {
		return e
	}
	return &Error{Code: CodeFailed, Message: err.Error()}
}

// RuleRate is the rule, in the audit log, behind the refusal of a call beyond the tool's rate.
const RuleRate = "policy.rate"
