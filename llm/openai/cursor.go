package openai

import (
	"bytes"

	"github.com/pageside/pageside/internal/jsonx"
	"github.com/pageside/pageside/llm/httpmodel"
)

// cursor walks one JSON text that may be anything. The first surprise sets bad, after which nothing
// more is found; whoever walks gives up then and leaves the text to encoding/json.
type cursor struct {
	data []byte
	pos  int
	bad  bool
}

// peek returns the next byte after white space, 0 at the end.
func (c *cursor) peek() byte {
	for c.pos < len(c.data) {
		switch b := c.data[c.pos]; b {
		case ' ', '\n', '\r', '\t':
			c.pos++
		default:
			return b
		}
	}
	return 0
}

func (c *cursor) open(bracket byte) {
	if c.peek() != bracket {
		c.bad = true
		return
	}
	c.pos++
}

// more steps to item i of an object or array; it reports false at the closing bracket, which it
// consumes.
func (c *cursor) more(closing byte, i int) bool {
	b := c.peek()
	if c.bad || b == closing {
		c.pos++
		return false
	}
	if i > 0 {
		if b != ',' {
			c.bad = true
			return false
		}
		c.pos++
	}
	return true
}

// key returns the next key as it stands between its quotes.
func (c *cursor) key() []byte {
	raw := c.str()
	if c.peek() != ':' || c.bad {
		c.bad = true
		return nil
	}
	c.pos++
	return raw[1 : len(raw)-1]
}

// str returns the next string, quotes included.
func (c *cursor) str() []byte {
	if c.peek() != '"' {
		c.bad = true
		return nil
	}
	for start, i := c.pos, c.pos+1; i < len(c.data); i++ {
		switch c.data[i] {
		case '"':
			c.pos = i + 1
			return c.data[start:c.pos]
		case '\\':
			i++
		}
	}
	c.bad = true
	return nil
}

// text returns the text of the next value: a string, or null, which is no text. Anything else is
// bad. A text that is not empty is marked in m.
func (c *cursor) text(m *memo, f field) string {
	if c.null() {
		return ""
	}
	raw := c.str()
	if len(raw) <= 2 {
		return ""
	}
	m.mark(f, c.pos-len(raw), c.pos)
	text, err := jsonx.Unquote(raw)
	c.bad = c.bad || err != nil
	return httpmodel.ValidText(text)
}

// null consumes a null and reports whether there was one.
func (c *cursor) null() bool {
	if c.peek() == 'n' && bytes.HasPrefix(c.data[c.pos:], []byte("null")) {
		c.pos += len("null")
		return true
	}
	return false
}

// small returns a number of up to six digits.
func (c *cursor) small() (n int) {
	c.peek()
	start := c.pos
	for c.pos < len(c.data) && c.pos-start < 6 && c.data[c.pos]-'0' <= 9 {
		n = n*10 + int(c.data[c.pos]-'0')
		c.pos++
	}
	c.bad = c.bad || c.pos == start
	return n
}

// skip steps over any value.
func (c *cursor) skip() {
	switch b := c.peek(); {
	case b == '"':
		c.str()
	case b == '{' || b == '[':
		c.skipNested()
	default:
		start := c.pos
		for c.pos < len(c.data) && !bytes.ContainsRune([]byte(",]} \t\r\n"), rune(c.data[c.pos])) {
			c.pos++
		}
		c.bad = c.bad || c.pos == start
	}
}

func (c *cursor) skipNested() {
	for depth := 0; c.pos < len(c.data) && !c.bad; {
		switch c.data[c.pos] {
		case '"':
			c.str()
			continue
		case '{', '[':
			depth++
		case '}', ']':
			depth--
		}
		if c.pos++; depth == 0 {
			return
		}
	}
	c.bad = true
}

// end reports whether everything was as expected to the last byte.
func (c *cursor) end() bool { return c.peek() == 0 && c.pos >= len(c.data) && !c.bad }
