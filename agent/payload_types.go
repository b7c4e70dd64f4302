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

// payloadTypes holds a run's payload types and suggestions.
type payloadTypes struct {
	inText  []*payload.Type   // what the scanner looks for
	actions map[string]string // handlers of the actions that can be suggested, by name
}

// newPayloadTypes returns those a model may write at a place, given the thread.
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

// readableTypes returns the types to look for in the model's text: those of the place and those
// already in the thread, since a model imitates what it reads there, even after the user has moved.
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

// offerPayloads adds a tool for each payload type of a place that the model writes as arguments.
// Like every server tool, it wins over a frontend tool of the same name.
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

// payloadOffer declares the tool of a payload type, in strict mode if the model supports it.
func payloadOffer(p *payload.Type, strict bool) *offer {
	description := "Shows the user a card. " + p.Description
	if p.Instructions != "" {
		description += "\n" + strings.TrimSpace(p.Instructions)
	}
	return &offer{payload: p, decl: llm.ToolDecl{Name: p.ToolName(), Description: description, Parameters: p.Declaration(), Strict: strict && p.Strict()}}
}
