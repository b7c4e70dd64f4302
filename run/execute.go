package run

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/pageside/pageside/calls"

	"github.com/pageside/pageside/agent"
	"github.com/pageside/pageside/agui"
	"github.com/pageside/pageside/internal/guard"
	"github.com/pageside/pageside/store"
)

// carryOut executes a run, then passes its thread to the next one, whatever happens. If the run
// could not even be ended, its readers' streams are cut off and it stays live in the store: the
// next process takes it over.
func (m *Manager) carryOut(x *execution, execute func()) {
	r := x.run
	defer func() {
		x.w.release()
		close(r.over)
		m.release(r)
		r.cancel(nil)
		m.tellChange(r)
	}()
	err := func() (err error) {
		defer guard.Error(&err)
		execute()
		return nil
	}()
	if err != nil {
		m.log.Error("a run could not be ended", "run", r.ID, "thread", r.ThreadID, "error", err)
		m.abandon(x)
	}
}

// execute runs the run from RUN_STARTED to its end. It always ends the run, unless another process
// has taken it over.
func (m *Manager) execute(x *execution) {
	r := x.run
	ctx, stop := context.WithTimeoutCause(r.ctx, m.cfg.Timeout, errTimeout)
	defer stop()
	if errors.Is(context.Cause(ctx), errHandover) {
		x.w.seal(errHandover) // it began after the others had been stopped
	}
	outcome, err := m.answer(ctx, x)
	switch cause := context.Cause(ctx); {
	case errors.Is(cause, errFenced):
		m.log.Warn("a run was taken over by another process", "run", r.ID)
		m.abandon(x)
	case errors.Is(cause, errHandover):
		m.log.Info("a run was left to the next process", "run", r.ID)
		m.handOver(x)
	default:
		m.finish(ctx, x, outcome, err)
	}
}

// patience is how long a stopped run may take to return. Tools that ignore their contexts are
// abandoned long before.
const patience = 150 * time.Millisecond

// answer calls the agent. After ctx ends it returns soon, whatever the agent does: anything the
// agent emits after that is dropped.
func (m *Manager) answer(ctx context.Context, x *execution) (outcome agent.Outcome, err error) {
	defer guard.Error(&err)
	if err := m.open(x); err != nil || !x.merged.answer {
		return agent.Outcome{}, err
	}
	work := func() (agent.Outcome, error) { return agent.Outcome{}, x.perform(ctx) }
	if x.call == nil {
		in, err := m.agentInput(ctx, x)
		if err != nil {
			return agent.Outcome{}, err
		}
		work = func() (agent.Outcome, error) { return x.answers.answer(ctx, in, x) }
	}
	type answer struct {
		outcome agent.Outcome
		err     error
	}
	answered := make(chan answer, 1)
	go func() {
		outcome, err := protected(work)
		answered <- answer{outcome, err}
	}()
	select {
	case a := <-answered:
		return a.outcome, a.err
	case <-ctx.Done():
	}
	late := time.NewTimer(patience)
	defer late.Stop()
	select {
	case a := <-answered:
		return a.outcome, a.err
	case <-late.C:
		x.w.seal(errOver)
		m.log.Warn("an agent did not stop with its run and was abandoned", "agent", x.agent.ID, "run", x.run.ID)
		return agent.Outcome{}, context.Cause(ctx)
	}
}

// protected calls work. A panic is an error.
func protected(work func() (agent.Outcome, error)) (outcome agent.Outcome, err error) {
	defer guard.Error(&err)
	return work()
}

// open emits RUN_STARTED and the merge's events for the client. If the run resumes after a crash,
// it instead closes what the crash left open.
func (m *Manager) open(x *execution) error {
	if x.resumed {
		var err error
		if x.cut, err = x.w.closeCrashed(); err != nil {
			return err
		}
		return x.w.Flush()
	}
	started := &agui.RunStarted{
		ThreadID: x.run.ThreadID, RunID: x.run.pinned, ParentRunID: x.input.ParentRunID,
		ProtocolVersion: agui.ProtocolVersion,
	}
	if err := x.w.Emit(started); err != nil {
		return err
	}
	if err := x.tellState(); err != nil {
		return err
	}
	if x.title != "" {
		if err := x.w.Emit(titleEvent(x.title)); err != nil {
			return err
		}
	}
	for i := range x.merged.answered {
		if err := x.w.EmitStored(&x.merged.answered[i]); err != nil {
			return err
		}
	}
	return x.w.Flush()
}

