package run

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"golang.org/x/sync/singleflight"

	"github.com/pageside/pageside/agent"
	"github.com/pageside/pageside/audit"
	"github.com/pageside/pageside/auth"
	"github.com/pageside/pageside/calls"
	"github.com/pageside/pageside/internal/guard"
	"github.com/pageside/pageside/internal/jsonx"
	"github.com/pageside/pageside/limit"
	"github.com/pageside/pageside/page"
	"github.com/pageside/pageside/policy"
	"github.com/pageside/pageside/run/refusal"
	"github.com/pageside/pageside/store"
	"github.com/pageside/pageside/tool"
)

// What a call is about, by names of this package: who asks for one needs no other.
type (
	Tool        = tool.Tool
	Progress    = tool.Progress
	ContextItem = tool.ContextItem
)

// CallRequest asks for a call of a backend tool that no model makes: the tool behind a suggested
// action, or one that a client calls by itself.
type CallRequest struct {
	Principal auth.Principal
	// Authorizer and Audit are those of the door that the request came through: its policy is asked
	// beside the agent's, and its log records the call.
	Authorizer policy.Authorizer
	Audit      audit.Recorder // may be nil

	Agent   string
	Tool    *Tool           // of the agent's registry
	Args    json.RawMessage // as the client sent them
	Place   page.Place      // where the user is
	Context []ContextItem   // the page context, for the tool

	// Action is the suggested action, and Label its button's. An action goes on when the context of
	// its request ends. Without an action the call ends then, and counts as tainted: nobody knows
	// who wrote the arguments.
	Action, Label string
	// ThreadID is the thread that the action belongs to. If it is the caller's, the call is a run
	// of its own there, after ParentRunID, or after the thread's newest run if that is "".
	ThreadID, ParentRunID string

	Key        string // idempotency key; "" makes one
	ApprovalID string // of the refusal whose arguments the user has agreed to

	// Report gets the progress of a call without a thread; may be nil.
	Report func(Progress)
	// Ask asks a person at once. Its error refuses the call. If nil, a call that needs approval is
	// refused with refusal.Approval, whose details have the id that approves it.
	Ask func(context.Context, CallQuestion) (approved bool, err error)
}

// CallQuestion is what a person is asked about a call.
type CallQuestion struct {
	Tool    string
	Effect  tool.Effect
	Summary string // in the tool's words; may be ""
	Args    json.RawMessage
}

// CallResult is how a call went. It is stored, and answered, as JSON.
type CallResult struct {
	Text    string          `json:"text"`
	IsError bool            `json:"isError"`
	Type    string          `json:"payloadType,omitempty"`
	Payload json.RawMessage `json:"payload,omitempty"` // checked data of Type, or nil
	RunID   string          `json:"runId,omitempty"`   // that shows it in the conversation
}

const (
	maxCalls = 8 // of one owner, running at a time
	// callAge is how long a key stands for the call that was begun with it.
	callAge = 24 * time.Hour
	// approvalAge is how long the user may think about a call.
	approvalAge = 10 * time.Minute
)

// directCalls are the running calls that no model has made.
type directCalls struct {
	flights singleflight.Group // by owner, key and fingerprint
	running limit.Gauge[store.Owner]
}

// directCall is a call that no model has made, once it has been judged.
type directCall struct {
	*CallRequest
	calls.Judgement
	m           *Manager
	id          string
	owner       store.Owner
	agent       *agent.Agent
	origin      tool.Origin
	args        json.RawMessage // with bound ones
	argsHash    string          // of them
	thread      string          // ThreadID, if it is the owner's
	fingerprint string          // what the key and an approval stand for

	earlier *CallResult  // of a request with the same key, once it has begun
	ended   chan callEnd // of its run, on a thread
}

type callEnd struct {
	result CallResult
	err    error
}

