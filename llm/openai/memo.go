package openai

import (
	"bytes"

	"github.com/pageside/pageside/internal/jsonx"
	"github.com/pageside/pageside/llm/httpmodel"
)

// field is what a chunk of one string carries.
type field uint8

const (
	fieldText field = iota + 1
	fieldReasoning
	fieldArgs
)

// memo remembers the last chunk that carried one string: the chunks of a stream mostly differ in
// that string alone. Where the bytes before and after it are the same and what stands between them
// is one string, so is everything they say.
type memo struct {
	field      field
	index      int // of the tool call
	head, tail []byte

	// Of the chunk being read: how many strings say something, and what the last one is and where
	// it stands.
	marks, from, to int
	marked          field
}

// mark notes a string that says something.
func (m *memo) mark(f field, from, to int) {
	m.marks++
	m.marked, m.from, m.to = f, from, to
}

// keep remembers a chunk that was read in full, if one string is all it carries.
func (m *memo) keep(data []byte, c *chunk) {
	calls := 0
	if m.marked == fieldArgs {
		calls = 1
	}
	if m.marks != 1 || len(c.calls) != calls {
		return
	}
	if m.field = m.marked; calls == 1 {
		m.index = c.calls[0].index
	}
	m.head = append(m.head[:0], data[:m.from]...)
	m.tail = append(m.tail[:0], data[m.to:]...)
}

// recall reads a chunk that is like the remembered one.
func (m *memo) recall(data []byte, c *chunk) bool {
	if m.field == 0 || len(data) < len(m.head)+len(m.tail)+2 || !bytes.HasPrefix(data, m.head) || !bytes.HasSuffix(data, m.tail) {
		return false
	}
	text, err := jsonx.Unquote(data[len(m.head) : len(data)-len(m.tail)])
	if err != nil || text == "" {
		return false
	}
	c.found = true
	switch text = httpmodel.ValidText(text); m.field {
	case fieldText:
		c.text = text
	case fieldReasoning:
		c.reasoning = text
	case fieldArgs:
		c.calls = append(c.calls, callDelta{index: m.index, args: text})
	}
	return true
}
