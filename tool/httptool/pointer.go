package httptool

import (
	"encoding/json"
	"slices"

	"fmt"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"
)

// pointer is a JSON pointer (RFC 6901), unescaped.
type pointer []string

func (p *pointer) parse(s string) error {
	given := jsontext.Pointer(s)
	switch {
	case s != "" && s[0] != '/':
		return fmt.Errorf("%q is no JSON pointer: it begins with / as in /data/items", s)
	case !given.IsValid():
		return fmt.Errorf("%q is no JSON pointer: ~ is written ~0, and / within a name ~1", s)
	}
	*p = slices.Collect(given.Tokens())
	return nil
}

// find returns what the pointer points to, as it is written there.
func (p pointer) find(doc json.RawMessage) (json.RawMessage, bool) {
	for _, token := range p {
		next, ok := child(doc, token)
		if !ok {
			return nil, false
		}
		doc = next
	}
	return doc, true
}

func child(doc json.RawMessage, token string) (json.RawMessage, bool) {
	var object map[string]json.RawMessage
	if json.Unmarshal(doc, &object) == nil {
		value, ok := object[token]
		return value, ok
	}
	var list []json.RawMessage
	if json.Unmarshal(doc, &list) != nil {
		return nil, false
	}
	i, err := strconv.Atoi(token)
	if err != nil || i < 0 || i >= len(list) || strconv.Itoa(i) != token {
		return nil, false
	}
	return list[i], true
}
