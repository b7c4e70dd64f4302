package server

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/pageside/pageside/agent"
	"github.com/pageside/pageside/agui"
	"github.com/pageside/pageside/audit"
	"github.com/pageside/pageside/internal/guard"
	"github.com/pageside/pageside/policy"
	"github.com/pageside/pageside/run"
	"github.com/pageside/pageside/store"
	"github.com/pageside/pageside/tool"
)

const (
	// maxActions is how many actions of one caller may run at a time.
	maxActions = 8
	// actionAge is how long a key stands for the action that was begun with it.
	actionAge = 24 * time.Hour
	// approvalAge is how long the user may think about an action.
	approvalAge = 10 * time.Minute
	maxKey      = 255 // bytes
)

// approvalRequired is the code of the error that asks for a person's approval.
const approvalRequired = "approval_required"

// click is one request for an action, or for a tool itself.
type click struct {
	agent       *agent.Agent
	name        string
	tool        *tool.Tool
	args        json.RawMessage
	label       string          // of the button
	origin      tool.Origin     // where the user is
	forwarded   json.RawMessage // the same, as a run's input has it
	parent      string          // the run that the client has seen last; "" is the newest
	thread      string          // "" if the caller has none
	tainted     bool
	permission  policy.Answer
	asks        bool   // the user must approve the arguments
	key         string // idempotency key
	approvalID  string
	direct      bool                // a call of the tool itself, not an action
	within      context.Context     // stops it when it ends; nil is never
	report      func(tool.Progress) // may be nil
	fingerprint string              // of what is asked for
}

// keyOf returns the idempotency key of a request: the header's, the body's, or a new one.
func (b *actionRequest) keyOf(r *http.Request) (string, error) {
	field, key := "Idempotency-Key", r.Header.Get("Idempotency-Key")
	if key == "" {
		field, key = "idempotencyKey", b.IdempotencyKey
	}
	switch {
	case key == "":
		return rand.Text(), nil
	case len(key) > maxKey || strings.ContainsFunc(key, func(c rune) bool { return c <= ' ' || c > '~' }):
		return "", badField(field, fmt.Sprintf("must be 1 to %d visible ASCII characters", maxKey))
	}
	return key, nil
}

// identify sets the fingerprint: what the key and an approval stand for.
func (k *click) identify() error {
	args, err := tool.Hash(k.args)
	if err != nil {
		return badField("args", "cannot be read: "+err.Error())
	}
	where, err := json.Marshal(tool.Origin{Place: k.origin.Place, Scope: k.origin.Scope})
	if err != nil {
		return badField("scope", "cannot be read: "+err.Error())
	}
	k.fingerprint = hashOf(k.agent.ID, k.name, k.tool.Name, k.tool.Definition(), args, k.thread, string(where))
	return nil
}

// hashOf hashes parts so that no two lists of parts look alike.
func hashOf(parts ...string) string {
	h := sha256.New()
	for _, part := range parts {
		fmt.Fprintf(h, "%d %s ", len(part), part)
	}
	return hex.EncodeToString(h.Sum(nil))
}

// flights holds the actions that are running, so that requests with the same key wait for the
// first one.
type flights struct {
	mu      sync.Mutex
	running map[string]*flight
	count   map[string]int // by owner
}

// flight is one running action.
type flight struct {
	fingerprint string
	landed      chan struct{} // closed once the fields below are set
	answer      json.RawMessage
	err         error
}

// board returns the flight of a key. mine is true for the caller that has to carry it out.
func (f *flights) board(owner, key, fingerprint string) (flying *flight, mine bool, err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	id := hashOf(owner, key)
	if flying := f.running[id]; flying != nil {
		return flying, false, nil
	}
	if f.count[owner] >= maxActions {
		return nil, false, &Error{Status: http.StatusTooManyRequests, Code: "too_many_actions", Retry: time.Second,
			Message: fmt.Sprintf("%d actions are running: try again when one has ended", maxActions)}
	}
	if f.running == nil {
		f.running, f.count = map[string]*flight{}, map[string]int{}
	}
	flying = &flight{fingerprint: fingerprint, landed: make(chan struct{})}
	f.running[id] = flying
	f.count[owner]++
	return flying, true, nil
}

func (f *flights) land(owner, key string, flying *flight) {
	f.mu.Lock()
	defer f.mu.Unlock()
	delete(f.running, hashOf(owner, key))
	if f.count[owner]--; f.count[owner] == 0 {
		delete(f.count, owner)
	}
	close(flying.landed)
}

