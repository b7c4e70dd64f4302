package anthropic

import (
	"bytes"

	"github.com/pageside/pageside/internal/jsonx"
	"github.com/pageside/pageside/llm"
)

// memo remembers the last delta: those of a block differ in one string alone, and in the blanks
// behind it. Where the bytes before the string are the same and nothing but the end follows it, so
// is everything they say.
type memo struct {
	block *block // nil where nothing is remembered
	kind  llm.PartKind
	head  []byte
}

// keep remembers a delta whose last value is the string raw under the key field.
func (m *memo) keep(data, raw []byte, field string, b *block, kind llm.PartKind) {
	at := bytes.LastIndex(data, raw)
	if at < 0 || !isEnd(data[at+len(raw):]) || !bytes.HasSuffix(data[:at], []byte(`"`+field+`":`)) {
		m.block = nil
		return
	}
	m.block, m.kind = b, kind
	m.head = append(m.head[:0], data[:at]...)
}

// recall returns the string of a delta that is like the remembered one, nil where it is not.
func (m *memo) recall(data []byte) []byte {
	if m.block == nil || !bytes.HasPrefix(data, m.head) {
		return nil
	}
	rest := jsonx.Decoder{Data: data[len(m.head):]}
	if len(rest.Data) == 0 || rest.Data[0] != '"' {
		return nil
	}
	raw := rest.Raw()
	if len(raw) < 2 || raw[len(raw)-1] != '"' || !isEnd(rest.Data[rest.Pos:]) {
		return nil
	}
	return raw
}

// isEnd reports whether nothing but the ends of the delta and the event are left.
func isEnd(rest []byte) bool {
	closed := 0
	for _, b := range rest {
		switch b {
		case ' ':
		case '}':
			closed++
		default:
			return false
		}
	}
	return closed == 2
}
