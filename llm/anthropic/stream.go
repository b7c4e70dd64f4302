package anthropic

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

	"github.com/pageside/pageside/internal/jsonx"
	"github.com/pageside/pageside/internal/sse"
	"github.com/pageside/pageside/internal/watchdog"
	"github.com/pageside/pageside/llm"
)

var (
	errBodyTooLong = errors.New("the stream is too long")
	errCut         = errors.New("the stream ended before the answer was finished")
)

const (
	endTimeout = 5 * time.Second // how long message_stop may take after the stop reason
	// how long the connection's end may take, so that it can be used again
	drainTimeout = 50 * time.Millisecond
	drainLimit   = 4 << 10
	maxOpen      = 1024 // content blocks open at once
)

// stream turns one response into parts.
type stream struct {
	ctx   context.Context // the caller's
	model *Model
	req   *llm.Fitted
	dog   *watchdog.Watchdog
	yield func(llm.Part, error) bool

	memo   memo
	open   []*block // content blocks that have not stopped
	calls  []*call  // of the message that is being read
	called int      // calls begun in all
	used   map[string]bool
	blocks int // content blocks begun
	size   int

	usage  usage
	finish string
	began  bool // a content block began
	ready  bool // parts were emitted since the last Pause
	done   bool // the provider said message_stop
	silent time.Time
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
	if !json.Valid(data) || string(jsonx.Find(data, "type")) != `"message"` {
		return cmp.Or(s.take(data), s.odd(nil))
	}
	if err := s.takeMessage(data); err != nil {
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
			s.dog.Progress()
		}
		if len(bytes.TrimSpace(frame.Data)) > 0 {
			if err := s.take(frame.Data); err != nil {
				return err
			}
		}
		if s.done {
			return s.end()
		}
	}
}

// cut ends a stream that stopped without message_stop, which is fine once the provider has said why
// the model stopped.
func (s *stream) cut(err error) error {
	if s.finish != "" && s.ctx.Err() == nil {
		return s.end()
	}
	if err == io.EOF || err == io.ErrUnexpectedEOF {
		return errCut
	}
	return err
}

// odd is the error of an event that is not what the format promises.
func (s *stream) odd(err error) error {
	return s.model.errorf(llm.KindProtocol, err, "the provider's stream was not what its format promises")
}

// take turns one event into parts. Events and fields that are not known are left alone, as the API
// asks of its clients.
func (s *stream) take(data []byte) error {
	if raw := s.memo.recall(data); raw != nil {
		return s.say(s.memo.block, s.memo.kind, raw)
	}
	s.memo.block = nil
	if !json.Valid(data) || jsonx.KindOf(data) != jsonx.Object {
		return s.odd(nil)
	}
	kind := jsonx.Find(data, "type")
	if string(kind) == `"ping"` {
		return s.takePing()
	}
	s.silent = time.Time{}
	switch string(kind) {
	case "":
		if jsonx.Find(data, "error") == nil {
			return s.odd(nil)
		}
		fallthrough
	case `"error"`:
		return s.model.streamError(readAPIError(data))
	case `"message_start"`:
		return s.takeMessage(jsonx.Find(data, "message"))
	case `"message_delta"`:
		s.usage.read(jsonx.Find(data, "usage"))
		return s.takeFinish(jsonx.Find(data, "delta"))
	case `"message_stop"`:
		s.done = true
	}
	if s.finish != "" {
		return nil
	}
	switch string(kind) {
	case `"content_block_start"`:
		return s.startBlock(small(jsonx.Find(data, "index")), jsonx.Find(data, "content_block"))
	case `"content_block_delta"`:
		return s.takeDelta(data, jsonx.Find(data, "delta"))
	case `"content_block_stop"`:
		return s.stopBlock(small(jsonx.Find(data, "index")))
	}
	return nil
}

