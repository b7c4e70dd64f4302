package agent

import (
	"github.com/pageside/pageside/agent/prompt"
	"github.com/pageside/pageside/agui"
)

// dropStale shows of cards that a crash cut off that they will not come: no other run writes them
// any more.
func (r *run) dropStale() error {
	for i := range r.in.History {
		m := &r.in.History[i]
		c, ok := prompt.ReadPayload(m)
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
