package agent

import (
	"encoding/json"

	"github.com/pageside/pageside/agui"
	"github.com/pageside/pageside/llm"
	"github.com/pageside/pageside/payload"
)

// suggestions is what an answer ends with: chips and buttons.
type suggestions struct {
	Values  []payload.SuggestedValue  `json:"suggestedValues,omitempty"`
	Actions []payload.SuggestedAction `json:"suggestedActions,omitempty"`
	// the page's own, because the model suggested nothing
	Static bool `json:"static,omitempty"`
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

// answerEnd is metadata.pageside of the text that an answer ends with.
type answerEnd struct {
	suggestions
	Status string     `json:"status,omitempty"` // statusCut
	Reason llm.Finish `json:"reason,omitempty"` // what cut it: FinishLength or FinishFilter
}

// statusCut marks an answer that the provider ended before the model had. What was said counts as
// said.
const statusCut = "cut"

// conclude hangs on the end of the answer what is to be known of it: suggestions, and that it was
// cut. That is on its text, or on its card where it is only that. Only an answer that ends the run
// has an end.
func (t *turn) conclude() error {
	if len(t.calls) > 0 {
		return nil
	}
	end := answerEnd{suggestions: t.suggest()}
	if cutShort(t.finish) {
		end.Status, end.Reason = statusCut, t.finish
	}
	if end.empty() && end.Reason == "" {
		return nil
	}
	switch {
	case t.current != nil && t.current.text.Len() > 0:
		return t.concludeText(end)
	case len(t.cards) > 0:
		c := t.cards[len(t.cards)-1]
		c.suggestions, c.reason = end.suggestions, end.Reason
		return t.emit(&agui.ActivityDelta{
			Base:      agui.Base{Metadata: c.metadata(c.status(), false)},
			MessageID: c.id, ActivityType: c.typ.Name, Patch: json.RawMessage("[]"),
		})
	}
	return nil
}

// suggest returns what the user might say or do next. A model that suggests nothing leaves it to
// the page.
func (t *turn) suggest() suggestions {
	s := t.suggestions
	if !s.empty() {
		return s
	}
	for _, v := range t.run.view.Suggestions {
		s.Values = append(s.Values, payload.SuggestedValue{Label: v.Label, Value: v.Value})
	}
	s.Values = s.Values[:min(len(s.Values), payload.MaxSuggestions)]
	s.Static = len(s.Values) > 0
	return s
}

// concludeText marks the text of the answer, which a thought may have closed.
func (t *turn) concludeText(end answerEnd) error {
	members, err := json.Marshal(end)
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
