package anthropic

import (
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
func (s *stream) startBlock(index int, c *content) {
	s.open = slices.DeleteFunc(s.open, func(b *block) bool { return b.index == index })
	switch c.Type.Said {
	case "text":
		s.emit(s.openBlock(index), llm.TextDelta, s.Text(&c.Text))
	case "thinking":
		b := s.openBlock(index)
		s.emit(b, llm.ReasoningDelta, s.Text(&c.Thinking))
		s.takeSignature(b, &c.Signature)
	case "redacted_thinking":
		s.redacted(s.Text(&c.Data))
	case "tool_use":
		s.startCall(index, c)
	default:
		s.Begin()
	}
}

// openBlock makes a block that deltas can be added to. A server may send its first words with it.
func (s *stream) openBlock(index int) *block {
	if len(s.open) >= maxOpen {
		s.TooManyParts()
	}
	s.Begin()
	b := &block{index: index, part: s.blocks}
	s.blocks++
	s.open = append(s.open, b)
	return b
}

// redacted emits a thought that the provider keeps secret.
func (s *stream) redacted(data string) {
	if s.Grow(len(data)) != nil || data == "" {
		return
	}
	s.blocks++
	s.Emit(llm.Part{Kind: llm.Opaque, Index: s.blocks - 1, Opaque: tag + redacted + data})
}

// startCall begins a tool call. A call without a name is dropped.
func (s *stream) startCall(index int, begun *content) {
	id, name := s.Text(&begun.ID), strings.TrimSpace(s.Text(&begun.Name))
	if name == "" {
		return
	}
	if s.Request.Choice == llm.ChoiceNone {
		s.model.defies.Store(true)
	}
	if s.called++; s.called > s.Limits.MaxCalls {
		s.TooManyCalls()
	}
	s.Grow(len(id) + len(name) + len(begun.Input))
	b := s.openBlock(index)
	b.call = &call{part: b.part, whole: "{}"}
	if len(begun.Input) > 0 && string(begun.Input) != "null" {
		b.call.whole = string(begun.Input)
	}
	s.calls = append(s.calls, b.call)
	s.Emit(llm.Part{Kind: llm.ToolStart, Index: b.part, ID: s.ID(id, "toolu_"), Name: name})
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
func (s *stream) takeDelta(event []byte, index int, d *delta) {
	b := s.find(index)
	if b == nil {
		return
	}
	switch d.Type.Said {
	case "text_delta":
		s.takePiece(event, b, llm.TextDelta, &d.Text)
	case "thinking_delta":
		s.takePiece(event, b, llm.ReasoningDelta, &d.Thinking)
	case "input_json_delta":
		s.takePiece(event, b, llm.ToolArgs, &d.Arguments)
	case "signature_delta":
		s.takeSignature(b, &d.Signature)
	}
}

func (s *stream) takePiece(event []byte, b *block, kind llm.PartKind, text *httpmodel.Piece) {
	s.emit(b, kind, s.Text(text))
	s.memo.Keep(event, piece{b, kind}, text)
}

// emit emits a piece of a block unless it is empty. Only a call takes arguments, and it takes
// nothing else.
func (s *stream) emit(b *block, kind llm.PartKind, said string) {
	if said == "" || (b.call != nil) != (kind == llm.ToolArgs) {
		return
	}
	s.Grow(len(said))
	if b.call != nil {
		b.call.said = true
	}
	s.Emit(llm.Part{Kind: kind, Index: b.part, Delta: said})
}

// takeSignature collects a signature, which comes in pieces like everything else.
func (s *stream) takeSignature(b *block, piece *httpmodel.Piece) {
	signature := s.Text(piece)
	b.signature = append(b.signature, signature...)
	s.Grow(len(signature))
}

// stopBlock ends a block: a thought's signature is complete, and so are a call's arguments, unless
// the whole answer is cut.
func (s *stream) stopBlock(index int) {
	b := s.find(index)
	if b == nil {
		return
	}
	s.open = slices.DeleteFunc(s.open, func(o *block) bool { return o == b })
	switch {
	case b.call != nil:
		s.fill(b.call)
	case len(b.signature) > 0:
		s.Emit(llm.Part{Kind: llm.Opaque, Index: b.part, Opaque: tag + signed + string(b.signature)})
	}
}

// fill gives a call whose arguments did not come in pieces those of its start.
func (s *stream) fill(c *call) {
	if !c.said {
		c.said = true
		s.Emit(llm.Part{Kind: llm.ToolArgs, Index: c.part, Delta: c.whole})
	}
}
