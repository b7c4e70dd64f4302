package agent

import (
	"encoding/json"

	"github.com/pageside/pageside/agui"
	"github.com/pageside/pageside/payload"
)

// suggested takes in what the model suggests. Said twice, the last counts.
func (t *turn) suggested(typ *payload.Type, written string) {
	if typ == payload.SuggestedValues {
		t.suggestions.Values = payload.ReadValues(written)
		return
	}
	t.suggestions.Actions = payload.ReadActions(written, func(action string) string { return t.run.payloads.actions[action] })
}

// conclude hangs on the end of the answer what is to be known of it: suggestions, and that it was
// cut. That is on its text, or on its card where it is only that. Only an answer that ends the run
// has an end.
func (t *turn) conclude() error {
	if len(t.calls) > 0 {
		return nil
	}
	end := agui.Metadata{Suggestions: t.suggest()}
	if cutShort(t.finish) {
		end.Status, end.Reason = agui.StatusCut, string(t.finish)
	}
	if end.JSON() == nil {
		return nil
	}
	switch {
	case t.current != nil && t.current.text.Len() > 0:
		return t.concludeText(end)
	case len(t.cards) > 0:
		c := t.cards[len(t.cards)-1]
		c.end = end
		return t.emit(&agui.ActivityDelta{
			Base:      agui.Base{Metadata: c.metadata(c.status(), false)},
			MessageID: c.id, ActivityType: c.typ.Name, Patch: json.RawMessage("[]"),
		})
	}
	return nil
}

// suggest returns what the user might say or do next. A model that suggests nothing leaves it to
// the page.
func (t *turn) suggest() agui.Suggestions {
	s := t.suggestions
	if len(s.Values) > 0 || len(s.Actions) > 0 {
		return s
	}
	for _, v := range t.run.view.Suggestions {
		s.Values = append(s.Values, agui.SuggestedValue{Label: v.Label, Value: v.Value})
	}
	s.Values = s.Values[:min(len(s.Values), payload.MaxSuggestions)]
	s.Static = len(s.Values) > 0
	return s
}

// concludeText marks the text of the answer, which a thought may have closed.
func (t *turn) concludeText(end agui.Metadata) error {
	m := t.current
	if !m.open {
		m.open = true
		if err := t.emit(&agui.TextMessageStart{MessageID: m.id, Role: agui.RoleAssistant}); err != nil {
			return err
		}
	}
	t.mark = end
	return nil
}

func (c *card) status() string {
	if c.failure != nil {
		return agui.StatusFailed
	}
	return agui.StatusOpen
}
