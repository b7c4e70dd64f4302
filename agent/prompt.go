package agent

import (
	"context"
	"encoding/json"
	"slices"

	"github.com/pageside/pageside/agui"
	"github.com/pageside/pageside/llm"
	"github.com/pageside/pageside/page"
)

// start resolves the place and puts the prompt together, stable things first: tools, system blocks, transcript, and at the tail what
// the user has on screen.
func (a *Agent) start(ctx context.Context, in Input, out Output) (*run, error) {
	view := a.Pages.Resolve(in.Place)
	tools, err := offerTools(ctx, view, in.Frontend)
	if err != nil {
		return nil, err
	}
	r := &run{
		agent: a, in: in, out: &emitter{out: out}, model: a.Model.Info(),
		tools: tools, system: a.systemBlocks(view),
		callIDs: callIDs(in.History), failures: map[string]int{},
	}
	items, id := contextItems(in), a.id("")
	r.tail = r.withRetrieval(page.RenderContext(items, id, a.contextTokens()), items, id)
	return r, nil
}

// compose makes the prompt of everything that was said, and at the place where this run began the tail.
func (r *run) compose() {
	if r.model.Tools {
		r.decls = r.tools.decls()
	}
	r.prompt = transcript{model: r.model, limit: r.agent.maxResult()}
	r.prompt.append(r.compacted(r.history))
	r.prompt.messages = withTail(r.prompt.messages, r.tail)
	for _, said := range r.said {
		r.prompt.append(r.compactedTurn(said))
	}
}

// systemBlocks are the same for every run at a place.
func (a *Agent) systemBlocks(view page.View) []llm.Block {
	var blocks []llm.Block
	for _, text := range slices.Concat([]string{a.Instructions, page.ContextNotice}, view.Instructions) {
		if text != "" {
			blocks = append(blocks, llm.Block{Text: text})
		}
	}
	blocks[len(blocks)-1].Cache = true
	return blocks
}

// contextItems is what the page tells the assistant: where the user is, then the items in the client's order.
func contextItems(in Input) []page.Item {
	var items []page.Item
	if in.Place.Page != "" {
		if where, err := json.Marshal(in.Place); err == nil {
			items = append(items, page.Item{Description: "where the user is in the application", Value: string(where)})
		}
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

// withTail puts the page context before the question, in the same message. Where the run goes on after frontend calls there is no new
// question: then what the page shows now follows the results in a message of its own. It is part of the prompt, never of the thread.
func withTail(messages []llm.Message, context string) []llm.Message {
	if context == "" {
		return messages
	}
	last := len(messages) - 1
	if last < 0 || messages[last].Role != llm.RoleUser {
		return append(messages, userText(context))
	}
	messages[last].Content = slices.Insert(messages[last].Content, 0, llm.Content(llm.Text{Text: context}))
	return messages
}

func callIDs(history []agui.Message) map[string]bool {
	ids := map[string]bool{}
	for i := range history {
		for _, c := range history[i].ToolCalls {
			ids[c.ID] = true
		}
	}
	return ids
}
