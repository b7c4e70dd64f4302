package agent

import (
	"context"
	"log/slog"
	"slices"
	"strings"

	"github.com/pageside/pageside/llm"
	"github.com/pageside/pageside/page"
	"github.com/pageside/pageside/payload"
)

// payloadTypes holds a run's payload types and suggestions.
type payloadTypes struct {
	inText  []*payload.Type   // what the scanner looks for
	offered []*payload.Type   // those of the place; cards of others are read-only
	actions map[string]string // handlers of the actions that can be suggested, by name
}

// newPayloadTypes returns the types to look for in the model's text: those of the place, and all
// others that are registered, since a model imitates what it has read, even after the user has
// moved.
func newPayloadTypes(view page.View, registered *payload.Registry) payloadTypes {
	p := payloadTypes{
		inText:  []*payload.Type{payload.SuggestedValues, payload.SuggestedActions},
		offered: view.Payloads,
		actions: make(map[string]string, len(view.Actions)),
	}
	for t := range registered.All() {
		if t.Source == payload.FromLLM {
			p.inText = append(p.inText, t)
		}
	}
	for _, a := range view.Actions {
		p.actions[a.Name] = a.Handler
	}
	return p
}

// readOnly reports whether a card of a type is shown without actions: the place does not offer it.
func (p *payloadTypes) readOnly(t *payload.Type) bool {
	return !slices.ContainsFunc(p.offered, func(offered *payload.Type) bool { return offered.Name == t.Name })
}

// payloadsByTool reports whether the model writes payloads as arguments of generated tools.
func payloadsByTool(m llm.Info) bool { return m.Tools && m.Payloads == llm.PayloadTool }

// toolPayloads returns the payload types of a place that the model writes as arguments.
func toolPayloads(view page.View, model llm.Info) (types []*payload.Type) {
	for _, p := range view.Payloads {
		if payloadsByTool(model) && p.Source == payload.FromLLM {
			types = append(types, p)
		}
	}
	return types
}

// offerPayloads adds a tool for each payload type of a place that the model writes as arguments.
// Like every server tool, it wins over a frontend tool of the same name.
func offerPayloads(ctx context.Context, tools toolset, view page.View, model llm.Info, log *slog.Logger) {
	for _, p := range toolPayloads(view, model) {
		if tools.offers[p.ToolName()] != nil {
			log.WarnContext(ctx, "a frontend tool is ignored: its name is taken", "tool", p.ToolName(),
				"byPayload", p.Name)
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
	return &offer{
		payload: p,
		decl: llm.ToolDecl{
			Name: p.ToolName(), Description: description, Parameters: p.Declaration(),
			Strict: strict && p.Strict(),
		},
	}
}

// Codes of payloads that cannot be shown.
const (
	payloadInvalid  = "invalid"   // not JSON, or it does not match the schema
	payloadTooLarge = "too_large" // more than payload.MaxBytes
	payloadCutOff   = "cut_off"   // the answer ended inside the payload
	payloadStopped  = "stopped"   // the run was stopped inside the payload
)
