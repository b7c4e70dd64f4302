package server

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"time"

	"github.com/pageside/pageside/agent"
	"github.com/pageside/pageside/audit"
	"github.com/pageside/pageside/page"
	"github.com/pageside/pageside/policy"
	"github.com/pageside/pageside/run"
	"github.com/pageside/pageside/store"
	"github.com/pageside/pageside/tool"
)

type actionRequest struct {
	placeJSON
	Args     json.RawMessage `json:"args"`
	ThreadID string          `json:"threadId"`
	Label    string          `json:"label"` // of the button, for the conversation
	// ParentRunID is the last run of the branch that the client shows; by default the thread's.
	ParentRunID string `json:"parentRunId"`
	// Context is the page context, for the tool.
	Context []tool.ContextItem `json:"context"`
	// of the refusal whose arguments the user has seen and agreed to
	ApprovalID     string `json:"approvalId"`
	IdempotencyKey string `json:"idempotencyKey"` // like the header, which wins
}

type actionResult struct {
	Text    string          `json:"text"`
	IsError bool            `json:"isError"`
	Type    string          `json:"payloadType,omitempty"`
	Payload json.RawMessage `json:"payload,omitempty"`
	RunID   string          `json:"runId,omitempty"` // that shows it in the conversation
}

// maxLabel bounds the label of a button, in bytes.
const maxLabel = 200

// postAction runs a suggested action whose handler is the server. The page must declare it.
// Arguments are checked like a model's. The tool runs for as long as its policy permits, whether
// the client stays or not. The user's click is the approval, except for tools about which a label
// says too little: their first answer is approval_required, with an id that approves. Requests with
// the same Idempotency-Key have one effect. On a thread an action is a run of its own, which shows
// it, its progress and its result in the conversation; the model is told of it with the next
// question.
func (s *Server) postAction(c call) error {
	var body actionRequest
	if err := s.decodeBody(c, &body); err != nil {
		return err
	}
	k, err := s.clickOf(c, &body)
	if err != nil {
		return err
	}
	if s.cfg.Runs.Draining() {
		return &Error{Status: http.StatusServiceUnavailable, Code: string(run.CodeDraining), Message: "the server is shutting down"}
	}
	answer, err := s.once(c, k)
	if err != nil {
		return err
	}
	// the tool may have taken longer than a server's WriteTimeout
	allowToWrite(c.w, s.cfg.WriteTimeout)
	writeJSON(c.w, answer)
	return nil
}

// clickOf checks a request for an action.
func (s *Server) clickOf(c call, body *actionRequest) (*click, error) {
	a, view, err := s.at(c, body.placeJSON)
	if err != nil {
		return nil, err
	}
	k := &click{agent: a, name: c.r.PathValue("name"), approvalID: body.ApprovalID}
	if k.tool, err = toolOf(a, view, k.name); err != nil {
		return nil, err
	}
	if len(body.Label) > maxLabel {
		return nil, badField("label", fmt.Sprintf("must be at most %d bytes", maxLabel))
	}
	k.label, k.parent = body.Label, body.ParentRunID
	k.forwarded, _ = json.Marshal(map[string]any{"pageside": body.Place}) // strings: cannot fail
	k.origin = tool.Origin{Place: body.ToolPlace(), Scope: body.Scope, Context: body.Context}
	k.args, err = k.tool.ParseArgs(string(body.Args), c.principal, k.origin)
	if err != nil {
		return nil, badArgs(err)
	}
	if k.key, err = body.keyOf(c.r); err != nil {
		return nil, err
	}
	if k.thread, k.tainted, err = s.ownThread(c, body.ThreadID); err != nil {
		return nil, err
	}
	k.permission = s.mayAct(c, body, k)
	if k.permission.Decision == policy.Deny {
		s.notRun(c, k, audit.Deny)
		return nil, forbidden(policy.Question{Kind: policy.Action, Name: k.name, Verb: policy.Use}, k.permission)
	}
	k.asks = k.agent.Asks(k.tool, k.tainted, k.permission)
	return k, k.identify()
}

// mayAct asks the policy about an action and about its tool: what forbids a tool forbids it behind
// every button.
func (s *Server) mayAct(c call, body *actionRequest, k *click) policy.Answer {
	q := aboutPlace(policy.Action, k.name, policy.Use, body.Place)
	q.Effect, q.Args, q.Tainted = string(k.tool.Effect), k.args, k.tainted
	action := s.decide(c.r.Context(), c, q)
	q.Kind, q.Name = policy.Tool, k.tool.Name
	return policy.Strictest(action, s.decide(c.r.Context(), c, q))
}

// actionEntry returns an audit entry about an action.
func (s *Server) actionEntry(c call, k *click) audit.Entry {
	hash, err := tool.Hash(k.args)
	if err != nil {
		hash = "" // they were validated: cannot fail
	}
	kind, what := audit.Action, "action "+k.name+", "
	if k.direct {
		kind, what = audit.ToolCall, ""
	}
	rule := what + fmt.Sprintf("effect %s, approval %s", k.tool.Effect, cmp.Or(k.tool.Policy.Approval, "policy"))
	return audit.Entry{Principal: c.principal, Kind: kind, ThreadID: k.thread, Tool: k.tool.Name, Args: k.args, ArgsHash: hash,
		Rule: cmp.Or(k.permission.Rule, rule)}
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

// ownThread returns the thread if it is the caller's, else "": a page may act before its thread
// exists. tainted reports whether any branch of it is tainted, or if that is unknown. It is unknown
// without a thread: the model that wrote the label and arguments may have read anything. It
// considers all branches because another tab may have switched the shown one.
func (s *Server) ownThread(c call, id string) (thread string, tainted bool, err error) {
	if id == "" {
		return "", true, nil
	}
	_, err = s.cfg.Store.Thread(c.r.Context(), c.owner, id)
	switch {
	case errors.Is(err, store.ErrNotFound):
		return "", true, nil
	case err != nil:
		return "", false, fmt.Errorf("read the thread of an action: %w", err)
	}
	runs, err := s.cfg.Store.Runs(c.r.Context(), c.owner, id)
	switch {
	case errors.Is(err, store.ErrNotFound): // the thread was deleted
		return "", true, nil
	case err != nil:
		return "", false, fmt.Errorf("read the runs of an action's thread: %w", err)
	}
	return id, slices.ContainsFunc(runs, func(r store.Run) bool { return r.Tainted }), nil
}

// act runs an action's tool and logs that. It does not log arguments and results: they are the
// user's.
func (s *Server) act(ctx context.Context, c call, name string, t *tool.Tool, call tool.Call, report func(tool.Progress)) tool.Result {
	call.Log = s.log
	began := time.Now()
	r := tool.Execute(ctx, t, call, report)
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
