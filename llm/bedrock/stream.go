package bedrock

import (
	"context"
	"encoding/base64"
	"runtime"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/bedrockruntime"
	"github.com/aws/aws-sdk-go-v2/service/bedrockruntime/types"

	"github.com/pageside/pageside/llm"
	"github.com/pageside/pageside/llm/httpmodel"
)

// stream makes one call and turns the response into parts.
type stream struct {
	httpmodel.Output
	ctx    context.Context // the caller's
	model  *Model
	events *bedrockruntime.ConverseStreamEventStream
	timer  *time.Timer

	blocks []*block
	calls  int
	stop   types.StopReason
	usage  *llm.Usage
}

// block is one content block, in the provider's order. Only those of tools have a start event.
type block struct {
	number    int32 // the provider's index
	call      bool
	signature []byte
	redacted  []byte
	over      bool
}

// run reads the response to its end.
func (s *stream) run() error {
	defer func() {
		if s.timer != nil {
			s.timer.Stop()
		}
	}()
	for {
		event, ok, err := s.next()
		if err != nil {
			return err
		}
		if !ok {
			return s.end()
		}
		if err := s.take(event); err != nil {
			return err
		}
	}
}

// next returns the next event; ok is false at the end. It emits a Pause before it waits.
func (s *stream) next() (event types.ConverseStreamOutput, ok bool, err error) {
	ch := s.events.Events()
	for range 3 { // the decoder runs beside us: it may have one in hand
		select {
		case event, ok = <-ch:
			return event, ok, nil
		default:
			runtime.Gosched()
		}
	}
	if err := s.Pause(); err != nil {
		return nil, false, err
	}
	what, limit := s.patience()
	if s.timer == nil {
		s.timer = time.NewTimer(limit)
	} else {
		s.timer.Reset(limit)
	}
	select {
	case event, ok = <-ch:
		return event, ok, nil
	case <-s.ctx.Done():
		return nil, false, context.Cause(s.ctx)
	case <-s.timer.C:
		if s.stop != "" {
			return nil, false, nil // the answer is complete
		}
		return nil, false, &httpmodel.Stall{Phase: what, Limit: limit}
	}
}

// patience is what is waited for, and how long.
func (s *stream) patience() (httpmodel.Phase, time.Duration) {
	switch {
	case s.stop != "" && s.usage != nil:
		return httpmodel.End, httpmodel.DrainTimeout
	case s.stop != "":
		return httpmodel.End, s.Limits.EndTimeout()
	case !s.Began:
		return httpmodel.First, s.Limits.FirstContentTimeout
	default:
		return httpmodel.Next, s.Limits.IdleTimeout
	}
}

// take turns one event into parts.
func (s *stream) take(event types.ConverseStreamOutput) error {
	if len(s.blocks) > 8*s.Limits.MaxCalls {
		return s.TooManyParts()
	}
	switch e := event.(type) {
	case *types.ConverseStreamOutputMemberContentBlockStart:
		s.begin(&e.Value)
	case *types.ConverseStreamOutputMemberContentBlockDelta:
		s.delta(&e.Value)
	case *types.ConverseStreamOutputMemberContentBlockStop:
		s.endBlock(s.at(e.Value.ContentBlockIndex))
	case *types.ConverseStreamOutputMemberMessageStop:
		s.stop = e.Value.StopReason
	case *types.ConverseStreamOutputMemberMetadata:
		s.usage = usageOf(e.Value.Usage)
	}
	return s.Err()
}

// at returns the block with the provider's index, a new one where there is none.
func (s *stream) at(number *int32) *block {
	n := int32(0)
	if number != nil {
		n = *number
	}
	for i := len(s.blocks) - 1; i >= 0; i-- {
		if s.blocks[i].number == n {
			return s.blocks[i]
		}
	}
	b := &block{number: n}
	s.blocks = append(s.blocks, b)
	return b
}

// index is a block's number among ours.
func (s *stream) index(b *block) int {
	for i := range s.blocks {
		if s.blocks[i] == b {
			return i
		}
	}
	return 0
}

