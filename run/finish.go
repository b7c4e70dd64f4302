package run

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"time"

	"github.com/pageside/pageside/agent"
	"github.com/pageside/pageside/agent/usage"
	"github.com/pageside/pageside/agui"
	"github.com/pageside/pageside/calls"
	"github.com/pageside/pageside/internal/guard"
	"github.com/pageside/pageside/llm"
	"github.com/pageside/pageside/run/history"
	"github.com/pageside/pageside/run/refusal"
	"github.com/pageside/pageside/store"
)

// storeTimeout limits storing a run's end, as the run's own context may have ended.
const storeTimeout = 10 * time.Second

// finish closes what is open and stores the run's end, messages and last events in one transaction.
// Only then is the terminal event sent.
func (x *execution) finish(ctx context.Context, outcome agent.Outcome, cause error) {
	x.titled.await(ctx, cause)
	outcome.Spending = x.w.spending(outcome)
	x.w.seal(errOver)
	own, stop := context.WithTimeout(context.WithoutCancel(ctx), storeTimeout)
	defer stop()
	end, err := x.conclude(own, outcome, cause, context.Cause(ctx))
	if err == nil {
		err = x.saveEnd(own, end)
	}
	switch {
	case err == nil:
		x.logEnd(own, end) // first: who has seen the end finds its line in the log
		x.run.log.Publish(end.last.Frames, end.last.Count, true)
		x.run.keep()
	case errors.Is(err, errFenced):
		x.m.log.Warn("a run was taken over by another process before it could end", "run", x.run.ID)
		x.abandon()
	default:
		x.breakDown(end, err)
	}
}

// ending is the stored form of a run's end.
type ending struct {
	row      store.Run
	messages []agui.Message
	last     store.Batch
	spent    usage.Spending
}

// conclude closes what is open and builds the run's end. If the store fails, it returns an error
// and a valid ending.
func (x *execution) conclude(
	ctx context.Context, outcome agent.Outcome, cause, stopped error,
) (end ending, err error) {
	defer guard.Error(&err) // a bug of ours must only affect this run
	end.spent = outcome.Spending
	w := x.w
	if err = w.hold(ctx); err != nil { // one append at a time: wait for the one under way
		w.fail(err)
	}
	interrupts, _ := history.StillOpen(w.messages(), outcome.Interrupts, x.stillAsked(cause != nil))
	terminal := x.terminal(ctx, outcome, interrupts, cause, stopped)
	c := closing{status: agui.StatusStopped, leave: outcome.Pending, known: x.known}
	if e, failed := terminal.(*agui.RunError); failed {
		c.status, c.code = agui.StatusFailed, e.Code
	}
	c.why = "not finished: the run was " + c.status
	for i := range interrupts {
		c.leave = append(c.leave, interrupts[i].ToolCallID)
	}
	closed := w.close(&c)
	if closed == nil {
		end.last, closed = w.lastBatch(terminal)
	}
	if closed != nil {
		x.m.log.Error("a run could not be closed properly", "run", x.run.ID, "error", closed)
		terminal = failure("internal", "internal error", outcome.Spending)
		end.last, _ = w.lastBatch(terminal) // only constant strings: cannot fail
	}
	x.auditClosed(ctx, c.results)
	interrupts, pending := history.StillOpen(w.messages(), interrupts)
	row, rowErr := x.endOf(terminal, interrupts, pending, outcome)
	row.LastSeq = end.last.First + int64(end.last.Count) - 1
	end.row, end.messages = row, w.changed()
	x.run.withRating(ctx, end.messages)
	return end, errors.Join(err, rowErr)
}

