package httpmodel

import (
	"bytes"
	"slices"

	"github.com/pageside/pageside/internal/jsonx"
)

// Memo remembers the last event that said one thing, a piece of a text: the events of a stream
// mostly differ in that string alone, and perhaps in strings and numbers that nobody reads. Where
// all the bytes between those are the same, so is everything an event says, and it need not be
// decoded. S is what such an event says beside its text. The zero value remembers nothing.
type Memo[S any] struct {
	said  S
	event []byte // the remembered event
	holes []span // where others differ from it, in order
	text  int    // the hole that is the text
}

// span is where a value stands in an event.
type span struct{ from, to int }

// Forget empties the memo.
func (m *Memo[S]) Forget() { m.holes = m.holes[:0] }

// Keep remembers an event that says text, said, and nothing more. What else differs from event to
// event, and is not read, is listed in unread.
func (m *Memo[S]) Keep(event []byte, said S, text *Piece, unread ...*Piece) {
	m.Forget()
	if text.Said == "" || text.Missing() {
		return
	}
	m.said, m.event = said, append(m.event[:0], event...)
	m.insert(text)
	for _, u := range unread {
		if u.Said != "" || u.Number != "" {
			m.insert(u)
		}
	}
	for i, h := range m.holes {
		if h == text.at {
			m.text = i
		}
	}
}

// insert adds a hole in the order of the event.
func (m *Memo[S]) insert(p *Piece) {
	i := len(m.holes)
	for m.holes = append(m.holes, p.at); i > 0 && m.holes[i-1].from > p.at.from; i-- {
		m.holes[i] = m.holes[i-1]
	}
	m.holes[i] = p.at
}

// Recall returns what an event says that is like the remembered one. ok is false where it is not.
func (m *Memo[S]) Recall(event []byte) (said S, text string, ok bool) {
	var raw []byte
	rest, done := event, 0 // what is left of the event, and what is compared of the remembered one
	for i, hole := range m.holes {
		before := m.event[done:hole.from]
		if !bytes.HasPrefix(rest, before) {
			return said, "", false
		}
		d := jsonx.Decoder{Data: rest[len(before):]}
		value := d.Raw()
		switch {
		case d.Pos > len(value): // blanks stand before it
			return said, "", false
		case i == m.text:
			raw = value
		case !sameKind(value, m.event[hole.from:hole.to]):
			return said, "", false
		}
		rest, done = rest[len(before)+len(value):], hole.to
	}
	if raw == nil || !sameEnd(rest, m.event[done:]) {
		return said, "", false
	}
	text, err := Text(raw)
	return m.said, text, err == nil && text != ""
}

// sameKind reports whether both are plain strings, or both are whole numbers.
func sameKind(a, b []byte) bool {
	if b[0] == '"' {
		odd := func(c byte) bool { return c < ' ' || c == '\\' }
		return len(a) >= 2 && a[0] == '"' && a[len(a)-1] == '"' && !slices.ContainsFunc(a, odd)
	}
	return len(a) > 0 && len(bytes.TrimLeft(a, "0123456789")) == 0 && (a[0] != '0' || len(a) == 1)
}

// sameEnd reports whether two ends of events say the same. Anthropic pads them with blanks.
func sameEnd(a, b []byte) bool {
	if bytes.Equal(a, b) {
		return true
	}
	depth := closed(b)
	return depth > 0 && closed(a) == depth
}

// closed counts the braces of an end that holds nothing else but blanks; it is 0 for any other.
func closed(end []byte) (depth int) {
	for _, b := range end {
		switch b {
		case '}':
			depth++
		case ' ':
		default:
			return 0
		}
	}
	return depth
}
