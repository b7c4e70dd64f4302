package agent

import (
	"context"
	"slices"
	"time"

	"github.com/pageside/pageside/agent/prompt"
	"github.com/pageside/pageside/agent/usage"
	"github.com/pageside/pageside/agui"
	"github.com/pageside/pageside/auth"
	"github.com/pageside/pageside/calls"
	"github.com/pageside/pageside/llm"
	"github.com/pageside/pageside/page"
	"github.com/pageside/pageside/tool"
)

// run is one run of the loop.
type run struct {
	agent     *Agent
	model     llm.Model // that the user has chosen, or the agent's own
	in        Input
	out       *emitter
	input     *modelInput
	compactor *compactor
	asker     *asker
	listener  *listener
	repairer  *repairer
	executor  *executor
	approvals *approvals
	taint     *taint
	loops     *loopGuard
	trace     *trace
	warner    *warner
	audit     *auditor

	urged      bool // the model was asked again after a step without text
	refused    bool // the model has refused a prompt as too long
	pending    []string
	interrupts []calls.Interrupt
	finish     llm.Finish
}

// start resolves the place and assembles the run.
func (a *Agent) start(ctx context.Context, in Input, out Output) (*run, error) {
	seen := a.look(ctx, &in)
	view, shown := seen.view, seen.shown
	tools, err := a.offerTools(ctx, view, in.Frontend)
	if err != nil {
		return nil, err
	}
	from := originOf(&in, &shown)
	journal := newCallJournal(&in, from, a.log())
	taint := &taint{in.Tainted, journal.kept}
	may := newAccess(a, &in, taint)
	may.withhold(ctx, tools)
	tools.withhold(in.Principal, from)
	view.Actions = may.actions(ctx, offered(view.Actions, a.Pages.Tools(), in.Principal, from), a.Pages.Tools())
	answerer, effort := a.picked(in.Pick)
	model := answerer.Info()
	offerPayloads(ctx, tools, view, model, a.log())
	sections := a.sections(view, &in, shown.built, model)
	limits := a.Limits.effective()
	r := &run{
		agent: a, model: answerer, in: in, out: &emitter{out: out},
		loops: &loopGuard{maxSteps: limits.Steps, maxCalls: limits.CallsPerQuestion},
		trace: &trace{runID: in.RunID, log: a.log()},
	}
	r.trace.begin(a.Tracer, RunTrace{
		Agent: a.ID, Model: model, Effort: effort, Input: &r.in, Sections: sections, Tools: tools.decls(),
		Withheld: tools.withheld(), At: time.Now(),
	})

	ids := newCallIDs(in.History, a.id)
	r.taint = taint
	r.approvals = newApprovals(a, &r.in, from, taint, may)
	r.approvals.withhold(ctx, tools)
	r.audit = newAuditor(a, &r.in)
	r.asker = &asker{
		model: answerer, effort: effort, retryFor: limits.RetryFor, out: r.out, trace: r.trace,
		meter: usage.Meter{Budget: in.Budget, Model: answerer, Estimates: &a.estimates}, spent: in.Spent,
	}
	r.warner = &warner{model: answerer, logged: &a.warned, trace: r.trace, log: a.log()}
	r.input = a.newModelInput(&r.in, &shown, tools, model)
	r.warner.afterCuts(ctx, a, in.Place, &r.input.view.Page)
	r.input.effort = effort
	r.input.system = blocksOf(sections)
	r.input.reader = &resultReader{func() prompt.Thread { return r.input.thread }, ids, journal.kept, limits.ResultBytes}
	r.input.offerBuiltins()
	r.compactor = &compactor{input: r.input, asker: r.asker, out: r.out, newID: a.id, in: &r.in, log: a.log()}
	shared := newSharedState(a, &r.in, r.out)
	r.repairer = &repairer{input: r.input, asker: r.asker, out: r.out, runID: in.RunID, log: a.log()}
	r.listener = &listener{
		out: r.out, model: model, tools: tools, payloadTypes: newPayloadTypes(view, a.Pages.Payloads()),
		suggestions: view.Suggestions, shared: shared, ids: ids, newID: a.id, runID: in.RunID, log: a.log(),
	}
	r.executor = &executor{
		out: r.out, tools: tools, types: a.Pages.Payloads(), journal: journal, approvals: r.approvals,
		loops: r.loops, trace: r.trace, audit: r.audit,
		newID: a.id, log: a.log(), maxCalls: limits.CallsAtOnce, maxResult: limits.ResultBytes,
		shared: shared, numbers: agui.NumberingOf(in.History),
		withdrawn: &withdrawals{tools: tools, journal: journal, log: a.log()},
	}
	return r, nil
}

// offered leaves out actions whose tool lacks something at the place.
func offered(list []page.Action, tools *tool.Registry, p auth.Principal, from tool.Origin) []page.Action {
	return slices.DeleteFunc(slices.Clone(list), func(action page.Action) bool {
		t, ok := tools.Get(action.Tool)
		return ok && t.Unmet(p, from) != ""
	})
}

func (a *Agent) newModelInput(in *Input, seen *shown, tools toolset, model llm.Info) *modelInput {
	most := a.Limits.effective().ResultBytes
	// what was left out of the page context
	canRetrieve := tools.offers[prompt.RetrieveItems] != nil && model.Tools
	view := prompt.View{
		Model: model, Payloads: a.Pages.Payloads(), Compaction: prompt.ReadCompaction(in.History),
		MaxResult: most,
		Page:      prompt.NewPageContext(seen.items, seen.keys, a.Limits.contextBudget(model), a.id(""), canRetrieve),
	}
	return &modelInput{
		tools: tools, view: view, thread: prompt.Thread{History: in.History},
		cacheKey: keyOf("cache", in.Owner, in.ThreadID),
		askUser:  a.AskUser, updates: updateTool(&a.State), estimates: &a.estimates,
		reads: slices.ContainsFunc(in.History, func(m agui.Message) bool { return isCut(m, most) }),
	}
}

// sections returns the system prompt. It is the same for every run at a place until its definitions
// or instructions change.
func (a *Agent) sections(view page.View, in *Input, built page.Built, model llm.Info) []page.Section {
	return page.Sections(view, page.Extra{
		Agent: a.Instructions, Scope: in.Instructions, Built: built.Instructions, Client: in.ClientInstructions,
		PayloadTools: payloadsByTool(model),
	})
}

func blocksOf(sections []page.Section) []llm.Block {
	blocks := make([]llm.Block, len(sections))
	for i, s := range sections {
		blocks[i] = llm.Block{Text: s.Text, Cache: s.Cache}
	}
	return blocks
}
