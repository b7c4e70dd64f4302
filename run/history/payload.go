package history

import (
	"encoding/json"

	"github.com/pageside/pageside/agui"
	"github.com/pageside/pageside/run/refusal"
)

// IsDecision reports whether the user may set this payload status.
func IsDecision(status string) bool {
	return status == agui.StatusOpen || status == agui.StatusAccepted || status == agui.StatusDismissed
}

// readPayload returns the metadata of a payload message, or false for any other message.
func readPayload(m *agui.Message) (p agui.Metadata, ok bool) {
	if m.Role != agui.RoleActivity || m.IsNote() {
		return p, false
	}
	p, ok = agui.ReadMetadata(m.Metadata)
	return p, ok && p.Source != ""
}

// PayloadStatus returns the status of a payload, or "" for any other message.
func PayloadStatus(m *agui.Message) string {
	if p, ok := readPayload(m); ok {
		return p.Status
	}
	return ""
}

// isAnswer reports whether a message is a payload that answers the user: the model completed it,
// and has no results to read after it.
func isAnswer(m *agui.Message) bool {
	p, ok := readPayload(m)
	return ok && p.Source == agui.SourceLLM && p.Status != agui.StatusFailed && !p.Streaming && p.ParentMessageID == ""
}

// WithStatus returns the metadata of a payload message with a status that the user has given it.
func WithStatus(m *agui.Message, status string) (json.RawMessage, error) {
	refused := func(format string) error {
		return refusal.Field("messageId", format, m.ID)
	}
	p, ok := readPayload(m)
	switch {
	case !ok:
		return nil, refused("message %q is not a payload")
	case p.ReadOnly:
		return nil, refused("payload %q is read-only: the page it was shown on does not offer its type")
	case p.Status == agui.StatusFailed || p.Streaming:
		return nil, refused("payload %q is not complete")
	}
	return agui.WithStatus(m.Metadata, status)
}
