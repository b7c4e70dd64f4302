package agent

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/pageside/pageside/agui"
	"github.com/pageside/pageside/internal/guard"
	"github.com/pageside/pageside/llm"
)

// Run answers the end of in.History: it asks the model, runs the tools it calls, and goes on until
// there is an answer or a frontend call waits for the client or another one for a person. What
// happens on the way goes to out, as it happens.
//
// Calls of in.History without a result are settled before the model is asked. Calls says what
// became of those a crash left behind: what had finished is told, what may run again runs again
// with the same key, and what may have had its effect is an error whose outcome is unknown. Resume
// says what became of those that waited for a person: what was approved runs, what was denied,
// cancelled or too late is an error result. A user message behind a call that waited answers it as
// not executed. Frontend calls wait on. Where something still waits then, the run ends without
// asking the model.
//
// A tool that fails, panics or times out is something the model is told, and not an error. The
// errors are: ctx ended (its cause is returned), the model failed or said nothing (an *llm.Error),
// it went on calling tools where it had to answer (a *NoAnswerError), out failed, a frontend tool
// that cannot be used (an *InputError), and a history in which a call has no result. Whatever was
// opened is closed and every call is answered before Run returns one of them, as far as out lets
// it.
func (a *Agent) Run(ctx context.Context, in Input, out Output) (outcome Outcome, err error) {
	r, err := a.begin(ctx, in, out)
	if err != nil {
		return Outcome{}, a.discreet(ctx, in, err)
	}
	err = a.discreet(ctx, in, r.goThrough(ctx))
	r.trace.ended(ctx, err)
	return r.outcome(), err
}

// discreet logs a panic and returns an error without its details, which the caller may show.
func (a *Agent) discreet(ctx context.Context, in Input, err error) error {
	p, ok := errors.AsType[*guard.Panic](err)
	if !ok {
		return err
	}
	a.log().ErrorContext(ctx, "the agent loop panicked", "agent", a.ID, "threadId", in.ThreadID, "runId", in.RunID, "error", p)
	return errors.New("agent: internal error")
}

// begin is start, safe against models, definitions and tracers that panic.
func (a *Agent) begin(ctx context.Context, in Input, out Output) (r *run, err error) {
	defer guard.Error(&err)
	return a.start(ctx, in, out)
}

// goThrough takes the run to its end. A panic ends this run and no other.
func (r *run) goThrough(ctx context.Context) (err error) {
	defer guard.Error(&err)
	if err := dropStale(r.out, r.in.History); err != nil {
		return err
	}
	waiting, err := r.resumeCalls(ctx)
	if err != nil || waiting {
		return err
	}
	c := r.input
	if err := r.taint.readInput(ctx, r.agent, &r.in, c.thread.History, c.tools); err != nil {
		return err
	}
	c.compose()
	return r.answer(ctx)
}

// resumeCalls goes on with the calls of the thread that have no result, so that every call is
// answered before the model is asked. It reports whether some still wait: then the run is over.
func (r *run) resumeCalls(ctx context.Context) (waiting bool, err error) {
	p := &resumption{&r.in, r.input.tools, r.approvals, r.executor.journal, r.executor.maxResult}
	s := &step{listener: r.listener, calls: openCalls(r.in.History)}
	for _, c := range s.calls {
		p.resumeCall(ctx, c)
		if c.interrupt != nil {
			r.interrupts = append(r.interrupts, *c.interrupt)
		}
		if c.frontend() && r.in.Calls != nil {
			r.pending = append(r.pending, c.id)
		}
		waiting = waiting || c.waits()
	}
	if len(s.calls) > 0 {
		if err := cmp.Or(p.record(ctx, s.calls), r.approvals.giveAllowances(ctx, s.calls)); err != nil {
			return false, r.breakOff(ctx, s, err)
		}
		if err := r.executor.runCalls(ctx, s); err != nil {
			return false, r.breakOff(ctx, s, err)
		}
	}
	history := slices.Clip(r.in.History)
	for _, c := range s.calls {
		if c.emitted {
			history = append(history, c.resultMessage())
		}
	}
	r.input.thread.History = history
	r.loops.recall(history, r.agent.maxSteps()) // with the calls that were just carried out
	return waiting, nil
}

// answer is the loop: a step of the model, then the tools it called, until a step calls none. It
// ends with something the user can read, or with an error.
func (r *run) answer(ctx context.Context) error {
	for range r.agent.maxSteps() {
		if r.loops.stuck != "" {
			break
		}
		s, err := r.step(ctx, llm.ChoiceAuto)
		if err != nil {
			return err
		}
		if len(s.calls) == 0 {
			if s.readable() || r.executor.shown {
				return r.out.Flush()
			}
			if err := r.urge(s); err != nil {
				return err
			}
			continue
		}
		r.executor.shown = false
		if err := r.runTools(ctx, s); err != nil {
			return r.breakOff(ctx, s, err)
		}
		if slices.ContainsFunc(s.calls, (*call).waits) {
			return r.release(ctx, s)
		}
		r.input.add(s.newMessages())
		r.loops.repeats.nextStep()
	}
	return r.conclude(ctx)
}

// step makes one model call. What comes is emitted while it comes.
func (r *run) step(ctx context.Context, choice llm.Choice) (*step, error) {
	if _, err := r.compactor.compact(ctx, false); err != nil {
		return nil, err
	}
	s, err := r.send(ctx, choice)
	if err != nil && s != nil && !s.begun() && r.input.leaveMediaOut(err) {
		s, err = r.send(ctx, choice)
	}
	if contextFull(err) && !s.begun() && !r.refused {
		r.refused = true
		compacted, failed := r.compactor.compact(ctx, true)
		if failed != nil {
			return nil, failed
		}
		if compacted {
			s, err = r.send(ctx, choice)
		}
	}
	if s == nil {
		return nil, err
	}
	if err == nil {
		err = r.finishStep(ctx, s)
	}
	if err != nil {
		return nil, r.breakOff(ctx, s, err)
	}
	r.finish = s.finish
	return s, nil
}