// terminal returns the event that ends the run. It depends on why the agent returned and on why the
// run was stopped, if it was.
func (x *execution) terminal(
	ctx context.Context, outcome agent.Outcome, open []calls.Interrupt, cause, stopped error,
) agui.Event {
	finished := &agui.RunFinished{
		Base: costOf(outcome.Spending), ThreadID: x.run.ThreadID, RunID: x.run.pinned, Result: outcome.Result,
		Usage: outcome.Usage,
	}
	fail := func(code, message string) agui.Event { return failure(code, message, outcome.Spending) }
	asked := history.Drawn(open)
	switch {
	case cause == nil && len(asked) > 0:
		finished.Outcome = &agui.Outcome{Type: agui.OutcomeInterrupt, Interrupts: asked}
		return finished
	case cause == nil:
		if pending := history.InWords(x.w.messages(), x.pending(outcome), open); len(pending) > 0 {
			finished.Outcome = &agui.Outcome{Type: agui.OutcomeSuccess, PendingToolCallIDs: pending}
		}
		return finished
	case errors.Is(stopped, agent.ErrStopped), errors.Is(cause, agent.ErrStopped):
		finished.Outcome, finished.Result = &agui.Outcome{Type: agui.OutcomeCancelled}, nil
		return finished
	case errors.Is(stopped, errTimeout):
		return fail("timeout", fmt.Sprintf("the run took longer than %s", x.m.cfg.Timeout))
	case errors.Is(cause, errInterrupted):
		return fail("interrupted", "the server stopped while the run was going on")
	case errors.Is(cause, refusal.ErrStore), errors.Is(stopped, refusal.ErrStore):
		return fail(string(refusal.Store), "the answer could not be stored")
	case errors.Is(cause, errTooMuch):
		x.m.log.Warn("a run exceeded the limit of its event stream", "run", x.run.ID, "limit", x.m.cfg.MaxSize)
		return fail("output_limit", fmt.Sprintf("the answer is longer than %d bytes", x.m.cfg.MaxSize))
	}
	if e, ok := errors.AsType[*refusal.Error](cause); ok && e.Limit != "" {
		x.m.limits.Reached(ctx, x.run.principal, e.Limit)
		return fail(string(e.Code), e.Message)
	}
	if e, ok := errors.AsType[*agent.Failure](cause); ok {
		x.m.log.Warn("an agent failed", "agent", x.agent.ID, "run", x.run.ID, "code", e.Code, "error", e)
		return fail(e.Code, e.Message)
	}
	if e, ok := errors.AsType[*llm.Error](cause); ok {
		x.m.log.Warn("a model call failed", "run", x.run.ID, "kind", e.Kind, "error", e)
		return fail("llm_"+string(e.Kind), e.Error())
	}
	if e := x.publicError(cause); e != nil {
		return fail(e.Code, e.Message)
	}
	x.m.log.Error("a run failed", "run", x.run.ID, "error", cause)
	return fail("internal", "internal error")
}

// pending returns the calls that wait for the client when the run ends: those of earlier runs
// first, then the run's own.
func (x *execution) pending(outcome agent.Outcome) []string {
	open := history.OpenCalls(x.w.messages())
	earlier := slices.DeleteFunc(slices.Clone(x.waiting), func(id string) bool {
		return !slices.Contains(open, id) || slices.Contains(outcome.Pending, id)
	})
	return append(earlier, outcome.Pending...)
}

// failure returns RUN_ERROR with the spending so far.
func failure(code, message string, spent usage.Spending) *agui.RunError {
	return &agui.RunError{Base: costOf(spent), Message: message, Code: code, Usage: spent.Usage}
}

// saveEnd stores a run's end, without messages that no store can keep: a run that never ends would
// block its thread.
func (x *execution) saveEnd(ctx context.Context, end ending) (err error) {
	defer guard.Error(&err)
	err = x.run.storeEnd(ctx, end)
	if !errors.Is(err, store.ErrInvalid) {
		return err
	}
	x.m.log.Error("a run's messages cannot be stored", "run", x.run.ID, "error", err)
	end.messages = storable(end.messages)
	return x.run.storeEnd(ctx, end)
}

// storable returns the messages that a store can keep.
func storable(messages []agui.Message) []agui.Message {
	var kept []agui.Message
	for i := range messages {
		if _, _, err := store.Bodies(messages[i : i+1]); err == nil {
			kept = append(kept, messages[i])
		}
	}
	return kept
}

