package agent

import (
	"encoding/json"

	"github.com/pageside/pageside/agui"
	"github.com/pageside/pageside/payload"
)

// suggestions is what an answer ends with: chips and buttons.
type suggestions struct {
	Values  []payload.SuggestedValue  `json:"suggestedValues,omitempty"`
	Actions []payload.SuggestedAction `json:"suggestedActions,omitempty"`
	Static  bool                      `json:"static,omitempty"` // the page's own, because the model suggested nothing
}

func (s *suggestions) empty() bool { return len(s.Values) == 0 && len(s.Actions) == 0 }

// suggested takes in what the model suggests. Said twice, the last counts.
func (t *turn) suggested(typ *payload.Type, written string) {
	if typ == payload.SuggestedValues {
		t.suggestions.Values = payload.ReadValues(written)
		return
	}
	t.suggestions.Actions = payload.ReadActions(written, func(action string) string { return t.run.payloads.actions[action] })
}

// suggest hangs the suggestions on the end of the answer: on its text, or on its card where it is only that. Only an answer that ends
// the run has any; a model that suggests nothing leaves it to the page.
func (t *turn) suggest() error {
	if len(t.calls) > 0 {
		return nil
	}
	s := t.suggestions
	if s.empty() {
		for _, v := range t.run.view.Suggestions {
			s.Values = append(s.Values, payload.SuggestedValue{Label: v.Label, Value: v.Value})
		}
		s.Values, s.Static = s.Values[:min(len(s.Values), payload.MaxSuggestions)], true
	}
	if s.empty() {
		return nil
	}
	switch {
	case t.current != nil && t.current.text.Len() > 0:
		return t.suggestInText(s)
	case len(t.cards) > 0:
		c := t.cards[len(t.cards)-1]
		c.suggestions = s
		return t.emit(&agui.ActivityDelta{
			Base:      agui.Base{Metadata: c.metadata(c.status(), false)},
			MessageID: c.id, ActivityType: c.typ.Name, Patch: json.RawMessage("[]"),
		})
	}
	return nil
}

// suggestInText marks the text of the answer, which a thought may have closed.
func (t *turn) suggestInText(s suggestions) error {
	members, err := json.Marshal(s)
	if err != nil {
		return err
	}
	m := t.current
	if !m.open {
		m.open = true
		if err := t.emit(&agui.TextMessageStart{MessageID: m.id, Role: agui.RoleAssistant}); err != nil {
			return err
		}
	}
	t.mark = append(append(json.RawMessage(`{"pageside":`), members...), '}')
	return nil
}

func (c *card) status() string {
	if c.failure != nil {
		return statusFailed
	}
	return statusOpen
}