// send asks the model to go on from the prompt as it is. The step is nil where nothing was sent.
func (r *run) send(ctx context.Context, choice llm.Choice) (*step, error) {
	c := r.input
	if err := llm.Balance(c.prompt.Messages()); err != nil {
		return nil, fmt.Errorf("agent: the history cannot be sent to a model: %w", err)
	}
	bytes := c.bytes()
	s, err := r.asker.ask(ctx, r.listener, c.request(c.prompt.Messages(), choice))
	if err == nil {
		c.count(s.usage.last(), bytes)
	}
	return s, err
}

// finishStep closes a step once the model's stream has ended.
func (r *run) finishStep(ctx context.Context, s *step) error {
	if err := r.repairer.settlePayloads(ctx, s); err != nil {
		return err
	}
	if err := s.markEnd(); err != nil {
		return err
	}
	if err := s.close(); err != nil {
		return err
	}
	for _, c := range s.calls {
		if err := s.complete(c); err != nil {
			return err
		}
	}
	return r.out.Flush()
}

// runTools judges the calls of a step, and runs what may run.
func (r *run) runTools(ctx context.Context, s *step) error {
	r.executor.judge(ctx, s)
	if err := r.taint.readResults(ctx, s.calls); err != nil {
		return err
	}
	return r.executor.runCalls(ctx, s)
}

// release hands over the calls that wait, frontend calls to the client and the others to a person.
// What came before is stored first, so that the answers find it.
func (r *run) release(ctx context.Context, s *step) error {
	if err := r.out.Commit(ctx); err != nil {
		return r.breakOff(ctx, s, fmt.Errorf("agent: storing the run before the calls that wait: %w", err))
	}
	for _, c := range s.calls {
		if !c.waits() {
			continue
		}
		if err := s.end(c); err != nil {
			return err
		}
		if c.interrupt != nil {
			r.interrupts = append(r.interrupts, *c.interrupt)
			continue
		}
		r.pending = append(r.pending, c.id)
	}
	return r.out.Flush()
}

// closingInstruction ends a run that used up its steps or goes round in circles.
const closingInstruction = "No more tools can be called for this request. Answer now with what you have. " +
	"If something is missing, say what it is and what could be done next."

// conclude makes one last call, in which the model cannot call tools. It is an error where that
// leaves the user with nothing.
func (r *run) conclude(ctx context.Context) error {
	r.input.instruct(closingInstruction)
	s, err := r.step(ctx, llm.ChoiceNone)
	if err != nil {
		return err
	}
	for _, c := range s.calls {
		c.answer(notOffered())
	}
	if err := r.executor.emitResults(s); err != nil {
		return r.breakOff(ctx, s, err)
	}
	if err := r.out.Flush(); err != nil || s.readable() || r.executor.shown && len(s.calls) == 0 {
		return err
	}
	return r.unanswered(s)
}

// urgingInstruction asks a model that ended a step without a word to go on. It stays for the rest
// of the run, as closingInstruction does.
const urgingInstruction = "A turn of yours ended with nothing that the user can see. Do not end without a word: answer, " +
	"or say what you did and what is missing. A tool call needs the name of one of the tools."

// urge handles a step that left the user with nothing. Once in a run the model is asked again if
// that can help; otherwise the run ends with an error.
func (r *run) urge(s *step) error {
	if r.urged || cutShort(s.finish) {
		return r.silent(s)
	}
	r.urged = true
	r.input.instruct(urgingInstruction)
	return nil
}

// silent returns the error of a step that left the user with nothing.
func (r *run) silent(s *step) error {
	switch s.finish {
	case llm.FinishFilter:
		return r.listener.modelError(llm.KindFiltered, "the provider's filter withheld the answer")
	case llm.FinishLength:
		return r.listener.modelError(llm.KindOutputLimit, "the model reached the limit on the length of its answer before it said anything")
	}
	return r.listener.modelError(llm.KindEmpty, "the model ended its turn without an answer")
}

// unanswered is silent for the last step of a run, in which the model could no longer call tools.
func (r *run) unanswered(s *step) error {
	if cutShort(s.finish) || r.loops.stuck == "" && len(r.input.thread.Steps) == 0 {
		return r.silent(s)
	}
	return noAnswer(cmp.Or(r.loops.stuck, CodeStepsExhausted))
}

// breakOff closes what a failed step left open and answers its calls, so that the thread can go on
// later, and returns the run's error. It works when ctx has ended: nothing here waits for anything
// but the output.
func (r *run) breakOff(ctx context.Context, s *step, err error) error {
	s.mark = agui.Metadata{Status: agui.StatusFailed}
	if ctx.Err() != nil {
		err = context.Cause(ctx)
		if errors.Is(err, ErrStopped) {
			s.mark.Status = agui.StatusStopped
		}
	}
	if s.close() != nil {
		return err
	}
	for _, c := range s.calls {
		if !c.old || !c.waits() { // what waited before this run began waits on
			c.answer(interrupted())
		}
	}
	s.emitted = 0 // calls that were passed over have an answer now
	if r.executor.emitResults(s) == nil {
		_ = r.out.Flush() // the run has failed already
	}
	return err
}

func (r *run) outcome() Outcome {
	o := Outcome{Pending: r.pending, Interrupts: r.interrupts, Finish: r.finish}
	o.Spending = r.asker.usage.total(r.agent.Model)
	return o
}
