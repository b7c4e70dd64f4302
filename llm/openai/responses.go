package openai

import (
	"slices"

	"github.com/pageside/pageside/llm"
	"github.com/pageside/pageside/llm/httpmodel"
)

// responses reads an answer of the Responses API: a list of output items, each begun, filled and
// ended by events that name it by its index. Item ids are not looked at: some servers change them
// with every event.
type responses struct {
	*stream
	events      events
	items       []*item
	pending     string // reasoning without words that belongs to the next item
	status      string // how the answer ended
	reason      string // why it is incomplete
	lastMessage *item  // the last message that said something
}

// item is one output item.
type item struct {
	kind  string // message, reasoning, function_call, or what we did not ask for
	index int    // output_index
	block int    // the content block, from 1; 0 while there is none
	part  int    // of its texts, the one being written
	said  bool   // something of it was emitted, or kept, as a delta
	done  bool
	call  call
}

const maxItems = 1024

// Finished reports whether the provider has said how the answer ended.
func (s *responses) Finished() bool { return s.status != "" }

// Over reports whether nothing can follow.
func (s *responses) Over() bool { return s.status != "" || s.done }

// Whole reads an answer from a server that does not stream.
func (s *responses) Whole(data []byte) error {
	if err := s.Take(data); err != nil {
		return err
	}
	return s.End()
}

// Take turns one event into parts.
func (s *responses) Take(data []byte) error {
	if s.isDone(data) {
		return nil
	}
	e := &s.events
	if err := e.decode(data); err != nil {
		return s.Malformed(err)
	}
	if s.status != "" {
		return nil
	}
	if len(s.items) > maxItems {
		return s.TooManyCalls()
	}
	switch e.Type {
	case "response.output_text.delta", "response.refusal.delta":
		s.say(s.item(e.Index, itemMessage), e.part(), e.Delta.Said)
	case "response.reasoning_summary_text.delta", "response.reasoning_text.delta":
		s.think(s.item(e.Index, itemReasoning), e.part(), e.Delta.Said)
	case "response.function_call_arguments.delta":
		if it := s.item(e.Index, itemCall); !it.done {
			s.fill(it, e.Delta.Said)
		}
	case "response.function_call_arguments.done":
		s.complete(s.item(e.Index, itemCall), e.Args.Said)
	case "response.output_item.added":
		s.begin(e.Index, e.Item)
	case "response.output_item.done":
		s.endItem(e.Index, e.Item)
	case "response.completed", "response.incomplete", "response.failed", "response.cancelled", "response.done":
		return s.takeWhole(e.Answer)
	case "error":
		return s.fail(e.failure)
	case "":
		return s.takeUntyped(data)
	}
	return s.Err()
}

// takeUntyped reads a document that is not an event: the whole answer from a server that does not
// stream, or an error on its own.
func (s *responses) takeUntyped(data []byte) error {
	if s.events.failure != nil {
		return s.fail(s.events.failure)
	}
	var whole responseJSON
	if s.events.Object != "response" || httpmodel.Read(data, &whole) != nil {
		return s.Malformed(nil)
	}
	return s.takeWhole(&whole)
}

// The kinds of items that say something.
const (
	itemMessage   = "message"
	itemReasoning = "reasoning"
	itemCall      = "function_call"
)

// item returns the item of that index and kind, or a new one if no event began it.
func (s *responses) item(index int, kind string) *item {
	for _, it := range slices.Backward(s.items) {
		if it.index == index && it.kind == kind {
			return it
		}
	}
	return s.add(kind, index)
}

func (s *responses) add(kind string, index int) *item {
	it := &item{kind: kind, index: index}
	s.items = append(s.items, it)
	return it
}

func (s *responses) begin(index int, begun *itemJSON) {
	if begun == nil {
		return
	}
	it := s.add(begun.Type, index)
	s.patience(it.kind == itemReasoning)
	if it.kind == itemCall {
		s.beginCall(it, begun)
	}
}

// patience sets how long the next event may take: a model that thinks may be silent for minutes,
// even after it has begun to answer.
func (s *responses) patience(thinks bool) {
	switch {
	case thinks:
		s.Await(httpmodel.Thought, s.Limits.FirstContentTimeout)
	case s.Began:
		s.Await(httpmodel.Next, s.Limits.IdleTimeout)
	default:
		s.Await(httpmodel.First, s.Limits.FirstContentTimeout)
	}
}

