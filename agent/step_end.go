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
	if len(s.calls) > 0 {
		return nil
	}
	end := agui.Metadata{Suggestions: s.allSuggestions()}
	if cutShort(s.finish) {
		end.Status, end.Reason = agui.StatusCut, string(s.finish)
	}
	if end.JSON() == nil {
		return nil
	}
	switch {
	case s.current != nil && s.current.text.Len() > 0:
		return s.markText(end)
	case len(s.payloads) > 0:
		p := s.payloads[len(s.payloads)-1]
		p.end = end
		return s.emit(&agui.ActivityDelta{
			Base:      agui.Base{Metadata: p.metadata(p.status(), false)},
			MessageID: p.id, ActivityType: p.typ.Name, Patch: json.RawMessage("[]"),
		})
	}
	return nil
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
func (s *step) markText(end agui.Metadata) error {
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
				list = append(list, c.resultMessage())
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
