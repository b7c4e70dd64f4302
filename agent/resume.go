package agent

import (
	"context"
	"encoding/json"
	"slices"
	"time"

	"github.com/pageside/pageside/agent/prompt"
	"github.com/pageside/pageside/agui"
	"github.com/pageside/pageside/calls"
	"github.com/pageside/pageside/journal"
	"github.com/pageside/pageside/policy"
	"github.com/pageside/pageside/tool"
)

// resumption decides what becomes of the calls without results in a thread: those left by a crash,
// and those that waited for a client or a person.
type resumption struct {
	in        *Input
	tools     toolset
	approvals *approvals
	journal   *callJournal
	maxResult int
}

// openCalls returns the calls of a thread that have no result, including those that the client does
// not know of. There may be tens of thousands in one message.
func openCalls(history []agui.Message) []*call {
	withheld := agui.Withheld(history)
	known := func(id string) bool {
		return slices.ContainsFunc(history, func(m agui.Message) bool { return m.ID == id })
	}
	var all []*call
	overtaken := 0 // of all
	unanswered, answered := map[string][]*call{}, map[*call]bool{}
	add := func(c *call) {
		all = append(all, c)
		unanswered[c.id] = append(unanswered[c.id], c)
	}
	for i := range history {
		m := &history[i]
		if m.IsFromClient() {
			for ; overtaken < len(all); overtaken++ {
				all[overtaken].overtaken = true
			}
		}
		switch m.Role {
		case agui.RoleActivity:
			n, _ := agui.ReadNote(m, agui.NoteCall)
			if at := slices.IndexFunc(withheld, func(c agui.NotedCall) bool {
				return n.Call != nil && c.ID == n.Call.ID
			}); at >= 0 {
				add(withheldCall(&withheld[at], known))
			}
		case agui.RoleTool:
			for _, c := range unanswered[m.ToolCallID] {
				answered[c] = true
			}
			delete(unanswered, m.ToolCallID)
		case agui.RoleAssistant:
			for j := range m.ToolCalls {
				if c := &m.ToolCalls[j]; prompt.IsCall(c) {
					add(earlierCall(c))
				}
			}
		}
	}
	return slices.DeleteFunc(all, func(c *call) bool { return answered[c] })
}

// resumeCall handles a call left open by an earlier run, or by this one before a crash. The call
// then has a result, is ready to run, or waits.
func (r *resumption) resumeCall(ctx context.Context, c *call) {
	entry, journaled := r.in.Crash.call(c.id)
	interrupt := r.interruptOf(c)
	answer := r.answerTo(interrupt)
	switch {
	case r.in.Waiting.Withdraw && !journaled:
		c.giveUp(interrupt)
	// the client has been given it, at the latest by its END after a crash
	case c.Approved && !c.overtaken:
		c.ready = &ready{page: true}
	case r.in.Crash.cut(c.id):
		c.answer(calls.NeverBegun())
	case journaled:
		r.recover(ctx, c, entry)
	case interrupt != nil && (answer != nil || !c.overtaken):
		r.applyAnswer(ctx, c, interrupt, answer)
	case c.overtaken && interrupt != nil && interrupt.Asked:
		c.leave(interrupt, calls.Declined())
	case c.overtaken:
		c.answer(calls.Overtaken())
	case c.withheld:
		r.judgeAgain(ctx, c)
	case r.withClient(c):
		c.ready = &ready{page: true}
	default:
		c.answer(calls.NeverBegun())
	}
}

// judgeAgain decides about a call that was withheld when a crash ended its run: nobody has been
// asked about it.
func (r *resumption) judgeAgain(ctx context.Context, c *call) {
	c.offer = r.tools.offers[c.name]
	if c.offer == nil || c.offer.page == nil {
		c.answer(calls.Gone(c.name))
		return
	}
	args, err := tool.ParseArgs(c.args.String(), c.offer.schema())
	if err != nil {
		c.answer(err.(*tool.Error).Result())
		return
	}
	c.ready, c.Tainted = c.offer.ready(args), r.approvals.taint.marked
	if problem := r.approvals.hold(ctx, c); problem != nil {
		c.answer(problem.Result())
	}
}

