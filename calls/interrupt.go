package calls

import (
	_ "embed" // a schema
	"encoding/json"
	"strings"
	"time"

	jsonv2 "github.com/go-json-experiment/json"

	"github.com/pageside/pageside/agui"
	"github.com/pageside/pageside/internal/jsonx"
	"github.com/pageside/pageside/tool"
)

// Reasons of an Interrupt, as named in AG-UI.
const (
	ReasonToolCall     = "tool_call"      // a call needs approval
	ReasonInput        = "input_required" // ask_user, or a tool, wants a choice or a text
	ReasonConfirmation = "confirmation"   // ask_user wants yes or no
)

// Interrupt is a call that waits for a person: for an approval, or for the answer to a question (of
// ask_user, or of the call's own tool). It is stored as JSON. It is open until its call has a
// result in the thread.
type Interrupt struct {
	ID      string `json:"id"`
	Reason  string `json:"reason"` // tool_call, input_required or confirmation
	Message string `json:"message,omitempty"`
	// what the call would do: as its tool says, which is also the message, or what the tool is for
	Summary        string          `json:"summary,omitempty"`
	ToolCallID     string          `json:"toolCallId"`
	Tool           string          `json:"tool"`
	Args           json.RawMessage `json:"args"`
	ResponseSchema json.RawMessage `json:"responseSchema,omitempty"`
	ExpiresAt      time.Time       `json:"expiresAt,omitzero"`

	Effect tool.Effect `json:"effect,omitempty"` // of the tool that needs approval
	// definition of the tool if it can be allowed for good, else ""
	Allowable string `json:"allowable,omitempty"`
	// arguments that an always may leave open
	OpenArgs []string `json:"openArgs,omitempty"`
	// Definition is the definition of the tool needing approval at the time the user was asked. The
	// answer applies to that definition only. Older versions did not store it: "".
	Definition string `json:"definition,omitempty"`
	// Origin is where the user was when the model made the call: if approved it runs as from there,
	// wherever the answer comes from. Older versions did not store it: nil.
	Origin *tool.Origin `json:"origin,omitempty"`
	// Frontend means that the call is of a frontend tool. The interrupt is open until the call is
	// in the thread, where it may wait for the client.
	Frontend bool `json:"frontend,omitempty"`
	// Asked means that the tool asked while the call was running. The call continues with the
	// answer and with Memo, which the tool has left for itself.
	Asked bool            `json:"asked,omitempty"`
	Memo  json.RawMessage `json:"memo,omitempty"`

	// Words means that a message of the thread asks it, and that the user's next plain yes or no
	// answers it.
	Words bool `json:"words,omitempty"`

	// Own means that a guest asks, in a form of its own: see Guest. The interrupt need not be about
	// a call and stays open until the guest continues. Only the guest reads the answer.
	Own           bool            `json:"own,omitempty"`
	Metadata      json.RawMessage `json:"metadata,omitempty"`      // the guest's, with its name
	SubagentRunID string          `json:"subagentRunId,omitempty"` // as the guest wrote it
}

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
		m.Allowance = &agui.AllowanceOffer{
			Scope: scopeThread, MaxAge: threadMaxAge, UserMaxAges: userMaxAges, OpenArgs: i.OpenArgs,
		}
	}
	return m.JSON()
}

// ApprovalSchema is the schema of the answer to an approval.
var ApprovalSchema = jsonx.NewDocument(approvalFile).Raw()

//go:embed schemas/approval.json
var approvalFile []byte

// Again returns the same interrupt with the problem of its last answer.
func (i *Interrupt) Again(problem string) *Interrupt {
	again := *i
	message, _, _ := strings.Cut(i.Message, problemMark)
	again.Message = message + problemMark + problem
	return &again
}

// problemMark precedes the problem of the last answer.
const problemMark = "\nThe answer could not be used: "

// CheckAnswer returns an *agui.FieldError for an answer to an approval that cannot be honoured: an
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
		return &agui.FieldError{Path: "always", Reason: "this call can only be approved for itself"}
	case string(fields["approved"]) != "true":
		return &agui.FieldError{Path: "always", Reason: "goes with approved only"}
	}
	return terms.check(i.OpenArgs)
}

// checkOwn returns an *agui.FieldError for an answer that does not match the schema of an agent's
// own interrupt.
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
		return &agui.FieldError{Reason: err.Error()}
	}
	return nil
}
