package agent

import (
	"github.com/pageside/pageside/agui"
)

// readCard reads the metadata of a card that the model wrote. It reports false for any other
// message.
func readCard(m *agui.Message) (card agui.Metadata, ok bool) {
	if m.Role != agui.RoleActivity {
		return card, false
	}
	card, ok = agui.ReadMetadata(m.Metadata)
	return card, ok && card.Source == agui.SourceLLM
}

// lost reports whether the user never saw a card's data. One that is still streaming in the thread
// was cut off by a crash.
func lost(card *agui.Metadata) bool { return card.Status == agui.StatusFailed || card.Streaming }

// dropStale shows of cards that a crash cut off that they will not come: no other run writes them
// any more.
func (r *run) dropStale() error {
	for i := range r.in.History {
		m := &r.in.History[i]
		c, ok := readCard(m)
		if !ok || !c.Streaming {
			continue
		}
		c.Streaming, c.Status = false, agui.StatusFailed
		err := r.out.Emit(&agui.ActivitySnapshot{
			Base: agui.Base{Metadata: c.JSON()}, MessageID: m.ID, ActivityType: m.ActivityType,
			Content: errorContent(cardFailure{cardCutOff, "the answer was cut off before the card was complete"}),
		})
		if err != nil {
			return err
		}
	}
	return nil
}
