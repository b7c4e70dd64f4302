package run

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/pageside/pageside/agent"
	"github.com/pageside/pageside/agui"
	"github.com/pageside/pageside/llm"
	"github.com/pageside/pageside/page"
	"github.com/pageside/pageside/store"
)

// execution is a run with what it works on.
type execution struct {
	agent  *agent.Agent
	run    *Run
	row    store.Run
	input  *agui.RunAgentInput
	merged merged
	place  page.Forwarded
	title  string // of a thread that this run begins
	w      *writer

	earlier store.RunStatus // how a run of this id ended that the store knows from earlier, or ""
	failure string          // the code it failed with
}

// check refuses what can be told to be wrong without looking at the thread.
func check(a *agent.Agent, r *Run, req Request) (*execution, error) {
	place, err := whereIs(req.Input)
	if err != nil {
		return nil, &Error{Code: CodeInvalid, Field: "forwardedProps.pageside", Message: err.Error()}
	}
	if err := checkTools(req.Input.Tools); err != nil {
		return nil, err
	}
	return &execution{agent: a, run: r, input: req.Input, place: place}, nil
}

// prepare merges the request into the thread and stores what is new.
func (m *Manager) prepare(ctx context.Context, x *execution) error {
	r := x.run
	stored, err := m.transcript(ctx, r)
	if err != nil {
		return err
	}
	if x.merged, err = merge(stored, x.input.Messages, unanswered(stored)); err != nil {
		return err
	}
	if n := len(x.merged.ignored); n > 0 {
		m.log.Warn("client sent messages it may not write", "run", r.ID, "thread", r.ThreadID, "count", n, "messages", x.merged.ignored[:min(n, 10)])
	}
	if len(stored) == 0 {
		x.title = titleOf(x.merged.messages)
	}
	x.row = store.Run{ID: r.ID, ThreadID: r.ThreadID, Agent: x.agent.ID, ParentRunID: x.input.ParentRunID, Fingerprint: r.fingerprint,
		Status: store.RunLive, CreatedAt: time.Now(), ThreadTitle: x.title}
	if x.merged.snapshot {
		err = m.again(ctx, x) // looking at a thread leaves no trace in it
	} else {
		err = m.begin(ctx, x)
	}
	x.w = newWriter(r, m.cfg.Store, m.log, m.cfg.MaxSize, append(stored[:len(stored):len(stored)], x.merged.messages...))
	return err
}

// earlierRun returns the run of this id that the store knows, or nil. One that stands for another request is a conflict.
func (m *Manager) earlierRun(ctx context.Context, r *Run) (*store.Run, error) {
	old, err := m.cfg.Store.Run(ctx, r.owner, r.ID)
	switch {
	case errors.Is(err, store.ErrNotFound):
		return nil, nil
	case err != nil:
		return nil, &Error{Code: CodeStore, Message: "the run could not be looked up", Err: err}
	case old.Fingerprint != r.fingerprint || old.ThreadID != r.ThreadID:
		return nil, conflict(r.ID)
	}
	return &old, nil
}

// whereIs says where the user is: as forwardedProps have it, else as a context item does that a plain client sent for it.
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
	err := agent.CheckFrontend(tools)
	if e, ok := errors.AsType[*agent.InputError](err); ok {
		return &Error{Code: CodeInvalid, Field: e.Field, Message: e.Error()}
	}
	return err
}

func (m *Manager) transcript(ctx context.Context, r *Run) ([]agui.Message, error) {
	stored, err := m.cfg.Store.Transcript(ctx, r.owner, r.ThreadID)
	if err != nil && !errors.Is(err, store.ErrNotFound) {
		return nil, &Error{Code: CodeStore, Message: "the thread could not be read", Err: err}
	}
	return stored, nil
}

func (m *Manager) begin(ctx context.Context, x *execution) error {
	err := m.cfg.Store.BeginRun(ctx, x.run.owner, x.row, x.merged.messages)
	switch {
	case err == nil:
		return nil
	case errors.Is(err, store.ErrConflict):
		return m.again(ctx, x)
	case errors.Is(err, store.ErrInvalid):
		return &Error{Code: CodeInvalid, Message: err.Error()}
	default:
		return &Error{Code: CodeStore, Message: "the run could not be stored", Err: err}
	}
}

