package httptool

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
)

// pointer is a JSON pointer (RFC 6901), unescaped.
type pointer []string

func parsePointer(s string) (pointer, error) {
	if s == "" {
		return nil, nil
	}
	if s[0] != '/' {
		return nil, fmt.Errorf("%q is no JSON pointer: it begins with / as in /data/items", s)
	}
	tokens := strings.Split(s[1:], "/")
	for i, token := range tokens {
		if strings.Contains(strings.NewReplacer("~0", "", "~1", "").Replace(token), "~") {
			return nil, fmt.Errorf("%q is no JSON pointer: ~ is written ~0, and / within a name ~1", s)
		}
		tokens[i] = strings.ReplaceAll(strings.ReplaceAll(token, "~1", "/"), "~0", "~")
	}
	return tokens, nil
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