// Call makes one call. The arguments are checked like a model's, and the same rule decides whether
// it runs. Requests with the same key have one effect, and all get its result. Without a thread a
// call runs beside whatever else runs. It returns a *refusal.Error if the call was refused, if
// nobody has approved it, or if it is not known whether it had its effect.
func (m *Manager) Call(ctx context.Context, req CallRequest) (CallResult, error) {
	if m.Draining() {
		return CallResult{}, refusal.ErrDraining
	}
	req.Key = cmp.Or(req.Key, rand.Text())
	c, err := m.judge(ctx, &req)
	if err == nil && c.asks() && req.Ask != nil {
		c, err = c.approve(ctx)
	}
	if err != nil {
		return CallResult{}, err
	}
	return c.once(ctx)
}

// Callable returns the tools that a request may be about: its agent has them at its place, they
// have what they need there, and no policy denies them to the principal.
func (m *Manager) Callable(ctx context.Context, req CallRequest) (tools []*Tool) {
	a := m.Settings(req.Agent)
	if a == nil {
		return nil
	}
	for _, req.Tool = range a.Pages.Resolve(req.Place).Tools {
		if m.offers(ctx, a, req) {
			tools = append(tools, req.Tool)
		}
	}
	return tools
}

func (m *Manager) offers(ctx context.Context, a *agent.Agent, req CallRequest) bool {
	if req.Tool.Unmet(req.Principal, req.origin()) != "" {
		return false
	}
	q := policy.Question{
		Kind: policy.Tool, Name: req.Tool.Name, Verb: policy.Offer,
		Effect: string(req.Tool.Effect), Tainted: true,
	}
	return req.access(m, a).Decide(ctx, q).Decision != policy.Deny
}

func (req *CallRequest) origin() tool.Origin {
	return tool.Origin{Place: req.Place.ToolPlace(), Scope: req.Place.Scope, Context: req.Context}
}

// access asks the policies in charge of a request: the door's and the agent's.
func (req *CallRequest) access(m *Manager, a *agent.Agent) *calls.Access {
	return &calls.Access{
		Authorizers: []policy.Authorizer{req.Authorizer, a.Authorizer}, Log: m.log,
		About: policy.Question{Principal: req.Principal, Page: req.Place.String(), Scope: req.Place.Scope},
	}
}

// judge checks a request and decides about its call.
func (m *Manager) judge(ctx context.Context, req *CallRequest) (c *directCall, err error) {
	c = &directCall{
		CallRequest: req, m: m, id: newID("act"), owner: ownerOf(req.Principal),
		agent: m.Settings(req.Agent), origin: req.origin(),
	}
	if c.agent == nil {
		return nil, &refusal.Error{Code: refusal.UnknownAgent, Message: fmt.Sprintf("there is no agent %q", req.Agent)}
	}
	if c.args, err = req.Tool.ParseArgs(string(req.Args), req.Principal, c.origin); err != nil {
		return nil, badArgs(err)
	}
	if c.argsHash, err = tool.Hash(c.args); err != nil {
		return nil, refusal.Field("args", "args: cannot be read: %v", err)
	}
	if c.thread, c.Tainted, err = c.ownThread(ctx); err != nil {
		return nil, err
	}
	if c.Permission = c.permitted(ctx); c.verdict() == calls.Refused {
		c.record(ctx, audit.Deny, audit.NotRun)
		return nil, c.forbidden()
	}
	c.fingerprint = c.identify()
	return c, nil
}

// permitted asks the policies about a call's tool, and about its action: what forbids a tool
// forbids it behind every button.
func (c *directCall) permitted(ctx context.Context) policy.Answer {
	may := c.access(c.m, c.agent)
	q := policy.Question{
		Kind: policy.Tool, Name: c.Tool.Name, Verb: policy.Use,
		Effect: string(c.Tool.Effect), Args: c.args, Tainted: c.Tainted,
	}
	answer := may.Decide(ctx, q)
	if c.Action == "" {
		return answer
	}
	q.Kind, q.Name = policy.Action, c.Action
	return policy.Strictest(may.Decide(ctx, q), answer)
}

