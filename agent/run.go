package agent

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/pageside/pageside/agent/prompt"
	"github.com/pageside/pageside/agui"
	"github.com/pageside/pageside/llm"
	"github.com/pageside/pageside/page"
)

// run is one run of the loop.
type run struct {
	agent *Agent
	in    Input
	out   *emitter
	model llm.Info

	view     page.View
	tools    toolset
	payloads payloads
	system   []llm.Block
	decls    []llm.ToolDecl
	cacheKey string // the same for all runs of the thread

	history []agui.Message   // what was said before, with every call answered
	said    [][]agui.Message // by the turns of this run, with their results
	// all of it, as the model is given it; only appended to, unless the thread grows too long
	prompt     *prompt.Prompt
	page       prompt.PageContext
	journal    Journal
	tracer     RunTracer // nil where nobody is told
	compaction prompt.Compaction

	callIDs  map[string]bool // every tool call id of the thread
	failures map[string]int  // by tool name: calls in a row that could not be executed
	repeats  repeats
	// why the model must answer now, as the code of a NoAnswerError; "" while it need not
	stuck   string
	urged   bool // the model was asked again after a turn without a word
	shown   bool // tools have shown a card since the model last spoke
	tainted bool // the branch is, and the journal knows

	pending    []string
	interrupts []Interrupt
	usage      ledger
	size       int     // bytes of everything the model has sent
	counted    counted // the last prompt the provider has counted
	full       bool    // the model has refused a prompt as too long once
	unseen     bool    // it has refused a prompt with attachments: it is sent none any more
	finish     llm.Finish
}

// answer is the loop: a step of the model, then the tools it called, until a step calls none. It
// ends with something the user can read, or with an error.
func (r *run) answer(ctx context.Context) error {
	for range r.agent.maxSteps() {
		if r.stuck != "" {
			break
		}
		t, err := r.step(ctx, llm.ChoiceAuto)
		if err != nil {
			return err
		}
		if len(t.calls) == 0 {
			if t.readable() || r.shown {
				return r.out.Flush()
			}
			if err := r.urge(t); err != nil {
				return err
			}
			continue
		}
		r.shown = false
		if err := r.runTools(ctx, t); err != nil {
			return r.breakOff(ctx, t, err)
		}
		if slices.ContainsFunc(t.calls, (*call).waits) {
			return r.release(ctx, t)
		}
		r.remember(t)
	}
	return r.conclude(ctx)
}

// step makes one model call. What comes is emitted while it comes.
func (r *run) step(ctx context.Context, choice llm.Choice) (*turn, error) {
	if _, err := r.makeRoom(ctx, false); err != nil {
		return nil, err
	}
	t, err := r.send(ctx, choice)
	if err != nil && t != nil && !t.begun() && r.leaveMediaOut(err) {
		t, err = r.send(ctx, choice)
	}
	if contextFull(err) && !t.begun() && !r.full {
		r.full = true
		made, failed := r.makeRoom(ctx, true)
		if failed != nil {
			return nil, failed
		}
		if made {
			t, err = r.send(ctx, choice)
		}
	}
	if t == nil {
		return nil, err
	}
	if err == nil {
		err = t.finishUp(ctx)
	}
	if err != nil {
		return nil, r.breakOff(ctx, t, err)
	}
	r.finish = t.finish
	return t, nil
}

// send asks the model to go on from the prompt as it is. The turn is nil where nothing was sent.
func (r *run) send(ctx context.Context, choice llm.Choice) (*turn, error) {
	if err := llm.Balance(r.prompt.Messages()); err != nil {
		return nil, fmt.Errorf("agent: the history cannot be sent to a model: %w", err)
	}
	bytes := r.promptBytes()
	t, err := r.ask(ctx, r.request(r.prompt.Messages(), choice))
	if err == nil {
		r.count(t, bytes)
	}
	return t, err
}

// request is a model call of this run, with what all of them have in common: the beginning that a
// provider keeps in its cache.
func (r *run) request(messages []llm.Message, choice llm.Choice) *llm.Request {
	return &llm.Request{
		System: r.system, Tools: r.decls, Messages: messages, Choice: choice,
		Sequential: !r.model.ParallelTools, CacheKey: r.cacheKey,
	}
}

