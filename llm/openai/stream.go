package openai

import (
	"bytes"
	"context"
	"errors"
	"io"
	"mime"
	"net/http"
	"time"

	"github.com/pageside/pageside/internal/sse"
	"github.com/pageside/pageside/internal/watchdog"
	"github.com/pageside/pageside/llm"
)

var (
	errBodyTooLong = errors.New("the stream is too long")
	errCut         = errors.New("the stream ended before the answer was finished")
)

const (
	endTimeout = 5 * time.Second // how long usage and [DONE] may take after the finish
	// how long the connection's end may take, so that it can be used again
	drainTimeout = 50 * time.Millisecond
	drainLimit   = 4 << 10
)

// stream turns one response into parts: it reads the documents the response is made of and hands
// them to the answer.
type stream struct {
	ctx    context.Context // the caller's
	model  *Model
	req    *llm.Fitted
	dog    *watchdog.Watchdog
	yield  func(llm.Part, error) bool
	answer answer

	blocks int  // content blocks begun
	size   int  // bytes of text, reasoning and arguments
	began  bool // a part was emitted
	ready  bool // parts were emitted since the last Pause
	done   bool // the provider said that it has ended
}

// answer is one format's reading of a response.
type answer interface {
	take(document []byte) error // one event's data, or the whole answer
	finished() bool             // the provider has said why it stopped
	over() bool                 // nothing can follow
	end() error                 // emits what is said of the answer as a whole
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

// sniff returns the first byte of a body that does not say it is an event stream, and the body as
// if it were unread.
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
	if err := s.answer.take(data); err != nil {
		return err
	}
	return s.answer.end()
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
			s.dog.Progress()
		}
		data := bytes.TrimSpace(frame.Data)
		if s.done = string(data) == "[DONE]"; !s.done && len(data) > 0 {
			if err := s.answer.take(data); err != nil {
				return err
			}
			s.done = s.answer.over()
		}
		if s.done {
			return s.answer.end()
		}
	}
}

// cut ends a stream that stopped without [DONE], which is fine once the provider has said why it
// finished.
func (s *stream) cut(err error) error {
	if s.answer.finished() && s.ctx.Err() == nil {
		return s.answer.end()
	}
	if err == io.EOF || err == io.ErrUnexpectedEOF {
		return errCut
	}
	return err
}

// grow counts what an answer holds.
func (s *stream) grow(n int, what string) error {
	if s.size += n; s.size > s.model.cfg.MaxStep {
		return s.model.errorf(llm.KindOutputLimit, nil, "%s", what)
	}
	return nil
}

const (
	tooLong  = "the answer is longer than allowed"
	tooMany  = "the answer calls more tools than allowed"
	notValid = "the provider's stream was not what its format promises"
)

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
		s.dog.Phase(watchdog.Next, s.model.cfg.IdleTimeout)
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
		s.dog.Phase(watchdog.End, drainTimeout)
		_, _ = io.Copy(io.Discard, io.LimitReader(body, drainLimit))
	}
}