// withClient reports whether an open call was given to the client, by an earlier run (the caller
// knows) or by this one. After a crash only the tools declared for the run can tell. Otherwise it
// is any call that is not of a backend tool, since calls of unknown tools are answered in the run
// that makes them.
func (r *resumption) withClient(c *call) bool {
	if slices.Contains(r.in.Waiting.Calls, c.id) {
		return true
	}
	if o := r.tools.offers[c.name]; o != nil || r.in.Crash != nil {
		return o != nil && o.backend == nil
	}
	return r.tools.backend(c.name) == nil
}

// recover resumes a call from the state in the journal. If the tool's definition has changed since,
// it is no longer the tool that was judged or approved, and does not run. Nor does a call whose
// allowance or permission no longer holds: execute looks that up.
func (r *resumption) recover(ctx context.Context, c *call, entry journal.ToolCall) {
	effect := tool.Effect(entry.Effect)
	c.planned = entry.RunID
	if c.planned == "" {
		c.planned = r.journal.runID
	}
	t := r.tools.backend(c.name)
	c.noteChange(t, entry.Args)
	c.origin = readOrigin(entry.Origin)
	switch {
	case entry.State == journal.Finished:
		c.answer(tool.Result{Text: prompt.Shorten(r.maxResult, c.id, entry.Result), IsError: entry.IsError})
		if len(entry.Payload) > 0 {
			c.result.Payload = entry.Payload
		}
		c.result.Sources = readSources(entry.Sources)
	case entry.State == journal.Started && (!harmless(effect) || t != nil && isOther(t, entry)):
		c.answer(calls.UnknownOutcome(c.name))
	case t == nil:
		c.answer(calls.Gone(c.name))
	case isOther(t, entry):
		c.answer(calls.NeverBegun())
	default:
		r.proceed(ctx, c, &ready{tool: t, args: entry.Args}, entry)
	}
}

// proceed lets a call of an earlier process run, as it was agreed to then. The executor asks the
// policy and the user's allowances about it again.
func (r *resumption) proceed(ctx context.Context, c *call, next *ready, entry journal.ToolCall) {
	c.rerun = entry.State == journal.Started
	c.Approved = entry.AllowedBy == journal.ByUser
	if !c.Approved {
		c.Allowance = entry.AllowedBy
	}
	if interrupt, answer := r.interruptOf(c), r.answerTo(r.interruptOf(c)); answer != nil && interrupt.Asked {
		if r.reply(ctx, c, interrupt, answer.Payload); c.reply == nil {
			return
		}
	}
	c.Tainted, c.ready, c.offer = r.approvals.taint.marked, next, r.tools.offers[c.name]
	c.Permission = r.approvals.access.use(ctx, c, entry.Args)
}

// isOther reports whether a tool is not the one that a journaled call was judged by. Earlier
// versions recorded the effect only.
func isOther(t *tool.Tool, entry journal.ToolCall) bool {
	return t.Effect != tool.Effect(entry.Effect) || entry.Definition != "" && t.Definition() != entry.Definition
}

// harmless reports whether a tool may run a second time.
func harmless(e tool.Effect) bool { return e == tool.Read || e == tool.Idempotent }

// record records what the calls of an earlier process that will not run were answered, so that a
// later run says the same if this one breaks off too, and none stays planned for ever.
func (r *resumption) record(ctx context.Context, calls []*call) error {
	for _, c := range calls {
		entry, ok := r.in.Crash.call(c.id)
		if !ok || entry.State == journal.Finished || c.result == nil {
			continue
		}
		entry.State, entry.Result, entry.IsError = journal.Finished, c.result.Text, c.result.IsError
		if err := r.journal.kept.Finish(ctx, c.id, entry); err != nil {
			return err
		}
	}
	return nil
}

