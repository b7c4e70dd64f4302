package gemini

import (
	"errors"
	"strings"

	"github.com/pageside/pageside/llm"
	"github.com/pageside/pageside/llm/httpmodel"
)

// takePart turns one part of a chunk into ours.
func (s *stream) takePart(p *part) error {
	signature, err := p.Signature.Text()
	if err != nil {
		return s.Malformed(err)
	}
	if err := s.Grow(len(signature)); err != nil {
		return err
	}
	if p.Call.Is != nil {
		return s.takeCall(p.Call.Is, signature)
	}
	said, err := p.Text.Text()
	if err != nil {
		return s.Malformed(err)
	}
	return s.say(p.kind(), said, signature)
}

// kind is what a part's text is.
func (p *part) kind() llm.PartKind {
	if p.Thought {
		return llm.ReasoningDelta
	}
	return llm.TextDelta
}

// say emits a piece of text or thought, and the signature that ends it.
func (s *stream) say(kind llm.PartKind, said, signature string) error {
	if said == "" && signature == "" {
		return nil
	}
	if s.kind != kind {
		s.kind, s.block = kind, s.newBlock()
	}
	if said != "" {
		if err := s.Grow(len(said)); err != nil {
			return err
		}
		if err := s.Emit(llm.Part{Kind: kind, Index: s.block, Delta: said}); err != nil {
			return err
		}
	}
	if signature == "" {
		return nil
	}
	of := ofText
	if kind == llm.ReasoningDelta {
		of = ofThought
	}
	s.kind = 0
	return s.Emit(llm.Part{Kind: llm.Opaque, Index: s.block, Opaque: tag + of + signature})
}

func (s *stream) newBlock() int {
	s.blocks++
	return s.blocks - 1
}

var errPieces = errors.New("arguments of a call come in pieces, which the request did not ask for")

// takeCall emits a call, which comes whole. One without a name is nothing.
func (s *stream) takeCall(c *call, signature string) error {
	id, err1 := c.ID.Text()
	name, err2 := c.Name.Text()
	err := errors.Join(err1, err2)
	if err == nil && (c.Pieces != nil || bool(c.Continues)) {
		err = errPieces
	}
	if err != nil {
		return s.Malformed(err)
	}
	if err := s.Grow(len(id) + len(name) + len(c.Args)); err != nil {
		return err
	}
	if name = strings.TrimSpace(name); name == "" {
		return nil
	}
	if len(s.calls) >= s.Limits.MaxCalls {
		return s.TooManyCalls()
	}
	s.kind = 0
	block := s.newBlock()
	s.calls = append(s.calls, block)
	err = s.Emit(llm.Part{Kind: llm.ToolStart, Index: block, ID: s.ID(id, madeUp), Name: name})
	if err == nil && signature != "" {
		err = s.Emit(llm.Part{Kind: llm.Opaque, Index: block, Opaque: tag + signature})
	}
	if err != nil {
		return err
	}
	args := "{}"
	if c.Args.Kind() == '{' {
		args = httpmodel.ValidText(string(c.Args))
	}
	return s.Emit(llm.Part{Kind: llm.ToolArgs, Index: block, Delta: args})
}
