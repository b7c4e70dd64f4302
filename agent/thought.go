package agent

import (
	"github.com/pageside/pageside/agui"
	"github.com/pageside/pageside/llm"
)

// think passes reasoning on. Every content block is a message of its own.
func (t *turn) think(index int, delta string) error {
	if delta == "" {
		return nil
	}
	m := t.thought
	if m == nil || m.index != index {
		var err error
		if m, err = t.openThought(index); err != nil {
			return err
		}
	}
	m.text.WriteString(delta)
	return t.emit(&agui.ReasoningMessageContent{MessageID: m.id, Delta: delta})
}

func (t *turn) openThought(index int) (*spoken, error) {
	if err := t.endText(); err != nil {
		return nil, err
	}
	if err := t.closeThought(); err != nil {
		return nil, err
	}
	m := t.begin(agui.RoleReasoning, "rsn_")
	m.index, m.open = index, true
	t.thought = m
	t.rethink = t.current != nil
	if err := t.emit(&agui.ReasoningStart{MessageID: m.id}); err != nil {
		return nil, err
	}
	return m, t.emit(&agui.ReasoningMessageStart{MessageID: m.id})
}

func (t *turn) closeThought() error {
	m := t.thought
	if m == nil {
		return nil
	}
	t.thought, m.open = nil, false
	if err := t.emit(&agui.ReasoningMessageEnd{MessageID: m.id}); err != nil {
		return err
	}
	return t.emit(&agui.ReasoningEnd{MessageID: m.id})
}

// sign keeps a provider's opaque value with the call or the thought of its content block. A thought
// that is opaque altogether becomes an empty reasoning message that carries it; where the model has
// begun to speak it would end up before the next turn's message, so this turn's message carries it
// itself.
func (t *turn) sign(p *llm.Part) error {
	if c := t.cardAt(p.Index); c != nil {
		return t.signCard(c, p.Opaque)
	}
	if c := t.callAt(p.Index); c != nil {
		c.opaque = p.Opaque
		return t.emit(&agui.ReasoningEncryptedValue{Subtype: "tool-call", EntityID: c.id, EncryptedValue: p.Opaque})
	}
	m := t.thoughtAt(p.Index)
	if m == nil && t.current != nil && t.current.opaque == "" {
		m = t.current
	}
	if m == nil {
		var err error
		if m, err = t.openThought(p.Index); err != nil {
			return err
		}
	}
	m.opaque = p.Opaque
	return t.emit(&agui.ReasoningEncryptedValue{Subtype: "message", EntityID: m.id, EncryptedValue: p.Opaque})
}

// thoughtAt returns the last thought of a content block.
func (t *turn) thoughtAt(index int) *spoken {
	for i := len(t.spoken) - 1; i >= 0; i-- {
		if m := t.spoken[i]; m.role == agui.RoleReasoning && m.index == index {
			return m
		}
	}
	return nil
}
