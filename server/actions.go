package server

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/pageside/pageside/page"
	"github.com/pageside/pageside/run"
)

type actionRequest struct {
	placeJSON
	Args     json.RawMessage `json:"args"`
	ThreadID string          `json:"threadId"`
	Label    string          `json:"label"` // of the button, for the conversation
	// ParentRunID is the last run of the branch that the client shows; by default the thread's.
	ParentRunID string `json:"parentRunId"`
	// Context is the page context, for the tool.
	Context []run.ContextItem `json:"context"`
	// of the refusal whose arguments the user has seen and agreed to
	ApprovalID     string `json:"approvalId"`
	IdempotencyKey string `json:"idempotencyKey"` // like the header, which wins
}

// Bounds of a request, in bytes.
const (
	maxLabel = 200
	maxKey   = 255
)

// postAction runs a suggested action whose handler is the server. The page must declare it.
// Arguments are checked like a model's. The tool runs for as long as its policy permits, whether
// the client stays or not. The user's click is the approval, except for tools about which a label
// says too little: their first answer is approval_required, with an id that approves. Requests with
// the same Idempotency-Key have one effect. On a thread an action is a run of its own, which shows
// it, its progress and its result in the conversation; the model is told of it with the next
// question.
func (s rest) postAction(c *call) error {
	var body actionRequest
	if err := s.decodeBody(c, &body); err != nil {
		return err
	}
	req, err := s.actionOf(c, &body)
	if err != nil {
		return err
	}
	result, err := s.cfg.Runs.Call(c.r.Context(), req)
	if err != nil {
		return err
	}
	// the tool may have taken longer than a server's WriteTimeout
	allowToWrite(c.w, s.cfg.WriteTimeout)
	writeJSON(c.w, result)
	return nil
}

// actionOf reads a request for an action.
func (s rest) actionOf(c *call, body *actionRequest) (req run.CallRequest, err error) {
	a, err := s.at(c, body.placeJSON)
	if err != nil {
		return req, err
	}
	req = s.callOf(c, a.ID)
	req.Action, req.Label, req.Args, req.Place, req.Context = c.r.PathValue("name"), body.Label, body.Args, body.Place, body.Context
	req.ThreadID, req.ParentRunID, req.ApprovalID = body.ThreadID, body.ParentRunID, body.ApprovalID
	if req.Tool, err = toolOf(a, a.Pages.Resolve(body.Place), req.Action); err != nil {
		return req, err
	}
	if len(body.Label) > maxLabel {
		return req, badField("label", fmt.Sprintf("must be at most %d bytes", maxLabel))
	}
	req.Key, err = body.keyOf(c.r)
	return req, err
}

// callOf returns a request of the caller for a call, with the server's own policy and log.
func (s *Server) callOf(c *call, agentID string) run.CallRequest {
	return run.CallRequest{
		Principal: c.principal, Authorizer: s.permissions.Load().Authorizer, Audit: s.cfg.Audit, Agent: agentID,
	}
}

// keyOf returns the idempotency key of a request, the header's or the body's; "" is none.
func (b *actionRequest) keyOf(r *http.Request) (string, error) {
	field, key := "Idempotency-Key", r.Header.Get("Idempotency-Key")
	if key == "" {
		field, key = "idempotencyKey", b.IdempotencyKey
	}
	if len(key) > maxKey || strings.ContainsFunc(key, func(c rune) bool { return c <= ' ' || c > '~' }) {
		return "", badField(field, fmt.Sprintf("must be 1 to %d visible ASCII characters", maxKey))
	}
	return key, nil
}

// toolOf returns the tool of an action declared at a place with the server as its handler.
func toolOf(a *run.Served, view page.View, name string) (*run.Tool, error) {
	i := slices.IndexFunc(view.Actions, func(action page.Action) bool {
		return action.Name == name && action.Handler == page.HandlerServer
	})
	if i < 0 {
		return nil, &Error{
			Status: http.StatusNotFound, Code: "unknown_action",
			Message: fmt.Sprintf("there is no action %q with a server handler at this place", name),
		}
	}
	t, ok := a.Pages.Tools().Get(view.Actions[i].Tool)
	if !ok {
		return nil, fmt.Errorf("action %q: its tool %q is not defined", name, view.Actions[i].Tool)
	}
	return t, nil
}
