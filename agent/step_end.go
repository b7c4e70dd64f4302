package agent

import (
	"encoding/json"
	"slices"

	"github.com/pageside/pageside/agui"
	"github.com/pageside/pageside/llm"
	"github.com/pageside/pageside/payload"
)

// markEnd marks the end of an answer with its suggestions and with whether it was cut. The end is
// the answer's text, or its payload if it has no text. Only an answer that ends the run has an end.
func (s *step) markEnd() error {
	if c := s.continued; c != nil && (len(s.calls) > 0 || s.readable()) {
		c.over = true
	}
	end := agui.EndMark{Suggestions: s.allSuggestions(), Reason: s.cutBy()}
	if end.Reason != "" {
		end.Status = agui.StatusCut
	}
	last := s.ending()
	switch {
	case last == nil, end.JSON() == nil && !s.continued.marks(last.id):
		return nil
	case last.payload == nil:
		return s.markText(end)
	}
	return s.markPayload(last.payload, end)
}

// ending returns the message that ends the answer, or nil if the step does not end one.
func (s *step) ending() *outMessage {
	switch {
	case len(s.calls) > 0 && !s.exhausted:
		return nil
	case s.current != nil && s.current.text.Len() > 0:
		return s.current
	case len(s.payloads) > 0:
		return s.payloads[len(s.payloads)-1].outMessage
	}
	return nil
}

// markPayload says on a payload how the answer ended.
func (s *step) markPayload(p *outPayload, end agui.EndMark) error {
	p.end = end
	if s.continued.marks(p.id) {
		s.continued.cleared = true
	}
	return s.emit(&agui.ActivityDelta{
		Base:      agui.Base{Metadata: p.metadata(p.status(), false)},
		MessageID: p.id, ActivityType: p.typ.Name, Patch: json.RawMessage("[]"),
	})
}

// cutBy returns what cut off the answer that the step ends, or "".
func (s *step) cutBy() string {
	switch {
	case s.finish == llm.FinishLength:
		return agui.CutByLength
	case s.finish == llm.FinishFilter:
		return agui.CutByFilter
	case s.exhausted:
		return agui.CutBySteps
	}
	return ""
}

// unmark removes the mark of the cut answer that the step has gone on with, if that is not the
// message that ends the answer now. It is the last thing a step does: after a crash before it, the
// answer can still be continued.
func (s *step) unmark() error {
	c := s.continued
	if c == nil || !c.over || c.cleared {
		return nil
	}
	c.cleared = true
	id, metadata := c.message.ID, agui.WithEnd(c.message.Metadata, agui.EndMark{})
	if i := slices.IndexFunc(s.payloads, func(p *outPayload) bool { return p.id == id }); i >= 0 {
		return s.markPayload(s.payloads[i], agui.EndMark{})
	}
	if c.message.Role == agui.RoleActivity {
		return s.emit(&agui.ActivityDelta{
			Base: agui.Base{Metadata: metadata}, MessageID: id, ActivityType: c.message.ActivityType,
			Patch: json.RawMessage("[]"),
		})
	}
	if err := s.emit(&agui.TextMessageStart{MessageID: id, Role: agui.RoleAssistant}); err != nil {
		return err
	}
	return s.emit(&agui.TextMessageEnd{Base: agui.Base{Metadata: metadata}, MessageID: id})
}

// allSuggestions returns the model's suggestions, or those of the page if it made none.
func (s *step) allSuggestions() agui.Suggestions {
	all := s.suggested
	if len(all.Values) > 0 || len(all.Actions) > 0 {
		return all
	}
	for _, v := range s.suggestions {
		all.Values = append(all.Values, agui.SuggestedValue{Label: v.Label, Value: v.Value})
	}
	all.Values = all.Values[:min(len(all.Values), payload.MaxSuggestions)]
	all.Static = len(all.Values) > 0
	return all
}

// markText marks the text of the answer, which may already have ended before a thought.
func (s *step) markText(end agui.EndMark) error {
	m := s.current
	if !m.open {
		m.open = true
		if err := s.emit(&agui.TextMessageStart{MessageID: m.id, Role: agui.RoleAssistant}); err != nil {
			return err
		}
	}
	s.mark = end
	return nil
}

// readable reports whether the step has something for the user: visible text or a payload, even a
// failed one.
func (s *step) readable() bool {
	return len(s.payloads) > 0 || slices.ContainsFunc(s.messages, func(m *outMessage) bool {
		return m.role == agui.RoleAssistant && m.text.Len() > 0
	})
}

// cutShort reports whether the provider, not the model, ended the step.
func cutShort(f llm.Finish) bool { return f == llm.FinishLength || f == llm.FinishFilter }

// newMessages returns the step as messages of the thread: each assistant message, then its results.
func (s *step) newMessages() []agui.Message {
	var list []agui.Message
	for _, m := range s.messages {
		list = append(list, m.message())
		for _, c := range m.calls {
			if c.emitted {
				list = append(list, c.resultMessages()...)
			}
		}
	}
	return list
}

func (m *outMessage) message() agui.Message {
	if m.payload != nil {
		return m.payload.message()
	}
	msg := agui.Message{ID: m.id, Role: m.role, EncryptedValue: m.opaque}
	if m.text.Len() > 0 || m.role == agui.RoleReasoning {
		msg.Content = agui.TextContent(m.text.String())
	}
	for _, c := range m.calls {
		msg.ToolCalls = append(msg.ToolCalls, c.toolCall())
	}
	return msg
}
