package anthropic

import (
	"cmp"
	"encoding/json"
	"errors"
	"time"

	"github.com/pageside/pageside/internal/jsonx"
	"github.com/pageside/pageside/llm"
	"github.com/pageside/pageside/llm/httpmodel"
)

// maxOpen is how many content blocks may be open at once.
const maxOpen = 1024

// stream reads one answer.
type stream struct {
	*httpmodel.Call
	model *Model

	memo   memo
	open   []*block // content blocks that have not stopped
	calls  []*call  // of the message that is being read
	called int      // calls begun in all
	blocks int      // content blocks begun

	usage  usage
	finish string
	done   bool      // the provider said message_stop
	silent time.Time // since when only pings have come; zero where something else came last
}

// Finished reports whether the provider has said why the model stopped.
func (s *stream) Finished() bool { return s.finish != "" }

// Over reports whether nothing can follow.
func (s *stream) Over() bool { return s.done }

// Whole reads an answer that came in one piece, from a server that does not stream.
func (s *stream) Whole(data []byte) error {
	if !json.Valid(data) || string(jsonx.Find(data, "type")) != `"message"` {
		return cmp.Or(s.Take(data), s.Malformed(nil))
	}
	if err := s.takeMessage(data); err != nil {
		return err
	}
	return s.End()
}

// Take turns one event into parts. Events and fields that are not known are left alone, as the API
// asks of its clients.
func (s *stream) Take(data []byte) error {
	if raw := s.memo.recall(data); raw != nil {
		return s.say(s.memo.block, s.memo.kind, raw)
	}
	s.memo.block = nil
	if !json.Valid(data) || jsonx.KindOf(data) != jsonx.Object {
		return s.Malformed(nil)
	}
	kind := jsonx.Find(data, "type")
	if string(kind) == `"ping"` {
		return s.takePing()
	}
	s.silent = time.Time{}
	switch string(kind) {
	case "":
		if jsonx.Find(data, "error") == nil {
			return s.Malformed(nil)
		}
		fallthrough
	case `"error"`:
		return s.FailedMidway(s.ReadError(data))
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
		return s.startBlock(httpmodel.Index(jsonx.Find(data, "index")), jsonx.Find(data, "content_block"))
	case `"content_block_delta"`:
		return s.takeDelta(data, jsonx.Find(data, "delta"))
	case `"content_block_stop"`:
		return s.stopBlock(httpmodel.Index(jsonx.Find(data, "index")))
	}
	return nil
}

// takePing lets a model that only sends pings go on for SilenceTimeout.
func (s *stream) takePing() error {
	if s.silent.IsZero() {
		s.silent = time.Now()
	} else if limit := s.model.cfg.SilenceTimeout; time.Since(s.silent) > limit {
		return s.Stalled(&httpmodel.Stall{Phase: httpmodel.Next, Limit: limit})
	}
	return nil
}

// takeMessage begins a message, which may already hold content and even be complete. If another
// message was begun before, as happens behind a gateway that tried again, what it left open stays
// open.
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
	reason, err := httpmodel.Text(jsonx.Find(delta, "stop_reason"))
	if err != nil {
		return s.Malformed(err)
	}
	if reason == "" || s.finish != "" {
		return nil
	}
	s.finish = reason
	s.AwaitEnd()
	for len(s.open) > 0 {
		if err := s.stopBlock(s.open[0].index); err != nil {
			return err
		}
	}
	if httpmodel.CutOff(finishOf(reason)) {
		return nil
	}
	for _, c := range s.calls {
		if err := s.endCall(c); err != nil {
			return err
		}
	}
	return nil
}

// End emits the parts that end an answer.
func (s *stream) End() error {
	if s.finish == "" {
		return s.Malformed(errors.New("message_stop without a stop_reason"))
	}
	return s.Finish(s.usage.total(), httpmodel.FinishWith(finishOf(s.finish), len(s.calls) > 0))
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
