package run

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/pageside/pageside/agui"
	"github.com/pageside/pageside/store"
	"github.com/pageside/pageside/tool"
)

// Act is what a run does instead of asking the agent: a suggested action that the server carries
// out. The run shows it as one message, whose id is the run's: see agui.Action.
type Act struct {
	Action, Label string
	Args          json.RawMessage // as a client may send them again
	// Admit is called once nothing else can refuse the run. Its error refuses it: Manager.Act
	// returns it as it is, and nothing is stored.
	Admit func(ctx context.Context) error
	// Do carries it out. report and host may be called while Do runs.
	Do func(ctx context.Context, host tool.Host, report func(tool.Progress)) ActResult
}

// ActResult is how an Act went. Payload is checked data of PayloadType, or nil.
type ActResult struct {
	Text        string
	IsError     bool
	PayloadType string
	Payload     json.RawMessage
}

// Act carries out req.Act as a run of an existing thread, on the branch that the request's run
// would continue, and returns when the run has ended. It waits for the thread's live run, whatever
// the manager's policy. Calls and questions that wait keep waiting. The run goes on without
// readers, and when ctx ends.
func (m *Manager) Act(ctx context.Context, req Request) error {
	req.Policy = PolicyQueue
	r, err := m.Start(ctx, req)
	if err != nil {
		return err
	}
	select {
	case <-r.over:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// prepareAct is prepare for an Act: it adds no messages and changes nothing that waits.
func (m *Manager) prepareAct(ctx context.Context, x *execution, b *branch) (*execution, error) {
	r := x.run
	if b.isNew {
		return nil, &Error{Code: CodeNotFound, Field: "threadId", Message: fmt.Sprintf("there is no thread %q", r.ThreadID)}
	}
	b.carry(&x.merged)
	x.merged.answer, x.tainted = true, b.taint
	x.interrupts, r.parent = b.interrupts, b.from()
	if err := m.takeState(ctx, x, b); err != nil {
		return nil, err
	}
	r.brings = x.merged.silent()
	if err := x.act.Admit(ctx); err != nil {
		return nil, err
	}
	if err := m.store(ctx, x); err != nil || r.past != nil {
		return nil, err
	}
	stored := append(b.messages[:len(b.messages):len(b.messages)], x.merged.messages...)
	transcript := agui.NewTranscript(stored)
	transcript.SetState(x.state)
	x.w = newWriter(r, m, 1, 0, transcript, agui.NewVerifier())
	r.w = x.w
	return x, nil
}

// perform carries out the run's Act and emits how it goes.
func (x *execution) perform(ctx context.Context) error {
	action := agui.Action{Action: x.act.Action, Label: x.act.Label, Args: x.act.Args, Status: agui.ActionExecuting}
	if err := x.w.Emit(action.Event(x.run.ID)); err != nil {
		return err
	}
	if err := x.w.Commit(ctx); err != nil { // before it has an effect
		return err
	}
	host, end := x.agent.Host(x.run.ID, x.state, x.w)
	result := x.act.Do(ctx, host, func(p tool.Progress) {
		action.Progress = agui.ActionProgressOf(p.Stage, p.Message, p.Fraction)
		if x.w.Emit(action.Event(x.run.ID)) == nil {
			_ = x.w.Flush() // a failed store ends the run anyway
		}
	})
	end()
	if result.Payload != nil {
		m := agui.Metadata{
			PayloadMark: agui.PayloadMark{Source: agui.SourceTool, ToolCallID: x.run.ID},
			EndMark:     agui.EndMark{Status: agui.StatusOpen},
		}
		card := &agui.ActivitySnapshot{Base: agui.Base{Metadata: m.JSON()}, MessageID: newID("card"), ActivityType: result.PayloadType, Content: result.Payload}
		if err := x.w.Emit(card); err != nil {
			return err
		}
	}
	action.Progress, action.Text, action.Status = nil, result.Text, agui.ActionComplete
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

// errAct ends a run that was carrying out an Act when its process died. The Act is not repeated: it
// may already have had its effect.
var errAct = errors.New("it carried out an action")

// causeOf returns the error of a run that cannot be resumed. It is nil for an Act, whose message
// already says what happened.
func causeOf(why error) error {
	if errors.Is(why, errAct) {
		return nil
	}
	return errInterrupted
}

// keptAct marks the stored input of a run that carries out an Act.
func keptAct(row store.Run) bool {
	var kept struct {
		Act bool `json:"act"`
	}
	return json.Unmarshal(row.Input, &kept) == nil && kept.Act
}