// takePing waits on while the model is busy with what it does not show yet, but not for ever.
func (s *stream) takePing() error {
	if s.silent.IsZero() {
		s.silent = time.Now()
	} else if limit := s.model.cfg.SilenceTimeout; time.Since(s.silent) > limit {
		return s.model.errorf(llm.KindStalled, watchdog.ErrStalled, "%s within %v", watchdog.Next, limit)
	}
	return nil
}

// takeMessage begins a message, which may hold what was said already and even be complete. Where
// another one was begun before, as behind a gateway that tried again, what was left open there
// stays so.
func (s *stream) takeMessage(message []byte) error {
	s.usage.read(jsonx.Find(message, "usage"))
	if s.finish != "" {
		return nil
	}
	s.open, s.calls = s.open[:0], s.calls[:0]
	content := jsonx.Decoder{Data: jsonx.Find(message, "content")}
	if content.Kind() == jsonx.Array {
		content.Enter()
		for i := 0; content.More(); i++ {
			if err := s.startBlock(i, content.Raw()); err != nil {
				return err
			}
			if err := s.stopBlock(i); err != nil {
				return err
			}
		}
	}
	return s.takeFinish(message)
}

// takeFinish notes why the model stopped and closes its calls, unless the answer was cut off: then
// they stay open.
func (s *stream) takeFinish(delta []byte) error {
	reason, err := text(jsonx.Find(delta, "stop_reason"))
	if err != nil {
		return s.odd(err)
	}
	if reason == "" || s.finish != "" {
		return nil
	}
	s.finish = reason
	s.dog.Phase(watchdog.End, min(endTimeout, s.model.cfg.IdleTimeout))
	for len(s.open) > 0 {
		if err := s.stopBlock(s.open[0].index); err != nil {
			return err
		}
	}
	if f := finishOf(reason); f == llm.FinishLength || f == llm.FinishFilter {
		return nil
	}
	for _, c := range s.calls {
		if err := s.endCall(c); err != nil {
			return err
		}
	}
	return nil
}

// end emits what is said of an answer as a whole.
func (s *stream) end() error {
	if s.finish == "" {
		return s.odd(errors.New("message_stop without a stop_reason"))
	}
	if u := s.usage.total(); u != nil {
		if err := s.emit(llm.Part{Kind: llm.UsagePart, Usage: u}); err != nil {
			return err
		}
	}
	return s.emit(llm.Part{Kind: llm.FinishPart, Finish: s.finishPart()})
}

// finishPart goes by the calls that were made where the provider's word does not fit them.
func (s *stream) finishPart() llm.Finish {
	finish := finishOf(s.finish)
	switch {
	case finish == llm.FinishStop && len(s.calls) > 0:
		return llm.FinishTools
	case finish == llm.FinishTools && len(s.calls) == 0:
		return llm.FinishOther
	}
	return finish
}

func finishOf(reason string) llm.Finish {
	switch reason {
	case "end_turn", "stop_sequence", "stop":
		return llm.FinishStop
	case "tool_use":
		return llm.FinishTools
	case "max_tokens", "model_context_window_exceeded":
		return llm.FinishLength
	case "refusal":
		return llm.FinishFilter
	}
	return llm.FinishOther
}

func (s *stream) emit(p llm.Part) error {
	s.begin()
	s.ready = true
	if !s.yield(p, nil) {
		return errLeft
	}
	return nil
}

// begin says that the model has begun: from now on the wait is for what is next.
func (s *stream) begin() {
	if !s.began {
		s.began = true
		s.dog.Phase(watchdog.Next, s.model.cfg.IdleTimeout)
	}
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

// drain reads the little that may follow message_stop: a connection read to its end serves the next
// step.
func (s *stream) drain(body io.Reader) {
	if s.done {
		s.dog.Phase(watchdog.End, drainTimeout)
		_, _ = io.Copy(io.Discard, io.LimitReader(body, drainLimit))
	}
}