// again lets a request whose run id the store may know from earlier see the thread as it is now, and that run's end.
func (m *Manager) again(ctx context.Context, x *execution) error {
	old, err := m.earlierRun(ctx, x.run)
	if err != nil || old == nil {
		return err
	}
	x.merged = merged{snapshot: true}
	x.earlier, x.failure = old.Status, old.Error
	return nil
}

// execute takes the run from RUN_STARTED to its terminal event. Whatever happens, there is one.
func (m *Manager) execute(x *execution) {
	defer m.keep(x.run)
	defer m.release(x.run)
	defer x.run.cancel(nil)
	ctx, stop := context.WithTimeoutCause(x.run.ctx, m.cfg.Timeout, errTimeout)
	defer stop()
	outcome, err := m.answer(ctx, x)
	if err := m.finish(ctx, x, outcome, err); err != nil {
		m.log.Error("a run could not be ended in order", "run", x.run.ID, "error", err)
		x.w.abort()
	}
}

// answer lets the agent answer what the request brought.
func (m *Manager) answer(ctx context.Context, x *execution) (outcome agent.Outcome, err error) {
	defer recovered(&err)
	if err := m.open(x); err != nil {
		return outcome, err
	}
	switch {
	case x.merged.snapshot:
		return outcome, x.w.Emit(&agui.MessagesSnapshot{Messages: x.w.transcript.Messages()})
	case !x.merged.answer:
		return outcome, nil // some calls still wait for the client
	}
	return x.agent.Run(ctx, agent.Input{
		ThreadID: x.run.ThreadID, RunID: x.run.ID,
		History:  answerable(x.w.transcript.Messages()),
		Frontend: x.input.Tools,
		Context:  x.input.Context,
		Details:  x.place.Context,
		Place:    x.place.Place,
		State:    x.input.State,
	}, x.w)
}

// open says that the run has begun, and what the merge has to tell the client.
func (m *Manager) open(x *execution) error {
	started := &agui.RunStarted{ThreadID: x.run.ThreadID, RunID: x.run.ID, ParentRunID: x.input.ParentRunID, ProtocolVersion: agui.ProtocolVersion}
	if err := x.w.Emit(started); err != nil {
		return err
	}
	if x.title != "" && !x.merged.snapshot {
		title, err := json.Marshal(x.title)
		if err != nil {
			return fmt.Errorf("encode the title of thread %s: %w", x.run.ThreadID, err)
		}
		if err := x.w.Emit(&agui.Custom{Name: "conversation_title", Value: title}); err != nil {
			return err
		}
	}
	for i := range x.merged.answered {
		if err := x.w.tell(&x.merged.answered[i]); err != nil {
			return err
		}
	}
	return x.w.Flush()
}

// finish closes what is open, stores the run and its messages, and only then sends the terminal event. An error means that none
// was sent.
func (m *Manager) finish(ctx context.Context, x *execution, outcome agent.Outcome, cause error) (err error) {
	defer recovered(&err)
	terminal := m.terminal(x, outcome, cause, context.Cause(ctx))
	mark := "stopped"
	if _, failed := terminal.(*agui.RunError); failed {
		mark = "failed"
	}
	if err := x.w.close(mark, outcome.Pending, "not finished: the run was "+mark); err != nil {
		m.log.Error("a run could not be closed in order", "run", x.run.ID, "error", err)
		terminal = &agui.RunError{Message: "internal error", Code: "internal", Usage: outcome.Usage}
	}
	if err := m.save(x, terminal, outcome); err != nil {
		m.log.Error("a run's end could not be stored", "run", x.run.ID, "error", err)
		terminal = &agui.RunError{Message: "the answer could not be stored", Code: string(CodeStore), Usage: outcome.Usage}
	}
	return x.w.end(terminal)
}

