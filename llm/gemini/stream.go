package gemini

import (
	"bytes"
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

// endTimeout is how long the stream's end may take after the finish reason.
const endTimeout = 5 * time.Second

// stream turns one response into parts.
type stream struct {
	ctx   context.Context // the caller's
	model *Model
	req   *llm.Fitted
	dog   *watchdog.Watchdog
	yield func(llm.Part, error) bool

	kind    llm.PartKind // of the block that is being written, 0 where none is
	block   int
	blocks  int // content blocks begun
	calls   []*call
	growing *call // a call whose arguments come in pieces
	used    map[string]bool
	size    int

	usage    []byte // the last usageMetadata that counts anything
	finish   string
	began    bool // a part was emitted
	ready    bool // parts were emitted since the last Pause
	answered bool // a chunk held a candidate, or said why there is none
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

// whole reads an answer that came in one piece: one chunk, or a list of them.
func (s *stream) whole(body io.Reader) error {
	data, err := io.ReadAll(io.LimitReader(body, int64(2*s.model.cfg.MaxStep)))
	if err != nil {
		return err
	}
	if len(data) == 2*s.model.cfg.MaxStep {
		return errBodyTooLong
	}
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
		return s.odd(nil)
	}
	return s.cut(io.EOF)
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
		if data := bytes.TrimSpace(frame.Data); len(data) > 0 && string(data) != "[DONE]" {
			if err := s.take(data); err != nil {
				return err
			}
		}
	}
}

// cut ends a stream: the API does so without a word, and all is well if it has said before why the
// model stopped.
func (s *stream) cut(err error) error {
	if s.finish != "" && s.ctx.Err() == nil {
		return s.end()
	}
	if err == io.EOF || err == io.ErrUnexpectedEOF {
		return errCut
	}
	return err
}

// odd is the error of a chunk that is not what the format promises.
func (s *stream) odd(err error) error {
	return s.model.errorf(llm.KindProtocol, err, "the provider's stream was not what its format promises")
}

// take turns one chunk into parts.
func (s *stream) take(data []byte) error {
	if !json.Valid(data) || jsonx.KindOf(data) != jsonx.Object {
		return s.odd(nil)
	}
	if kind := jsonx.KindOf(jsonx.Find(data, "error")); kind != jsonx.Invalid && kind != jsonx.Null {
		return s.model.streamError(readAPIError(data))
	}
	if usage := jsonx.Find(data, "usageMetadata"); jsonx.Find(usage, "promptTokenCount") != nil {
		s.usage = append(s.usage[:0], usage...)
	}
	if s.finish != "" {
		return nil
	}
	candidates := jsonx.Decoder{Data: jsonx.Find(data, "candidates")}
	if candidates.Kind() == jsonx.Array {
		if candidates.Enter(); candidates.More() { // one is all that was asked for
			s.answered = true
			return s.takeCandidate(candidates.Raw())
		}
	}
	if blocked, _ := text(jsonx.Find(jsonx.Find(data, "promptFeedback"), "blockReason")); blocked != "" {
		s.answered = true
		return s.takeFinish("PROHIBITED_CONTENT")
	}
	return nil
}

func (s *stream) takeCandidate(candidate []byte) error {
	parts := jsonx.Decoder{Data: jsonx.Find(jsonx.Find(candidate, "content"), "parts")}
	switch parts.Kind() {
	case jsonx.Array:
		for parts.Enter(); parts.More(); {
			if err := s.takePart(parts.Raw()); err != nil {
				return err
			}
		}
	case jsonx.Invalid, jsonx.Null:
	default:
		return s.odd(nil)
	}
	reason, err := text(jsonx.Find(candidate, "finishReason"))
	if err != nil {
		return s.odd(err)
	}
	if reason == "" {
		return nil
	}
	return s.takeFinish(reason)
}

// takeFinish notes why the model stopped and closes its calls, unless the answer was cut off: then
// they stay open.
func (s *stream) takeFinish(reason string) error {
	s.finish = reason
	switch reason {
	case "MALFORMED_FUNCTION_CALL", "MALFORMED_RESPONSE", "UNEXPECTED_TOOL_CALL":
		return s.model.errorf(llm.KindOverloaded, nil, "the provider could not read what its model wrote (%s)", reason)
	}
	s.dog.Phase(watchdog.End, min(endTimeout, s.model.cfg.IdleTimeout))
	if f := finishOf(reason); f == llm.FinishLength || f == llm.FinishFilter {
		return nil
	}
	if err := s.completeCall(); err != nil {
		return err
	}
	for _, c := range s.calls {
		if err := s.emit(llm.Part{Kind: llm.ToolEnd, Index: c.part}); err != nil {
			return err
		}
	}
	return nil
}

// end emits what is said of an answer as a whole.
func (s *stream) end() error {
	if u := readUsage(s.usage); u != nil {
		if err := s.emit(llm.Part{Kind: llm.UsagePart, Usage: u}); err != nil {
			return err
		}
	}
	return s.emit(llm.Part{Kind: llm.FinishPart, Finish: s.finishPart()})
}

// finishPart goes by the calls that were made: the API has one word for an answer with calls and
// one without.
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
