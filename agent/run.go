package agent

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/pageside/pageside/agui"
	"github.com/pageside/pageside/calls"
	"github.com/pageside/pageside/internal/guard"
	"github.com/pageside/pageside/llm"
	"github.com/pageside/pageside/tool"
)

// Run answers the last message of in.History, or continues the one that in.Continues names. It asks
// the model and runs the tools it calls, until there is an answer, or a call waits for the client
// or a person. Events go to out as they happen.
//
// First it resolves the calls of in.History without a result. For calls left by a crash it uses
// in.Crash: a finished call's result is emitted, a call that may run again does so with the same
// key, and one that may have had its effect gets an error result that says so. For calls that
// waited for a person it uses in.Waiting.Resume: approved calls run; denied, cancelled or expired
// ones get an error result. If the user has sent a message since, a waiting call gets the result
// "not executed". Frontend calls keep waiting. If any call still waits, the run ends without asking
// the model. With in.Waiting.Withdraw none waits any longer, and the run ends with ErrStopped.
//
// A tool that fails, panics or times out is data for the model, not an error. Run returns an error
// if ctx ends (its cause), the model fails or is silent (*llm.Error), the model keeps calling tools
// when it must answer (*Failure), out fails, a frontend tool is invalid (*agui.FieldError), or a
// call in the history has no result. Before it returns an error it closes what is open and answers
// every call, best effort.
func (a *Agent) Run(ctx context.Context, in Input, out Output) (outcome Outcome, err error) {
	r, err := a.begin(ctx, in, out)
	if err != nil {
		return Outcome{}, a.discreet(ctx, in, err)
	}
	if err = a.discreet(ctx, in, r.goThrough(ctx)); err == nil {
		err = r.askInWords()
	}
	r.executor.withdrawn.work.Wait()
	r.trace.ended(ctx, err)
	return r.outcome(), err
}

// discreet logs a panic and returns an error the caller may show, without details.
func (a *Agent) discreet(ctx context.Context, in Input, err error) error {
	p, ok := errors.AsType[*guard.Panic](err)
	if !ok {
		return err
	}
	a.log().ErrorContext(ctx, "the agent loop panicked", "agent", a.ID, "threadId", in.ThreadID,
		"runId", in.RunID, "error", p)
	return errors.New("agent: internal error")
}

// begin is start, protected against panics in models, definitions and tracers.
func (a *Agent) begin(ctx context.Context, in Input, out Output) (r *run, err error) {
	defer guard.Error(&err)
	return a.start(ctx, in, out)
}

// goThrough executes the run to its end. A panic ends only this run.
func (r *run) goThrough(ctx context.Context) (err error) {
	defer guard.Error(&err)
	if err := dropStale(r.out, r.in.History); err != nil {
		return err
	}
	waiting, err := r.resumeThese(ctx, openCalls(r.in.History))
	if err != nil || waiting {
		return err
	}
	if r.in.Waiting.Withdraw {
		return ErrStopped
	}
	if err := r.executor.shared.settlePage(r.in.History, r.input.tools); err != nil {
		return err
	}
	c := r.input
	if c.thread.History, err = r.executor.showPageSources(c.thread.History); err != nil {
		return err
	}
	if err := r.taint.readInput(ctx, r.agent, &r.in, c.thread.History, c.tools); err != nil {
		return err
	}
	if r.listener.continued = newContinuation(c.thread.History, r.in.Continues); r.listener.continued != nil {
		c.thread.Request = r.listener.continued.request()
	}
	c.compose()
	return r.answer(ctx)
}

