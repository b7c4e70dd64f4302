package agent

import (
	"context"
	"log/slog"

	"github.com/pageside/pageside/agent/prompt"
	"github.com/pageside/pageside/agui"
	"github.com/pageside/pageside/llm"
	"github.com/pageside/pageside/page"
)

// start resolves the place and prepares the parts of the prompt: tools, system blocks, and what the
// user has on screen.
func (a *Agent) start(ctx context.Context, in Input, out Output) (*run, error) {
	view := a.Pages.Resolve(in.Place)
	tools, err := offerTools(ctx, view, in.Frontend)
	if err != nil {
		return nil, err
	}
	r := &run{
		agent: a, in: in, out: &emitter{out: out}, model: a.Model.Info(), tainted: in.Tainted,
		view: view, tools: tools,
		callIDs: callIDs(in.History), failures: map[string]int{}, cacheKey: keyOf("cache", in.Owner, in.ThreadID),
	}
	r.offerCards(ctx)
	sections := r.sections()
	r.system = blocksOf(sections)
	r.traceBegin(sections)
	r.page = prompt.NewPageContext(a.contextItems(ctx, view, in), a.contextTokens(), a.id(""), r.canRetrieve())
	return r, nil
}

// compose makes the prompt of everything that was said.
func (r *run) compose() {
	if r.model.Tools {
		r.decls = r.tools.decls()
	}
	r.prompt = prompt.Build(r.thread(), r.promptView())
}

func (r *run) thread() prompt.Thread { return prompt.Thread{History: r.history, Steps: r.said} }

func (r *run) promptView() prompt.View {
	return prompt.View{
		Model: r.model, Payloads: r.agent.Pages.Payloads(), Page: r.page, Compaction: r.compaction,
		MaxResult: r.agent.maxResult(), WithoutMedia: r.unseen,
	}
}

// sections are the system prompt: the same for every run at a place while its definitions and
// instructions are.
func (r *run) sections() []page.Section {
	return page.Sections(r.view, page.Extra{
		Agent: r.agent.Instructions, Scope: r.in.Instructions, Client: r.in.ClientInstructions, PayloadTools: r.cardsByTool(),
	})
}

func blocksOf(sections []page.Section) []llm.Block {
	blocks := make([]llm.Block, len(sections))
	for i, s := range sections {
		blocks[i] = llm.Block{Text: s.Text, Cache: s.Cache}
	}
	return blocks
}

func callIDs(history []agui.Message) map[string]bool {
	ids := map[string]bool{}
	for i := range history {
		for _, c := range history[i].ToolCalls {
			ids[c.ID] = true
		}
		if c, ok := prompt.ReadPayload(&history[i]); ok && c.ToolCallID != "" {
			ids[c.ToolCallID] = true
		}
	}
	return ids
}

// contextItems is what the page tells the assistant. Where the page's context builder fails the run
// goes on without what it writes.
func (a *Agent) contextItems(ctx context.Context, view page.View, in Input) []page.Item {
	items, err := prompt.ContextItems(view, in.Place, in.Context, in.Details)
	if err != nil {
		slog.ErrorContext(ctx, "the page could not be described", "page", in.Place.Page, "runId", in.RunID, "error", err)
	}
	return items
}

// ContextKeys returns a key for each item of what the page shows in a run: where the user is, what
// the page's context builder makes of the context, and the context itself. The same item has the
// same key in every run. The caller keeps the keys in the thread: in a note of the kind NoteContext
// before what the user says, wherever they are not those of the last such note.
func (a *Agent) ContextKeys(ctx context.Context, in Input) []string {
	return prompt.ContextKeys(a.contextItems(ctx, a.Pages.Resolve(in.Place), in))
}

// canRetrieve reports whether the model can have what was left out of the page context.
func (r *run) canRetrieve() bool { return r.tools.offers[prompt.RetrieveItems] != nil && r.model.Tools }
