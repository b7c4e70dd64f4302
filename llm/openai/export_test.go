package openai

import (
	"fmt"
	"strings"
)

// AddressOf is where a model's calls go, and with which credential.
func AddressOf(m *Model) string {
	key := ""
	if m.client.Key != "" {
		key = "Bearer " + m.client.Key
	}
	return strings.TrimSuffix(strings.TrimSuffix(m.client.URL, "/chat/completions"), "/responses") + " " + key
}

// UsesResponses reports which API a model is called by.
func UsesResponses(m *Model) bool { return strings.HasSuffix(m.client.URL, "/responses") }

// DecodeEventAfter reads an event with a decoder that has read others before, and with a new one.
func DecodeEventAfter(before [][]byte, data []byte) (used, fresh string) {
	var u, f events
	for _, b := range before {
		_ = u.decode(b)
	}
	said := func(e *events) string {
		err := e.decode(data)
		return fmt.Sprintf("%s %d %d %q %v", e.Type, e.Index, e.part(), e.Delta.Said, err != nil)
	}
	return said(&u), said(&f)
}

// DecodeAfter reads a chunk with a decoder that has read others before, and with a new one.
func DecodeAfter(before [][]byte, data []byte) (used, fresh string) {
	var u, f chunk
	for _, b := range before {
		_ = u.decode(b)
	}
	return saidBy(&u, u.decode(data)), saidBy(&f, f.decode(data))
}

func saidBy(c *chunk, err error) string {
	return fmt.Sprintf("%v %q %q %q %+v %q %v %v %v", c.found, c.text, c.reasoning, c.details, c.calls, c.finish, c.usage != nil, c.failure != nil, err != nil)
}
