package agui

import "fmt"

// AppendStoredMessage appends m as AppendMessage does, to be kept and read back with
// ReadStoredMessage. It refuses whatever UnmarshalMessage would not read back.
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

// sound reports whether the JSON in m, all of it, is known to have been read or written by this
// package. Most messages hold none but their content, which is nearly always a text, and may be a
// long one: it is not looked at twice.
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

// ReadStoredMessage reads what AppendStoredMessage has written, without the checks that
// UnmarshalMessage needs for what others write: of anything else it makes an error or nonsense. The
// message refers to data, which must not be changed after.
func ReadStoredMessage(data []byte) (Message, error) {
	var m Message
	if err := read(data, &m, false); err != nil {
		return Message{}, err
	}
	return m, nil
}