func (r *Run) storeEnd(ctx context.Context, end ending) error {
	err := r.m.cfg.Store.EndRun(ctx, r.owner, end.row, end.messages, end.last)
	if isFenced(err) {
		return fmt.Errorf("%w: %w", errFenced, err)
	}
	return err
}

// saveEndLater stores a run's end as soon as the store accepts it.
func (r *Run) saveEndLater(end ending) {
	r.m.unsaved.later(r, func(ctx context.Context) error {
		err := r.storeEnd(ctx, end)
		// an append considered failed did succeed, or a message cannot be stored
		if errors.Is(err, store.ErrInvalid) {
			end.messages, end.last, end.row.LastSeq = storable(end.messages), store.Batch{}, 0
			err = r.storeEnd(ctx, end)
		}
		if err == nil {
			r.tellChange()
		}
		return err
	})
}

// breakDown ends a run whose end the store does not accept. Its readers get the terminal event
// before it is committed, the only such event: they should not wait. Once the store works again,
// the end is stored with that event in place of everything uncommitted, so that the log holds
// exactly what readers were sent.
func (x *execution) breakDown(end ending, cause error) {
	x.m.log.Error("a run's end could not be stored; trying again", "run", x.run.ID, "error", cause)
	end.last = x.w.errorBatch(failure(string(refusal.Store), "the answer could not be stored", end.spent))
	end.row.Status, end.row.Error, end.row.LastSeq = store.RunFailed, string(refusal.Store), end.last.First
	end.row.ID, end.row.ThreadID, end.row.Epoch = x.run.ID, x.run.ThreadID, x.w.epoch
	end.row.State = x.w.storedState()
	x.run.log.Publish(end.last.Frames, end.last.Count, true)
	x.run.keep()
	x.run.saveEndLater(end)
}

// logEnd writes one line for a run that has ended: what it was, and what it used.
func (x *execution) logEnd(ctx context.Context, end ending) {
	attrs := []slog.Attr{
		slog.String("run", x.run.ID), slog.String("thread", x.run.ThreadID), slog.String("agent", x.row.Agent),
		slog.String("subject", x.run.owner.Subject), slog.String("status", string(end.row.Status)),
	}
	if x.run.owner.Tenant != "" {
		attrs = append(attrs, slog.String("tenant", x.run.owner.Tenant))
	}
	if end.row.Status == store.RunFailed {
		attrs = append(attrs, slog.String("code", end.row.Error))
	}
	if model := modelOf(x.agent, end.spent); model != "" { // there may be no such agent any more
		attrs = append(attrs, slog.String("model", model))
	}
	attrs = append(attrs, usedBy(end.spent)...)
	if began := x.row.CreatedAt; !began.IsZero() {
		attrs = append(attrs, slog.Int64("durationMs", time.Since(began).Milliseconds()))
	}
	x.m.log.LogAttrs(ctx, slog.LevelInfo, "run ended", attrs...)
}

// modelOf returns the model that answered: the first of those used, or the agent's own if none was.
// It is "" for a remote agent that does not report its model.
func modelOf(a *agent.Agent, s usage.Spending) string {
	switch {
	case len(s.Usage) > 0:
		return s.Usage[0].Provider + "/" + s.Usage[0].Model
	case a != nil && a.Model != nil:
		return a.Model.Info().Name()
	}
	return ""
}

// usedBy returns the tokens that a run used and their cost, where they are known.
func usedBy(s usage.Spending) (attrs []slog.Attr) {
	if used := agui.CountTokens(s.Usage); len(s.Usage) > 0 {
		attrs = append(attrs, slog.Int64("inputTokens", used.Input), slog.Int64("outputTokens", used.Output))
	}
	if s.Cost != nil {
		attrs = append(attrs, slog.Float64("dollars", *s.Cost))
	}
	return attrs
}
