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

func denied(reason string) tool.Result {
	e := &tool.Error{
		Code: codeDenied, Message: "the user denied this call; it was not executed",
		Hint: "Do not try to get the same effect another way. Ask the user what to do instead, or go on without it.",
	}
	if reason != "" {
		e.Message += ". The reason given: " + reason
	}
	return e.Result()
}

func declined() tool.Result {
	return (&tool.Error{Code: codeDeclined, Message: "the user did not want to answer", Hint: "Go on without the answer, or say what is missing."}).Result()
}

func notAllowed() tool.Result {
	return (&tool.Error{
		Code: tool.CodeNotExecuted, Message: "not executed: the user had allowed this call without being asked, and that no longer holds", Retryable: true,
		Hint: "Call the tool again only if it is still needed: the user is asked then.",
	}).Result()
}

func expired() tool.Result {
	return (&tool.Error{
		Code: codeExpired, Message: "nobody answered in time; it was not executed",
		Hint: "Tell the user. Call the tool again only if the user still wants it.",
	}).Result()
}

func overtaken() tool.Result {
	return (&tool.Error{Code: tool.CodeNotExecuted, Message: "not executed: the user sent a new message"}).Result()
}

func withdrawn() tool.Result {
	return (&tool.Error{Code: tool.CodeNotExecuted, Message: "not executed: the user cancelled the request instead of answering"}).Result()
}

func neverBegun() tool.Result {
	return (&tool.Error{
		Code: tool.CodeInterrupted, Message: "the call was interrupted before it began; it was not executed", Retryable: true,
		Hint: "Call the tool again if it is still needed.",
	}).Result()
}

func unknownOutcome(name string) tool.Result {
	return (&tool.Error{
		Code:    codeUnknownOutcome,
		Message: fmt.Sprintf("the server was interrupted while %s was running: whether it had its effect is unknown. It was not run again", name),
		Hint:    "Tell the user so. Check, if there is a way to, whether the effect is there before doing it again.",
	}).Result()
}

func gone(name string) tool.Result {
	return (&tool.Error{Code: tool.CodeUnavailable, Message: fmt.Sprintf("the tool %s is no longer available; it was not executed", name)}).Result()
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
	return (&tool.Error{Code: tool.CodeNotExecuted, Message: "no tools can be called any more in this request"}).Result()
}

func interrupted() tool.Result {
	return (&tool.Error{Code: tool.CodeInterrupted, Message: "the run ended before the call was finished"}).Result()
}

// Codes of the results above.
const (
	codeDenied         = "denied"
	codeDeclined       = "declined"
	codeExpired        = "expired"
	codeUnknownOutcome = "unknown_outcome"
)