func (r *resumption) interruptOf(c *call) *calls.Interrupt {
	for i := range r.in.Waiting.Interrupts {
		if r.in.Waiting.Interrupts[i].ToolCallID == c.id && r.in.Waiting.Interrupts[i].Frontend == c.withheld {
			return &r.in.Waiting.Interrupts[i]
		}
	}
	return nil
}

// answerTo returns the first answer to an interrupt. Later ones are ignored.
func (r *resumption) answerTo(interrupt *calls.Interrupt) *agui.ResumeEntry {
	if interrupt == nil {
		return nil
	}
	for i := range r.in.Waiting.Resume {
		if r.in.Waiting.Resume[i].InterruptID == interrupt.ID {
			return &r.in.Waiting.Resume[i]
		}
	}
	return nil
}

// applyAnswer applies a person's answer to the call that waits for it. Without a usable answer the
// call keeps waiting.
func (r *resumption) applyAnswer(ctx context.Context, c *call, interrupt *calls.Interrupt, answer *agui.ResumeEntry) {
	question := interrupt.Reason != calls.ReasonToolCall
	switch {
	case !interrupt.ExpiresAt.IsZero() && !time.Now().Before(interrupt.ExpiresAt):
		c.leave(interrupt, calls.Expired())
	case answer == nil:
		c.interrupt = interrupt
	case answer.Status != agui.ResumeResolved && question:
		c.leave(interrupt, calls.Declined())
	case answer.Status != agui.ResumeResolved:
		c.answer(calls.Denied(""))
	case interrupt.Asked:
		r.reply(ctx, c, interrupt, answer.Payload)
	case question:
		answerQuestion(c, interrupt, answer.Payload)
	default:
		r.applyDecision(ctx, c, interrupt, answer.Payload)
	}
}

// leave answers a call whose interrupt gets no answer. If its tool has asked, it has to know.
func (c *call) leave(interrupt *calls.Interrupt, result tool.Result) {
	c.answer(result)
	if interrupt.Asked {
		c.left = interrupt
	}
}

// giveUp answers a call that the user no longer waits for.
func (c *call) giveUp(interrupt *calls.Interrupt) {
	if interrupt == nil {
		c.answer(calls.Withdrawn())
		return
	}
	c.leave(interrupt, calls.Withdrawn())
}

// answerQuestion makes the user's answer the result of the call. An invalid answer leaves the
// question open.
func answerQuestion(c *call, interrupt *calls.Interrupt, payload json.RawMessage) {
	answer, err := checkAnswer(interrupt.ResponseSchema, payload)
	if err != nil {
		c.interrupt = interrupt.Again(err.Error())
		return
	}
	c.answer(tool.Result{Text: `{"answer":` + string(answer) + `}`})
}

// reply continues a call with the user's answer to what its tool has asked. A tool that is not
// the one that asked does not get the answer.
func (r *resumption) reply(ctx context.Context, c *call, interrupt *calls.Interrupt, payload json.RawMessage) {
	t := r.tools.backend(interrupt.Tool)
	if t == nil || t.Definition() != interrupt.Definition {
		c.answer(calls.Gone(interrupt.Tool))
		return
	}
	answer, err := checkAnswer(interrupt.ResponseSchema, payload)
	if err != nil {
		c.interrupt = interrupt.Again(err.Error())
		return
	}
	var text string
	_ = json.Unmarshal(answer, &text) // the schema says that it is a text
	c.origin = interrupt.Origin
	if !r.permit(ctx, c, &ready{tool: t, args: interrupt.Args}) {
		c.leave(interrupt, *c.result)
		return
	}
	c.noteChange(t, interrupt.Args)
	c.Approved, c.reply = true, &tool.Reply{Text: text, Memo: interrupt.Memo}
}

