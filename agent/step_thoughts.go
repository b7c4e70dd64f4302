package agent

import (
	"github.com/pageside/pageside/agui"
	"github.com/pageside/pageside/llm"
)

// think passes reasoning on. Every content block is a message of its own.
func (s *step) think(index int, delta string) error {
	if delta == "" {
		return nil
	}
	m := s.thought
	if m == nil || m.index != index {
		var err error
		if m, err = s.openThought(index); err != nil {
			return err
		}
	}
	m.text.WriteString(delta)
	return s.emit(&agui.ReasoningMessageContent{MessageID: m.id, Delta: delta})
}

func (s *step) openThought(index int) (*outMessage, error) {
	if err := s.endText(); err != nil {
		return nil, err
	}
	if err := s.closeThought(); err != nil {
		return nil, err
	}
	m := s.begin(agui.RoleReasoning, "rsn_")
	m.index, m.open = index, true
	s.thought = m
	s.rethink = s.current != nil
	if err := s.emit(&agui.ReasoningStart{MessageID: m.id}); err != nil {
		return nil, err
	}
	return m, s.emit(&agui.ReasoningMessageStart{MessageID: m.id})
}

func (s *step) closeThought() error {
	m := s.thought
	if m == nil {
		return nil
	}
	s.thought, m.open = nil, false
	if err := s.emit(&agui.ReasoningMessageEnd{MessageID: m.id}); err != nil {
		return err
	}
	return s.emit(&agui.ReasoningEnd{MessageID: m.id})
}

// sign keeps a provider's opaque value with the call or the thought of its content block. A thought
// that is opaque altogether becomes an empty reasoning message that carries it; where the model has
// begun to speak it would end up before the next turn's message, so this turn's message carries it
// itself.
func (s *step) sign(p *llm.Part) error {
	if c := s.payloadAt(p.Index); c != nil {
		return s.signPayload(c, p.Opaque)
	}
	if c := s.callAt(p.Index); c != nil {
		c.opaque = p.Opaque
		return s.emit(&agui.ReasoningEncryptedValue{Subtype: "tool-call", EntityID: c.id, EncryptedValue: p.Opaque})
	}
	m := s.thoughtAt(p.Index)
	if m == nil && s.current != nil && s.current.opaque == "" {
		m = s.current
	}
	if m == nil {
		var err error
		if m, err = s.openThought(p.Index); err != nil {
			return err
		}
	}
	m.opaque = p.Opaque
	return s.emit(&agui.ReasoningEncryptedValue{Subtype: "message", EntityID: m.id, EncryptedValue: p.Opaque})
}

// thoughtAt returns the last thought of a content block.
func (s *step) thoughtAt(index int) *outMessage {
	for i := len(s.messages) - 1; i >= 0; i-- {
		if m := s.messages[i]; m.role == agui.RoleReasoning && m.index == index {
			return m
		}
	}
	return nil
}
