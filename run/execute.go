package run

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"time"

	"github.com/pageside/pageside/agent"
	"github.com/pageside/pageside/agui"
	"github.com/pageside/pageside/calls"
	"github.com/pageside/pageside/internal/guard"
	"github.com/pageside/pageside/run/history"
	"github.com/pageside/pageside/store"
)

// carryOut executes a run, then passes its thread to the next one, whatever happens. If the run
// could not even be ended, its readers' streams are cut off and it stays live in the store: the
// next process takes it over.
func (x *execution) carryOut(execute func()) {
	r := x.run
	defer func() {
		x.w.release()
		close(r.over)
		r.release()
		r.cancel(nil)
		r.tellChange()
	}()
	err := func() (err error) {
		defer guard.Error(&err)
		execute()
		return nil
	}()
	if err != nil {
		x.m.log.Error("a run could not be ended", "run", r.ID, "thread", r.ThreadID, "error", err)
		x.abandon()
	}
}

// execute runs the run from RUN_STARTED to its end. It always ends the run, unless another process
// has taken it over.
func (x *execution) execute() {
	r := x.run
	ctx, stop := context.WithTimeoutCause(r.ctx, x.m.cfg.Timeout, errTimeout)
	defer stop()
	if errors.Is(context.Cause(ctx), errHandover) {
		x.w.seal(errHandover) // it began after the others had been stopped
	}
	outcome, err := x.answer(ctx)
	switch cause := context.Cause(ctx); {
	case errors.Is(cause, errFenced):
		x.m.log.Warn("a run was taken over by another process", "run", r.ID)
		x.abandon()
	case errors.Is(cause, errHandover):
		x.m.log.Info("a run was left to the next process", "run", r.ID)
		x.handOver()
	default:
		x.finish(ctx, outcome, err)
	}
}

// patience is how long a stopped run may take to return. Tools that ignore their contexts are
// abandoned long before.
const patience = 150 * time.Millisecond

// answer calls the agent. After ctx ends it returns soon, whatever the agent does: anything the
// agent emits after that is dropped.
func (x *execution) answer(ctx context.Context) (outcome agent.Outcome, err error) {
	defer guard.Error(&err)
	if err := x.open(); err != nil || !x.merged.Answer {
		return agent.Outcome{}, err
	}
	work := func() (agent.Outcome, error) { return agent.Outcome{}, x.perform(ctx) }
	if x.call == nil {
		in, err := x.agentInput(ctx)
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
		x.m.log.Warn("an agent did not stop with its run and was abandoned", "agent", x.agent.ID, "run", x.run.ID)
		return agent.Outcome{}, context.Cause(ctx)
	}
}

// protected calls work. A panic is an error.
func protected(work func() (agent.Outcome, error)) (outcome agent.Outcome, err error) {
	defer guard.Error(&err)
	return work()
}

// firstEvents returns the first events of the run, which the store takes with it: RUN_STARTED, and
// the merge's events for the client.
func (x *execution) firstEvents() (store.Batch, error) {
	events := []agui.Event{&agui.RunStarted{
		ThreadID: x.run.ThreadID, RunID: x.run.pinned, ParentRunID: x.Input.ParentRunID,
		ProtocolVersion: agui.ProtocolVersion,
	}}
	if x.tellsState() {
		events = append(events, &agui.StateSnapshot{Snapshot: x.state})
	}
	if x.title != "" {
		events = append(events, titleEvent(x.title))
	}
	return x.w.firstBatch(events, x.merged.Answered)
}

// open closes what a crash left open, if the run resumes after one. A run that crashed before the
// store had an event of it begins now.
func (x *execution) open() (err error) {
	switch {
	case x.w.sealedBy() != nil:
		return x.w.sealedBy()
	case x.resumed:
		x.cut, err = x.w.closeCrashed()
	case x.w.isNew():
		_, err = x.firstEvents()
	}
	return cmp.Or(err, x.w.Flush())
}

// agentInput returns the input for the agent.
func (x *execution) agentInput(ctx context.Context) (agent.Input, error) {
	r, around := x.run, x.surroundingsOf()
	in := agent.Input{
		ThreadID: r.ThreadID, RunID: r.ID,
		Owner:     r.owner.Key(),
		Principal: r.principal,
		History:   history.Answerable(x.w.messages()),
		Frontend:  x.Input.Tools,
		Context:   around.context,
		Details:   around.details,
		Place:     x.Place.Place,
		Look:      x.look,
		State:     x.w.state(),
		Pick:      pickIn(x.w.messages()),
		Tainted:   x.tainted,
		Words:     r.words,
		Waiting: agent.Waiting{
			Interrupts: x.interrupts, Resume: x.merged.Resume, Withdraw: x.Place.Withdraw, Calls: x.waiting,
		},
		Continues:  x.Place.Continues,
		MustCall:   x.Place.MustCall,
		Allowances: &allowances{x.m, x.m.cfg.Store, r, x.agent.ID},
		Journal:    &runJournal{runs: x.m.cfg.Store, run: r},
		Crash:      x.crash(),
	}
	if x.account = r.openAccount(x.w.spent.before.Amount()); x.account != nil {
		in.Budget = x.account
	}
	in.Spent = x.w.spendAnswer
	in.ClientInstructions = around.guidance
	var err error
	in.Instructions, err = x.m.instructionsAt(ctx, r.owner, x.Place.Scope)
	return in, err
}

// handOver leaves the run unfinished: it stores the events emitted so far and accepts no more.
func (x *execution) handOver() {
	ctx, stop := context.WithTimeout(context.Background(), 2*time.Second)
	defer stop()
	if err := x.w.Commit(ctx); err != nil {
		x.m.log.Warn("the last events of a run were lost", "run", x.run.ID, "error", err)
	}
	x.abandon()
}

// abandon ends the readers' streams without a terminal event: another process continues the run.
func (x *execution) abandon() {
	x.w.seal(errOver)
	x.run.forget()
	x.run.log.Publish(nil, 0, true)
}

// titleEvent tells the client the thread's title.
func titleEvent(title string) *agui.Custom {
	value, _ := json.Marshal(title) // a string: cannot fail
	return &agui.Custom{Name: "conversation_title", Value: value}
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
	row.Usage, err2 = outcome.Spending.Marshal()
	return row, cmp.Or(err1, err2)
}
