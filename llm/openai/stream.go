package openai

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"io"
	"mime"
	"net/http"
	"time"

	"github.com/pageside/pageside/internal/sse"
	"github.com/pageside/pageside/llm"
)

var (
	errBodyTooLong = errors.New("the stream is too long")
	errCut         = errors.New("the stream ended before the answer was finished")
)

const (
	endTimeout   = 5 * time.Second       // how long usage and [DONE] may take after the finish
	drainTimeout = 50 * time.Millisecond // how long the connection's end may take, so that it can be used again
	drainLimit   = 4 << 10
)

// stream turns one response into parts.
type stream struct {
	ctx   context.Context // the caller's
	model *Model
	req   *llm.Request
	dog   *watchdog
	yield func(llm.Part, error) bool

	chunk chunk // used again for each
	calls calls
	details
	blocks          int // content blocks begun
	text, reasoning int // their blocks, from 1; 0 while there is none
	size            int
	finish          string
	usage           *llm.Usage
	answered        bool // a chunk held a choice
	began           bool // a part was emitted
	ready           bool // parts were emitted since the last Pause
	done            bool // the provider said [DONE]
}

// run reads the response to its end.
func (s *stream) run(header http.Header, body io.Reader) error {
	if encoding := header.Get("Content-Encoding"); encoding != "" && encoding != "identity" {
		return s.model.errorf(llm.KindProtocol, nil, "the provider compressed its answer though it was asked not to")
	}
	first, body, err := sniff(header, body)
	if err != nil {
		return err
	}
	switch first {
	case '<':
		return s.model.errorf(llm.KindProtocol, nil, "the provider's address answered with a web page")
	case '{', '[':
		return s.whole(body)
	}
	return s.events(body)
}

// sniff returns the first byte of a body that does not say it is an event stream, and the body as if it were unread.
func sniff(header http.Header, body io.Reader) (byte, io.Reader, error) {
	if kind, _, _ := mime.ParseMediaType(header.Get("Content-Type")); kind == "text/event-stream" {
		return 0, body, nil
	}
	var seen []byte
	for len(seen) < 1024 {
		buf := make([]byte, 512)
		n, err := body.Read(buf)
		seen = append(seen, buf[:n]...)
		if rest := bytes.TrimLeft(seen, " \t\r\n\ufeff"); len(rest) > 0 {
			return rest[0], io.MultiReader(bytes.NewReader(seen), body), nil
		}
		if err == io.EOF {
			break
		}
		if err != nil {
			return 0, nil, err
		}
	}
	return 0, io.MultiReader(bytes.NewReader(seen), body), nil
}

// whole reads an answer that came in one piece, from a server that does not stream.
func (s *stream) whole(body io.Reader) error {
	data, err := io.ReadAll(io.LimitReader(body, int64(2*s.model.cfg.MaxStep)))
	if err != nil {
		return err
	}
	if len(data) == 2*s.model.cfg.MaxStep {
		return errBodyTooLong
	}
	if err := s.take(data); err != nil {
		return err
	}
	return s.end()
}

// events reads an event stream.
func (s *stream) events(body io.Reader) error {
	frames := sse.NewReader(body, s.model.cfg.MaxLine)
	for {
		blocked := !frames.Ready()
		if blocked {
			if err := s.pause(); err != nil {
				return err
			}
		}
		frame, err := frames.Next()
		if err != nil {
			return s.cut(err)
		}
		if blocked && s.began {
			s.dog.progress()
		}
		if data := bytes.TrimSpace(frame.Data); string(data) == "[DONE]" {
			s.done = true
			return s.end()
		} else if len(data) > 0 {
			if err := s.take(data); err != nil {
				return err
			}
		}
	}
}

// cut ends a stream that stopped without [DONE], which is fine once the provider has said why it finished.
func (s *stream) cut(err error) error {
	if s.finish != "" && s.ctx.Err() == nil {
		return s.end()
	}
	if err == io.EOF || err == io.ErrUnexpectedEOF {
		return errCut
	}
	return err
}