// release hands the calls that wait to whom they wait for, frontend calls to the client and the
// others to a person: what came before is stored first, so that the answers find it.
func (r *run) release(ctx context.Context, t *turn) error {
	if err := r.out.Commit(ctx); err != nil {
		return r.breakOff(ctx, t, fmt.Errorf("agent: storing the run before the calls that wait: %w", err))
	}
	for _, c := range t.calls {
		if !c.waits() {
			continue
		}
		if err := t.end(c); err != nil {
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

// remember appends a turn and its results to the transcript.
func (r *run) remember(t *turn) {
	said := t.messages()
	r.said = append(r.said, said)
	r.prompt.Append(said)
	r.offerReading(said)
	r.repeats.nextStep()
}

// closingInstruction ends a run that used up its steps or goes round in circles. It stands behind
// the system blocks that are worth caching: in the transcript it would look like something the user
// said.
const closingInstruction = "No more tools can be called for this request. Answer now with what you have. " +
	"If something is missing, say what it is and what could be done next."

// conclude makes one last call, in which the model cannot call tools. It is an error where that
// leaves the user with nothing.
func (r *run) conclude(ctx context.Context) error {
	r.system = append(r.system, llm.Block{Text: closingInstruction})
	t, err := r.step(ctx, llm.ChoiceNone)
	if err != nil {
		return err
	}
	for _, c := range t.calls {
		c.answer(notOffered())
	}
	if err := r.tellResults(t); err != nil {
		return r.breakOff(ctx, t, err)
	}
	if err := r.out.Flush(); err != nil || t.readable() || r.shown && len(t.calls) == 0 {
		return err
	}
	return r.unanswered(t)
}

// breakOff closes what a failed turn left open and answers its calls, so that the thread can go on
// later, and returns the run's error. It works when ctx has ended: nothing here waits for anything
// but the output.
func (r *run) breakOff(ctx context.Context, t *turn, err error) error {
	t.mark = agui.Metadata{Status: agui.StatusFailed}
	if ctx.Err() != nil {
		err = context.Cause(ctx)
		if errors.Is(err, ErrStopped) {
			t.mark.Status = agui.StatusStopped
		}
	}
	if t.close() != nil {
		return err
	}
	for _, c := range t.calls {
		if !c.old || !c.waits() { // what waited before this run began waits on
			c.answer(interrupted())
		}
	}
	t.told = 0 // calls that were passed over have an answer now
	if r.tellResults(t) == nil {
		_ = r.out.Flush() // the run has failed already
	}
	return err
}

func (r *run) outcome() Outcome {
	o := Outcome{Pending: r.pending, Interrupts: r.interrupts, Finish: r.finish}
	o.Spending = r.usage.total(r.agent.Model)
	return o
}

// emitter is the Output with its first error remembered: after it nothing is written any more.
type emitter struct {
	out  Output
	held agui.Event // goes with the next event, or alone where there is a pause first
	err  error
}

func (e *emitter) Emit(ev agui.Event) error {
	if held := e.held; held != nil {
		e.held = nil
		return e.both(held, ev)
	}
	if e.err == nil {
		e.keep(e.out.Emit(ev))
	}
	return e.err
}

func (e *emitter) both(first, second agui.Event) error {
	if e.err == nil {
		e.keep(e.out.EmitBoth(first, second))
	}
	return e.err
}

// EmitWithNext is Emit for an event that says that the answer is over unless another one follows.
func (e *emitter) EmitWithNext(ev agui.Event) error {
	if err := e.let(); err != nil {
		return err
	}
	e.held = ev
	return nil
}

// let emits what is held.
func (e *emitter) let() error {
	held := e.held
	if e.held = nil; held == nil {
		return e.err
	}
	return e.Emit(held)
}

func (e *emitter) Flush() error {
	if err := e.let(); err != nil {
		return err
	}
	e.keep(e.out.Flush())
	return e.err
}

// Commit is not remembered: that something could not be stored does not mean that it cannot be
// said.
func (e *emitter) Commit(ctx context.Context) error {
	if err := e.let(); err != nil {
		return err
	}
	return e.out.Commit(ctx)
}

func (e *emitter) keep(err error) {
	if err != nil {
		e.err = fmt.Errorf("agent: writing events: %w", err)
	}
}