// resumeThese resolves calls of the thread that have no result: every call must be answered before
// the model is asked. It reports whether some still wait; then the run is over.
func (r *run) resumeThese(ctx context.Context, open []*call) (waiting bool, err error) {
	p := &resumption{&r.in, r.input.tools, r.approvals, r.executor.journal, r.executor.maxResult}
	s := newStep(r.listener)
	s.calls = open
	for _, c := range s.calls {
		p.resumeCall(ctx, c)
		r.audit.resumed(ctx, c, p.interruptOf(c), p.answerTo(p.interruptOf(c)))
		if c.interrupt != nil {
			r.interrupts = append(r.interrupts, *c.interrupt)
			if p.interruptOf(c) == nil {
				r.audit.waits(ctx, c)
			}
		}
		if c.frontend() && !c.withheld && r.in.Crash != nil {
			r.pending = append(r.pending, c.id)
		}
	}
	r.executor.withdrawn.left(ctx, s.calls)
	if len(s.calls) > 0 {
		if err := cmp.Or(p.record(ctx, s.calls), r.approvals.giveAllowances(ctx, s.calls)); err != nil {
			return false, r.breakOff(ctx, s, err)
		}
		if err := r.executor.runCalls(ctx, s); err != nil {
			return false, r.breakOff(ctx, s, err)
		}
		r.askAgain(ctx, s.calls)
	}
	if slices.ContainsFunc(s.calls, (*call).handsOut) {
		if err := cmp.Or(r.executor.stopWithheld(ctx, s), r.release(ctx, s)); err != nil {
			return false, err
		}
	}
	waiting = slices.ContainsFunc(s.calls, (*call).waits)
	history := slices.Clip(r.in.History)
	for _, c := range s.calls {
		if c.emitted {
			history = append(withCall(history, c), c.resultMessages()...)
		}
	}
	r.input.thread.History = history
	r.loops.recall(history, r.in.Continues) // including the calls that just ran
	return waiting, nil
}

// askAgain hands over the calls of earlier runs whose tools have asked in this one.
func (r *run) askAgain(ctx context.Context, calls []*call) {
	for _, c := range calls {
		if c.interrupt != nil && c.ready != nil && c.interrupt.Asked {
			r.interrupts = append(r.interrupts, *c.interrupt)
			r.audit.waits(ctx, c)
		}
	}
}

// withCall returns a history with a call that was withheld until now.
func withCall(history []agui.Message, c *call) []agui.Message {
	if !c.announced {
		return history
	}
	at := slices.IndexFunc(history, func(m agui.Message) bool { return m.ID == c.message })
	if at < 0 {
		return append(history, agui.Message{
			ID: c.message, Role: agui.RoleAssistant, ToolCalls: []agui.ToolCall{c.toolCall()},
		})
	}
	history = slices.Clone(history)
	history[at].ToolCalls = append(slices.Clip(history[at].ToolCalls), c.toolCall())
	return history
}

