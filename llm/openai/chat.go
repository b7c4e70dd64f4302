package openai

import (
	"cmp"
	"encoding/json"

	"github.com/pageside/pageside/internal/watchdog"
	"github.com/pageside/pageside/llm"
)

// chat reads an answer of Chat Completions.
type chat struct {
	*stream
	chunk chunk // used again for each
	calls calls
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

func (s *chat) finished() bool { return s.finish != "" }

func (s *chat) over() bool { return false }

// take turns one chunk into parts.
func (s *chat) take(data []byte) error {
	c := &s.chunk
	if err := c.decode(data); err != nil {
		return s.model.errorf(llm.KindProtocol, err, notValid)
	}
	if c.failure != nil {
		return s.refused(c.failure)
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

// takeWhole takes in the message of a chunk where it says something new. Beside a delta, or after
// some, it says again what they said. Servers that send no deltas write their pieces into it, or
// the one answer.
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
	if err := s.grow(len(c.text)+len(c.reasoning), tooLong); err != nil {
		return err
	}
	if c.reasoning != "" {
		if err := s.emit(llm.Part{Kind: llm.ReasoningDelta, Index: s.thought(), Delta: c.reasoning}); err != nil {
			return err
		}
	}
	if s.chunk.keepDetails {
		s.takeDetails(c.details)
	}
	if c.text != "" {
		s.spoke = true
		if err := s.emit(llm.Part{Kind: llm.TextDelta, Index: s.block(&s.text), Delta: c.text}); err != nil {
			return err
		}
	}
	for _, d := range c.calls {
		if err := s.takeCall(d); err != nil {
			return err
		}
	}
	return nil
}

// thought returns the block of the reasoning that goes on. What comes after something else is
// another thought.
func (s *chat) thought() int {
	if s.spoke {
		s.reasoning, s.spoke = 0, false
	}
	if s.reasoning == 0 {
		s.thoughts = append(s.thoughts, s.block(&s.reasoning))
	}
	return s.reasoning - 1
}

func (s *chat) takeDetails(raw []json.RawMessage) {
	for _, d := range raw {
		s.size += len(d)
	}
	s.details.add(raw)
}

// takeCall emits what a piece of a tool call adds. Nothing is said of a call before its name is
// known.
func (s *chat) takeCall(d callDelta) error {
	c := s.calls.find(d)
	if len(s.calls.all) > s.model.cfg.MaxCalls {
		return s.model.errorf(llm.KindOutputLimit, nil, tooMany)
	}
	if err := s.grow(len(d.args)+len(d.name)+len(d.id)+len(d.opaque), tooLong); err != nil {
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
	return s.emit(llm.Part{Kind: llm.ToolArgs, Index: c.part, Delta: d.args})
}

// startCall names a call and emits what came before its name.
func (s *chat) startCall(c *call) error {
	c.started, c.part, s.spoke = true, s.block(new(int)), true
	start := llm.Part{Kind: llm.ToolStart, Index: c.part, ID: s.calls.id(c, s.req.Messages), Name: c.name}
	if err := s.emit(start); err != nil || len(c.held) == 0 {
		return err
	}
	held := string(c.held)
	c.held = nil
	return s.emit(llm.Part{Kind: llm.ToolArgs, Index: c.part, Delta: held})
}

// takeFinish notes why the model stopped and closes its calls, unless the answer was cut off: then
// they stay open. Calls whose name never came are dropped.
func (s *chat) takeFinish(reason string) error {
	s.finish = reason
	if reason == "error" || reason == "network_error" {
		return s.model.errorf(llm.KindOverloaded, nil, "the provider failed in the middle of its answer")
	}
	s.dog.Phase(watchdog.End, min(endTimeout, s.model.cfg.IdleTimeout))
	if f := finishOf(reason); f == llm.FinishLength || f == llm.FinishFilter {
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
		if err := s.emit(llm.Part{Kind: llm.Opaque, Index: c.part, Opaque: s.model.seal(sealExtra, c.opaque)}); err != nil {
			return err
		}
	}
	return s.emit(llm.Part{Kind: llm.ToolEnd, Index: c.part})
}

// end emits what is said of an answer as a whole.
func (s *chat) end() error {
	if !s.answered {
		return s.model.errorf(llm.KindProtocol, nil, "the provider's answer was empty")
	}
	if s.finish == "" { // [DONE] says that nothing is missing
		if err := s.takeFinish("stop"); err != nil {
			return err
		}
	}
	if err := s.signThoughts(); err != nil {
		return err
	}
	if s.usage != nil {
		if err := s.emit(llm.Part{Kind: llm.UsagePart, Usage: s.usage}); err != nil {
			return err
		}
	}
	return s.emit(llm.Part{Kind: llm.FinishPart, Finish: s.finishPart()})
}

// signThoughts emits what makes the reasoning come back: OpenRouter's details, or the mark of a
// provider that wants to be shown its words.
func (s *chat) signThoughts() error {
	if opaque := s.details.opaque(); opaque != "" {
		return s.emit(llm.Part{Kind: llm.Opaque, Index: s.block(&s.reasoning), Opaque: s.model.seal(sealDetails, opaque)})
	}
	if s.model.cfg.ReturnReasoning == NoField {
		return nil
	}
	for _, block := range s.thoughts {
		if err := s.emit(llm.Part{Kind: llm.Opaque, Index: block, Opaque: s.model.seal(sealField, "")}); err != nil {
			return err
		}
	}
	return nil
}

// finishPart goes by the calls that were made where the provider's word does not fit them.
func (s *chat) finishPart() llm.Finish {
	finish, called := finishOf(s.finish), false
	for _, c := range s.calls.all {
		called = called || c.started
	}
	switch {
	case finish == llm.FinishStop && called:
		return llm.FinishTools
	case finish == llm.FinishTools && !called:
		return llm.FinishOther
	}
	return finish
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
