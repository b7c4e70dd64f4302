package agent

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"slices"
	"strings"
	"time"

	"github.com/pageside/pageside/agent/prompt"
	"github.com/pageside/pageside/agui"
	"github.com/pageside/pageside/tool"
)

// settle goes on with the calls of the thread that have no result, so that every call is answered
// before the model is asked. It reports whether some still wait: then the run is over.
func (r *run) settle(ctx context.Context) (waiting bool, err error) {
	r.history, r.compaction = r.in.History, prompt.ReadCompaction(r.in.History)
	if r.journal = r.in.Journal; r.journal == nil {
		r.journal = &memory{}
	}
	r.offerBuiltins()
	t := r.openCalls()
	for _, c := range t.calls {
		r.goOn(ctx, c)
		if c.interrupt != nil {
			r.interrupts = append(r.interrupts, *c.interrupt)
		}
		if c.frontend() && r.in.Calls != nil {
			r.pending = append(r.pending, c.id)
		}
		waiting = waiting || c.waits()
	}
	if len(t.calls) > 0 {
		if err := cmp.Or(r.record(ctx, t), r.giveAllowances(ctx, t)); err != nil {
			return false, r.breakOff(ctx, t, err)
		}
		if err := r.carryOut(ctx, t); err != nil {
			return false, r.breakOff(ctx, t, err)
		}
		r.history = slices.Clip(r.history)
		for _, c := range t.calls {
			if c.told {
				r.history = append(r.history, c.resultMessage())
			}
		}
	}
	r.repeats = repeats{} // the calls that were just carried out are part of the history
	r.recall(r.history)
	return waiting, nil
}

// openCalls returns the calls of the thread without a result, as those of one turn whose words have
// all been said.
func (r *run) openCalls() *turn {
	t := &turn{run: r}
	for i := range r.in.History {
		m := &r.in.History[i]
		switch m.Role {
		case agui.RoleTool:
			t.calls = slices.DeleteFunc(t.calls, func(c *call) bool { return c.id == m.ToolCallID })
		case agui.RoleUser:
			for _, c := range t.calls {
				c.overtaken = true
			}
		case agui.RoleAssistant:
			for j := range m.ToolCalls {
				t.calls = append(t.calls, earlierCall(&m.ToolCalls[j]))
			}
		}
	}
	return t
}

func earlierCall(from *agui.ToolCall) *call {
	c := &call{id: from.ID, name: from.Name, opaque: from.EncryptedValue, complete: true, closed: true}
	c.args.WriteString(from.Arguments)
	c.old = true
	return c
}

// goOn decides what becomes of a call that an earlier run left open, or this one before a crash: it
// is answered, ready to run, or waits.
func (r *run) goOn(ctx context.Context, c *call) {
	entry, journaled := r.in.Calls[c.id]
	interrupt := r.interruptOf(c)
	answer := r.answerTo(interrupt)
	switch {
	case slices.Contains(r.in.Cut, c.id):
		c.answer(neverBegun())
	case journaled:
		r.recover(c, entry)
	case interrupt != nil && (answer != nil || !c.overtaken):
		r.resume(ctx, c, interrupt, answer)
	case c.overtaken:
		c.answer(overtaken())
	case r.withClient(c):
		c.ready = &ready{}
	default:
		c.answer(neverBegun())
	}
}

// withClient reports whether an open call is one that the client was given to carry out: by an
// earlier run, as the caller knows, or by this one. After a crash only the tools that were declared
// for the run tell; else it is any that is not ours, since calls of unknown tools are answered in
// the run that makes them.
func (r *run) withClient(c *call) bool {
	if slices.Contains(r.in.Waiting, c.id) {
		return true
	}
	if o := r.tools.offers[c.name]; o != nil || r.in.Calls != nil {
		return o != nil && o.backend == nil
	}
	return r.backendTool(c.name) == nil
}

// recover takes up a call where the journal says that a crash left it. A tool whose effect is
// another one now is not the one that was judged, or approved: it does not run in its place.
func (r *run) recover(c *call, entry JournalCall) {
	c.planned = entry.RunID
	if c.planned == "" {
		c.planned = r.in.RunID
	}
	t := r.backendTool(c.name)
	c.noteChange(entry.Args)
	switch {
	case entry.State == CallFinished:
		c.answer(tool.Result{Text: prompt.Shorten(r.agent.maxResult(), c.id, entry.Result), IsError: entry.IsError})
		if len(entry.Payload) > 0 {
			c.result.Payload = entry.Payload
		}
	case entry.State == CallStarted && (!harmless(entry.Effect) || t != nil && t.Effect != entry.Effect):
		c.answer(unknownOutcome(c.name))
	case t == nil:
		c.answer(gone(c.name))
	case t.Effect != entry.Effect:
		c.answer(neverBegun())
	default:
		c.started = entry.State == CallStarted
		c.ready = &ready{t, entry.Args}
	}
}

// harmless reports whether a tool may run a second time.
func harmless(e tool.Effect) bool { return e == tool.Read || e == tool.Idempotent }

