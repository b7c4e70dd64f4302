package run

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"time"

	"github.com/pageside/pageside/agent"
	"github.com/pageside/pageside/agent/pagetool"
	"github.com/pageside/pageside/agui"
	"github.com/pageside/pageside/auth"
	"github.com/pageside/pageside/calls"
	"github.com/pageside/pageside/journal"
	"github.com/pageside/pageside/page"
	"github.com/pageside/pageside/policy"
	"github.com/pageside/pageside/run/history"
	"github.com/pageside/pageside/run/meter"
	"github.com/pageside/pageside/run/refusal"
	"github.com/pageside/pageside/store"
)

// candidate is a run that a client asks for, until it is accepted.
type candidate struct {
	history.Request // what the client asks

	m       *Manager
	answers *Served
	agent   *agent.Agent // what the server knows about it
	run     *Run
	call    *directCall // instead of asking the agent; nil asks it
}

// execution is an accepted run with its working data.
type execution struct {
	candidate
	row        store.Run
	merged     history.Merged
	interrupts []calls.Interrupt // the open ones of the thread
	waiting    []string          // unanswered calls of earlier runs
	tainted    bool              // the branch was tainted at the beginning, or by the run's input
	state      json.RawMessage   // the shared state that the run begins with; nil if there is none
	look       *agent.Look       // what the page shows; nil after a crash
	title      string            // of a new thread
	opening    string            // the title of a thread that no model has named yet; may be empty
	titled     *titling          // nil unless a model is asked for a title
	w          *writer
	account    *meter.Account // nil if nothing limits what the run may use
	crashed                   // if the run resumes after a crash
}

// crashed is what a crash has left of a run.
type crashed struct {
	resumed bool // the run has emitted events before
	// journal entries of calls without a result; nil if there was no crash
	calls map[string]journal.ToolCall
	cut   []string                       // calls that were incomplete
	known map[string]agui.ToolCallResult // results of its calls, if the run does not continue
}

// crash returns what the agent has to know of the crash; nil if there was none.
func (c *crashed) crash() *agent.Crash {
	if c.calls == nil {
		return nil
	}
	return &agent.Crash{Calls: c.calls, Cut: c.cut}
}

// check refuses a request that is invalid whatever the thread holds.
func check(ctx context.Context, s *Served, r *Run, in *agui.RunAgentInput, most int) (*candidate, error) {
	a := s.desk
	if err := history.CheckSize(most, in, nil); err != nil {
		return nil, err
	}
	place, err := whereIs(in)
	if err != nil {
		return nil, refusal.Field("forwardedProps.pageside", "%v", err)
	}
	if place.Page == "" {
		place.Page, place.Tab, place.Subtab = a.Page.Page, a.Page.Tab, a.Page.Subtab
	}
	if err := cmp.Or(history.Check(place, in), checkTools(in.Tools)); err != nil {
		return nil, err
	}
	if err := checkPick(a, "forwardedProps.pageside.", Pick{Model: place.Model, Effort: place.Effort}); err != nil {
		return nil, err
	}
	r.window = place.History
	if err := permit(ctx, a, r.principal, place.Place); err != nil {
		return nil, err
	}
	err = cmp.Or(checkState(a, "state", in.State), checkState(a, "forwardedProps.pageside.stateBase", place.StateBase))
	if err != nil {
		return nil, err
	}
	request := history.Request{
		Input: in, Place: place, RunID: r.ID, Most: most, Backend: a.RunsOnServer, NewID: newID,
	}
	return &candidate{Request: request, m: r.m, answers: s, agent: a, run: r}, nil
}

// permit refuses an agent or a place that the policy does not let the principal use. A run without
// a place is at no page.
func permit(ctx context.Context, a *agent.Agent, p auth.Principal, at page.Place) error {
	if answer := a.Permits(ctx, p, at, policy.Agent); answer.Decision != policy.Allow {
		return &refusal.Error{
			Code:    refusal.Forbidden,
			Message: fmt.Sprintf("you are not permitted to ask the agent %q%s", a.ID, because(answer)),
		}
	}
	if answer := a.Permits(ctx, p, at, policy.Page); answer.Decision != policy.Allow {
		return &refusal.Error{
			Code: refusal.Forbidden, Field: "forwardedProps.pageside",
			Message: fmt.Sprintf("you are not permitted to use the assistant at %q%s", at.String(), because(answer)),
		}
	}
	return nil
}

// because returns the reason of a refusal.
func because(a policy.Answer) string {
	if a.Reason == "" {
		return ""
	}
	return ": " + a.Reason
}

// whereIs returns the user's place: from forwardedProps, or from the context item that plain
// clients send instead.
func whereIs(in *agui.RunAgentInput) (page.Forwarded, error) {
	f, err := page.ParseForwarded(in.ForwardedProps)
	if err != nil || f.Page != "" {
		return f, err
	}
	for _, c := range in.Context {
		if c.Description == page.ContextDescription {
			if at, ok := page.ParseContextItem(c.Value); ok {
				f.Place = at.Place
				return f, nil
			}
		}
	}
	return f, nil
}

