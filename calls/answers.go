package calls

import (
	"encoding/json"
	"fmt"

	jsonv2 "github.com/go-json-experiment/json"

	"github.com/pageside/pageside/internal/visible"
	"github.com/pageside/pageside/policy"
	"github.com/pageside/pageside/tool"
)

// Decision is a person's answer about a call that needs approval.
type Decision struct {
	Approved bool
	Always   *Terms          // and calls like this one, from now on; nil for this one alone
	Args     json.RawMessage // nil keeps the proposed ones
	Reason   string          // of a denial; at most 2,000 bytes
}

// maxReason bounds the reason given with a denial, in bytes.
const maxReason = 2000

// ParseDecision reads the answer to an approval. Only an object whose approved is exactly true
// approves. Anything unreadable denies, as does an object with a duplicate name, which two readers
// could interpret differently.
func ParseDecision(payload json.RawMessage) Decision {
	var fields map[string]json.RawMessage
	if jsonv2.Unmarshal(payload, &fields) != nil {
		return Decision{}
	}
	terms, err := readTerms(fields)
	if err != nil {
		return Decision{} // what it would allow is not clear
	}
	d := Decision{Approved: string(fields["approved"]) == "true", Always: terms}
	if args := fields["args"]; string(args) != "null" {
		d.Args = args
	}
	if jsonv2.Unmarshal(fields["reason"], &d.Reason) != nil {
		d.Reason = ""
	}
	d.Reason = visible.Cut(d.Reason, maxReason)
	return d
}

// NotPermitted is the error for a call that the policy refuses.
func NotPermitted(name string, a policy.Answer) *tool.Error {
	e := &tool.Error{
		Code: CodeNotPermitted, Message: "the user is not permitted to use " + name + " like this; it was not executed",
		Hint: "Do not try to get the same effect another way. Tell the user, who may ask an administrator for the permission.",
	}
	if a.Reason != "" {
		e.Message += ": " + a.Reason
	}
	return e
}

// The functions below return the results of calls that were not run, or whose result is lost. They
// are data for the model, which continues with them.

// refusal returns the result of a call that was not run, and need not be tried again.
func refusal(code, message, hint string) tool.Result {
	return (&tool.Error{Code: code, Message: message, Hint: hint}).Result()
}

// Denied is for a call that a person denied.
func Denied(reason string) tool.Result {
	message := "the user denied this call; it was not executed"
	if reason != "" {
		message += ". The reason given: " + reason
	}
	return refusal(CodeDenied, message,
		"Do not try to get the same effect another way. Ask the user what to do instead, or go on without it.")
}

// Declined is for a question that a person did not want to answer.
func Declined() tool.Result {
	return refusal(CodeDeclined, "the user did not want to answer", "Go on without the answer, or say what is missing.")
}

// NotAllowed is for a call whose allowance no longer holds.
func NotAllowed() tool.Result {
	return (&tool.Error{
		Code:      tool.CodeNotExecuted,
		Message:   "not executed: the user had allowed this call without being asked, and that no longer holds",
		Retryable: true,
		Hint:      "Call the tool again only if it is still needed: the user is asked then.",
	}).Result()
}

// Expired is for a call that nobody decided about in time.
func Expired() tool.Result {
	return refusal(CodeExpired, "nobody answered in time; it was not executed",
		"Tell the user. Call the tool again only if the user still wants it.")
}

// Overtaken is for a call that waited when the user sent a message.
func Overtaken() tool.Result {
	return refusal(tool.CodeNotExecuted, "not executed: the user sent a new message", "")
}

// Withdrawn is for a call that the user no longer waits for.
func Withdrawn() tool.Result {
	return refusal(tool.CodeNotExecuted, "not executed: the user cancelled the request instead of answering", "")
}

// NeverBegun is for a call that was cut off before it began.
func NeverBegun() tool.Result {
	return (&tool.Error{
		Code: tool.CodeInterrupted, Message: "the call was interrupted before it began; it was not executed",
		Retryable: true,
		Hint:      "Call the tool again if it is still needed.",
	}).Result()
}

// UnknownOutcome is for a call that may have had its effect.
func UnknownOutcome(name string) tool.Result {
	return refusal(CodeUnknownOutcome,
		fmt.Sprintf("the server was interrupted while %s was running: whether it had its effect is unknown. It was not run again",
			name),
		"Tell the user so. Check, if there is a way to, whether the effect is there before doing it again.")
}

// Gone is for a call whose tool is not there any more.
func Gone(name string) tool.Result {
	return refusal(tool.CodeUnavailable,
		fmt.Sprintf("the tool %s is no longer available; it was not executed", name), "")
}

// Interrupted is for a call whose run ended.
func Interrupted() tool.Result {
	return refusal(tool.CodeInterrupted, "the run ended before the call was finished", "")
}

// Codes of the results above.
const (
	CodeDenied         = "denied"
	CodeDeclined       = "declined"
	CodeExpired        = "expired"
	CodeUnknownOutcome = "unknown_outcome"
	CodeNotPermitted   = "not_permitted"
)