// once carries out an action once for its key, and returns the answer to all requests with it.
func (s *Server) once(c call, k *click) (json.RawMessage, error) {
	flying, mine, err := s.flights.board(c.owner.Key(), k.key, k.fingerprint)
	switch {
	case err != nil:
		return nil, err
	case flying.fingerprint != k.fingerprint:
		return nil, keyReused()
	case mine:
		func() {
			defer s.flights.land(c.owner.Key(), k.key, flying)
			defer guard.Error(&flying.err)
			flying.answer, flying.err = s.carryOut(c, k)
		}()
		return flying.answer, flying.err
	}
	select {
	case <-flying.landed:
		return flying.answer, flying.err
	case <-c.r.Context().Done():
		return nil, c.r.Context().Err()
	}
}

// carryOut runs an action unless it has run before, and stores its answer. It continues when the
// client leaves. On a thread it is a run.
func (s *Server) carryOut(c call, k *click) (json.RawMessage, error) {
	ctx, stop := context.WithCancel(context.WithoutCancel(c.r.Context()))
	defer stop()
	if k.within != nil {
		defer context.AfterFunc(k.within, stop)()
	}
	if k.asks && k.approvalID == "" {
		return nil, s.askFor(ctx, c, k)
	}
	if !k.asks {
		k.approvalID = "" // nothing to use up
	}
	if k.thread != "" {
		return s.actOnThread(ctx, c, k)
	}
	if earlier, err := s.begin(ctx, c, k); earlier != nil || err != nil {
		return earlier, err
	}
	answer, _, err := s.run(ctx, c, k, clickRun{id: "act_" + rand.Text()}, k.report)
	return answer, err
}

// errEarlier means that an action was carried out before.
var errEarlier = errors.New("server: the action was carried out before")

// actOnThread carries out an action as a run of its thread.
func (s *Server) actOnThread(ctx context.Context, c call, k *click) (answer json.RawMessage, err error) {
	var earlier json.RawMessage
	type outcome struct {
		answer json.RawMessage
		err    error
	}
	ended := make(chan outcome, 1)
	runID := "act_" + rand.Text()
	act := &run.Act{
		Action: k.name, Label: k.label, Args: k.tool.Unbound(k.args),
		Admit: func(ctx context.Context) (err error) {
			if earlier, err = s.begin(ctx, c, k); earlier != nil {
				return errEarlier
			}
			return err
		},
		Do: func(ctx context.Context, host tool.Host, report func(tool.Progress)) run.ActResult {
			answer, result, err := s.run(ctx, c, k, clickRun{runID, host}, report)
			ended <- outcome{answer, err}
			return result
		},
	}
	input := &agui.RunAgentInput{ThreadID: k.thread, RunID: runID, ParentRunID: k.parent, ForwardedProps: k.forwarded}
	err = s.cfg.Runs.Act(ctx, run.Request{Principal: c.principal, Agent: k.agent.ID, Input: input, Fingerprint: k.fingerprint, Act: act})
	switch {
	case errors.Is(err, errEarlier):
		return earlier, nil
	case err != nil:
		return nil, err
	}
	select {
	case o := <-ended:
		return o.answer, o.err
	default: // it was stopped, but the tool still runs
		return nil, unknownOutcome("this action was stopped while it was running")
	}
}

func unknownOutcome(why string) error {
	return &Error{Status: http.StatusConflict, Code: "unknown_outcome", Message: why + ": whether it had its effect is not known. It was not run again"}
}

// begin records that an action begins. It returns the answer of one that was carried out before.
func (s *Server) begin(ctx context.Context, c call, k *click) (json.RawMessage, error) {
	begun := store.Action{Key: k.key, Fingerprint: k.fingerprint, ExpiresAt: time.Now().Add(actionAge)}
	earlier, err := s.cfg.Store.BeginAction(ctx, c.owner, begun, k.approvalID)
	switch {
	case errors.Is(err, store.ErrNotFound): // expired, used, or for something else
		return nil, s.askFor(ctx, c, k)
	case err != nil:
		return nil, fmt.Errorf("begin an action: %w", err)
	case earlier != nil && earlier.Fingerprint != k.fingerprint:
		return nil, keyReused()
	case earlier != nil && earlier.Result != nil:
		return earlier.Result, nil
	case earlier != nil && k.tool.Effect != tool.Read && k.tool.Effect != tool.Idempotent:
		return nil, unknownOutcome("the server stopped while this action was running")
	}
	return nil, nil
}

// clickRun is the run in which an action is carried out: without a thread it has only an id.
type clickRun struct {
	id   string
	host tool.Host
}