// answer is the loop: a model step, then its tool calls, until a step has none. It ends with
// something the user can read, or with an error.
func (r *run) answer(ctx context.Context) error {
	choice := r.input.firstChoice(r.in.MustCall)
	for range r.agent.Limits.effective().Steps {
		if r.loops.stuck != "" {
			break
		}
		s, err := r.step(ctx, choice)
		choice = llm.ChoiceAuto
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

// step makes one model call and emits what arrives.
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

// send asks the model to continue from the current prompt. The step is nil if nothing was sent.
func (r *run) send(ctx context.Context, choice llm.Choice) (*step, error) {
	c := r.input
	if err := llm.Balance(c.prompt.Messages()); err != nil {
		return nil, fmt.Errorf("agent: the history cannot be sent to a model: %w", err)
	}
	bytes := c.bytes()
	s, err := r.asker.ask(ctx, r.listener, c.request(c.messages(), choice), c.tokens())
	if err == nil {
		r.warner.afterCall(ctx, c, s.usage.Last())
		c.count(s.usage.Last(), bytes)
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
	if err := s.unmark(); err != nil {
		return err
	}
	for _, c := range s.calls {
		if err := s.complete(c); err != nil {
			return err
		}
	}
	return r.out.Flush()
}

// runTools judges the calls of a step and runs those that may run.
func (r *run) runTools(ctx context.Context, s *step) error {
	r.executor.judge(ctx, s)
	if err := r.taint.readResults(ctx, s.calls); err != nil {
		return err
	}
	if err := r.executor.runCalls(ctx, s); err != nil {
		return err
	}
	return r.executor.stopWithheld(ctx, s)
}

// release hands over the waiting calls: frontend calls to the client, the others to a person. It
// first stores everything before them, so that the answers find it. If a frontend call needs
// approval, the client gets only the interrupt, not the call.
func (r *run) release(ctx context.Context, s *step) error {
	if err := r.out.Commit(ctx); err != nil {
		return r.breakOff(ctx, s, fmt.Errorf("agent: storing the run before the calls that wait: %w", err))
	}
	var handedOut []string // they begin after those that were streamed
	for _, c := range s.calls {
		switch {
		case !c.waits() || c.old && !c.handsOut(): // it waited before this run
		case c.interrupt != nil:
			if err := r.executor.shared.retract(c); err != nil {
				return err
			}
			r.audit.waits(ctx, c)
			r.interrupts = append(r.interrupts, *c.interrupt)
		default:
			if err := s.end(c); err != nil {
				return err
			}
			r.audit.waits(ctx, c)
			if c.withheld {
				handedOut = append(handedOut, c.id)
			} else {
				r.pending = append(r.pending, c.id)
			}
		}
	}
	r.pending = append(r.pending, handedOut...)
	return r.out.Flush()
}

// closingInstruction ends a run that used up its steps or calls, or repeats itself.
const closingInstruction = "No more tools can be called for this request. Answer now with what you have. " +
	"If something is missing, say what it is and what could be done next."

// maxConclusions is how often a model that must answer is asked to: one that calls a tool although
// it must not is told so.
const maxConclusions = 2

// conclude makes a last model call without tools. It returns an error if that leaves the user with
// nothing.
func (r *run) conclude(ctx context.Context) error {
	r.input.closing = closingInstruction
	r.listener.exhausted = r.loops.stuck != CodeToolLoop
	for asked := 1; ; asked++ {
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
		if len(s.calls) == 0 || asked == maxConclusions {
			return r.unanswered(s)
		}
		r.input.add(s.newMessages())
	}
}

func notOffered() tool.Result {
	return (&tool.Error{
		Code: tool.CodeNotExecuted, Message: "no tools can be called any more in this request",
	}).Result()
}

// urgingInstruction asks a model that ended a step without text to continue. It stays for the rest
// of the run.
const urgingInstruction = "A turn of yours ended with nothing that the user can see. Do not end without a word: answer, " +
	"or say what you did and what is missing. A tool call needs the name of one of the tools."

// urge handles a step that left the user with nothing. It asks the model again once per run if that
// can help; otherwise the run ends with an error.
func (r *run) urge(s *step) error {
	if r.urged || cutShort(s.finish) {
		return r.silent(s)
	}
	r.urged = true
	r.input.instruct(urgingInstruction)
	// The model's thoughts are stored, so later prompts show them: this one must too.
	r.input.add(s.newMessages())
	return nil
}

// silent returns the error for a step that left the user with nothing.
func (r *run) silent(s *step) error {
	switch s.finish {
	case llm.FinishFilter:
		return r.listener.modelError(llm.KindFiltered, "the provider's filter withheld the answer")
	case llm.FinishLength:
		return r.listener.modelError(llm.KindOutputLimit,
			"the model reached the limit on the length of its answer before it said anything")
	}
	return r.listener.modelError(llm.KindEmpty, "the model ended its turn without an answer")
}

// unanswered is silent for the last step of a run, which had no tools.
func (r *run) unanswered(s *step) error {
	if cutShort(s.finish) || r.loops.stuck == "" && !r.input.thread.HasCalls() {
		return r.silent(s)
	}
	return noAnswer(cmp.Or(r.loops.stuck, CodeStepsExhausted))
}

// breakOff closes what a failed step left open and answers its calls, so that the thread stays
// usable. It returns the run's error. It works after ctx has ended: it waits only for the output.
func (r *run) breakOff(ctx context.Context, s *step, err error) error {
	s.mark = agui.EndMark{Status: agui.StatusFailed}
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
		if c.old && c.waits() { // calls that waited before this run keep waiting
			continue
		}
		if c.waits() && c.interrupt != nil && c.interrupt.Asked {
			r.executor.withdrawn.withdraw(ctx, c, c.interrupt)
		}
		c.answer(calls.Interrupted())
	}
	s.emitted = 0 // skipped calls now have a result
	if r.executor.emitResults(s) == nil {
		_ = r.out.Flush() // the run has failed already
	}
	return err
}

// askInWords says what the run waits for as a message, if the agent's front ends draw no
// interrupts. The run then ends like any other, and the user's next message decides.
func (r *run) askInWords() error {
	if !r.agent.Approvals.Words && !r.in.Words {
		return nil
	}
	text := wordsOf(r.interrupts)
	if text == "" {
		return nil
	}
	id := r.listener.newID("msg_")
	return r.out.EmitAll(
		&agui.TextMessageStart{MessageID: id, Role: agui.RoleAssistant},
		&agui.TextMessageContent{MessageID: id, Delta: text},
		&agui.TextMessageEnd{MessageID: id},
	)
}

func (r *run) outcome() Outcome {
	o := Outcome{Pending: r.pending, Interrupts: r.interrupts, Finish: r.finish}
	o.Spending = r.asker.spending()
	return o
}
