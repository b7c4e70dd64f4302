package openai

import (
	"cmp"
	"encoding/json"
	"slices"

	"github.com/pageside/pageside/llm"
	"github.com/pageside/pageside/llm/httpmodel"
)

// chat reads an answer of Chat Completions.
type chat struct {
	*stream
	chunk chunk // used again for each
	// reasoning_details matter beyond their text
	keepDetails bool
	think       thinkTags
	calls       calls
	details
	text, reasoning int   // their blocks, from 1; 0 while there is none
	thoughts        []int // the blocks of reasoning
	spoke           bool  // something else has come since the last reasoning
	finish          string
	usage           *llm.Usage
	answered        bool // a chunk held a choice
	inPieces        bool // a delta said something
	inWhole         bool // a message said something
}

// Finished reports whether the provider has said why the model stopped.
func (s *chat) Finished() bool { return s.finish != "" }

// Over reports whether the provider has said [DONE].
func (s *chat) Over() bool { return s.done }

// Take turns one event into parts.
func (s *chat) Take(data []byte) error {
	if s.isDone(data) {
		return nil
	}
	return s.take(data)
}

// Whole reads an answer from a server that does not stream.
func (s *chat) Whole(data []byte) error {
	if err := s.take(data); err != nil {
		return err
	}
	return s.End()
}

// take turns one chunk into parts.
func (s *chat) take(data []byte) error {
	c := &s.chunk
	if err := c.decode(data); err != nil {
		return s.Malformed(err)
	}
	if c.failure != nil {
		return s.fail(c.failure)
	}
	s.answered = s.answered || c.found
	s.takeWhole(c)
	if c.usage != nil {
		s.usage = c.usage
	}
	if s.finish == "" {
		if err := s.takeContent(c); err != nil {
			return err
		}
	}
	if c.finish != "" && s.finish == "" {
		return s.takeFinish(c.finish)
	}
	return nil
}

// takeWhole takes in the message of a chunk if it says something new. Beside or after deltas it
// repeats what they said. Servers that send no deltas put their pieces into it, or the whole
// answer.
func (s *chat) takeWhole(c *chunk) {
	if c.says() {
		s.inPieces = true
	}
	if c.whole == nil || s.inPieces || c.pieces && s.inWhole {
		return
	}
	c.takeMessage(c.whole)
	s.inWhole = s.inWhole || c.says()
}

func (s *chat) takeContent(c *chunk) error {
	if err := s.Grow(len(c.text) + len(c.reasoning)); err != nil {
		return err
	}
	if err := s.thinks(c.reasoning); err != nil {
		return err
	}
	if s.keepDetails {
		if err := s.takeDetails(c.details); err != nil {
			return err
		}
	}
	if err := s.says(s.think.split(c.text)); err != nil {
		return err
	}
	for _, d := range c.calls {
		if err := s.takeCall(d); err != nil {
			return err
		}
	}
	return nil
}

// says emits a piece of thoughts that were written as text, and a piece of text.
func (s *chat) says(thought, text string) error {
	if err := s.thinks(thought); err != nil || text == "" {
		return err
	}
	s.spoke = true
	return s.Emit(llm.Part{Kind: llm.TextDelta, Index: s.block(&s.text), Delta: text})
}

// thinks emits a piece of reasoning.
func (s *chat) thinks(piece string) error {
	if piece == "" {
		return nil
	}
	return s.Emit(llm.Part{Kind: llm.ReasoningDelta, Index: s.thought(), Delta: piece})
}

// thought returns the block of the current reasoning. Reasoning that follows something else begins
// another block.
func (s *chat) thought() int {
	if s.spoke {
		s.reasoning, s.spoke = 0, false
	}
	if s.reasoning == 0 {
		s.thoughts = append(s.thoughts, s.block(&s.reasoning))
	}
	return s.reasoning - 1
}

func (s *chat) takeDetails(raw []json.RawMessage) error {
	for _, d := range raw {
		if err := s.Grow(len(d)); err != nil {
			return err
		}
	}
	s.details.add(raw)
	return nil
}

