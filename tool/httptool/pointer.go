package httptool

import (
	"encoding/json"

	"fmt"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"
)

// checkPointer returns why a text is no JSON pointer (RFC 6901).
func checkPointer(s string) error {
	switch {
	case s != "" && s[0] != '/':
		return fmt.Errorf("%q is no JSON pointer: it begins with / as in /data/items", s)
	case !jsontext.Pointer(s).IsValid():
		return fmt.Errorf("%q is no JSON pointer: ~ is written ~0, and / within a name ~1", s)
	}
	return nil
}

// find returns what a JSON pointer points to, as it is written there.
func find(doc json.RawMessage, pointer string) (json.RawMessage, bool) {
	for token := range jsontext.Pointer(pointer).Tokens() {
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
