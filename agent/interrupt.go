package agent

import (
	"encoding/json"
	"errors"
	"strings"
	"time"

	jsonv2 "github.com/go-json-experiment/json"

	"github.com/pageside/pageside/agui"
	"github.com/pageside/pageside/tool"
)

// Reasons of an Interrupt, as named in AG-UI.
const (
	ReasonToolCall     = "tool_call"      // a call needs approval
	ReasonInput        = "input_required" // ask_user wants a choice or a text
	ReasonConfirmation = "confirmation"   // ask_user wants yes or no

	// A guest asks about a call of its own. Under AG-UI's reason a page would take the guest's
	// question for one of the server's, about a call that the server has judged.
	reasonGuestsCall = "agent:tool_call"
)

// AGUI returns the interrupt as RUN_FINISHED carries it. Fields that AG-UI lacks are in its
// metadata. The args are exactly those that run if the call is approved. Approvals have an effect,
// and an allowance if the answer may be always.
func (i *Interrupt) AGUI() agui.Interrupt {
	out := agui.Interrupt{
		ID: i.ID, Reason: i.Reason, Message: i.Message, ToolCallID: i.ToolCallID, ResponseSchema: i.ResponseSchema,
		Metadata: i.Metadata, SubagentRunID: i.SubagentRunID,
	}
	if !i.Own {
		out.Metadata = i.metadata()
	}
	if !i.ExpiresAt.IsZero() {
		out.ExpiresAt = i.ExpiresAt.UTC().Format(time.RFC3339)
	}
	return out
}

func (i *Interrupt) metadata() json.RawMessage {
	m := agui.CallMark{Tool: i.Tool, Effect: string(i.Effect), Summary: i.Summary, Args: i.Args}
	if i.Allowable != "" {
		m.Allowance = &agui.AllowanceOffer{Scope: scopeThread, MaxAge: threadMaxAge, UserMaxAges: userMaxAges, OpenArgs: i.OpenArgs}
	}
	return m.JSON()
}

// approvalSchema is the schema of the answer to an approval.
var approvalSchema = schemaOf("approval")

// again returns the same interrupt with the problem of its last answer.
func (i *Interrupt) again(problem string) *Interrupt {
	again := *i
	message, _, _ := strings.Cut(i.Message, problemMark)
	again.Message = message + problemMark + problem
	return &again
}

// problemMark precedes the problem of the last answer.
const problemMark = "\nThe answer could not be used: "

// CheckAnswer returns an *InputError for an answer to an approval that cannot be honoured: an
// always that is not a boolean, was not offered, comes with a denial, or on terms that were not
// offered; and for an answer to a guest that does not match its schema. The run checks everything
// else, including answers to questions.
func (i *Interrupt) CheckAnswer(payload json.RawMessage) error {
	if i.Own {
		return i.checkOwn(payload)
	}
	if i.Reason != ReasonToolCall {
		return nil // answers to questions have the fields they ask for
	}
	var fields map[string]json.RawMessage
	if jsonv2.Unmarshal(payload, &fields) != nil {
		return nil // could not approve anything
	}
	terms, err := readTerms(fields)
	switch {
	case err != nil:
		return err
	case terms == nil:
		return nil
	case i.Allowable == "":
		return &InputError{"always", errors.New("this call can only be approved for itself")}
	case string(fields["approved"]) != "true":
		return &InputError{"always", errors.New("goes with approved only")}
	}
	return terms.check(i.OpenArgs)
}

// checkOwn returns an *InputError for an answer that does not match the schema of an agent's own
// interrupt.
func (i *Interrupt) checkOwn(payload json.RawMessage) error {
	if len(i.ResponseSchema) == 0 {
		return nil
	}
	schema, err := tool.CompileSchema(i.ResponseSchema)
	if err == nil {
		if len(payload) == 0 {
			payload = json.RawMessage("null")
		}
		err = schema.Validate(payload)
	}
	if err != nil {
		return &InputError{"", err}
	}
	return nil
}
