package agent

import (
	"fmt"
	"slices"

	"github.com/pageside/pageside/agui"
	"github.com/pageside/pageside/llm"
)

// maxCallsPerStep is the most calls one step may make.
const maxCallsPerStep = 128

func (s *step) startCall(p *llm.Part) error {
	if p.Name == "" {
		s.log.Warn("a model called a tool without a name", "model", s.model.Name(), "runId", s.runID)
		s.nameless = append(s.nameless, p.Index)
		return nil
	}
	if len(s.calls) == maxCallsPerStep {
		return s.modelError(llm.KindOutputLimit,
			fmt.Sprintf("the model made more than %d tool calls in one turn", maxCallsPerStep))
	}
	if isPayload, err := s.startPayloadCall(p); isPayload || err != nil {
		return err
	}
	s.leaveBlock(p.Index)
	if err := s.endText(); err != nil {
		return err
	}
	// stock clients look for calls in new messages only
	if err := s.assistant(s.rethink || s.cut && !s.hasCalls() || s.current != nil && s.current.old); err != nil {
		return err
	}
	c := &call{written: written{
		id: s.ids.Take(p.ID), name: storable(p.Name), index: p.Index, offer: s.tools.offers[p.Name],
	}}
	c.parent, c.message = s.current.id, s.current.id
	s.calls = append(s.calls, c)
	s.current.calls = append(s.current.calls, c)
	if c.offer != nil && c.offer.withheld {
		c.withheld = true // the text stays open: after a crash the answer must not look complete
		return nil
	}
	if err := s.closeText(); err != nil {
		return err
	}
	if err := s.shared.predict(c.name); err != nil {
		return err
	}
	return s.emit(&agui.ToolCallStart{ToolCallID: c.id, ToolCallName: c.name, ParentMessageID: s.current.id})
}

// callAt returns the last call of a content block.
func (s *step) callAt(index int) *call {
	for i := len(s.calls) - 1; i >= 0; i-- {
		if s.calls[i].index == index {
			return s.calls[i]
		}
	}
	return nil
}

// writeArgs emits arguments byte for byte.
func (s *step) writeArgs(p *llm.Part) error {
	if p.Delta == "" {
		return nil
	}
	if shown := s.payloadAt(p.Index); shown != nil {
		return shown.grow(p.Delta)
	}
	c := s.callAt(p.Index)
	if c == nil || c.complete {
		return s.stray(p, "arguments")
	}
	c.args.WriteString(p.Delta)
	if c.withheld {
		return nil
	}
	return s.emit(&agui.ToolCallArgs{ToolCallID: c.id, Delta: p.Delta})
}

func (s *step) completeCall(p *llm.Part) error {
	if shown := s.payloadAt(p.Index); shown != nil {
		return shown.ended()
	}
	c := s.callAt(p.Index)
	if c == nil {
		return s.stray(p, "the end")
	}
	return s.complete(c)
}

// stray handles a part whose call is missing. That is an error, unless the call was dropped for
// having no name.
func (s *step) stray(p *llm.Part, what string) error {
	if slices.Contains(s.nameless, p.Index) {
		return nil
	}
	return s.modelError(llm.KindProtocol, "the model sent "+what+" of a tool call that it had not begun")
}

// complete marks a call as fully written. A call without arguments gets {}: readers expect JSON.
// The END of a frontend call is held back: the browser acts on it, and the step's backend calls
// come first. So is that of a call the user is not permitted to make: its tool may be the page's.
func (s *step) complete(c *call) error {
	if c.complete {
		return nil
	}
	c.complete = true
	if c.withheld {
		return s.note(c)
	}
	if c.args.Len() == 0 {
		c.args.WriteString("{}")
		if err := s.emit(&agui.ToolCallArgs{ToolCallID: c.id, Delta: "{}"}); err != nil {
			return err
		}
	}
	_, denied := s.tools.denied[c.name]
	if denied || c.offer != nil && c.offer.backend == nil {
		return nil
	}
	return s.end(c)
}

// note writes a withheld call into the thread, where the client cannot run it: whatever happens, it
// is decided. The text before it ends with it.
func (s *step) note(c *call) error {
	if c.args.Len() == 0 {
		c.args.WriteString("{}")
	}
	if err := s.closeText(); err != nil {
		return err
	}
	if c.noteID == "" {
		c.noteID = s.newID("note_")
	}
	n := agui.Note{
		Kind: agui.NoteCall,
		Call: &agui.NotedCall{
			ID: c.id, Name: c.name, Arguments: c.args.String(), EncryptedValue: c.opaque, MessageID: c.parent,
		},
	}
	return s.emit(n.Event(c.noteID))
}

// announcement returns the events that give the client a withheld call, up to its END.
func (s *step) announcement(c *call) []agui.Event {
	c.announced = true
	if c.message == "" {
		c.message = c.parent
		if c.known { // stock clients look for calls in new messages only
			c.message = s.newID("msg_")
		}
	}
	events := []agui.Event{
		&agui.ToolCallStart{
			Base: agui.Base{Metadata: c.metadata()}, ToolCallID: c.id, ToolCallName: c.name,
			ParentMessageID: c.message,
		},
		&agui.ToolCallArgs{ToolCallID: c.id, Delta: c.args.String()},
	}
	if c.opaque != "" {
		events = append(events, &agui.ReasoningEncryptedValue{
			Subtype: "tool-call", EntityID: c.id, EncryptedValue: c.opaque,
		})
	}
	return events
}

// end sends a call's END, and with it what follows at once: after a crash between them, an answered
// call would look like one that the client was given. So it does with all of a withheld call.
func (s *step) end(c *call, then ...agui.Event) error {
	if !c.closed {
		c.closed = true
		then = append([]agui.Event{&agui.ToolCallEnd{ToolCallID: c.id}}, then...)
		if c.withheld {
			then = append(s.announcement(c), then...)
		}
	}
	switch len(then) {
	case 0:
		return nil
	case 1:
		return s.emit(then[0])
	}
	return s.out.EmitAll(then...)
}
