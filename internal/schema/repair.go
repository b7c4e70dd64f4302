package schema

import (
	"encoding/json"
	"strings"

	"github.com/kaptinlin/jsonrepair"
)

// The bounds of JSON that a model wrote.
const (
	MaxDepth = 64
	// the repairer takes quadratic time on some texts: 4 s for 64 KiB, a quarter of a second for
	// this
	maxRepairBytes = 16 << 10
)

// Parse returns the JSON value that a model wrote, without the blanks around it, repaired if need
// be. The result is within the bounds of Check and MaxDepth. The error is in words for a model: it
// names the problem in what the model wrote, not the one that repairing ran into.
func Parse(raw string) (json.RawMessage, error) {
	limits := Bounds{Depth: MaxDepth}
	raw = strings.TrimSpace(raw)
	err := Check([]byte(raw), limits)
	if err == nil {
		return json.RawMessage(raw), nil
	}
	repaired, ok := repair(raw)
	if !ok || Check([]byte(repaired), limits) != nil {
		return nil, err
	}
	return json.RawMessage(strings.TrimSpace(repaired)), nil
}

// repair mends what models get wrong: single quotes, trailing commas, missing brackets, a code
// fence around it. It does not guess what was never written. The repairer is recursive and made for
// small texts, so it is only given those that are short and not nested absurdly deep.
func repair(raw string) (repaired string, ok bool) {
	if len(raw) > maxRepairBytes || openBrackets(raw) > 2*MaxDepth || cutOff(raw) {
		return "", false
	}
	defer func() {
		if recover() != nil {
			repaired, ok = "", false
		}
	}()
	repaired, err := jsonrepair.JSONRepair(raw)
	return repaired, err == nil && strings.TrimSpace(repaired) != ""
}

// openBrackets is how deep the brackets of s nest at most, not looking at strings: in broken JSON
// nobody knows where one ends.
func openBrackets(s string) int {
	open, deepest := 0, 0
	for i := range len(s) {
		switch s[i] {
		case '{', '[':
			open++
			deepest = max(deepest, open)
		case '}', ']':
			open = max(0, open-1)
		}
	}
	return deepest
}

// cutOff reports whether s ends within a value that may have gone on: in a text, a number or a
// word, or before the value of a member or the next one. Closing it there would make half a path or
// a tenth of an amount. If only brackets are missing, nothing is lost.
func cutOff(s string) bool {
	if s == "" || s[0] != '{' && s[0] != '[' {
		return false
	}
	last := s[len(s)-1]
	switch {
	case strings.IndexByte("]}`);", last) >= 0:
		return false
	case last == '"' || last == '\'':
		return endsInText(s)
	}
	return !strings.HasSuffix(s, "true") && !strings.HasSuffix(s, "false") && !strings.HasSuffix(s, "null") || endsInText(s)
}

// endsInText reports whether a quote is still open at the end of s.
func endsInText(s string) bool {
	var quote byte // 0 outside of text
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c == '\\':
			i++
		case quote == 0 && (c == '"' || c == '\''):
			quote = c
		case c == quote:
			quote = 0
		}
	}
	return quote != 0
}
