package gemini

import (
	"crypto/rand"
	"errors"
	"strings"
	"unicode/utf8"

	"github.com/pageside/pageside/internal/jsonx"
	"github.com/pageside/pageside/llm"
)

// call is a tool call.
type call struct {
	part int
	args *partial // while they come in pieces
}

// takePart turns one part of a chunk into ours.
func (s *stream) takePart(part []byte) error {
	signature, err := text(jsonx.Find(part, "thoughtSignature"))
	if err != nil {
		return s.odd(err)
	}
	if err := s.count(len(signature)); err != nil {
		return err
	}
	if function := jsonx.Find(part, "functionCall"); jsonx.KindOf(function) == jsonx.Object {
		return s.takeCall(function, signature)
	}
	kind, of := llm.TextDelta, ofText
	if string(jsonx.Find(part, "thought")) == "true" {
		kind, of = llm.ReasoningDelta, ofThought
	}
	said, err := text(jsonx.Find(part, "text"))
	if err != nil {
		return s.odd(err)
	}
	return s.say(kind, said, of, signature)
}

// say emits a piece of text or thought, and its signature, which ends it.
func (s *stream) say(kind llm.PartKind, said, of, signature string) error {
	if said == "" && signature == "" {
		return nil
	}
	if s.kind != kind {
		s.kind, s.block = kind, s.newBlock()
	}
	if said != "" {
		if err := s.count(len(said)); err != nil {
			return err
		}
		if err := s.emit(llm.Part{Kind: kind, Index: s.block, Delta: said}); err != nil {
			return err
		}
	}
	if signature == "" {
		return nil
	}
	s.kind = 0
	return s.emit(llm.Part{Kind: llm.Opaque, Index: s.block, Opaque: tag + of + signature})
}

func (s *stream) newBlock() int {
	s.blocks++
	return s.blocks - 1
}

// count counts what an answer holds.
func (s *stream) count(n int) error {
	if s.size += n; s.size > s.model.cfg.MaxStep {
		return s.model.errorf(llm.KindOutputLimit, nil, "the answer is longer than allowed")
	}
	return nil
}

// takeCall takes in a call: whole, as the API sends them, or a piece of one, as Vertex AI can.
func (s *stream) takeCall(function []byte, signature string) error {
	if err := s.count(len(function)); err != nil {
		return err
	}
	name, err1 := text(jsonx.Find(function, "name"))
	id, err2 := text(jsonx.Find(function, "id"))
	if err := errors.Join(err1, err2); err != nil {
		return s.odd(err)
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
		s.growing.args.whole = clean(string(args))
	}
	if err := s.growing.args.add(jsonx.Find(function, "partialArgs")); err != nil {
		return s.odd(err)
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
	if len(s.calls) >= s.model.cfg.MaxCalls {
		return s.model.errorf(llm.KindOutputLimit, nil, "the answer calls more tools than allowed")
	}
	s.kind = 0
	c := &call{part: s.newBlock(), args: &partial{}}
	s.calls, s.growing = append(s.calls, c), c
	if err := s.emit(llm.Part{Kind: llm.ToolStart, Index: c.part, ID: s.id(id), Name: name}); err != nil || signature == "" {
		return err
	}
	return s.emit(llm.Part{Kind: llm.Opaque, Index: c.part, Opaque: tag + signature})
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
	return s.emit(llm.Part{Kind: llm.ToolArgs, Index: c.part, Delta: args})
}

// id returns the id to use for a call: the provider's, or a new one where that is missing or taken.
func (s *stream) id(id string) string {
	if s.used == nil {
		s.used = map[string]bool{}
		for _, m := range s.req.Messages {
			for _, c := range m.Content {
				if old, ok := c.(llm.ToolCall); ok {
					s.used[old.ID] = true
				}
			}
		}
	}
	for id == "" || s.used[id] {
		id = madeUp + strings.ToLower(rand.Text()[:20])
	}
	s.used[id] = true
	return id
}

// text returns the text of a JSON string; of null, or nothing, it is empty.
func text(raw []byte) (string, error) {
	if len(raw) == 0 || string(raw) == "null" {
		return "", nil
	}
	if raw[0] != '"' {
		return "", errors.New("a field that should be text is not")
	}
	t, err := jsonx.Unquote(raw)
	return clean(t), err
}

// clean replaces what is not UTF-8.
func clean(t string) string {
	if utf8.ValidString(t) {
		return t
	}
	return strings.ToValidUTF8(t, "\uFFFD")
}
