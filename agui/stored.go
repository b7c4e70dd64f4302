package agui

import (
	"bytes"
	"fmt"

	"github.com/pageside/pageside/internal/jsonx"
)

// AppendStoredMessage is AppendMessage for ReadStoredMessage. It refuses what UnmarshalMessage
// would not read back.
func AppendStoredMessage(dst []byte, m *Message) ([]byte, error) {
	out, err := AppendMessage(dst, m)
	if err != nil {
		return dst, err
	}
	if m.sound() {
		return out, nil
	}
	if _, err := UnmarshalMessage(out[len(dst):]); err != nil {
		return dst, fmt.Errorf("agui: encode message %q: %w", m.ID, err)
	}
	return out, nil
}

// sound reports whether m reads back as it is written. Writing has checked all JSON in it but for
// content that others have made, and but for how deep it nests below the message.
func (m *Message) sound() bool {
	if !m.Content.IsZero() && !m.Content.checked || !shallow(m.Metadata) || !shallow(m.Activity) {
		return false
	}
	for i := range m.ToolCalls {
		if !shallow(m.ToolCalls[i].Metadata) {
			return false
		}
	}
	return true
}

// shallow reports whether JSON fits into any field of a message: it opens too few objects and
// arrays to nest deeper than a document may.
func shallow(raw []byte) bool {
	const around = 4 // a message, its calls, one of them, and the value
	return bytes.Count(raw, []byte("{"))+bytes.Count(raw, []byte("[")) <= jsonx.DefaultMaxDepth-around
}

// ReadStoredMessage reads the output of AppendStoredMessage, without UnmarshalMessage's checks of
// untrusted data: anything else gives an error or nonsense. The message refers to data, which must
// not be changed afterwards.
func ReadStoredMessage(data []byte) (Message, error) {
	var m Message
	if err := read(data, &m, false); err != nil {
		return Message{}, err
	}
	return m, nil
}