// run runs an action, stores its answer and returns it, for the client and for the thread.
func (s *Server) run(ctx context.Context, c call, k *click, in clickRun, report func(tool.Progress)) (json.RawMessage, run.ActResult, error) {
	call := tool.Call{ID: in.id, Host: in.host, Args: k.args, ThreadID: k.thread, Principal: c.principal, Origin: k.origin, Key: hashOf(c.owner.Key(), "action", k.key)[:32]}
	if k.thread != "" {
		call.RunID = in.id
	}
	result, err := s.runTool(ctx, c, k, call, report)
	if err != nil {
		return nil, run.ActResult{Text: "It was not carried out: it could not be recorded.", IsError: true}, err
	}
	if result.IsError && ctx.Err() != nil { // its run was stopped
		return nil, result, unknownOutcome("this action was stopped while it was running")
	}
	var body strings.Builder
	enc := json.NewEncoder(&body)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(actionResult{result.Text, result.IsError, result.PayloadType, result.Payload, call.RunID}); err != nil {
		return nil, result, fmt.Errorf("encode the answer of an action: %w", err)
	}
	answer := json.RawMessage(body.String())
	if err := s.cfg.Store.EndAction(context.WithoutCancel(ctx), c.owner, k.key, answer); err != nil {
		// it has had its effect: tell the user
		s.log.Error("the answer of an action could not be stored", "action", k.name, "tool", k.tool.Name, "error", err)
	}
	result.Text = tool.ErrorMessage(result.Text)
	return answer, result, nil
}

// runTool runs an action's tool. What changes anything only runs once that is in the audit log.
func (s *Server) runTool(ctx context.Context, c call, k *click, call tool.Call, report func(tool.Progress)) (run.ActResult, error) {
	e := s.actionEntry(c, k)
	e.CallID, e.RunID, e.Decision, e.Outcome = call.ID, call.RunID, audit.Allow, audit.Begun
	if k.approvalID != "" {
		e.Decision = audit.Approved
	}
	if err := s.confirmed(c, e); err != nil && k.tool.Effect != tool.Read {
		return run.ActResult{}, err
	}
	r := s.act(ctx, c, k.name, k.tool, call, report)
	e.Decision, e.Outcome, e.Detail = "", audit.OK, tool.ErrorCode(r.Text)
	switch {
	case e.Detail == tool.CodeRateLimited:
		e.Decision, e.Outcome, e.Rule = audit.Deny, audit.NotRun, tool.RuleRate
	case r.IsError:
		e.Outcome = audit.Failed
	}
	if r.IsError && ctx.Err() != nil {
		e.Outcome = audit.Unknown
	}
	s.record(c, e)
	content, err := payloadOf(k.agent, k.tool, r)
	if err != nil { // the tool's fault, but it has had its effect: tell the user its text
		s.log.Error("a tool returned a payload that cannot be shown", "action", k.name, "tool", k.tool.Name, "error", err)
	}
	return run.ActResult{Text: r.Text, IsError: r.IsError, PayloadType: payloadType(k.tool, content), Payload: content}, nil
}

// askFor returns the refusal of an action that needs the user's approval. Its approval id permits
// exactly this action to this caller, once.
func (s *Server) askFor(ctx context.Context, c call, k *click) error {
	e := s.actionEntry(c, k)
	e.Decision, e.Outcome = audit.Ask, audit.Waiting
	s.record(c, e)
	a := store.ActionApproval{ID: "apv_" + rand.Text(), Fingerprint: k.fingerprint, ExpiresAt: time.Now().Add(approvalAge)}
	if err := s.cfg.Store.OfferApproval(ctx, c.owner, a); err != nil {
		return fmt.Errorf("offer an approval: %w", err)
	}
	message := fmt.Sprintf("approvalId: %s needs the user's approval of these arguments", k.tool.Name)
	if k.approvalID != "" {
		message = "approvalId: it is not valid (any more) for this action: ask the user again"
	}
	return &Error{Status: http.StatusConflict, Code: approvalRequired, Message: message, Details: map[string]any{
		"field": "approvalId", "tool": k.tool.Name, "effect": k.tool.Effect, "args": k.args,
		"approvalId": a.ID, "expiresAt": a.ExpiresAt.UTC().Format(time.RFC3339),
	}}
}

func keyReused() error {
	return &Error{Status: http.StatusUnprocessableEntity, Code: "idempotency_key_reused",
		Message: "Idempotency-Key: it was used for another action: take a new one for each click", Details: map[string]any{"field": "Idempotency-Key"}}
}
