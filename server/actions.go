package server

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"time"

	"github.com/pageside/pageside/agent"
	"github.com/pageside/pageside/audit"
	"github.com/pageside/pageside/page"
	"github.com/pageside/pageside/run"
	"github.com/pageside/pageside/store"
	"github.com/pageside/pageside/tool"
)

type actionRequest struct {
	placeJSON
	Args     json.RawMessage `json:"args"`
	ThreadID string          `json:"threadId"`
	Approved bool            `json:"approved"` // the user has seen the arguments and agreed
}

type actionResult struct {
	Text    string          `json:"text"`
	IsError bool            `json:"isError"`
	Type    string          `json:"payloadType,omitempty"`
	Payload json.RawMessage `json:"payload,omitempty"`
}

// postAction runs a suggested action whose handler is the server. The page must declare it.
// Arguments are checked like a model's. The tool runs for as long as its policy permits, whether
// the client stays or not. The user's click is the approval, except for tools about which a label
// says too little. An action is not part of a run; the log records it.
func (s *Server) postAction(c call) error {
	var body actionRequest
	if err := s.decodeBody(c, &body); err != nil {
		return err
	}
	a, view, err := s.at(body.placeJSON)
	if err != nil {
		return err
	}
	name := c.r.PathValue("name")
	t, err := toolOf(a, view, name)
	if err != nil {
		return err
	}
	args, err := tool.ParseArgs(string(body.Args), t.Schema())
	if e, wrong := errors.AsType[*tool.Error](err); wrong {
		return &Error{Status: http.StatusUnprocessableEntity, Code: "invalid_arguments", Message: "args: " + e.Message, Details: map[string]any{"field": "args"}}
	}
	thread, tainted, err := s.ownThread(c, body.ThreadID)
	if err != nil {
		return err
	}
	e := s.actionEntry(c, name, t, args, thread)
	if !body.Approved && labelSaysTooLittle(a, t, tainted) {
		e.Decision, e.Outcome = audit.Ask, audit.Waiting
		s.record(c, e)
		return &Error{Status: http.StatusConflict, Code: "approval_required", Message: fmt.Sprintf("approved: %s needs the user's approval of these arguments", t.Name),
			Details: map[string]any{"field": "approved", "tool": t.Name, "effect": t.Effect, "args": args}}
	}
	if s.cfg.Runs.Draining() {
		return &Error{Status: http.StatusServiceUnavailable, Code: string(run.CodeDraining), Message: "the server is shutting down"}
	}
	call := tool.Call{ID: "act_" + rand.Text(), Args: args, ThreadID: thread, Principal: c.principal}
	e.CallID, e.Decision, e.Outcome = call.ID, audit.Allow, audit.Begun
	if body.Approved {
		e.Decision = audit.Approved
	}
	if err := s.confirmed(c, e); err != nil && t.Effect != tool.Read {
		return err
	}
	r := s.act(c, name, t, call)
	e.Decision, e.Outcome, e.Detail = "", audit.OK, tool.ErrorCode(r.Text)
	if r.IsError {
		e.Outcome = audit.Failed
	}
	s.record(c, e)
	content, err := payloadOf(a, t, r)
	if err != nil { // the tool's fault, but it has had its effect: tell the user its text
		s.log.Error("a tool returned a payload that cannot be shown", "action", name, "tool", t.Name, "error", err)
	}
	// the tool may have taken longer than a server's WriteTimeout
	allowToWrite(c.w, s.cfg.WriteTimeout)
	writeJSON(c.w, actionResult{r.Text, r.IsError, payloadType(t, content), content})
	return nil
}

// actionEntry returns an audit entry about an action.
func (s *Server) actionEntry(c call, name string, t *tool.Tool, args json.RawMessage, thread string) audit.Entry {
	hash, err := tool.Hash(args)
	if err != nil {
		hash = "" // they were validated: cannot fail
	}
	return audit.Entry{Principal: c.principal, Kind: audit.Action, ThreadID: thread, Tool: t.Name, Args: args, ArgsHash: hash,
		Rule: fmt.Sprintf("action %s, effect %s, approval %s", name, t.Effect, cmp.Or(t.Policy.Approval, "policy"))}
}