func (s *stream) begin(e *types.ContentBlockStartEvent) {
	start, ok := e.Start.(*types.ContentBlockStartMemberToolUse)
	if !ok {
		return
	}
	b := s.at(e.ContentBlockIndex)
	name := strings.TrimSpace(value(start.Value.Name))
	if b.call || name == "" || start.Value.Type == types.ToolUseTypeServerToolUse {
		return // a call without a name is dropped, and one that the provider runs is not ours
	}
	b.call = true
	if s.calls++; s.calls > s.Limits.MaxCalls {
		s.TooManyCalls()
	}
	id := s.ID(value(start.Value.ToolUseId), "call_")
	s.Emit(llm.Part{Kind: llm.ToolStart, Index: s.index(b), ID: id, Name: name})
}

func (s *stream) delta(e *types.ContentBlockDeltaEvent) {
	b := s.at(e.ContentBlockIndex)
	switch d := e.Delta.(type) {
	case *types.ContentBlockDeltaMemberText:
		s.say(llm.TextDelta, b, d.Value)
	case *types.ContentBlockDeltaMemberToolUse:
		if b.call {
			s.say(llm.ToolArgs, b, value(d.Value.Input))
		}
	case *types.ContentBlockDeltaMemberReasoningContent:
		s.think(b, d.Value)
	}
}

func (s *stream) think(b *block, delta types.ReasoningContentBlockDelta) {
	switch d := delta.(type) {
	case *types.ReasoningContentBlockDeltaMemberText:
		s.say(llm.ReasoningDelta, b, d.Value)
	case *types.ReasoningContentBlockDeltaMemberSignature: // it may come in pieces
		b.signature = append(b.signature, d.Value...)
		s.Grow(len(d.Value))
	case *types.ReasoningContentBlockDeltaMemberRedactedContent:
		b.redacted = append(b.redacted, d.Value...)
		s.Grow(len(d.Value))
	}
}

func (s *stream) say(kind llm.PartKind, b *block, text string) {
	if text != "" {
		s.Grow(len(text))
		s.Emit(llm.Part{Kind: kind, Index: s.index(b), Delta: text})
	}
}

// endBlock emits what makes a thought come back.
func (s *stream) endBlock(b *block) {
	if b.over {
		return
	}
	b.over = true
	opaque := ""
	switch {
	case len(b.signature) > 0:
		opaque = s.model.seal(sealSignature, string(b.signature))
	case len(b.redacted) > 0:
		opaque = s.model.seal(sealRedacted, base64.StdEncoding.EncodeToString(b.redacted))
	default:
		return
	}
	s.Emit(llm.Part{Kind: llm.Opaque, Index: s.index(b), Opaque: opaque})
}

// end closes the calls, unless the answer was cut off: then they stay open.
func (s *stream) end() error {
	if err := s.events.Err(); err != nil && (s.stop == "" || s.ctx.Err() != nil) {
		return err
	}
	if s.stop == "" {
		return httpmodel.ErrCut
	}
	finish := httpmodel.FinishWith(finishOf(s.stop), s.calls > 0)
	for _, b := range s.blocks {
		s.endBlock(b)
		if b.call && finish == llm.FinishTools {
			s.Emit(llm.Part{Kind: llm.ToolEnd, Index: s.index(b)})
		}
	}
	return s.Finish(s.usage, finish)
}

func finishOf(reason types.StopReason) llm.Finish {
	switch reason {
	case types.StopReasonEndTurn, types.StopReasonStopSequence:
		return llm.FinishStop
	case types.StopReasonToolUse:
		return llm.FinishTools
	case types.StopReasonMaxTokens, types.StopReasonModelContextWindowExceeded:
		return llm.FinishLength
	case types.StopReasonGuardrailIntervened, types.StopReasonContentFiltered:
		return llm.FinishFilter
	}
	return llm.FinishOther
}

// usageOf returns the token counts. Bedrock does not count tokens read from and written to a cache
// as input; the sum does.
func usageOf(u *types.TokenUsage) *llm.Usage {
	if u == nil {
		return nil
	}
	out := &llm.Usage{
		Input: count(u.InputTokens), Output: count(u.OutputTokens), Total: count(u.TotalTokens),
		CacheRead: count(u.CacheReadInputTokens), CacheWrite: count(u.CacheWriteInputTokens),
	}
	for _, part := range []*int64{out.CacheRead, out.CacheWrite} {
		if out.Input != nil && part != nil {
			*out.Input += *part
		}
	}
	return out
}

func count(n *int32) *int64 {
	if n == nil || *n < 0 {
		return nil
	}
	return new(int64(*n))
}

func value(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}
