package agent

import (
	"encoding/json"

	"github.com/pageside/pageside/agui"
	"github.com/pageside/pageside/internal/jsonx"
	"github.com/pageside/pageside/llm"
	"github.com/pageside/pageside/payload"
)

// cardMetadata is metadata.pageside of a card: where it comes from and how it stands.
type cardMetadata struct {
	Source payload.Source `json:"source"`
	// of the tool that made it, or that the model wrote it with
	ToolCallID string `json:"toolCallId,omitempty"`
	// Parent is the message of the same turn whose calls the card began behind. In the thread their
	// results may stand before the card.
	Parent    string `json:"parentMessageId,omitempty"`
	Status    string `json:"status"`
	Streaming bool   `json:"streaming,omitempty"` // its content is not complete
	// a provider's signature of the call it came as
	EncryptedValue string `json:"encryptedValue,omitempty"`
	// where the card is all there is of an answer that was cut: what cut it
	Reason      llm.Finish `json:"reason,omitempty"`
	suggestions            // where the card is all there is of an answer
}

// The statuses of a card. What becomes of an open one later, accepted or dismissed, is the user's
// to say.
const (
	statusOpen   = "open"
	statusFailed = "failed"
)

// json is the metadata of the card's event.
func (c cardMetadata) json() json.RawMessage {
	b, err := json.Marshal(struct {
		Pageside cardMetadata `json:"pageside"`
	}{c})
	if err != nil {
		// it holds nothing that cannot be written
		panic("agent: the metadata of a card: " + err.Error())
	}
	return b
}

// parseCard reads the metadata of a card that the model wrote. ok is false for any other message.
func parseCard(m *agui.Message) (c cardMetadata, ok bool) {
	if m.Role != agui.RoleActivity {
		return c, false
	}
	if raw := jsonx.Find(m.Metadata, "pageside"); raw != nil {
		return decodeCard(raw)
	}
	return c, false
}

// decodeCard stands apart because what it decodes into is allocated: most messages of a thread are
// no cards.
func decodeCard(raw []byte) (c cardMetadata, ok bool) {
	err := json.Unmarshal(raw, &c)
	return c, err == nil && c.Source == payload.FromLLM
}

// lost reports whether the user never saw the card's data. One that is still streaming in the
// thread was cut off by a crash.
func (c cardMetadata) lost() bool { return c.Status == statusFailed || c.Streaming }

// dropStale shows of cards that a crash cut off that they will not come: no other run writes them
// any more.
func (r *run) dropStale() error {
	for i := range r.in.History {
		m := &r.in.History[i]
		c, ok := parseCard(m)
		if !ok || !c.Streaming {
			continue
		}
		c.Streaming, c.Status = false, statusFailed
		err := r.out.Emit(&agui.ActivitySnapshot{
			Base: agui.Base{Metadata: c.json()}, MessageID: m.ID, ActivityType: m.ActivityType,
			Content: errorContent(cardFailure{cardCutOff, "the answer was cut off before the card was complete"}),
		})
		if err != nil {
			return err
		}
	}
	return nil
}