// say passes text on. Messages, and the parts of one, are paragraphs of one text.
func (s *responses) say(it *item, part int, delta string) {
	if delta == "" {
		return
	}
	s.flush(it)
	if s.lastMessage != nil && (s.lastMessage != it || it.part != part) {
		delta = "\n\n" + delta
	}
	s.lastMessage, it.said, it.part = it, true, part
	s.deliver(llm.TextDelta, it, delta)
}

// think passes the words of a thought on, a summary's parts as paragraphs.
func (s *responses) think(it *item, part int, delta string) {
	if delta == "" {
		return
	}
	if it.said && it.part != part {
		delta = "\n\n" + delta
	}
	it.said, it.part = true, part
	s.deliver(llm.ReasoningDelta, it, delta)
}

func (s *responses) deliver(kind llm.PartKind, it *item, delta string) {
	first := !s.Began
	s.Grow(len(delta))
	s.tell(kind, &it.block, delta)
	if first && kind == llm.ReasoningDelta {
		s.patience(true)
	}
}

// endItem emits what the deltas of an item left out.
func (s *responses) endItem(index int, end *itemJSON) {
	if end == nil {
		return
	}
	it := s.item(index, end.Type)
	if it.done {
		return
	}
	it.done = true
	switch it.kind {
	case itemMessage:
		s.endMessage(it, end)
	case itemReasoning:
		s.endReasoning(it, end)
	case itemCall:
		s.beginCall(it, end)
		s.complete(it, end.Arguments)
	}
}

func (s *responses) endMessage(it *item, end *itemJSON) {
	if it.said {
		return
	}
	for i, c := range end.Content {
		s.say(it, i, c.Text+c.Refusal)
	}
}

// endReasoning keeps a thought for the next step. A thought with words is a block of its own. One
// without words, if it comes after text or a call, is kept with the item it led to, because it must
// stand before that item when it is sent back.
func (s *responses) endReasoning(it *item, end *itemJSON) {
	s.patience(false)
	if !it.said {
		for i, c := range append(end.Summary, end.Content...) {
			s.think(it, i, c.Text)
		}
	}
	if end.Encrypted == "" && len(end.Content) == 0 {
		return // there is nothing in it that could come back
	}
	s.Grow(len(end.raw))
	if !it.said && s.spoke() {
		s.pending = join(s.pending, end.raw)
	} else {
		s.keep(s.block(&it.block), sealItems, end.raw)
	}
}

// spoke reports whether there is text or a call already.
func (s *responses) spoke() bool { return s.lastMessage != nil || len(s.calls.all) > 0 }

// flush emits reasoning that was kept for a call, where a message follows instead.
func (s *responses) flush(it *item) {
	if s.pending != "" && !it.said {
		s.keep(s.block(new(int)), sealItems, s.pending)
		s.pending = ""
	}
}

// takeWhole reads the event that ends the answer.
func (s *responses) takeWhole(r *responseJSON) error {
	if r == nil {
		return s.Malformed(nil)
	}
	if r.Status == "failed" || r.Status == "cancelled" || !isNull(r.Error) {
		return s.fail(readAPIError(r.Error))
	}
	if len(s.items) == 0 { // it came without events
		for i := range r.Output {
			s.endItem(i, &r.Output[i])
		}
	}
	s.completeAll()
	s.usage = readUsage(r.Usage)
	s.reason = r.Incomplete.Reason
	s.status = "completed"
	if r.Status == "incomplete" || s.reason != "" {
		s.status = "incomplete"
	}
	return s.Err()
}

// End closes the calls, unless the answer was cut off: then they stay open.
func (s *responses) End() error {
	if s.status == "" { // [DONE] or the end of the body says so
		if len(s.items) == 0 {
			return s.Errorf(llm.KindProtocol, nil, "the provider's answer was empty")
		}
		return httpmodel.ErrCut
	}
	finish := s.finishPart()
	if !httpmodel.CutOff(finish) {
		s.endCalls()
	}
	return s.Finish(s.usage, finish)
}

func (s *responses) finishPart() llm.Finish {
	switch {
	case s.status == "completed" && len(s.calls.all) > 0:
		return llm.FinishTools
	case s.status == "completed" && s.lastMessage == nil && s.foreign():
		return llm.FinishOther
	case s.status == "completed":
		return llm.FinishStop
	case s.reason == "max_output_tokens", s.reason == "max_tokens":
		return llm.FinishLength
	case s.reason == "content_filter":
		return llm.FinishFilter
	}
	return llm.FinishLength // cut off for a reason we do not know: its calls may be incomplete
}

// foreign reports whether there are items of kinds nobody asked for.
func (s *responses) foreign() bool {
	return slices.ContainsFunc(s.items, func(it *item) bool {
		return it.kind != itemMessage && it.kind != itemReasoning
	})
}
