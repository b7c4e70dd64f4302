package agent

import (
	"context"
	"log/slog"
	"slices"
	"strings"

	"github.com/pageside/pageside/agent/prompt"
	"github.com/pageside/pageside/agui"
	"github.com/pageside/pageside/llm"
	"github.com/pageside/pageside/page"
	"github.com/pageside/pageside/payload"
)

// payloadTypes is what a run knows about payloads and suggestions.
type payloadTypes struct {
	inText  []*payload.Type   // what the scanner looks for
	actions map[string]string // handlers of the actions that can be suggested, by name
}

// newPayloadTypes are those that a model may write at a place, with a thread before it.
func newPayloadTypes(view page.View, history []agui.Message, registered *payload.Registry) payloadTypes {
	p := payloadTypes{
		inText:  append([]*payload.Type{payload.SuggestedValues, payload.SuggestedActions}, readableTypes(view, history, registered)...),
		actions: make(map[string]string, len(view.Actions)),
	}
	for _, a := range view.Actions {
		p.actions[a.Name] = a.Handler
	}
	return p
}

// readableTypes are the types that are looked for in what the model says: those of the place, and
// those that stand in the thread, because a model writes again what it reads there, wherever the
// user is by then.
func readableTypes(view page.View, history []agui.Message, registered *payload.Registry) []*payload.Type {
	types := slices.DeleteFunc(slices.Clone(view.Payloads), func(p *payload.Type) bool { return p.Source != payload.FromLLM })
	for i := range history {
		m := &history[i]
		if _, ok := prompt.ReadPayload(m); !ok {
			continue
		}
		if p, ok := registered.Get(m.ActivityType); ok && p.Source == payload.FromLLM && !slices.Contains(types, p) {
			types = append(types, p)
		}
	}
	return types
}

// payloadsByTool reports whether the model writes payloads as arguments of generated tools.
func payloadsByTool(m llm.Info) bool { return m.Tools && m.Payloads == llm.PayloadTool }

// offerPayloads adds a tool for each payload of a place that the model writes as arguments. It wins
// over a frontend tool of its name, as every tool of the server does.
func offerPayloads(ctx context.Context, tools toolset, view page.View, model llm.Info, log *slog.Logger) {
	if !payloadsByTool(model) {
		return
	}
	for _, p := range view.Payloads {
		if p.Source != payload.FromLLM {
			continue
		}
		if tools.offers[p.ToolName()] != nil {
			log.WarnContext(ctx, "a frontend tool is ignored: its name is taken", "tool", p.ToolName(), "byPayload", p.Name)
		}
		tools.offers[p.ToolName()] = payloadOffer(p, model.StrictTools)
	}
}

// payloadOffer declares the tool of a payload. Where the model can be held to its schema it is:
// there is no better time to get a payload right.
func payloadOffer(p *payload.Type, strict bool) *offer {
	description := "Shows the user a card. " + p.Description
	if p.Instructions != "" {
		description += "\n" + strings.TrimSpace(p.Instructions)
	}
	return &offer{payload: p, decl: llm.ToolDecl{Name: p.ToolName(), Description: description, Parameters: p.Declaration(), Strict: strict && p.Strict()}}
}