// take turns one chunk into parts.
func (s *stream) take(data []byte) error {
	c := &s.chunk
	if err := c.decode(data); err != nil {
		return s.model.errorf(llm.KindProtocol, err, "the provider's stream was not what its format promises")
	}
	if c.failure != nil {
		return s.model.streamError(c.failure)
	}
	s.answered = s.answered || c.found
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

func (s *stream) takeContent(c *chunk) error {
	if s.size += len(c.text) + len(c.reasoning); s.size > s.model.cfg.MaxStep {
		return s.model.errorf(llm.KindOutputLimit, nil, "the answer is longer than allowed")
	}
	if c.reasoning != "" {
		if err := s.emit(llm.Part{Kind: llm.ReasoningDelta, Index: s.block(&s.reasoning), Delta: c.reasoning}); err != nil {
			return err
		}
	}
	if s.chunk.keepDetails {
		s.takeDetails(c.details)
	}
	if c.text != "" {
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

func (s *stream) takeDetails(raw []json.RawMessage) {
	for _, d := range raw {
		s.size += len(d)
	}
	s.details.add(raw)
}

// takeCall emits what a piece of a tool call adds. Nothing is said of a call before its name is known.
func (s *stream) takeCall(d callDelta) error {
	s.size += len(d.args) + len(d.name) + len(d.id) + len(d.opaque)
	c := s.calls.find(d)
	if s.size > s.model.cfg.MaxStep || len(s.calls.all) > s.model.cfg.MaxCalls {
		return s.model.errorf(llm.KindOutputLimit, nil, "the answer calls more tools than allowed")
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
func (s *stream) startCall(c *call) error {
	c.started, c.part = true, s.block(new(int))
	start := llm.Part{Kind: llm.ToolStart, Index: c.part, ID: s.calls.id(c, s.req.Messages), Name: c.name}
	if err := s.emit(start); err != nil || len(c.held) == 0 {
		return err
	}
	held := string(c.held)
	c.held = nil
	return s.emit(llm.Part{Kind: llm.ToolArgs, Index: c.part, Delta: held})
}

// takeFinish notes why the model stopped and closes its calls, unless the answer was cut off: then they stay open.
// Calls whose name never came are dropped.
func (s *stream) takeFinish(reason string) error {
	s.finish = reason
	if reason == "error" || reason == "network_error" {
		return s.model.errorf(llm.KindOverloaded, nil, "the provider failed in the middle of its answer")
	}
	s.dog.phase(waitEnd, min(endTimeout, s.model.cfg.IdleTimeout))
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

func (s *stream) endCall(c *call) error {
	if !c.started {
		return nil
	}
	if c.opaque != "" {
		if err := s.emit(llm.Part{Kind: llm.Opaque, Index: c.part, Opaque: c.opaque}); err != nil {
			return err
		}
	}
	return s.emit(llm.Part{Kind: llm.ToolEnd, Index: c.part})
}

// end emits what is said of an answer as a whole.
func (s *stream) end() error {
	if !s.answered {
		return s.model.errorf(llm.KindProtocol, nil, "the provider's answer was empty")
	}
	if s.finish == "" { // [DONE] says that nothing is missing
		if err := s.takeFinish("stop"); err != nil {
			return err
		}
	}
	if opaque := s.details.opaque(); opaque != "" {
		if err := s.emit(llm.Part{Kind: llm.Opaque, Index: s.block(&s.reasoning), Opaque: opaque}); err != nil {
			return err
		}
	}
	if s.usage != nil {
		if err := s.emit(llm.Part{Kind: llm.UsagePart, Usage: s.usage}); err != nil {
			return err
		}
	}
	return s.emit(llm.Part{Kind: llm.FinishPart, Finish: s.finishPart()})
}

// finishPart goes by the calls that were made where the provider's word does not fit them.
func (s *stream) finishPart() llm.Finish {
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

// block returns the index of a content block, which begins with its first use.
func (s *stream) block(n *int) int {
	if *n == 0 {
		s.blocks++
		*n = s.blocks
	}
	return *n - 1
}

func (s *stream) emit(p llm.Part) error {
	if !s.began {
		s.began = true
		s.dog.phase(waitNext, s.model.cfg.IdleTimeout)
	}
	s.ready = true
	if !s.yield(p, nil) {
		return errLeft
	}
	return nil
}

// pause says that the next read may block, if there is anything to say it after.
func (s *stream) pause() error {
	if !s.ready {
		return nil
	}
	s.ready = false
	if !s.yield(llm.Part{Kind: llm.Pause}, nil) {
		return errLeft
	}
	return nil
}

// drain reads the little that may follow [DONE]: a connection read to its end serves the next step.
func (s *stream) drain(body io.Reader) {
	if s.done {
		s.dog.phase(waitEnd, drainTimeout)
		_, _ = io.Copy(io.Discard, io.LimitReader(body, drainLimit))
	}
}
