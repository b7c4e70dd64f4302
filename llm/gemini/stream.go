package gemini

import (
	"io"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/pageside/pageside/llm"
	"github.com/pageside/pageside/llm/httpmodel"
)

// stream reads one answer.
type stream struct {
	*httpmodel.Call
	model *Model

	memo   httpmodel.Memo[llm.PartKind]
	kind   llm.PartKind // of the block that is being written, 0 where none is
	block  int
	blocks int   // content blocks begun
	calls  []int // their blocks

	usage    *llm.Usage // the last counts that hold the prompt
	more     *llm.Usage // the last ones since then that hold something else
	finish   string
	answered bool // a chunk held a candidate, or said why there is none
}

// Finished reports whether the provider has said why the model stopped.
func (s *stream) Finished() bool { return s.finish != "" }

// Over is always false: the API ends its streams without a word.
func (s *stream) Over() bool { return false }

// Whole reads an answer that came in one piece: one chunk, or a list of them.
func (s *stream) Whole(data []byte) (err error) {
	var chunks []jsontext.Value
	if httpmodel.Read(data, &chunks) != nil {
		return s.endWhole(s.take(data))
	}
	for i := 0; i < len(chunks) && err == nil; i++ {
		err = s.take(chunks[i])
	}
	return s.endWhole(err)
}

func (s *stream) endWhole(err error) error {
	switch {
	case err != nil:
		return err
	case !s.answered:
		return s.Malformed(nil)
	}
	return s.EndEarly(io.EOF, s)
}

// Take turns one event into parts. The end that OpenAI's streams have is left alone.
func (s *stream) Take(data []byte) error {
	if string(data) == "[DONE]" {
		return nil
	}
	return s.take(data)
}

// take turns one chunk into parts.
func (s *stream) take(data []byte) error {
	if kind, text, ok := s.memo.Recall(data); ok {
		s.say(kind, text, "")
		return s.Err()
	}
	s.memo.Forget()
	var c httpmodel.Object[chunk]
	if err := httpmodel.Read(data, &c); err != nil || c.Is == nil {
		return s.Malformed(err)
	}
	if kind := c.Is.Error.Kind(); kind != 0 && kind != 'n' {
		return s.FailedMidway(s.ReadError(data))
	}
	s.keepUsage(c.Is.Usage.Or())
	if all := c.Is.Candidates.Items; len(all) > 0 { // one is all that was asked for
		s.answered = true
		return s.takeCandidate(data, all[0].Or())
	}
	if c.Is.Feedback.Or().Blocked.Said != "" {
		s.answered = true
		return s.takeFinish("PROHIBITED_CONTENT")
	}
	return nil
}

// keepUsage notes counts. Not every one counts everything.
func (s *stream) keepUsage(u *usage) {
	counts := u.counts()
	switch {
	case counts == nil:
	case u.Prompt.N != nil:
		s.usage, s.more = counts, nil
	default:
		s.more = counts
	}
}

func (s *stream) takeCandidate(event []byte, c *candidate) error {
	parts := c.Content.Or().Parts
	if parts.Other {
		return s.Malformed(nil)
	}
	if s.finish != "" && parts.Items != nil { // it was that of a part: models that run code go on
		s.Await(httpmodel.Next, s.Limits.IdleTimeout)
	}
	for _, p := range parts.Items {
		s.takePart(p.Or())
	}
	reason := s.Text(&c.Finish)
	switch {
	case s.Err() != nil:
	case reason != "":
		return s.takeFinish(reason)
	case len(parts.Items) == 1 && s.finish == "" && s.kind != 0:
		p := parts.Items[0].Or()
		s.memo.Keep(event, p.kind(), &p.Text)
	}
	return s.Err()
}

// takeFinish notes why the model stopped. What has stopped for a bad reason does not go on.
func (s *stream) takeFinish(reason string) error {
	if s.finish == "" || finishOf(s.finish) == llm.FinishStop {
		s.finish = reason
	}
	switch reason {
	case "MALFORMED_FUNCTION_CALL", "MALFORMED_RESPONSE", "UNEXPECTED_TOOL_CALL":
		return s.Errorf(llm.KindOverloaded, nil, "the provider could not read what its model wrote (%s)", reason)
	}
	s.AwaitEnd()
	return nil
}

// End emits the parts that end an answer: its calls, which stay open if it was cut off, and why the
// model stopped. The API has one word for an answer with calls and one without.
func (s *stream) End() error {
	if !httpmodel.CutOff(finishOf(s.finish)) {
		for _, block := range s.calls {
			s.Emit(llm.Part{Kind: llm.ToolEnd, Index: block})
		}
	}
	return s.Finish(counted(s.usage, s.more), httpmodel.FinishWith(finishOf(s.finish), len(s.calls) > 0))
}

func finishOf(reason string) llm.Finish {
	switch reason {
	case "STOP":
		return llm.FinishStop
	case "FUNCTION_CALL": // of servers that speak the format; the API says STOP
		return llm.FinishTools
	case "MAX_TOKENS":
		return llm.FinishLength
	case "SAFETY", "RECITATION", "LANGUAGE", "BLOCKLIST", "PROHIBITED_CONTENT", "SPII", "IMAGE_SAFETY":
		return llm.FinishFilter
	}
	return llm.FinishOther
}
