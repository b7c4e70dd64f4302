package anthropic

import (
	"cmp"
	"errors"
	"time"

	"github.com/pageside/pageside/llm"
	"github.com/pageside/pageside/llm/httpmodel"
)

// maxOpen is how many content blocks may be open at once.
const maxOpen = 1024

// stream reads one answer.
type stream struct {
	*httpmodel.Call
	model *Model

	memo   httpmodel.Memo[piece]
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
	var m message
	if httpmodel.Read(data, &m) != nil || m.Type.Said != "message" {
		return cmp.Or(s.Take(data), s.Malformed(nil))
	}
	s.takeMessage(&m)
	return s.End()
}

// Take turns one event into parts.
func (s *stream) Take(data []byte) error {
	if p, text, ok := s.memo.Recall(data); ok {
		s.emit(p.block, p.kind, text)
		return s.Err()
	}
	s.memo.Forget()
	e := event{Index: -1}
	if err := httpmodel.Read(data, &e); err != nil {
		return s.Malformed(err)
	}
	if e.Type.Said == "ping" {
		return s.takePing()
	}
	s.silent = time.Time{}
	untyped := e.Type.Missing()
	switch {
	case untyped && e.Error == nil:
		return s.Malformed(nil)
	case untyped || e.Type.Said == "error":
		return s.FailedMidway(s.ReadError(data))
	}
	switch e.Type.Said {
	case "message_start":
		s.takeMessage(e.Message.Or())
	case "message_delta":
		s.usage.add(e.Usage.Or())
		s.takeFinish(&e.Delta.Or().StopReason)
	case "message_stop":
		s.done = true
	default:
		s.takeBlock(data, &e)
	}
	return s.Err()
}

// takeBlock turns an event of a content block into parts. Nothing is said after the model has
// stopped.
func (s *stream) takeBlock(data []byte, e *event) {
	if s.finish != "" {
		return
	}
	switch e.Type.Said {
	case "content_block_start":
		s.startBlock(int(e.Index), e.Content.Or())
	case "content_block_delta":
		s.takeDelta(data, int(e.Index), e.Delta.Or())
	case "content_block_stop":
		s.stopBlock(int(e.Index))
	}
}

// takePing lets a model that only sends pings, as during long arguments, go on for MaxSilence.
func (s *stream) takePing() error {
	if s.silent.IsZero() {
		s.silent = time.Now()
	} else if time.Since(s.silent) > httpmodel.MaxSilence {
		return s.Stalled(&httpmodel.Stall{Phase: httpmodel.Next, Limit: httpmodel.MaxSilence})
	}
	return nil
}

// takeMessage begins a message, which may already hold content and even be complete. If another
// message was begun before, as happens behind a gateway that tried again, what it left open stays
// open.
func (s *stream) takeMessage(m *message) {
	s.usage.add(m.Usage.Or())
	if s.finish != "" {
		return
	}
	s.open, s.calls = s.open[:0], s.calls[:0]
	for i, c := range m.Content.Items {
		s.startBlock(i, c.Or())
		s.stopBlock(i)
	}
	s.takeFinish(&m.StopReason)
}

// takeFinish notes why the model stopped and closes its calls, unless the answer was cut off: then
// they stay open.
func (s *stream) takeFinish(stop *httpmodel.Piece) {
	reason := s.Text(stop)
	if reason == "" || s.finish != "" {
		return
	}
	s.finish = reason
	s.AwaitEnd()
	for len(s.open) > 0 {
		s.stopBlock(s.open[0].index)
	}
	if httpmodel.CutOff(finishOf(reason)) {
		return
	}
	for _, c := range s.calls {
		s.fill(c)
		s.Emit(llm.Part{Kind: llm.ToolEnd, Index: c.part})
	}
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
