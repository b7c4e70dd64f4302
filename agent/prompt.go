package agent

import (
	"context"
	"encoding/json"
	"log/slog"

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
	r.screen = a.newScreen(contextItems(ctx, view, in), r.canRetrieve())
	return r, nil
}

// compose makes the prompt of everything that was said, stable things first. What is on screen
// stands where the notes say, and what they do not tell of at the place where this run began.
func (r *run) compose() {
	if r.model.Tools {
		r.decls = r.tools.decls()
	}
	history := r.compacted(r.history)
	shown, tail := r.screen.place(history)
	r.prompt = r.transcript()
	r.prompt.shown = shown
	r.prompt.append(history)
	r.prompt.show()
	r.prompt.screen = tail
	r.prompt.show()
	for _, said := range r.said {
		r.prompt.append(r.compactedTurn(said))
	}
}

// transcript is one in which nothing was said yet.
func (r *run) transcript() transcript {
	return transcript{model: r.model, unseen: r.unseen, limit: r.agent.maxResult(), types: r.agent.Pages.Payloads()}
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

// contextItems is what the page tells the assistant: where the user is, what the page's context
// builder makes of the items, then the items in the client's order.
func contextItems(ctx context.Context, view page.View, in Input) []page.Item {
	var items []page.Item
	if in.Place.Page != "" {
		if where, err := json.Marshal(in.Place); err == nil {
			items = append(items, page.Item{Description: "where the user is in the application", Value: string(where)})
		}
	}
	if text := describe(ctx, view, in); text != "" {
		items = append(items, page.Item{Description: "what the page shows", Value: text})
	}
	for i, c := range in.Context {
		description := c.Description
		if description == "" && i < len(in.Details) {
			description = in.Details[i].Label
		}
		items = append(items, page.Item{Description: description, Value: c.Value})
	}
	return items
}

// describe runs the page's context builder. Where it fails the run goes on with the items alone.
func describe(ctx context.Context, view page.View, in Input) string {
	items := make([]page.Item, len(in.Context))
	for i, c := range in.Context {
		items[i] = page.Item{Description: c.Description, Value: c.Value}
	}
	text, err := view.Describe(items, in.Details)
	if err != nil {
		slog.ErrorContext(ctx, "the page could not be described", "page", in.Place.Page, "runId", in.RunID, "error", err)
	}
	return text
}

func callIDs(history []agui.Message) map[string]bool {
	ids := map[string]bool{}
	for i := range history {
		for _, c := range history[i].ToolCalls {
			ids[c.ID] = true
		}
		if c, ok := readCard(&history[i]); ok && c.ToolCallID != "" {
			ids[c.ToolCallID] = true
		}
	}
	return ids
}