// toolOf returns the tool of an action declared at a place with the server as its handler.
func toolOf(a *agent.Agent, view page.View, name string) (*tool.Tool, error) {
	i := slices.IndexFunc(view.Actions, func(action page.Action) bool {
		return action.Name == name && action.Handler == page.HandlerServer
	})
	if i < 0 {
		return nil, &Error{Status: http.StatusNotFound, Code: "unknown_action", Message: fmt.Sprintf("there is no action %q with a server handler at this place", name)}
	}
	t, ok := a.Pages.Tools().Get(view.Actions[i].Tool)
	if !ok {
		return nil, fmt.Errorf("action %q: its tool %q is not defined", name, view.Actions[i].Tool)
	}
	return t, nil
}

// labelSaysTooLittle reports whether a click is not enough for a tool. The label and the arguments
// are the model's, and the user has only seen the label. On a tainted branch the model may be
// following somebody else's wishes, whatever the tool changes; a tool that sends data out or
// destroys needs approval on any branch.
func labelSaysTooLittle(a *agent.Agent, t *tool.Tool, tainted bool) bool {
	switch t.Policy.Approval {
	case tool.ApprovalAlways:
		return true
	case tool.ApprovalNever:
		return false
	}
	grave := t.Effect == tool.Exfil || t.Effect == tool.Destructive
	return a.Approvals.Untrusted && t.Effect != tool.Read && (tainted || grave)
}

// ownThread returns the thread if it is the caller's, else "": a page may act before its thread
// exists. tainted reports whether any branch of it is tainted, or that is unknown. It considers all
// branches because another tab may have switched the shown one.
func (s *Server) ownThread(c call, id string) (thread string, tainted bool, err error) {
	if id == "" {
		return "", false, nil
	}
	_, err = s.cfg.Store.Thread(c.r.Context(), c.owner, id)
	switch {
	case errors.Is(err, store.ErrNotFound):
		return "", false, nil
	case err != nil:
		return "", false, fmt.Errorf("read the thread of an action: %w", err)
	}
	runs, err := s.cfg.Store.Runs(c.r.Context(), c.owner, id)
	switch {
	case errors.Is(err, store.ErrNotFound): // the thread was deleted
		return id, true, nil
	case err != nil:
		return "", false, fmt.Errorf("read the runs of an action's thread: %w", err)
	}
	return id, slices.ContainsFunc(runs, func(r store.Run) bool { return r.Tainted }), nil
}

// act runs an action's tool and logs that. It does not log arguments and results: they are the
// user's.
func (s *Server) act(c call, name string, t *tool.Tool, call tool.Call) tool.Result {
	call.Key = call.ID
	call.Log = s.log
	began := time.Now()
	r := tool.Execute(context.WithoutCancel(c.r.Context()), t, call, func(tool.Progress) {})
	s.log.Info("an action was carried out", "action", name, "id", call.ID, "tool", t.Name, "effect", string(t.Effect), "thread", call.ThreadID,
		"tenant", c.owner.Tenant, "subject", c.owner.Subject, "isError", r.IsError, "took", time.Since(began).Round(time.Millisecond))
	return r
}

// payloadOf returns the tool's payload, checked against its type, or nil.
func payloadOf(a *agent.Agent, t *tool.Tool, r tool.Result) (json.RawMessage, error) {
	if r.Payload == nil || r.IsError {
		return nil, nil
	}
	typ, ok := a.Pages.Payloads().Get(t.PayloadType)
	if !ok {
		return nil, fmt.Errorf("payload type %q is not defined", t.PayloadType)
	}
	return typ.Encode(r.Payload)
}

func payloadType(t *tool.Tool, content json.RawMessage) string {
	if content == nil {
		return ""
	}
	return t.PayloadType
}
