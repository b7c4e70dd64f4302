package agent

import (
	"fmt"

	"github.com/pageside/pageside/agui"
	"github.com/pageside/pageside/llm"
)

// listen consumes one model call to its end.
func (s *step) listen(parts func(yield func(llm.Part, error) bool)) error {
	for p, err := range parts {
		if err != nil {
			return err
		}
		if err := s.take(&p); err != nil {
			return err
		}
	}
	if s.finish == "" {
		return s.modelError(llm.KindProtocol, "the model's answer ended without saying that it was complete")
	}
	return s.endText()
}

func (s *step) take(p *llm.Part) error {
	if err := s.weigh(p); err != nil {
		return err
	}
	switch p.Kind {
	case llm.TextDelta:
		return s.scan(p.Delta)
	case llm.ReasoningDelta:
		return s.think(p.Index, p.Delta)
	case llm.ToolStart:
		return s.startCall(p)
	case llm.ToolArgs:
		return s.writeArgs(p)
	case llm.ToolEnd:
		return s.completeCall(p)
	case llm.Opaque:
		return s.sign(p)
	case llm.UsagePart:
		s.usage.Take(p)
	case llm.FinishPart:
		s.finish = p.Finish
	case llm.Pause:
		return s.out.Flush()
	}
	return nil
}

// sign keeps a provider's opaque value with the call or thought of its content block. A fully
// opaque thought becomes an empty reasoning message that carries it. After the model has begun its
// text, that message would end up before the next step's message, so this step's message carries
// the value.
func (s *step) sign(p *llm.Part) error {
	if c := s.payloadAt(p.Index); c != nil {
		return c.sign(p.Opaque)
	}
	if c := s.callAt(p.Index); c != nil {
		c.opaque = p.Opaque
		if c.withheld && c.complete {
			return s.note(c)
		}
		if c.withheld {
			return nil
		}
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

// close closes what is open in a step that is broken off. Calls are ended when their result is
// emitted or they are released.
func (s *step) close() error {
	if err := s.endText(); err != nil {
		return err
	}
	if err := s.dropPayloads(); err != nil {
		return err
	}
	if err := s.closeThought(); err != nil {
		return err
	}
	return s.closeText()
}

// Bounds on the model's output, in bytes of text, thoughts and arguments together. A model that
// sends more is broken or an impostor.
const (
	maxStepBytes = 4 << 20
	maxRunBytes  = 16 << 20
)

// weigh counts a part against the limits of the step and the run.
func (s *step) weigh(p *llm.Part) error {
	n := len(p.Delta) + len(p.Opaque) + len(p.Name) + len(p.ID)
	s.size += n
	s.heard += n
	switch {
	case s.size > maxStepBytes:
		return s.modelError(llm.KindOutputLimit,
			fmt.Sprintf("the model sent more than %d bytes in one step", maxStepBytes))
	case s.heard > maxRunBytes:
		return s.modelError(llm.KindOutputLimit,
			fmt.Sprintf("the model sent more than %d bytes in one run", maxRunBytes))
	}
	return nil
}
