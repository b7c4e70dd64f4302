package gemini

import (
	"errors"
	"strings"

	"github.com/pageside/pageside/internal/jsonx"
	"github.com/pageside/pageside/llm"
	"github.com/pageside/pageside/llm/httpmodel"
)

// call is a tool call.
type call struct {
	part int
	args *partial // while they come in pieces
}

// takePart turns one part of a chunk into ours.
func (s *stream) takePart(part []byte) error {
	signature, err := httpmodel.Text(jsonx.Find(part, "thoughtSignature"))
	if err != nil {
		return s.Malformed(err)
	}
	if err := s.Grow(len(signature)); err != nil {
		return err
	}
	if function := jsonx.Find(part, "functionCall"); jsonx.KindOf(function) == jsonx.Object {
		return s.takeCall(function, signature)
	}
	kind, of := llm.TextDelta, ofText
	if string(jsonx.Find(part, "thought")) == "true" {
		kind, of = llm.ReasoningDelta, ofThought
	}
	said, err := httpmodel.Text(jsonx.Find(part, "text"))
	if err != nil {
		return s.Malformed(err)
	}
	return s.say(kind, said, of, signature)
}

// say emits a piece of text or thought, and the signature that ends it.
func (s *stream) say(kind llm.PartKind, said, of, signature string) error {
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
	s.kind = 0
	return s.Emit(llm.Part{Kind: llm.Opaque, Index: s.block, Opaque: tag + of + signature})
}

func (s *stream) newBlock() int {
	s.blocks++
	return s.blocks - 1
}

// takeCall takes in a call: whole, as the API sends them, or a piece of one, as Vertex AI can.
func (s *stream) takeCall(function []byte, signature string) error {
	if err := s.Grow(len(function)); err != nil {
		return err
	}
	name, err1 := httpmodel.Text(jsonx.Find(function, "name"))
	id, err2 := httpmodel.Text(jsonx.Find(function, "id"))
	if err := errors.Join(err1, err2); err != nil {
		return s.Malformed(err)
	}
	if name = strings.TrimSpace(name); name != "" {
		if err := s.startCall(id, name, signature); err != nil {
			return err
		}
	}
	if s.growing == nil {
		return nil // a piece of nothing
	}
	if args := jsonx.Find(function, "args"); jsonx.KindOf(args) == jsonx.Object {
		s.growing.args.whole = httpmodel.ValidText(string(args))
	}
	if err := s.growing.args.add(jsonx.Find(function, "partialArgs")); err != nil {
		return s.Malformed(err)
	}
	if string(jsonx.Find(function, "willContinue")) == "true" {
		return nil
	}
	return s.completeCall()
}

// startCall names a call. The one before it can have no more to come.
func (s *stream) startCall(id, name, signature string) error {
	if err := s.completeCall(); err != nil {
		return err
	}
	if len(s.calls) >= s.Limits.MaxCalls {
		return s.TooManyCalls()
	}
	s.kind = 0
	c := &call{part: s.newBlock(), args: &partial{}}
	s.calls, s.growing = append(s.calls, c), c
	if err := s.Emit(llm.Part{Kind: llm.ToolStart, Index: c.part, ID: s.ID(id, madeUp), Name: name}); err != nil || signature == "" {
		return err
	}
	return s.Emit(llm.Part{Kind: llm.Opaque, Index: c.part, Opaque: tag + signature})
}

// completeCall emits the arguments of the call that is growing.
func (s *stream) completeCall() error {
	c := s.growing
	if c == nil {
		return nil
	}
	s.growing = nil
	args := c.args.String()
	c.args = nil
	return s.Emit(llm.Part{Kind: llm.ToolArgs, Index: c.part, Delta: args})
}
