package anthropic

import (
	"errors"
	"slices"
	"strings"

	"github.com/pageside/pageside/llm"
	"github.com/pageside/pageside/llm/httpmodel"
)

// block is an unfinished content block: a text, a thought or a tool call.
type block struct {
	index     int // the provider's
	part      int // ours
	signature []byte
	call      *call // nil where the block is none
}

// call is a tool call.
type call struct {
	part  int
	said  bool   // some of its arguments are out
	whole string // the arguments, where they came with the block's start
}

// piece is what a delta adds a text to, and as what.
type piece struct {
	block *block
	kind  llm.PartKind
}

// startBlock begins a content block. It ignores other kinds, such as those of the provider's own
// tools.
func (s *stream) startBlock(index int, c *content) error {
	s.open = slices.DeleteFunc(s.open, func(b *block) bool { return b.index == index })
	switch c.Type.Said {
	case "text":
		return s.startText(index, &c.Text, llm.TextDelta)
	case "thinking":
		if err := s.startText(index, &c.Thinking, llm.ReasoningDelta); err != nil {
			return err
		}
		return s.takeSignature(s.find(index), &c.Signature)
	case "redacted_thinking":
		return s.redacted(&c.Data)
	case "tool_use":
		return s.startCall(index, c)
	}
	s.Begin()
	return nil
}

// openBlock makes a block that deltas can be added to.
func (s *stream) openBlock(index int) (*block, error) {
	if len(s.open) >= maxOpen {
		return nil, s.TooManyParts()
	}
	s.Begin()
	b := &block{index: index, part: s.blocks}
	s.blocks++
	s.open = append(s.open, b)
	return b, nil
}

// startText begins a text or a thought, which a server may send with its first words.
func (s *stream) startText(index int, first *httpmodel.Piece, kind llm.PartKind) error {
	b, err := s.openBlock(index)
	if err != nil {
		return err
	}
	return s.say(b, kind, first)
}

// redacted emits a thought that the provider keeps secret.
func (s *stream) redacted(secret *httpmodel.Piece) error {
	data, err := secret.Text()
	if err != nil {
		return s.Malformed(err)
	}
	if err := s.Grow(len(data)); err != nil || data == "" {
		return err
	}
	s.blocks++
	return s.Emit(llm.Part{Kind: llm.Opaque, Index: s.blocks - 1, Opaque: tag + redacted + data})
}

// startCall begins a tool call. A call without a name is dropped.
func (s *stream) startCall(index int, begun *content) error {
	id, err1 := begun.ID.Text()
	name, err2 := begun.Name.Text()
	if err := errors.Join(err1, err2); err != nil {
		return s.Malformed(err)
	}
	if name = strings.TrimSpace(name); name == "" {
		return nil
	}
	if s.Request.Choice == llm.ChoiceNone {
		s.model.defies.Store(true)
	}
	if s.called++; s.called > s.Limits.MaxCalls {
		return s.TooManyCalls()
	}
	if err := s.Grow(len(id) + len(name) + len(begun.Input)); err != nil {
		return err
	}
	b, err := s.openBlock(index)
	if err != nil {
		return err
	}
	b.call = &call{part: b.part, whole: "{}"}
	if len(begun.Input) > 0 && string(begun.Input) != "null" {
		b.call.whole = string(begun.Input)
	}
	s.calls = append(s.calls, b.call)
	return s.Emit(llm.Part{Kind: llm.ToolStart, Index: b.part, ID: s.ID(id, "toolu_"), Name: name})
}

// find returns the open block with this index, or nil.
func (s *stream) find(index int) *block {
	for _, b := range slices.Backward(s.open) {
		if b.index == index {
			return b
		}
	}
	return nil
}

// takeDelta adds to a block. It ignores deltas of unknown blocks and kinds.
func (s *stream) takeDelta(event []byte, index int, d *delta) error {
	b := s.find(index)
	if b == nil {
		return nil
	}
	switch d.Type.Said {
	case "text_delta":
		return s.takePiece(event, b, llm.TextDelta, &d.Text)
	case "thinking_delta":
		return s.takePiece(event, b, llm.ReasoningDelta, &d.Thinking)
	case "input_json_delta":
		return s.takePiece(event, b, llm.ToolArgs, &d.Arguments)
	case "signature_delta":
		return s.takeSignature(b, &d.Signature)
	}
	return nil
}

func (s *stream) takePiece(event []byte, b *block, kind llm.PartKind, text *httpmodel.Piece) error {
	if err := s.say(b, kind, text); err != nil {
		return err
	}
	s.memo.Keep(event, piece{b, kind}, text)
	return nil
}

func (s *stream) say(b *block, kind llm.PartKind, text *httpmodel.Piece) error {
	said, err := text.Text()
	if err != nil {
		return s.Malformed(err)
	}
	return s.emit(b, kind, said)
}

// emit emits a piece of a block unless it is empty. Only a call takes arguments, and it takes
// nothing else.
func (s *stream) emit(b *block, kind llm.PartKind, said string) error {
	if said == "" || (b.call != nil) != (kind == llm.ToolArgs) {
		return nil
	}
	if err := s.Grow(len(said)); err != nil {
		return err
	}
	if b.call != nil {
		b.call.said = true
	}
	return s.Emit(llm.Part{Kind: kind, Index: b.part, Delta: said})
}

// takeSignature collects a signature, which comes in pieces like everything else.
func (s *stream) takeSignature(b *block, piece *httpmodel.Piece) error {
	signature, err := piece.Text()
	if err != nil {
		return s.Malformed(err)
	}
	b.signature = append(b.signature, signature...)
	return s.Grow(len(signature))
}

// stopBlock ends a block: a thought's signature is complete, and so are a call's arguments, unless
// the whole answer is cut.
func (s *stream) stopBlock(index int) error {
	b := s.find(index)
	if b == nil {
		return nil
	}
	s.open = slices.DeleteFunc(s.open, func(o *block) bool { return o == b })
	if b.call != nil {
		return s.fill(b.call)
	}
	if len(b.signature) == 0 {
		return nil
	}
	return s.Emit(llm.Part{Kind: llm.Opaque, Index: b.part, Opaque: tag + signed + string(b.signature)})
}

// fill gives a call whose arguments did not come in pieces those of its start.
func (s *stream) fill(c *call) error {
	if c.said {
		return nil
	}
	c.said = true
	return s.Emit(llm.Part{Kind: llm.ToolArgs, Index: c.part, Delta: c.whole})
}

func (s *stream) endCall(c *call) error {
	if err := s.fill(c); err != nil {
		return err
	}
	return s.Emit(llm.Part{Kind: llm.ToolEnd, Index: c.part})
}
