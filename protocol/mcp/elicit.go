package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/pageside/pageside/agui"
	"github.com/pageside/pageside/run"
	"github.com/pageside/pageside/server"
)

// approvalForm is what a person fills in about a call.
var approvalForm = json.RawMessage(`{"type":"object","properties":{` +
	`"approve":{"type":"boolean","title":"Approve","description":"Run it with exactly these arguments"}},"required":["approve"]}`)

// errCannotAsk means that the client has no way to ask its user.
var errCannotAsk = errors.New("this client cannot ask its user: it has no form elicitation")

// canAsk reports whether the client can show forms to its user. One that does not say of which kind
// its elicitation is means forms.
func (c *caller) canAsk() bool {
	p := c.session.InitializeParams()
	if p == nil || p.Capabilities == nil || p.Capabilities.Elicitation == nil {
		return false
	}
	e := p.Capabilities.Elicitation
	return e.Form != nil || e.URL == nil
}

// approve asks the user about a call of a backend tool.
func (c *caller) approve(ctx context.Context, a run.CallQuestion) (bool, error) {
	text := fmt.Sprintf("%s (%s) is to be called by this client.", a.Tool, a.Effect)
	if a.Summary != "" {
		text = a.Summary + "\n\n" + text
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(c.stays, cancel)()
	approved, _, err := c.approval(ctx, text, a.Args)
	if err != nil && ctx.Err() == nil {
		return false, &server.Error{
			Status: http.StatusForbidden, Code: "approval_required",
			Message: fmt.Sprintf("%s needs the user's approval, and was not executed: %v", a.Tool, err),
		}
	}
	return approved, err
}

// approval asks the user to approve arguments. dismissed means that there was no answer.
func (c *caller) approval(
	ctx context.Context, text string, args json.RawMessage,
) (approved, dismissed bool, err error) {
	if !c.canAsk() {
		return false, false, errCannotAsk
	}
	res, err := c.session.Elicit(ctx, &sdk.ElicitParams{
		Mode: "form", Message: text + "\n\nArguments: " + string(args), RequestedSchema: approvalForm,
	})
	if err != nil {
		return false, false, fmt.Errorf("the question was not answered: %w", err)
	}
	yes, _ := res.Content["approve"].(bool)
	return res.Action == "accept" && yes, res.Action == "cancel", nil
}

// answers asks the user about all that a run waits for.
func (c *caller) answers(waits []agui.Interrupt) ([]agui.ResumeEntry, error) {
	var entries []agui.ResumeEntry
	for i := range waits {
		e, err := c.ask(&waits[i])
		if err != nil {
			return nil, fmt.Errorf("%w (%s)", err, waits[i].Message)
		}
		entries = append(entries, e)
	}
	return entries, nil
}

// ask asks the user about something a run waits for: an approval, or a question.
func (c *caller) ask(w *agui.Interrupt) (agui.ResumeEntry, error) {
	e := agui.ResumeEntry{InterruptID: w.ID, Status: agui.ResumeCancelled}
	m, _ := agui.ReadMetadata(w.Metadata)
	if w.AnswerForm().Approval {
		approved, dismissed, err := c.approval(c.stays, w.Message, m.Args)
		if err == nil && !dismissed {
			e.Status = agui.ResumeResolved
			e.Payload, _ = json.Marshal(map[string]bool{"approved": approved}) // cannot fail
		}
		return e, err
	}
	if !c.canAsk() {
		return e, errCannotAsk
	}
	res, err := c.session.Elicit(c.stays, &sdk.ElicitParams{
		Mode: "form", Message: w.Message, RequestedSchema: w.ResponseSchema,
	})
	if err != nil {
		return e, fmt.Errorf("the question was not answered: %w", err)
	}
	if res.Action == "accept" {
		e.Status = agui.ResumeResolved
		e.Payload, err = json.Marshal(res.Content)
	}
	return e, err
}