func checkTools(tools []agui.Tool) error {
	err := pagetool.Check(tools)
	if e, ok := errors.AsType[*agui.FieldError](err); ok {
		return refusal.Field(e.Path, "%v", e)
	}
	return err
}

// prepare merges the request into the thread and stores what is new. It returns nil if there is
// nothing to execute: the run shows the thread, or has already ended.
func (c *candidate) prepare(ctx context.Context) (*execution, error) {
	r := c.run
	if err := r.awaitThread(ctx); err != nil {
		return nil, err
	}
	b, err := c.branch(ctx)
	if err != nil {
		return nil, err
	}
	x := &execution{candidate: *c}
	if x.call != nil {
		return x.prepareCall(ctx, b)
	}
	if err := x.mergeInput(b); err != nil {
		return nil, err
	}
	if x.merged.Snapshot { // showing a thread leaves no trace in it
		if err := r.lookUp(ctx); err != nil || r.past != nil {
			return nil, err
		}
		return nil, r.show(ctx)
	}
	if x.state, err = x.stateAt(ctx, b); err != nil {
		return nil, err
	}
	x.taintAndNote(ctx, b)
	x.opening = history.Opening(b.Messages, x.merged.Messages)
	if b.New {
		x.title = x.opening
	}
	x.waiting = x.merged.Pending
	x.interrupts, r.parent = b.Interrupts, cmp.Or(b.Parent, store.RootRun)
	r.brings = x.merged.Silent()
	held := x.m.cfg.Limits
	err = history.CheckAttachments(b.Messages, x.merged.Messages, held.Attachments, held.AttachmentBytes)
	if err != nil {
		return nil, err
	}
	stored := x.newWriting(b)
	if err := x.store(ctx); err != nil || r.past != nil {
		return nil, err
	}
	x.auditMerge(ctx, b.Messages)
	x.noteContinued(b.Messages, x.Place.Continues)
	x.entitle(stored)
	x.dropHistory()
	return x, nil
}

// mergeInput finds what the request adds to the branch, and logs what it leaves out.
func (x *execution) mergeInput(b *branch) (err error) {
	if x.merged, err = b.Merge(&x.Request); err != nil {
		return err
	}
	if x.merged.PassedOver && x.m.passed.CompareAndSwap(false, true) {
		x.m.log.Warn("a client went on without answering a question: if its front end draws no interrupts, set approvals: {ask: words} for the agent, or askInWords for the drop-in",
			"run", x.run.ID, "thread", x.run.ThreadID)
	}
	if x.m.cfg.ClientInstructions == InstructionsIgnore && len(x.merged.Told) > 0 {
		x.m.log.Info("left out the instructions of a client", "run", x.run.ID, "thread", x.run.ThreadID,
			"count", len(x.merged.Told))
	}
	x.logSome(slog.LevelWarn, "ignored messages that a client may not send", x.merged.Ignored)
	x.logSome(slog.LevelDebug, "ignored second answers", x.merged.Doubled)
	x.logSome(slog.LevelWarn, "kept only the beginning of long results of the page", x.merged.Cut)
	return nil
}

// logSome logs the first few of a list, unless it is empty.
func (x *execution) logSome(level slog.Level, message string, list []string) {
	if len(list) > 0 {
		x.run.m.log.Log(context.Background(), level, message, "run", x.run.ID, "thread", x.run.ThreadID,
			"count", len(list), "what", list[:min(len(list), 10)])
	}
}

// taintAndNote decides whether the run begins tainted, and adds notes of the place, the mentions
// and the choice of model to the new messages.
func (x *execution) taintAndNote(ctx context.Context, b *branch) {
	brought := x.brought()
	asked := slices.ContainsFunc(brought.History, func(m agui.Message) bool { return m.Role == agui.RoleUser })
	seen := brought
	if !asked {
		seen.History = b.Messages
	}
	x.look = x.agent.Look(ctx, seen)
	brought.Look = x.look
	x.tainted = b.taint || x.Relayed || x.agent.Taints(ctx, brought)
	if x.answers.own && x.merged.Answer {
		x.tainted = true // what the agent itself has read is unknown here
	}
	if x.merged.Answer && !x.answers.own && !x.Place.Withdraw {
		around := history.Around{
			Place: x.Place.Place, Context: x.look.Keys(), ContextID: strings.ToLower(rand.Text()[:20]),
			Model: x.Place.Model, Effort: x.Place.Effort,
		}
		if asked {
			around.Mentioned = x.look.Mentioned()
		}
		x.merged.Note(b.Messages, around)
	}
}

// dropHistory forgets the messages that the client sent: a live run does not need them twice.
func (x *execution) dropHistory() {
	input := *x.Input
	input.Messages = nil
	x.Input = &input
}

