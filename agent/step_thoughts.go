package agent

import (
	"github.com/pageside/pageside/agui"
)

// think emits reasoning. Every content block is its own message.
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

// thoughtAt returns the last thought of a content block.
func (s *step) thoughtAt(index int) *outMessage {
	for i := len(s.messages) - 1; i >= 0; i-- {
		if m := s.messages[i]; m.role == agui.RoleReasoning && m.index == index {
			return m
		}
	}
	return nil
}
