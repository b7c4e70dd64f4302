package agent

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/pageside/pageside/agent/guest"
	"github.com/pageside/pageside/agent/usage"
	"github.com/pageside/pageside/agui"
	"github.com/pageside/pageside/calls"
	"github.com/pageside/pageside/internal/jsonx"
	"github.com/pageside/pageside/llm"
	"github.com/pageside/pageside/tool"
)

// maxGuestTurns is how often a guest is asked in a run: again if the server has refused all the
// page's calls that it made.
const maxGuestTurns = 4

// maxGuestInterrupts bounds what a guest may ask at once.
const maxGuestInterrupts = 32

// RunGuest is Run with a guest in place of the loop. Of the agent, the pages, the policy, the
// approvals, the page's tools and the state count. in.Tainted is taken to be true: nobody here
// knows what a guest has read. The guest is given the fields of given that do not change between
// its turns; the others are set here.
func (a *Agent) RunGuest(
	ctx context.Context, in Input, out Output, answer guest.Agent, given guest.Input,
) (outcome Outcome, err error) {
	watched := newWatchedOutput(&in, out)
	in.Tainted = true
	r, err := a.begin(ctx, in, watched)
	if err != nil {
		return Outcome{}, a.discreet(ctx, in, err)
	}
	g := &guestRun{run: r, answer: answer, given: given, watched: watched, ids: guest.NewIDs(in.History, r.listener.ids)}
	g.step = g.newStep()
	if err = g.goThrough(ctx); err == nil {
		err = g.askInWords()
	}
	r.executor.withdrawn.work.Wait()
	if _, said := errors.AsType[*Failure](err); !said {
		err = a.discreet(ctx, in, err)
	}
	r.trace.ended(ctx, err)
	outcome = Outcome{Pending: r.pending, Interrupts: r.interrupts, Result: g.result}
	outcome.Add(usage.Spending{Usage: g.usage})
	return outcome, err
}

func (g *guestRun) goThrough(ctx context.Context) error {
	waiting, err := g.resumeThese(ctx, slices.DeleteFunc(openCalls(g.in.History), g.isOwn))
	if err != nil || waiting {
		return err
	}
	if g.in.Waiting.Withdraw {
		return ErrStopped
	}
	if _, err := g.executor.showPageSources(g.in.History); err != nil {
		return err
	}
	resume := g.answersOf()
	for range maxGuestTurns {
		again, err := g.turn(ctx, resume)
		if err != nil || !again {
			return err
		}
		resume = nil
	}
	return nil
}

// isOwn reports whether an open call of the thread is the guest's own: not one that the page has
// been given, or that is held for it.
func (g *guestRun) isOwn(c *call) bool {
	return !c.withheld && !slices.Contains(g.in.Waiting.Calls, c.id)
}

// turn asks the guest once. again means that it has to know what became of its calls.
func (g *guestRun) turn(ctx context.Context, resume []agui.ResumeEntry) (again bool, err error) {
	in := g.given
	in.Messages, in.Tools, in.State = guest.Shown(g.watched.messages()), g.guestTools(), g.watched.state()
	if in.Resume = resume; resume != nil {
		in.Interrupts = g.ownInterrupts()
	}
	outcome, err := g.answer(ctx, in, g)
	g.mu.Lock()
	defer g.mu.Unlock()
	g.note(outcome)
	switch {
	case g.failed != nil:
		err = g.failed
	case err == nil:
		err = ctx.Err()
	}
	var asked []calls.Interrupt
	if err == nil {
		asked, err = g.interruptsOf(outcome.Interrupts)
	}
	if err == nil {
		err = g.complete(asked)
	}
	if err != nil {
		return false, g.breakOff(ctx, g.step, err)
	}
	return g.settle(ctx, asked)
}

func (g *guestRun) note(outcome guest.Outcome) {
	var spent usage.Spending
	spent.Add(usage.Spending{Usage: g.usage})
	spent.Add(usage.Spending{Usage: outcome.Usage})
	g.usage, g.result = spent.Usage, outcome.Result
}

// settle decides about the page's calls of a turn that has ended, and hands out those that wait.
func (g *guestRun) settle(ctx context.Context, asked []calls.Interrupt) (again bool, err error) {
	s := g.step
	s.calls = slices.DeleteFunc(s.calls, func(c *call) bool { return c.guests })
	s.emitted = 0
	if err := g.runTools(ctx, s); err != nil {
		return false, g.breakOff(ctx, s, err)
	}
	if len(asked) > 0 || slices.ContainsFunc(s.calls, (*call).waits) {
		g.interrupts = append(g.interrupts, asked...)
		return false, g.release(ctx, s)
	}
	refused := slices.ContainsFunc(s.calls, func(c *call) bool { return c.result != nil })
	g.step = g.newStep()
	return refused, g.out.Flush()
}