// record tells the journal of the calls whose outcome will never be known, so that they are told
// the same way should this run break off too.
func (r *run) record(ctx context.Context, t *turn) error {
	for _, c := range t.calls {
		entry, ok := r.in.Calls[c.id]
		if !ok || entry.State != CallStarted || c.result == nil {
			continue
		}
		entry.State, entry.Result, entry.IsError = CallFinished, c.result.Text, true
		if err := r.journal.Finish(ctx, c.id, entry); err != nil {
			return err
		}
	}
	return nil
}

func (r *run) interruptOf(c *call) *Interrupt {
	for i := range r.in.Interrupts {
		if r.in.Interrupts[i].ToolCallID == c.id {
			return &r.in.Interrupts[i]
		}
	}
	return nil
}

// answerTo returns the first answer to an interrupt: who answers twice is not heard twice.
func (r *run) answerTo(interrupt *Interrupt) *agui.ResumeEntry {
	if interrupt == nil {
		return nil
	}
	for i := range r.in.Resume {
		if r.in.Resume[i].InterruptID == interrupt.ID {
			return &r.in.Resume[i]
		}
	}
	return nil
}

// resume applies the answer of a person to the call that waits for it. Without one, or with one
// that cannot be used, it waits on.
func (r *run) resume(ctx context.Context, c *call, interrupt *Interrupt, answer *agui.ResumeEntry) {
	question := interrupt.Reason != ReasonToolCall
	switch {
	case !interrupt.ExpiresAt.IsZero() && !time.Now().Before(interrupt.ExpiresAt):
		c.answer(expired())
	case answer == nil:
		c.interrupt = interrupt
	case answer.Status != agui.ResumeResolved && question:
		c.answer(declined())
	case answer.Status != agui.ResumeResolved:
		c.answer(denied(""))
	case question:
		r.answerQuestion(c, interrupt, answer.Payload)
	default:
		r.decide(ctx, c, interrupt, answer.Payload)
	}
}

// decide runs a call that was approved, with the arguments the person saw or set, or denies it.
// Arguments that do not fit leave it open, and so does a tool that is no longer the one the person
// was asked about.
func (r *run) decide(ctx context.Context, c *call, interrupt *Interrupt, payload []byte) {
	decision := parseDecision(payload)
	if !decision.approved {
		c.answer(denied(decision.reason))
		return
	}
	t := r.backendTool(interrupt.Tool)
	if t == nil {
		c.answer(gone(interrupt.Tool))
		return
	}
	if interrupt.Definition != "" && interrupt.Definition != t.Definition() {
		r.askAnew(ctx, c, &ready{t, interrupt.Args})
		return
	}
	if decision.always && (interrupt.Allowable == "" || interrupt.Allowable != r.allowable(t)) {
		c.interrupt = interrupt.again(notAllowable)
		r.offerAllowance(c.interrupt, t)
		return
	}
	args := string(interrupt.Args)
	if decision.args != nil {
		args = string(decision.args)
	}
	parsed, err := tool.ParseArgs(args, t.Schema())
	if err != nil {
		c.interrupt = interrupt.again(err.Error())
		return
	}
	c.noteChange(parsed)
	c.ready, c.always = &ready{t, parsed}, decision.always
}

// askAnew asks about a call whose tool has changed since somebody approved it. The question has an
// id of its own: another answer to the old one, from another tab say, is not about what is asked
// now.
func (r *run) askAnew(ctx context.Context, c *call, proposed *ready) {
	args, err := tool.ParseArgs(string(proposed.args), proposed.tool.Schema())
	if err != nil {
		c.answer(err.(*tool.Error).Result())
		return
	}
	interrupt, problem := r.approval(ctx, c, &ready{proposed.tool, args})
	if problem != nil {
		c.answer(problem.Result())
		return
	}
	c.interrupt = interrupt.again(toolChanged)
}

// noteChange keeps the arguments a call runs with where they are not those that the model wrote: it
// must be told.
func (c *call) noteChange(args json.RawMessage) {
	wrote, err := tool.ParseArgs(c.args.String(), nil)
	if len(args) > 0 && (err != nil || !sameJSON(args, wrote)) {
		c.changed = args
	}
}

func sameJSON(a, b json.RawMessage) bool {
	x, err1 := tool.Canonical(a)
	y, err2 := tool.Canonical(b)
	return err1 == nil && err2 == nil && bytes.Equal(x, y)
}

// again is the same interrupt with what was wrong with the answer to it.
func (i *Interrupt) again(problem string) *Interrupt {
	again := *i
	message, _, _ := strings.Cut(i.Message, problemMark)
	again.Message = message + problemMark + problem
	return &again
}

// toolChanged is what was wrong with an approval of a call whose tool is another one now.
const toolChanged = "the tool has changed since you were asked, and the call has not run. Look at it as it is now, and answer again"

// problemMark stands before what was wrong with the last answer.
const problemMark = "\nThe answer could not be used: "
