package agent

import (
	"encoding/json"
	"errors"
	"strings"
	"time"

	jsonv2 "github.com/go-json-experiment/json"

	"github.com/pageside/pageside/agui"
)

// The reasons of an Interrupt, as AG-UI has them.
const (
	ReasonToolCall     = "tool_call"      // a call needs approval
	ReasonInput        = "input_required" // ask_user wants a choice or a text
	ReasonConfirmation = "confirmation"   // ask_user wants yes or no
)

// AGUI is the interrupt as RUN_FINISHED carries it. What AG-UI has no field for stands in its
// metadata, the args being exactly those that run when the call is approved. An effect is there for
// approvals, an allowance where the answer may be always.
func (i *Interrupt) AGUI() agui.Interrupt {
	metadata := agui.Metadata{Tool: i.Tool, Effect: string(i.Effect), Summary: i.Summary, Args: i.Args}
	if i.Allowable != "" {
		metadata.Allowance = &agui.AllowanceOffer{Scope: "thread", MaxAge: int(allowanceAge.Seconds())}
	}
	out := agui.Interrupt{
		ID: i.ID, Reason: i.Reason, Message: i.Message, ToolCallID: i.ToolCallID,
		ResponseSchema: i.ResponseSchema, Metadata: metadata.JSON(),
	}
	if !i.ExpiresAt.IsZero() {
		out.ExpiresAt = i.ExpiresAt.UTC().Format(time.RFC3339)
	}
	return out
}

// allowanceAge is how long an allowance holds. Who comes back another day is asked again.
const allowanceAge = 24 * time.Hour

// approvalSchema is what an approval is answered with.
var approvalSchema = json.RawMessage(`{"type":"object","properties":{` +
	`"approved":{"type":"boolean","description":"true runs the call, anything else denies it"},` +
	`"args":{"type":"object","description":"the arguments to run it with, in place of those proposed"},` +
	`"reason":{"type":"string","description":"why it is denied; the assistant is told"}},"required":["approved"]}`)

// allowableSchema is approvalSchema where the answer may be always.
var allowableSchema = json.RawMessage(`{"type":"object","properties":{` +
	`"approved":{"type":"boolean","description":"true runs the call, anything else denies it"},` +
	`"always":{"type":"boolean","description":"true with approved: on this thread, calls of this tool with exactly the approved arguments run without asking for 24 hours"},` +
	`"args":{"type":"object","description":"the arguments to run it with, in place of those proposed"},` +
	`"reason":{"type":"string","description":"why it is denied; the assistant is told"}},"required":["approved"]}`)

// again is the same interrupt with what was wrong with the answer to it.
func (i *Interrupt) again(problem string) *Interrupt {
	again := *i
	message, _, _ := strings.Cut(i.Message, problemMark)
	again.Message = message + problemMark + problem
	return &again
}

// problemMark stands before what was wrong with the last answer.
const problemMark = "\nThe answer could not be used: "

// CheckAnswer reports what of an answer to an approval cannot be honoured, as an *InputError: an
// always that is no boolean, that is not offered or that goes with a denial. Everything else is
// decided when the run gets to it, and so are answers to questions.
func (i *Interrupt) CheckAnswer(payload json.RawMessage) error {
	if i.Reason != ReasonToolCall {
		return nil // a question's answer has whatever fields it asks for
	}
	var fields map[string]json.RawMessage
	if jsonv2.Unmarshal(payload, &fields) != nil {
		return nil // no answer that could approve anything
	}
	always, ok := fields["always"]
	switch {
	case !ok, string(always) == "false":
		return nil
	case string(always) != "true":
		return &InputError{"always", errors.New("must be true or false")}
	case i.Allowable == "":
		return &InputError{"always", errors.New("this call can only be approved for itself")}
	case string(fields["approved"]) != "true":
		return &InputError{"always", errors.New("goes with approved only")}
	}
	return nil
}