func (c *directCall) verdict() calls.Verdict {
	return c.Case(c.Tool, c.agent.Approvals.IgnoreTaint).Verdict()
}

func (c *directCall) asks() bool { return c.verdict() == calls.Asks }

// ownThread returns an action's thread if it is the caller's, else "": a page may act before its
// thread exists. tainted reports whether any branch of it is tainted, or if that is unknown. It is
// unknown without a thread: the model that wrote the label and arguments may have read anything. It
// considers all branches because another tab may have switched the shown one.
func (c *directCall) ownThread(ctx context.Context) (thread string, tainted bool, err error) {
	if c.Action == "" || c.ThreadID == "" {
		return "", true, nil
	}
	_, err = c.m.cfg.Store.Thread(ctx, c.owner, c.ThreadID)
	var runs []store.Run
	if err == nil {
		runs, err = c.m.cfg.Store.Runs(ctx, c.owner, c.ThreadID)
	}
	switch {
	case errors.Is(err, store.ErrNotFound): // somebody else's, not begun, or deleted
		return "", true, nil
	case err != nil:
		return "", false, StoreError("read the thread of a call", err)
	}
	return c.ThreadID, slices.ContainsFunc(runs, func(r store.Run) bool { return r.Tainted }), nil
}

// identify returns the fingerprint.
func (c *directCall) identify() string {
	where := jsonx.Marshal(tool.Origin{Place: c.origin.Place, Scope: c.origin.Scope})
	return calls.Key(c.agent.ID, c.name(), c.Tool.Name, c.Tool.Definition(), c.argsHash, c.thread, string(where))
}

// once carries the call out once for its key, and returns the result to all requests with it.
func (c *directCall) once(ctx context.Context) (CallResult, error) {
	key := calls.Key(c.owner.Key(), c.Key, c.fingerprint)
	result, err, _ := c.m.direct.flights.Do(key, func() (result any, err error) {
		defer guard.Error(&err)
		if c.m.direct.running.Take(c.owner, 1) != limit.None {
			message := fmt.Sprintf("%d actions are running: try again when one has ended", maxCalls)
			return nil, &refusal.Error{Code: refusal.TooManyCalls, Retry: time.Second, Message: message}
		}
		defer c.m.direct.running.Give(c.owner, 1)
		return c.carryOut(ctx)
	})
	if err != nil {
		return CallResult{}, err
	}
	return result.(CallResult), nil
}

// carryOut runs the call unless it has run before. On a thread it is a run.
func (c *directCall) carryOut(ctx context.Context) (CallResult, error) {
	if c.Action != "" {
		ctx = context.WithoutCancel(ctx)
	}
	switch {
	case !c.asks():
		c.ApprovalID = "" // nothing to use up
	case c.ApprovalID == "":
		return CallResult{}, c.offer(ctx)
	}
	if c.thread != "" {
		return c.onThread(ctx)
	}
	if err := c.begin(ctx); c.earlier != nil || err != nil {
		return *cmp.Or(c.earlier, &CallResult{}), err
	}
	return c.run(ctx, nil, c.Report)
}

// begin writes into the journal that the call begins. It sets earlier if the call was made before.
func (c *directCall) begin(ctx context.Context) error {
	begun := store.Action{Key: c.Key, Fingerprint: c.fingerprint, ExpiresAt: time.Now().Add(callAge)}
	before, err := c.m.cfg.Store.BeginAction(ctx, c.owner, begun, c.ApprovalID)
	switch {
	case errors.Is(err, store.ErrNotFound): // expired, used, or for something else
		return c.offer(ctx)
	case err != nil:
		return StoreError("begin an action", err)
	case before == nil:
		return nil
	case before.Fingerprint != c.fingerprint:
		return errKeyReused
	case before.Result != nil:
		if err := json.Unmarshal(before.Result, &c.earlier); err != nil {
			return fmt.Errorf("read the result of an action: %w", err)
		}
	case c.Tool.Effect != tool.Read && c.Tool.Effect != tool.Idempotent:
		return unknownOutcome("the server stopped while this action was running")
	}
	return nil
}

