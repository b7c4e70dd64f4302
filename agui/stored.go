package agui

import "fmt"

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

// sound reports whether all JSON in m is known to come from this package. Most messages hold only
// their content, nearly always a text and possibly a long one: it is not checked twice.
func (m *Message) sound() bool {
	if m.Metadata != nil || m.Activity != nil || !m.Content.IsZero() && !m.Content.checked {
		return false
	}
	for i := range m.ToolCalls {
		if m.ToolCalls[i].Metadata != nil {
			return false
		}
	}
	return true
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