// newStep begins what the guest says until its calls are answered.
func (g *guestRun) newStep() *step {
	s := newStep(g.listener)
	s.finish = llm.FinishTools
	return s
}

// guestTools returns the page's tools that the guest may call.
func (g *guestRun) guestTools() []agui.Tool {
	var tools []agui.Tool
	for _, t := range g.in.Frontend {
		o := g.executor.tools.offers[t.Name]
		known := slices.ContainsFunc(tools, func(other agui.Tool) bool { return other.Name == t.Name })
		if o != nil && o.page != nil && !known {
			tools = append(tools, t)
		}
	}
	return tools
}

// ownInterrupts returns the guest's open interrupts.
func (g *guestRun) ownInterrupts() []agui.Interrupt {
	var own []agui.Interrupt
	for i := range g.in.Waiting.Interrupts {
		if !g.in.Waiting.Interrupts[i].Own {
			continue
		}
		asked := g.in.Waiting.Interrupts[i].AGUI()
		asked.Metadata = agui.ClientMetadata(asked.Metadata)
		if asked.Reason == reasonGuestsCall {
			asked.Reason = calls.ReasonToolCall
		}
		own = append(own, asked)
	}
	return own
}

// answersOf returns one answer for each of the guest's open interrupts. What has expired, or what
// the user has left for a new message, is cancelled.
func (g *guestRun) answersOf() []agui.ResumeEntry {
	var answers []agui.ResumeEntry
	for _, i := range g.in.Waiting.Interrupts {
		if !i.Own {
			continue
		}
		entry := agui.ResumeEntry{InterruptID: i.ID, Status: agui.ResumeCancelled}
		at := slices.IndexFunc(g.in.Waiting.Resume, func(r agui.ResumeEntry) bool { return r.InterruptID == i.ID })
		if at >= 0 && (i.ExpiresAt.IsZero() || time.Now().Before(i.ExpiresAt)) {
			entry = g.in.Waiting.Resume[at]
		}
		answers = append(answers, entry)
	}
	return answers
}

// interruptsOf checks what a guest asks.
func (g *guestRun) interruptsOf(asked []agui.Interrupt) (own []calls.Interrupt, err error) {
	if len(asked) > maxGuestInterrupts {
		return nil, g.wrong("asks %d questions at once; at most %d are taken", len(asked), maxGuestInterrupts)
	}
	for _, i := range asked {
		made, err := ownInterrupt(&i)
		if err == nil && slices.ContainsFunc(own, func(other calls.Interrupt) bool { return other.ID == i.ID }) {
			err = errors.New("the id occurs twice")
		}
		if err != nil {
			return nil, g.wrong("asks something that cannot be shown: interrupt %q: %v", i.ID, err)
		}
		made.ToolCallID = g.ids.Call(i.ToolCallID)
		made.Metadata = agui.WithAgent(i.Metadata, g.agent.ID)
		if made.Reason == calls.ReasonToolCall {
			made.Reason = reasonGuestsCall
		}
		own = append(own, made)
	}
	return own, nil
}

// ownInterrupt returns an interrupt in an agent's own form.
func ownInterrupt(i *agui.Interrupt) (made calls.Interrupt, err error) {
	switch {
	case i.ID == "":
		return made, errors.New("it has no id")
	case i.Reason == "":
		return made, errors.New("it has no reason")
	case len(i.Metadata) > 0 && jsonx.KindOf(i.Metadata) != jsonx.Object:
		return made, errors.New("its metadata is no object")
	}
	if _, err := tool.CompileSchema(i.ResponseSchema); err != nil {
		return made, fmt.Errorf("its responseSchema does not work: %w", err)
	}
	made = calls.Interrupt{
		ID: i.ID, Reason: i.Reason, Message: i.Message, ToolCallID: i.ToolCallID, ResponseSchema: i.ResponseSchema,
		Own: true, SubagentRunID: i.SubagentRunID,
	}
	if i.ExpiresAt != "" {
		if made.ExpiresAt, err = time.Parse(time.RFC3339, i.ExpiresAt); err != nil {
			return made, errors.New("its expiresAt is not a time of RFC 3339")
		}
	}
	return made, nil
}