// agentInput returns the input for the agent.
func (m *Manager) agentInput(ctx context.Context, x *execution) (agent.Input, error) {
	r, around := x.run, m.surroundingsOf(x)
	in := agent.Input{
		ThreadID: r.ThreadID, RunID: r.ID,
		Owner:      r.owner.Key(),
		Principal:  r.principal,
		History:    answerable(x.w.messages()),
		Frontend:   x.input.Tools,
		Context:    around.context,
		Details:    around.details,
		Place:      x.place.Place,
		State:      x.w.state(),
		Pick:       lastPick(x.w.messages()),
		Tainted:    x.tainted,
		Words:      r.words,
		Interrupts: x.interrupts,
		Resume:     x.merged.resume,
		Withdraw:   x.place.Withdraw,
		Continues:  x.place.Continues,
		MustCall:   x.place.MustCall,
		Waiting:    x.waiting,
		Allowances: &allowances{m, m.cfg.Store, r, x.agent.ID},
		Journal:    &runJournal{runs: m.cfg.Store, run: r},
		Calls:      x.calls,
		Cut:        x.cut,
	}
	if x.account = m.openAccount(r); x.account != nil {
		x.account.used = store.Amount(x.w.spent.before.Amount())
		in.Budget = x.account
	}
	in.Spent = x.w.spendAnswer
	in.ClientInstructions = around.guidance
	var err error
	in.Instructions, err = m.Instructions(ctx, r.owner, x.place.Scope)
	return in, err
}

// Instructions returns the instructions stored for the scopes of a place, ordered by kind, as a run
// there would get them.
func (m *Manager) Instructions(
	ctx context.Context, o store.Owner, scope map[string]string,
) (texts []string, err error) {
	for _, kind := range slices.Sorted(maps.Keys(scope)) {
		stored, err := m.cfg.Store.Instructions(ctx, o, kind, scope[kind])
		switch {
		case errors.Is(err, store.ErrNotFound):
		case err != nil:
			return nil, fmt.Errorf("%w: read the instructions of %s %q: %w", errStore, kind, scope[kind], err)
		default:
			texts = append(texts, stored.Text)
		}
	}
	return texts, nil
}

// handOver leaves the run unfinished: it stores the events emitted so far and accepts no more.
func (m *Manager) handOver(x *execution) {
	ctx, stop := context.WithTimeout(context.Background(), 2*time.Second)
	defer stop()
	if err := x.w.Commit(ctx); err != nil {
		m.log.Warn("the last events of a run were lost", "run", x.run.ID, "error", err)
	}
	m.abandon(x)
}

// abandon ends the readers' streams without a terminal event: another process continues the run.
func (m *Manager) abandon(x *execution) {
	x.w.seal(errOver)
	m.forget(x.run)
	x.run.log.publish(nil, 0, true)
}

// failed reports whether an error cut off the message.
func failed(msg *agui.Message) bool {
	if msg.Role != agui.RoleAssistant || len(msg.ToolCalls) > 0 {
		return false
	}
	return agui.StatusOf(msg.Metadata) == agui.StatusFailed
}

// answerable returns the history without answers cut off by an error: the model answers again.
func answerable(history []agui.Message) []agui.Message {
	isFailed := func(m agui.Message) bool { return failed(&m) }
	if !slices.ContainsFunc(history, isFailed) {
		return history
	}
	return slices.DeleteFunc(slices.Clone(history), isFailed)
}

// titleEvent tells the client the thread's title.
func titleEvent(title string) *agui.Custom {
	value, _ := json.Marshal(title) // a string: cannot fail
	return &agui.Custom{Name: "conversation_title", Value: value}
}

// stillOpen returns the interrupts and frontend calls that still wait at the end of the run.
func stillOpen(messages []agui.Message, lists ...[]calls.Interrupt) (interrupts []calls.Interrupt, pending []string) {
	w := waitingIn(messages)
	for _, i := range slices.Concat(lists...) {
		if w.asks(i) {
			interrupts = append(interrupts, i)
			w.remove(i.ToolCallID)
		}
	}
	return interrupts, w.open.ids()
}

// endOf returns the stored form of the run's end.
func (x *execution) endOf(
	terminal agui.Event, interrupts []calls.Interrupt, pending []string, outcome agent.Outcome,
) (store.Run, error) {
	row := x.row
	row.Status, row.Pending, row.EndedAt, row.Input = store.RunFinished, pending, time.Now(), nil
	row.Epoch, row.State = x.w.epoch, x.w.state()
	switch e := terminal.(type) {
	case *agui.RunError:
		row.Status, row.Error = store.RunFailed, e.Code
	case *agui.RunFinished:
		if e.Outcome != nil && e.Outcome.Type == agui.OutcomeCancelled {
			row.Status = store.RunCancelled
		}
	}
	var err1, err2 error
	if len(interrupts) > 0 {
		row.Interrupts, err1 = json.Marshal(interrupts)
	}
	row.Usage, err2 = marshalSpending(outcome.Spending)
	return row, cmp.Or(err1, err2)
}
