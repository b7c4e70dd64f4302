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
	details
	text, reasoning int   // their blocks, from 1; 0 while there is none
	thoughts        []int // the blocks of reasoning
	spoke           bool  // something else has come since the last reasoning
	finish          string
	answered        bool // a chunk held a choice
	inPieces        bool // a delta said something
	inWhole         bool // a message said something
}

// Finished reports whether the provider has said why the model stopped.
func (s *chat) Finished() bool { return s.finish != "" }

// Over reports whether the provider has said [DONE].
func (s *chat) Over() bool { return s.done }

// Whole reads an answer from a server that does not stream.
func (s *chat) Whole(data []byte) error {
	if err := s.Take(data); err != nil {
		return err
	}
	return s.End()
}

// Take turns one event into parts.
func (s *chat) Take(data []byte) error {
	if s.isDone(data) {
		return nil
	}
	c := &s.chunk
	if err := c.decode(data); err != nil {
		return s.Malformed(err)
	}
	if c.failure != nil {
		return s.fail(c.failure)
	}
	s.answered = s.answered || c.found
	s.takeWhole(c)
	s.usage = cmp.Or(c.usage, s.usage)
	if s.finish != "" {
		return nil
	}
	s.takeContent(c)
	if c.finish == "" {
		return s.Err()
	}
	return s.takeFinish(c.finish)
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

func (s *chat) takeContent(c *chunk) {
	s.Grow(len(c.text) + len(c.reasoning))
	s.thinks(c.reasoning)
	s.takeDetails(c.details)
	s.says(s.think.split(c.text))
	for i := 0; i < len(c.calls) && s.Err() == nil; i++ {
		s.takeCall(c.calls[i])
	}
}

// says emits a piece of thoughts that were written as text, and a piece of text.
func (s *chat) says(thought, text string) {
	s.thinks(thought)
	s.spoke = s.spoke || text != ""
	s.tell(llm.TextDelta, &s.text, text)
}

// thinks emits a piece of reasoning. Reasoning that follows something else begins another block.
func (s *chat) thinks(piece string) {
	if piece == "" {
		return
	}
	if s.spoke {
		s.reasoning, s.spoke = 0, false
	}
	if s.reasoning == 0 {
		s.thoughts = append(s.thoughts, s.block(&s.reasoning))
	}
	s.tell(llm.ReasoningDelta, &s.reasoning, piece)
}

func (s *chat) takeDetails(raw []json.RawMessage) {
	if !s.keepDetails {
		return
	}
	for _, d := range raw {
		s.Grow(len(d))
	}
	s.details.add(raw)
}

// takeCall emits what a piece of a tool call adds. Nothing is said of a call before its name is
// known.
func (s *chat) takeCall(d callDelta) {
	c := s.calls.find(d)
	if len(s.calls.all) > s.Limits.MaxCalls {
		s.TooManyCalls()
	}
	s.Grow(len(d.args) + len(d.name) + len(d.id) + len(d.opaque))
	c.args.feed(d.args)
	c.opaque = cmp.Or(d.opaque, c.opaque)
	if c.name == "" {
		c.held = append(c.held, d.args...)
		return
	}
	if !c.started {
		s.spoke = true
		s.startCall(c, "")
	}
	s.write(c, d.args)
}

// takeFinish notes why the model stopped and closes its calls, unless the answer was cut off: then
// they stay open.
func (s *chat) takeFinish(reason string) error {
	s.finish = reason
	s.says(s.think.end())
	switch {
	case s.Err() != nil:
		return s.Err()
	case reason == "error" || reason == "network_error":
		return s.Errorf(llm.KindOverloaded, nil, "the provider failed in the middle of its answer")
	}
	s.AwaitEnd()
	if !httpmodel.CutOff(finishOf(reason)) {
		s.endCalls()
	}
	return s.Err()
}

// End emits the parts that end an answer.
func (s *chat) End() error {
	if !s.answered {
		return s.Errorf(llm.KindProtocol, nil, "the provider's answer was empty")
	}
	if s.finish == "" {
		s.takeFinish("stop") // [DONE] says that nothing is missing
	}
	s.signThoughts()
	called := slices.ContainsFunc(s.calls.all, func(c *call) bool { return c.started })
	return s.Finish(s.usage, httpmodel.FinishWith(finishOf(s.finish), called))
}

// signThoughts emits what sends the reasoning back in the next step: OpenRouter's details, or the
// mark that the provider wants its own words back.
func (s *chat) signThoughts() {
	if opaque := s.details.opaque(); opaque != "" {
		s.keep(s.block(&s.reasoning), sealDetails, opaque)
	} else if s.model.cfg.ReturnReasoning != NoField {
		for _, block := range s.thoughts {
			s.keep(block, sealField, "")
		}
	}
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
