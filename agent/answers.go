package agent

import (
	"encoding/json"
	"fmt"

	jsonv2 "github.com/go-json-experiment/json"

	"github.com/pageside/pageside/agent/prompt"
	"github.com/pageside/pageside/llm"
	"github.com/pageside/pageside/tool"
)

// decision is a person's answer about a call that needs approval.
type decision struct {
	approved bool
	always   *terms          // and calls like this one, from now on; nil for this one alone
	args     json.RawMessage // nil keeps the proposed ones
	reason   string
}

// maxReason bounds the reason given with a denial, in bytes.
const maxReason = 2000

// parseDecision reads the answer to an approval. Only an object whose approved is exactly true
// approves. Anything unreadable denies, as does an object with a duplicate name, which two readers
// could interpret differently.
func parseDecision(payload json.RawMessage) decision {
	var fields map[string]json.RawMessage
	if jsonv2.Unmarshal(payload, &fields) != nil {
		return decision{}
	}
	terms, err := readTerms(fields)
	if err != nil {
		return decision{} // what it would allow is not clear
	}
	d := decision{approved: string(fields["approved"]) == "true", always: terms}
	if args := fields["args"]; string(args) != "null" {
		d.args = args
	}
	if jsonv2.Unmarshal(fields["reason"], &d.reason) != nil {
		d.reason = ""
	}
	d.reason = prompt.Head(d.reason, maxReason)
	return d
}

// Results of calls that were not run. They are data for the model, which continues with them.

// refusal returns the result of a call that was not run, and need not be tried again.
func refusal(code, message, hint string) tool.Result {
	return (&tool.Error{Code: code, Message: message, Hint: hint}).Result()
}

func denied(reason string) tool.Result {
	message := "the user denied this call; it was not executed"
	if reason != "" {
		message += ". The reason given: " + reason
	}
	return refusal(codeDenied, message,
		"Do not try to get the same effect another way. Ask the user what to do instead, or go on without it.")
}

func declined() tool.Result {
	return refusal(codeDeclined, "the user did not want to answer", "Go on without the answer, or say what is missing.")
}

func notAllowed() tool.Result {
	return (&tool.Error{
		Code: tool.CodeNotExecuted, Message: "not executed: the user had allowed this call without being asked, and that no longer holds", Retryable: true,
		Hint: "Call the tool again only if it is still needed: the user is asked then.",
	}).Result()
}

func expired() tool.Result {
	return refusal(codeExpired, "nobody answered in time; it was not executed",
		"Tell the user. Call the tool again only if the user still wants it.")
}

func overtaken() tool.Result {
	return refusal(tool.CodeNotExecuted, "not executed: the user sent a new message", "")
}

func withdrawn() tool.Result {
	return refusal(tool.CodeNotExecuted, "not executed: the user cancelled the request instead of answering", "")
}

func neverBegun() tool.Result {
	return (&tool.Error{
		Code: tool.CodeInterrupted, Message: "the call was interrupted before it began; it was not executed", Retryable: true,
		Hint: "Call the tool again if it is still needed.",
	}).Result()
}

func unknownOutcome(name string) tool.Result {
	return refusal(codeUnknownOutcome,
		fmt.Sprintf("the server was interrupted while %s was running: whether it had its effect is unknown. It was not run again", name),
		"Tell the user so. Check, if there is a way to, whether the effect is there before doing it again.")
}

func gone(name string) tool.Result {
	return refusal(tool.CodeUnavailable, fmt.Sprintf("the tool %s is no longer available; it was not executed", name), "")
}

func cutOff(finish llm.Finish) *tool.Error {
	if finish == llm.FinishLength {
		return &tool.Error{
			Code: tool.CodeCutOff, Message: "the call was cut off by the limit on the length of an answer and was not executed", Retryable: true,
			Hint: "Say less before the call, or make it shorter.",
		}
	}
	return &tool.Error{Code: tool.CodeCutOff, Message: "the turn was ended by the provider before the call could be trusted; it was not executed"}
}

func notOffered() tool.Result {
	return refusal(tool.CodeNotExecuted, "no tools can be called any more in this request", "")
}

func interrupted() tool.Result {
	return refusal(tool.CodeInterrupted, "the run ended before the call was finished", "")
}

// Codes of the results above.
const (
	codeDenied         = "denied"
	codeDeclined       = "declined"
	codeExpired        = "expired"
	codeUnknownOutcome = "unknown_outcome"
)