// applyDecision runs an approved call, with the arguments the person saw or set, or denies it. It
// stays open if the arguments are invalid or the tool has changed since the person was asked.
func (r *resumption) applyDecision(ctx context.Context, c *call, interrupt *calls.Interrupt, payload []byte) {
	decision := calls.ParseDecision(payload)
	if !decision.Approved {
		c.answer(calls.Denied(decision.Reason))
		return
	}
	t, schema := r.tools.definition(interrupt.Tool, c.withheld)
	if t == nil {
		c.answer(calls.Gone(interrupt.Tool))
		return
	}
	if interrupt.Definition != "" && interrupt.Definition != t.Definition() {
		r.askAnew(ctx, c, interrupt, t, schema)
		return
	}
	args := string(interrupt.Args)
	if decision.Args != nil {
		args = string(decision.Args)
	}
	parsed, err := t.ParseArgsLike(args, interrupt.Args)
	if c.withheld {
		parsed, err = tool.ParseArgs(args, schema)
	}
	if err == nil && decision.Always != nil {
		_, err = tool.HashExcept(parsed, decision.Always.OpenArgs)
	}
	if err != nil {
		c.interrupt = interrupt.Again(err.Error())
		return
	}
	r.runApproved(ctx, c, interrupt, &ready{t, parsed, c.withheld}, decision.Always)
}

// runApproved makes an approved call run, if the user may still make it with these arguments.
func (r *resumption) runApproved(
	ctx context.Context, c *call, interrupt *calls.Interrupt, approved *ready, always *calls.Terms,
) {
	if c.origin = interrupt.Origin; !r.permit(ctx, c, approved) {
		return
	}
	if problem := r.approvals.Check(always, interrupt, approved.tool, c.Permission); problem != "" {
		c.ready = nil
		c.interrupt = interrupt.Again(problem)
		r.approvals.Offer(c.interrupt, approved.tool, interrupt.Args, c.Permission)
		return
	}
	c.noteChange(approved.tool, approved.args)
	c.Approved, c.always = true, always
}

// permit makes a call ready to run, if the policy still lets the user make it with its arguments.
// Else it answers the call.
func (r *resumption) permit(ctx context.Context, c *call, with *ready) bool {
	c.ready, c.Tainted = with, r.approvals.taint.marked
	c.Permission = r.approvals.access.use(ctx, c, with.args)
	if c.Permission.Decision == policy.Deny {
		c.ready = nil
		c.answer(calls.NotPermitted(c.name, c.Permission).Result())
	}
	return c.ready != nil
}

// askAnew asks again about a call whose tool has changed since its approval. The question gets a
// new id: a late answer to the old one, say from another tab, must not apply to it. Bound arguments
// are bound anew, as they were where the user was asked.
func (r *resumption) askAnew(ctx context.Context, c *call, before *calls.Interrupt, t *tool.Tool, schema *tool.Schema) {
	c.origin = before.Origin
	args, err := r.parseAnew(c, before.Args, t, schema)
	if err != nil {
		c.answer(err.(*tool.Error).Result())
		return
	}
	if !r.permit(ctx, c, &ready{t, args, c.withheld}) {
		return
	}
	interrupt, problem := r.approvals.approval(ctx, c, c.ready)
	if problem != nil {
		c.answer(problem.Result())
		return
	}
	c.interrupt = interrupt.Again(toolChanged)
}

// parseAnew checks arguments that were proposed before a tool changed.
func (r *resumption) parseAnew(
	c *call, args json.RawMessage, t *tool.Tool, schema *tool.Schema,
) (json.RawMessage, error) {
	if c.withheld {
		return tool.ParseArgs(string(args), schema)
	}
	return t.ParseArgs(string(t.Unbound(args)), r.in.Principal, r.journal.originOf(c))
}

// toolChanged is the problem of approving a call whose tool has changed.
const toolChanged = "the tool has changed since you were asked, and the call has not run. Look at it as it is now, and answer again"
