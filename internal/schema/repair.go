package schema

import (
	"encoding/json"
	"strings"

	"github.com/kaptinlin/jsonrepair"
)

// Limits for JSON written by a model.
const (
	maxDepth = 64
	// the repairer takes quadratic time on some texts: 4 s for 64 KiB, a quarter of a second for
	// this
	maxRepairBytes = 16 << 10
)

// Parse returns the JSON value written by a model, trimmed and repaired if needed. The result
// passes Check. The error is worded for a model: it names the problem in the original text, not in
// the repaired one.
func Parse(raw string) (json.RawMessage, error) {
	raw = strings.TrimSpace(raw)
	err := Check([]byte(raw), maxDepth)
	if err == nil {
		return json.RawMessage(raw), nil
	}
	repaired, ok := repair(raw)
	if !ok || Check([]byte(repaired), maxDepth) != nil {
		return nil, err
	}
	return json.RawMessage(strings.TrimSpace(repaired)), nil
}

// repair fixes common mistakes of models: single quotes, trailing commas, missing brackets, a
// surrounding code fence. It does not invent content. The repairer is recursive and made for small
// texts, so it only gets texts that are short and not nested too deep.
func repair(raw string) (repaired string, ok bool) {
	if len(raw) > maxRepairBytes || openBrackets(raw) > 2*maxDepth || cutOff(raw) {
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

// openBrackets returns the maximum nesting of brackets in s, including those in strings: in broken
// JSON the end of a string is uncertain.
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

// cutOff reports whether s may end inside a value: in a text, a number or a word, or before the
// value of a member or the next member. Closing it there would give half a path or a tenth of an
// amount. If only brackets are missing, nothing is lost.
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
	return !strings.HasSuffix(s, "true") && !strings.HasSuffix(s, "false") && !strings.HasSuffix(s, "null") ||
		endsInText(s)
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
