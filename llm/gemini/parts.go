package gemini

import (
	"errors"
	"strings"

	"github.com/pageside/pageside/llm"
	"github.com/pageside/pageside/llm/httpmodel"
)

// takePart turns one part of a chunk into ours.
func (s *stream) takePart(p *part) {
	signature := s.Text(&p.Signature)
	s.Grow(len(signature))
	if p.Call.Is != nil {
		s.takeCall(p.Call.Is, signature)
	} else {
		s.say(p.kind(), s.Text(&p.Text), signature)
	}
}

// kind is what a part's text is.
func (p *part) kind() llm.PartKind {
	if p.Thought {
		return llm.ReasoningDelta
	}
	return llm.TextDelta
}

// say emits a piece of text or thought, and the signature that ends it.
func (s *stream) say(kind llm.PartKind, said, signature string) {
	if said == "" && signature == "" {
		return
	}
	if s.kind != kind {
		s.kind, s.block = kind, s.newBlock()
	}
	if said != "" {
		s.Grow(len(said))
		s.Emit(llm.Part{Kind: kind, Index: s.block, Delta: said})
	}
	if signature == "" {
		return
	}
	of := ofText
	if kind == llm.ReasoningDelta {
		of = ofThought
	}
	s.kind = 0
	s.Emit(llm.Part{Kind: llm.Opaque, Index: s.block, Opaque: tag + of + signature})
}

func (s *stream) newBlock() int {
	s.blocks++
	return s.blocks - 1
}

var errPieces = errors.New("arguments of a call come in pieces, which the request did not ask for")

// takeCall emits a call, which comes whole. One without a name is nothing.
func (s *stream) takeCall(c *call, signature string) {
	id, name := s.Text(&c.ID), strings.TrimSpace(s.Text(&c.Name))
	if c.Pieces != nil || bool(c.Continues) {
		s.Malformed(errPieces)
	}
	s.Grow(len(id) + len(name) + len(c.Args))
	if name == "" {
		return
	}
	if len(s.calls) >= s.Limits.MaxCalls {
		s.TooManyCalls()
	}
	s.kind = 0
	block := s.newBlock()
	s.calls = append(s.calls, block)
	s.Emit(llm.Part{Kind: llm.ToolStart, Index: block, ID: s.ID(id, madeUp), Name: name})
	if signature != "" {
		s.Emit(llm.Part{Kind: llm.Opaque, Index: block, Opaque: tag + signature})
	}
	args := "{}"
	if c.Args.Kind() == '{' {
		args = httpmodel.ValidText(string(c.Args))
	}
	s.Emit(llm.Part{Kind: llm.ToolArgs, Index: block, Delta: args})
}