// run runs the tool, and keeps the result in the journal.
func (c *directCall) run(ctx context.Context, host tool.Host, report func(tool.Progress)) (CallResult, error) {
	call := tool.Call{
		ID: c.id, Host: host, Args: c.args, ThreadID: c.thread, Principal: c.Principal, Origin: c.origin,
		Key: calls.Key(c.owner.Key(), "action", c.Key)[:calls.KeyLength], Log: c.m.log,
	}
	if c.thread != "" {
		call.RunID = c.id
	}
	e := c.entry()
	e.CallID, e.RunID, e.Decision = call.ID, call.RunID, audit.Allow
	if c.Approved || c.ApprovalID != "" {
		e.Decision = audit.Approved
	}
	began := time.Now()
	r, err := c.executor().Run(ctx, c.Tool, call, e, report)
	if err != nil {
		return CallResult{Text: "It was not carried out: it could not be recorded.", IsError: true},
			&refusal.Error{
				Code: refusal.Store, Message: "this could not be recorded in the audit log, and was not done", Err: err,
			}
	}
	// not its arguments and result: they are the user's
	c.m.log.Info("an action was carried out", "action", c.name(), "id", c.id, "tool", c.Tool.Name, "effect", string(c.Tool.Effect), "thread", c.thread,
		"tenant", c.owner.Tenant, "subject", c.owner.Subject, "isError", r.IsError,
		"took", time.Since(began).Round(time.Millisecond))
	result := CallResult{Text: r.Text, IsError: r.IsError, Payload: c.payloadOf(r), RunID: call.RunID}
	if result.Payload != nil {
		result.Type = c.Tool.PayloadType
	}
	if r.IsError && ctx.Err() != nil { // its run was stopped, or its caller has left
		return result, unknownOutcome("this action was stopped while it was running")
	}
	if err := c.m.cfg.Store.EndAction(context.WithoutCancel(ctx), c.owner, c.Key, jsonx.Marshal(result)); err != nil {
		// it has had its effect: tell the user
		c.m.log.Error("the answer of an action could not be stored", "action", c.name(), "tool", c.Tool.Name,
			"error", err)
	}
	return result, nil
}

// payloadOf returns the tool's payload, checked against its type, or nil. An invalid one is the
// tool's fault, but it has had its effect: the user is told its text.
func (c *directCall) payloadOf(r tool.Result) json.RawMessage {
	if r.Payload == nil || r.IsError {
		return nil
	}
	err := fmt.Errorf("payload type %q is not defined", c.Tool.PayloadType)
	if typ, ok := c.agent.Pages.Payloads().Get(c.Tool.PayloadType); ok {
		var content json.RawMessage
		if content, err = typ.Encode(r.Payload); err == nil {
			return content
		}
	}
	c.m.log.Error("a tool returned a payload that cannot be shown", "action", c.name(), "tool", c.Tool.Name,
		"error", err)
	return nil
}

func (c *directCall) name() string { return cmp.Or(c.Action, c.Tool.Name) }

func (c *directCall) executor() *calls.Executor {
	return &calls.Executor{Audit: c.Audit, Log: c.m.log}
}

// entry returns an audit entry about the call.
func (c *directCall) entry() audit.Entry {
	kind, rule := audit.ToolCall, calls.RuleOf(c.Tool)
	if c.Action != "" {
		kind, rule = audit.Action, "action "+c.Action+", "+rule
	}
	return audit.Entry{
		Principal: c.Principal, Kind: kind, ThreadID: c.thread, Tool: c.Tool.Name, Args: c.args, ArgsHash: c.argsHash,
		Rule: cmp.Or(c.Permission.Rule, rule),
	}
}

// record records a call that does not run now.
func (c *directCall) record(ctx context.Context, decision, outcome string) {
	e := c.entry()
	e.Decision, e.Outcome = decision, outcome
	c.executor().Record(context.WithoutCancel(ctx), e)
}
