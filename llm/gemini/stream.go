package gemini

import (
	"cmp"
	"encoding/json"
	"io"

	"github.com/pageside/pageside/internal/jsonx"
	"github.com/pageside/pageside/llm"
	"github.com/pageside/pageside/llm/httpmodel"
)

// stream reads one answer.
type stream struct {
	*httpmodel.Call
	model *Model

	kind    llm.PartKind // of the block that is being written, 0 where none is
	block   int
	blocks  int // content blocks begun
	calls   []*call
	growing *call // a call whose arguments come in pieces

	usage    []byte // the last usageMetadata that counts the prompt
	more     []byte // the last one since then that counts something else
	finish   string
	answered bool // a chunk held a candidate, or said why there is none
}

// Finished reports whether the provider has said why the model stopped.
func (s *stream) Finished() bool { return s.finish != "" }

// Over is always false: the API ends its streams without a word.
func (s *stream) Over() bool { return false }

// Whole reads an answer that came in one piece: one chunk, or a list of them.
func (s *stream) Whole(data []byte) (err error) {
	list := jsonx.Decoder{Data: data}
	if !json.Valid(data) || list.Kind() != jsonx.Array {
		return s.endWhole(s.take(data))
	}
	for list.Enter(); list.More() && err == nil; {
		err = s.take(list.Raw())
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
	if !json.Valid(data) || jsonx.KindOf(data) != jsonx.Object {
		return s.Malformed(nil)
	}
	if kind := jsonx.KindOf(jsonx.Find(data, "error")); kind != jsonx.Invalid && kind != jsonx.Null {
		return s.FailedMidway(s.ReadError(data))
	}
	s.keepUsage(jsonx.Find(data, "usageMetadata"))
	candidates := jsonx.Decoder{Data: jsonx.Find(data, "candidates")}
	if candidates.Kind() == jsonx.Array {
		if candidates.Enter(); candidates.More() { // one is all that was asked for
			s.answered = true
			return s.takeCandidate(candidates.Raw())
		}
	}
	if blocked, _ := httpmodel.Text(jsonx.Find(jsonx.Find(data, "promptFeedback"), "blockReason")); blocked != "" {
		s.answered = true
		return s.takeFinish("PROHIBITED_CONTENT")
	}
	return nil
}

// keepUsage notes counts until the end. Not every one counts everything.
func (s *stream) keepUsage(usage []byte) {
	switch {
	case len(usage) == 0:
	case jsonx.Find(usage, "promptTokenCount") != nil:
		s.usage, s.more = append(s.usage[:0], usage...), s.more[:0]
	case readUsage(usage) != nil:
		s.more = append(s.more[:0], usage...)
	}
}

// counted returns the counts.
func (s *stream) counted() *llm.Usage {
	all, more := readUsage(s.usage), readUsage(s.more)
	if all == nil || more == nil {
		return cmp.Or(all, more)
	}
	return &llm.Usage{
		Input: all.Input, Output: cmp.Or(more.Output, all.Output), Total: cmp.Or(more.Total, all.Total), Reasoning: cmp.Or(more.Reasoning, all.Reasoning), CacheRead: cmp.Or(more.CacheRead, all.CacheRead),
	}
}

func (s *stream) takeCandidate(candidate []byte) error {
	parts := jsonx.Decoder{Data: jsonx.Find(jsonx.Find(candidate, "content"), "parts")}
	switch parts.Kind() {
	case jsonx.Array:
		if s.finish != "" { // it was that of a part: models that run code go on
			s.Await(httpmodel.Next, s.Limits.IdleTimeout)
		}
		for parts.Enter(); parts.More(); {
			if err := s.takePart(parts.Raw()); err != nil {
				return err
			}
		}
	case jsonx.Invalid, jsonx.Null:
	default:
		return s.Malformed(nil)
	}
	reason, err := httpmodel.Text(jsonx.Find(candidate, "finishReason"))
	if err != nil {
		return s.Malformed(err)
	}
	if reason == "" {
		return nil
	}
	return s.takeFinish(reason)
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
		if err := s.endCalls(); err != nil {
			return err
		}
	}
	return s.Finish(s.counted(), httpmodel.FinishWith(finishOf(s.finish), len(s.calls) > 0))
}

func (s *stream) endCalls() error {
	if err := s.completeCall(); err != nil {
		return err
	}
	for _, c := range s.calls {
		if err := s.Emit(llm.Part{Kind: llm.ToolEnd, Index: c.part}); err != nil {
			return err
		}
	}
	return nil
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

// readUsage returns the counts, nil where there are none: usage never fails an answer. The API
// counts cached tokens as part of the prompt, and thoughts and the results of its own tools beside
// what they belong to.
func readUsage(raw []byte) *llm.Usage {
	u := &llm.Usage{
		Input:     sum(httpmodel.Count(jsonx.Find(raw, "promptTokenCount")), httpmodel.Count(jsonx.Find(raw, "toolUsePromptTokenCount"))),
		Total:     httpmodel.Count(jsonx.Find(raw, "totalTokenCount")),
		Reasoning: httpmodel.Count(jsonx.Find(raw, "thoughtsTokenCount")),
		CacheRead: httpmodel.Count(jsonx.Find(raw, "cachedContentTokenCount")),
	}
	u.Output = sum(httpmodel.Count(jsonx.Find(raw, "candidatesTokenCount")), u.Reasoning)
	if *u == (llm.Usage{}) {
		return nil
	}
	return u
}

// sum adds what is known.
func sum(a, b *int64) *int64 {
	switch {
	case a == nil:
		return b
	case b == nil:
		return a
	}
	return new(*a + *b)
}
