package run

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"slices"

	"github.com/pageside/pageside/agui"
	"github.com/pageside/pageside/store"
	"github.com/pageside/pageside/tool"
)

// errEarlier refuses the run of a call that was made before.
var errEarlier = errors.New("run: the call was made before")

// onThread makes the call as a run of its thread, which shows it as one message whose id is the
// run's: see agui.Action. It continues the branch that the request's run would continue, and waits
// for the thread's live run, whatever the manager's policy. Calls and questions that wait keep
// waiting. The run goes on without readers.
func (c *directCall) onThread(ctx context.Context) (CallResult, error) {
	c.ended = make(chan callEnd, 1)
	props, _ := json.Marshal(map[string]any{"pageside": c.Place}) // strings: cannot fail
	input := &agui.RunAgentInput{ThreadID: c.thread, RunID: c.id, ParentRunID: c.ParentRunID, ForwardedProps: props}
	r, err := c.m.Start(ctx, Request{
		Principal: c.Principal, Agent: c.agent.ID, Input: input, Fingerprint: c.fingerprint,
		Policy: PolicyQueue, call: c,
	})
	switch {
	case errors.Is(err, errEarlier):
		return *c.earlier, nil
	case err != nil:
		return CallResult{}, err
	}
	<-r.over
	select {
	case end := <-c.ended:
		return end.result, end.err
	default: // it was stopped, but the tool still runs
		return CallResult{}, unknownOutcome("this action was stopped while it was running")
	}
}

// admit begins the call once nothing else can refuse its run.
func (c *directCall) admit(ctx context.Context) error {
	if err := c.begin(ctx); err != nil {
		return err
	}
	if c.earlier != nil {
		return errEarlier
	}
	return nil
}

// prepareCall is prepare for a call: it adds no messages and changes nothing that waits.
func (x *execution) prepareCall(ctx context.Context, b *branch) (*execution, error) {
	r := x.run
	if b.New {
		return nil, noThread(r.ThreadID)
	}
	x.merged.Answer, x.tainted = true, b.taint
	x.interrupts, r.parent = b.Interrupts, cmp.Or(b.Parent, store.RootRun)
	var err error
	if x.state, err = x.stateAt(ctx, b); err != nil {
		return nil, err
	}
	if err := x.call.admit(ctx); err != nil {
		return nil, err
	}
	x.newWriting(b)
	if err := x.store(ctx); err != nil || r.past != nil {
		return nil, err
	}
	return x, nil
}

// perform makes the run's call and emits how it goes.
func (x *execution) perform(ctx context.Context) error {
	c := x.call
	action := agui.Action{Action: c.Action, Label: c.Label, Args: c.Tool.Unbound(c.args), Status: agui.ActionExecuting}
	if err := x.w.Emit(action.Event(x.run.ID)); err != nil {
		return err
	}
	if err := x.w.Commit(ctx); err != nil { // before it has an effect
		return err
	}
	host, end := x.agent.Host(x.run.ID, x.state, x.w)
	result, err := c.run(ctx, host, func(p tool.Progress) {
		action.Progress = agui.ActionProgressOf(p.Stage, p.Message, p.Fraction)
		if x.w.Emit(action.Event(x.run.ID)) == nil {
			_ = x.w.Flush() // a failed store ends the run anyway
		}
	})
	end()
	c.ended <- callEnd{result, err}
	if result.Payload != nil {
		m := agui.Metadata{
			PayloadMark: agui.PayloadMark{Source: agui.SourceTool, ToolCallID: x.run.ID},
			EndMark:     agui.EndMark{Status: agui.StatusOpen},
		}
		card := &agui.ActivitySnapshot{
			Base: agui.Base{Metadata: m.JSON()}, MessageID: newID("card"), ActivityType: result.Type,
			Content: result.Payload,
		}
		if err := x.w.Emit(card); err != nil {
			return err
		}
	}
	action.Progress, action.Text, action.Status = nil, tool.ErrorMessage(result.Text), agui.ActionComplete
	if result.IsError {
		action.Status = agui.ActionFailed
	}
	return x.w.Emit(action.Event(x.run.ID))
}

// unknownEffect is the text of an action that was interrupted.
const unknownEffect = "It was interrupted: whether it had its effect is not known."

// failAction ends the run's action if it has not ended. Requires w.mu.
func (w *writer) failAction() error {
	messages := w.transcript.Messages()
	i := slices.IndexFunc(messages, func(m agui.Message) bool { return m.ID == w.run.ID })
	if i < 0 {
		return nil
	}
	action, ok := agui.ReadAction(&messages[i])
	if !ok || action.Status != agui.ActionExecuting {
		return nil
	}
	action.Progress, action.Text, action.Status = nil, unknownEffect, agui.ActionFailed
	return w.emitUnchecked(action.Event(w.run.ID))
}

// errCalled ends a run that was making a call when its process died. The call is not repeated: it
// may already have had its effect.
var errCalled = errors.New("it carried out an action")

// causeOf returns the error of a run that cannot be resumed. It is nil for a call, whose message
// already says what happened.
func causeOf(why error) error {
	if errors.Is(why, errCalled) {
		return nil
	}
	return errInterrupted
}
