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

// DecodeEventFast reads an event by hand; ok is false where it leaves it to encoding/json.
func DecodeEventFast(data []byte) (said string, ok bool) {
	var e event
	ok = e.fast(data)
	return fmt.Sprintf("%s %d %d %q", e.kind, e.index, e.part, e.delta), ok
}

// DecodeEventSlow reads an event with encoding/json.
func DecodeEventSlow(data []byte) (said string, ok bool) {
	var e event
	ok = e.slow(data) == nil
	return fmt.Sprintf("%s %d %d %q", e.kind, e.index, e.part, e.delta), ok
}

// DecodeFast reads a chunk by hand; ok is false where it leaves it to encoding/json.
func DecodeFast(data []byte) (text, reasoning string, calls int, ok bool) {
	c := chunk{}
	ok = c.fast(data)
	return c.text, c.reasoning, len(c.calls), ok
}

// DecodeSlow reads a chunk with encoding/json.
func DecodeSlow(data []byte) (text, reasoning string, calls int, finish string, ok bool) {
	c := chunk{}
	err := c.slow(data)
	return c.text, c.reasoning, len(c.calls), c.finish, err == nil && c.failure == nil && c.usage == nil
}

// DecodeAfter reads a chunk with a decoder that has read others before, and with a new one.
func DecodeAfter(before [][]byte, data []byte) (used, fresh string) {
	var u, f chunk
	for _, b := range before {
		_ = u.decode(b)
	}
	return said(&u, u.decode(data)), said(&f, f.decode(data))
}

func said(c *chunk, err error) string {
	return fmt.Sprintf("%v %q %q %q %+v %q %v %v %v", c.found, c.text, c.reasoning, c.details, c.calls, c.finish, c.usage != nil, c.failure != nil, err != nil)
}
