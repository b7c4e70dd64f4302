package agent

import (
	"log/slog"

	"github.com/pageside/pageside/agui"
	"github.com/pageside/pageside/llm"
	"github.com/pageside/pageside/payload"
)

// startCardCall begins a card that the model writes as the arguments of a generated tool. It
// reports false for every other tool.
func (t *turn) startCardCall(p *llm.Part) (bool, error) {
	o := t.run.tools.offers[p.Name]
	if o == nil || o.card == nil {
		return false, nil
	}
	if err := t.endText(); err != nil {
		return true, err
	}
	return true, t.startCard(o.card, t.run.callID(p.ID), p.Index)
}

// cardAt returns the card whose arguments a content block holds.
func (t *turn) cardAt(index int) *card {
	for i := len(t.cards) - 1; i >= 0; i-- {
		if c := t.cards[i]; c.callID != "" && c.index == index {
			return c
		}
	}
	return nil
}

// leaveBlock is for a provider that uses the index of a content block again: what comes now belongs
// to something else.
func (t *turn) leaveBlock(index int) {
	if c := t.cardAt(index); c != nil {
		c.index = -1
	}
}

// signCard keeps a provider's opaque value with the card, to be sent back with the call it came
// from.
func (t *turn) signCard(c *card, opaque string) error {
	c.opaque = opaque
	if !c.settled() {
		return nil
	}
	return t.showCard(c, c.content(), c.status(), false)
}

// showPayload shows what a tool returned beside its text. One that is not what its type says is a
// fault of the tool: the user sees that there was something, the log says what, and the model has
// the text.
func (r *run) showPayload(c *call) error {
	if c.result.Payload == nil || c.result.IsError {
		return nil
	}
	t := r.backendTool(c.name)
	if t == nil {
		return nil
	}
	typ, ok := r.agent.Pages.Payloads().Get(t.PayloadType)
	if !ok {
		slog.Error("a tool returned a payload, but has no payload type", "tool", c.name, "toolCallId", c.id, "runId", r.in.RunID)
		return nil
	}
	status := agui.StatusOpen
	content, err := typ.Encode(c.result.Payload)
	if err != nil {
		slog.Error("a tool returned a payload that cannot be shown", "tool", c.name, "payload", typ.Name, "toolCallId", c.id, "runId", r.in.RunID, "error", err)
		status, content = agui.StatusFailed, errorContent(cardFailure{cardInvalid, "what the tool returned could not be shown"})
	}
	r.shown = true
	return r.out.Emit(toolCard(r.agent.id("card_"), typ, c.id, status, content))
}

func toolCard(id string, typ *payload.Type, callID, status string, content []byte) agui.Event {
	m := agui.Metadata{Source: agui.SourceTool, ToolCallID: callID, Status: status}
	return &agui.ActivitySnapshot{Base: agui.Base{Metadata: m.JSON()}, MessageID: id, ActivityType: typ.Name, Content: content}
}