// newWriting makes the writer of a run, which continues from the stored thread and state. It begins
// with the messages that it returns.
func (x *execution) newWriting(b *branch) (stored []agui.Message) {
	stored = append(b.Messages[:len(b.Messages):len(b.Messages)], x.merged.Messages...)
	transcript := agui.NewTranscript(stored)
	transcript.SetState(x.state)
	x.w = newWriter(x.run, 1, 0, transcript, agui.NewVerifier())
	x.run.w = x.w
	return stored
}

// awaitThread returns when the store has the whole thread that a run will continue: unsaved ends
// have been stored, and runs taken over later, which were not in the queue, have ended.
func (r *Run) awaitThread(ctx context.Context) error {
	if err := r.m.unsaved.saveThread(ctx, r.thread()); err != nil {
		return unavailable("the end of the thread's last run could not be stored", err)
	}
	live := r.m.followers.live(r.thread())
	if live == nil {
		return nil
	}
	timeout := time.NewTimer(r.m.cfg.Queue)
	defer timeout.Stop()
	select {
	case <-live.over:
		return nil
	case <-timeout.C:
		return busyWith(live)
	case <-r.ctx.Done():
		return cancelledEarly(r.ID)
	case <-ctx.Done():
		return ctx.Err()
	}
}

// brought returns what the request brings: agentInput without the server's additions.
func (x *execution) brought() agent.Input {
	around := x.surroundingsOf()
	in := agent.Input{
		RunID: x.run.ID, History: x.merged.Messages, Frontend: x.Input.Tools, Context: around.context,
		Details: around.details, Place: x.Place.Place,
		State: x.state,
	}
	in.ClientInstructions = around.guidance
	return in
}

// store begins the run in the store, after its parent, and publishes its first events. If the store
// already has the run, it loads that.
func (x *execution) store(ctx context.Context) error {
	input, err := x.keep()
	if err != nil {
		return err
	}
	first, err := x.firstEvents()
	if err != nil {
		return err
	}
	r := x.run
	x.row = store.Run{ID: r.ID, ThreadID: r.ThreadID, Agent: x.agent.ID, ParentRunID: r.parent, Fingerprint: r.fingerprint,
		Status: store.RunLive, Input: input, State: x.state, Epoch: 1, Tainted: x.tainted,
		CreatedAt: time.Now(), ThreadTitle: x.title}
	err = x.m.cfg.Store.BeginRun(ctx, r.owner, x.row, x.merged.Messages, first)
	switch {
	case errors.Is(err, store.ErrConflict):
		if err := r.lookUp(ctx); err != nil || r.past != nil {
			return err
		}
		return r.whyNot(ctx, err)
	case err != nil:
		return unavailable("the run could not be stored", err)
	}
	x.w.begun(first)
	return nil
}

// whyNot explains why a new run conflicts with the store: the thread was deleted, or has just
// changed.
func (r *Run) whyNot(ctx context.Context, cause error) error {
	t, err := r.m.cfg.Store.Thread(ctx, r.owner, r.ThreadID)
	switch {
	case err != nil && !errors.Is(err, store.ErrNotFound):
		return unavailable("the thread could not be looked up", err)
	case err == nil && !t.DeletedAt.IsZero():
		return wasDeleted(r.ThreadID)
	}
	return &refusal.Error{
		Code: refusal.ThreadBusy, Field: "threadId", Message: fmt.Sprintf("thread %q is being changed", r.ThreadID),
		Err: cause,
	}
}

// keep returns what is needed to resume the run after a crash: the input without its messages,
// except for the client's instructions.
func (c *candidate) keep() (json.RawMessage, error) {
	in := *c.Input
	in.Messages = nil
	for i := range c.Input.Messages {
		if m := &c.Input.Messages[i]; history.Instructs(m) {
			in.Messages = append(in.Messages, *m)
		}
	}
	frame, err := json.Marshal(keptInput{
		Principal: c.run.principal, Act: c.call != nil, Words: c.run.words, Timestamps: c.run.timestamps,
	})
	if err != nil {
		return nil, fmt.Errorf("encode the principal: %w", err)
	}
	// json.Marshal would read all of the input again.
	kept, err := agui.AppendRunAgentInput(append(frame[:len(frame)-1], `,"input":`...), &in)
	return append(kept, '}'), err
}

// keptInput is what a store keeps of a live run's request.
type keptInput struct {
	Principal auth.Principal  `json:"principal"`
	Input     json.RawMessage `json:"input,omitempty"`
	Act       bool            `json:"act,omitempty"` // the run makes a call
	// Request.Words and Timestamps
	Words      bool `json:"words,omitempty"`
	Timestamps bool `json:"timestamps,omitempty"`
}

// readKept reads what keep wrote.
func readKept(row json.RawMessage) (kept keptInput, in *agui.RunAgentInput, err error) {
	if err := json.Unmarshal(row, &kept); err != nil {
		return kept, nil, err
	}
	in, err = agui.UnmarshalRunAgentInput(kept.Input)
	return kept, in, err
}