// takeCall emits what a piece of a tool call adds. Nothing is said of a call before its name is
// known.
func (s *chat) takeCall(d callDelta) error {
	c := s.calls.find(d)
	if len(s.calls.all) > s.Limits.MaxCalls {
		return s.TooManyCalls()
	}
	if err := s.Grow(len(d.args) + len(d.name) + len(d.id) + len(d.opaque)); err != nil {
		return err
	}
	c.args.feed(d.args)
	c.opaque = cmp.Or(d.opaque, c.opaque)
	if c.name == "" {
		c.held = append(c.held, d.args...)
		return nil
	}
	if !c.started {
		if err := s.startCall(c); err != nil {
			return err
		}
	}
	if d.args == "" {
		return nil
	}
	return s.Emit(llm.Part{Kind: llm.ToolArgs, Index: c.part, Delta: d.args})
}

// startCall names a call and emits what came before its name.
func (s *chat) startCall(c *call) error {
	s.called()
	c.started, c.part, s.spoke = true, s.block(new(int)), true
	start := llm.Part{Kind: llm.ToolStart, Index: c.part, ID: s.ID(c.sentID, "call_"), Name: c.name}
	if err := s.Emit(start); err != nil || len(c.held) == 0 {
		return err
	}
	held := string(c.held)
	c.held = nil
	return s.Emit(llm.Part{Kind: llm.ToolArgs, Index: c.part, Delta: held})
}

// takeFinish notes why the model stopped and closes its calls, unless the answer was cut off: then
// they stay open. Calls whose name never came are dropped.
func (s *chat) takeFinish(reason string) error {
	s.finish = reason
	if err := s.says(s.think.end()); err != nil {
		return err
	}
	if reason == "error" || reason == "network_error" {
		return s.Errorf(llm.KindOverloaded, nil, "the provider failed in the middle of its answer")
	}
	s.AwaitEnd()
	if httpmodel.CutOff(finishOf(reason)) {
		return nil
	}
	for _, c := range s.calls.all {
		if err := s.endCall(c); err != nil {
			return err
		}
	}
	return nil
}

func (s *chat) endCall(c *call) error {
	if !c.started {
		return nil
	}
	if c.opaque != "" {
		if err := s.Emit(llm.Part{
			Kind: llm.Opaque, Index: c.part, Opaque: s.model.seal(sealExtra, c.opaque),
		}); err != nil {
			return err
		}
	}
	return s.Emit(llm.Part{Kind: llm.ToolEnd, Index: c.part})
}

// End emits the parts that end an answer.
func (s *chat) End() error {
	if !s.answered {
		return s.Errorf(llm.KindProtocol, nil, "the provider's answer was empty")
	}
	if s.finish == "" { // [DONE] says that nothing is missing
		if err := s.takeFinish("stop"); err != nil {
			return err
		}
	}
	if err := s.signThoughts(); err != nil {
		return err
	}
	called := slices.ContainsFunc(s.calls.all, func(c *call) bool { return c.started })
	return s.Finish(s.usage, httpmodel.FinishWith(finishOf(s.finish), called))
}

// signThoughts emits what sends the reasoning back in the next step: OpenRouter's details, or the
// mark that the provider wants its own words back.
func (s *chat) signThoughts() error {
	if opaque := s.details.opaque(); opaque != "" {
		return s.Emit(llm.Part{
			Kind: llm.Opaque, Index: s.block(&s.reasoning), Opaque: s.model.seal(sealDetails, opaque),
		})
	}
	if s.model.cfg.ReturnReasoning == NoField {
		return nil
	}
	for _, block := range s.thoughts {
		if err := s.Emit(llm.Part{Kind: llm.Opaque, Index: block, Opaque: s.model.seal(sealField, "")}); err != nil {
			return err
		}
	}
	return nil
}

func finishOf(reason string) llm.Finish {
	switch reason {
	case "stop", "end_turn", "eos":
		return llm.FinishStop
	case "tool_calls", "function_call", "tool_use":
		return llm.FinishTools
	case "length", "max_tokens", "model_length", "model_context_window_exceeded":
		return llm.FinishLength
	case "content_filter", "sensitive":
		return llm.FinishFilter
	}
	return llm.FinishOther
}
