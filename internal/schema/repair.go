package schema

import (
	"encoding/json"
	"strings"

	"github.com/kaptinlin/jsonrepair"
)

// The bounds of JSON that a model wrote.
const (
	MaxDepth       = 64
	maxRepairBytes = 16 << 10 // the repairer takes quadratic time on some texts: 4 s for 64 KiB, a quarter of a second for this
)

// Parse returns the JSON value that a model wrote, without the blanks around it, or what it can be repaired to. What comes back is
// within the bounds of Check and MaxDepth. The error is in words for a model: it tells the problem the model made, not the one
// repairing ran into.
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

// repair mends what models get wrong: single quotes, trailing commas, missing brackets, a code fence around it.
// The repairer is recursive and made for small texts, so it is only given those that are short and not nested absurdly deep.
func repair(raw string) (repaired string, ok bool) {
	if len(raw) > maxRepairBytes || openBrackets(raw) > 2*MaxDepth {
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

// openBrackets is how deep the brackets of s nest at most, not looking at strings: in broken JSON nobody knows where one ends.
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