// terminal is the event that ends the run: what it says depends on why the agent returned, and on why it was stopped if it was.
func (m *Manager) terminal(x *execution, outcome agent.Outcome, cause, stopped error) agui.Event {
	finished := &agui.RunFinished{ThreadID: x.run.ThreadID, RunID: x.run.ID, Usage: outcome.Usage}
	switch {
	case cause == nil && x.earlier == store.RunFailed:
		return &agui.RunError{Message: "the run failed earlier: " + x.failure, Code: x.failure}
	case cause == nil && x.earlier == store.RunCancelled:
		finished.Outcome = &agui.Outcome{Type: agui.OutcomeCancelled}
		return finished
	case cause == nil:
		if len(outcome.Pending) > 0 {
			finished.Outcome = &agui.Outcome{Type: agui.OutcomeSuccess, PendingToolCallIDs: outcome.Pending}
		}
		return finished
	case errors.Is(stopped, errCancelled):
		finished.Outcome = &agui.Outcome{Type: agui.OutcomeCancelled}
		return finished
	case errors.Is(stopped, errShutdown):
		return &agui.RunError{Message: "the server is shutting down", Code: "shutdown", Usage: outcome.Usage}
	case errors.Is(stopped, errTimeout):
		return &agui.RunError{Message: fmt.Sprintf("the run took longer than %s", m.cfg.Timeout), Code: "timeout", Usage: outcome.Usage}
	case errors.Is(cause, errTooMuch):
		m.log.Warn("a run said too much", "run", x.run.ID, "limit", m.cfg.MaxSize)
		return &agui.RunError{Message: fmt.Sprintf("the answer is longer than %d bytes", m.cfg.MaxSize), Code: "output_limit", Usage: outcome.Usage}
	}
	if e, ok := errors.AsType[*llm.Error](cause); ok {
		m.log.Warn("a model call failed", "run", x.run.ID, "kind", e.Kind, "error", e)
		return &agui.RunError{Message: e.Error(), Code: "llm_" + string(e.Kind), Usage: outcome.Usage}
	}
	m.log.Error("a run failed", "run", x.run.ID, "error", cause)
	return &agui.RunError{Message: "internal error", Code: "internal", Usage: outcome.Usage}
}

// save stores the run's end. The store is given time of its own: the run's context may have ended.
func (m *Manager) save(x *execution, terminal agui.Event, outcome agent.Outcome) error {
	if x.merged.snapshot {
		return nil
	}
	row := x.row
	row.Status, row.Pending, row.EndedAt = store.RunFinished, append(x.merged.pending, outcome.Pending...), time.Now()
	switch e := terminal.(type) {
	case *agui.RunError:
		row.Status, row.Error = store.RunFailed, e.Code
	case *agui.RunFinished:
		if e.Outcome != nil && e.Outcome.Type == agui.OutcomeCancelled {
			row.Status = store.RunCancelled
		}
	}
	var err error
	if row.Usage, err = encodeUsage(outcome.Usage); err != nil {
		return err
	}
	ctx, stop := context.WithTimeout(context.WithoutCancel(x.run.ctx), 10*time.Second)
	defer stop()
	return m.cfg.Store.EndRun(ctx, x.run.owner, row, x.w.transcript.Changed())
}

func encodeUsage(usage []agui.TokenUsage) (json.RawMessage, error) {
	if len(usage) == 0 {
		return nil, nil
	}
	return agui.MarshalUsage(usage)
}

// failedMark stands in the metadata of an answer that an error cut off.
var failedMark = []byte(`"status":"failed"`)

func failed(msg *agui.Message) bool {
	return msg.Role == agui.RoleAssistant && len(msg.ToolCalls) == 0 && bytes.Contains(msg.Metadata, failedMark)
}

// unanswered reports whether the thread's last turn has no answer, so that asking again is a retry and not a repetition.
func unanswered(stored []agui.Message) bool {
	for i := len(stored) - 1; i >= 0; i-- {
		msg := &stored[i]
		switch msg.Role {
		case agui.RoleUser, agui.RoleTool:
			return true
		case agui.RoleAssistant:
			if !failed(msg) {
				return false
			}
		}
	}
	return false
}

// answerable is the history without answers that an error cut off: the model answers again.
func answerable(history []agui.Message) []agui.Message {
	kept := make([]agui.Message, 0, len(history))
	for i := range history {
		if !failed(&history[i]) {
			kept = append(kept, history[i])
		}
	}
	return kept
}

// titleOf names a new thread after the first words its user wrote.
func titleOf(messages []agui.Message) string {
	for i := range messages {
		if messages[i].Role == agui.RoleUser {
			return firstWords(messages[i].Content.Text(), 60)
		}
	}
	return ""
}

// firstWords cuts text after at most n bytes, at a space where there is one.
func firstWords(text string, n int) string {
	text = strings.Join(strings.Fields(text), " ")
	if len(text) <= n {
		return text
	}
	cut := text[:n]
	for !utf8.ValidString(cut) {
		cut = cut[:len(cut)-1]
	}
	if i := strings.LastIndexByte(cut, ' '); i > n/2 {
		cut = cut[:i]
	}
	return cut + "…"
}
