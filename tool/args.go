package tool

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/kaptinlin/jsonrepair"
)

// The bounds of the arguments a model may write.
const (
	maxArgsBytes   = 256 << 10
	maxArgsDepth   = 64
	maxRepairBytes = 16 << 10 // the repairer takes quadratic time on some texts: 4 s for 64 KiB, a quarter of a second for this
)

// ParseArgs reads the arguments a model wrote for a call: nothing is {}, broken JSON is repaired where that is possible, and the
// result is validated against the schema. What comes back is a JSON object. The error, an *Error with CodeInvalidArgs, names the
// path and what was expected there.
func ParseArgs(raw string, schema *Schema) (json.RawMessage, error) {
	if strings.TrimSpace(raw) == "" {
		raw = "{}"
	}
	if len(raw) > maxArgsBytes {
		return nil, invalidArgs(fmt.Errorf("they have %d bytes, at most %d are allowed", len(raw), maxArgsBytes))
	}
	args, err := parseOrRepair(raw)
	if err != nil {
		return nil, invalidArgs(fmt.Errorf("they are not valid JSON: %w", err))
	}
	if args[0] != '{' {
		return nil, invalidArgs(errors.New("they must be a JSON object"))
	}
	if err := schema.Validate(args); err != nil {
		return nil, invalidArgs(err)
	}
	return args, nil
}

func invalidArgs(err error) *Error {
	return &Error{
		Code: CodeInvalidArgs, Message: "the arguments are invalid: " + err.Error(), Retryable: true,
		Hint: "Correct the arguments so that they match the tool's schema, and call it again.",
	}
}

// parseOrRepair returns raw, or what it can be repaired to, without the blanks around it.
func parseOrRepair(raw string) (json.RawMessage, error) {
	limits := bounds{depth: maxArgsDepth}
	raw = strings.TrimSpace(raw)
	err := checkJSON([]byte(raw), limits)
	if err == nil {
		return json.RawMessage(raw), nil
	}
	repaired, ok := repair(raw)
	if !ok || checkJSON([]byte(repaired), limits) != nil {
		return nil, err // the problem the model made, not the one repairing ran into
	}
	return json.RawMessage(strings.TrimSpace(repaired)), nil
}

// repair mends what models get wrong: single quotes, trailing commas, missing brackets, a code fence around it.
// The repairer is recursive and made for small texts, so it is only given those that are short and not nested absurdly deep.
func repair(raw string) (repaired string, ok bool) {
	if len(raw) > maxRepairBytes || openBrackets(raw) > 2*maxArgsDepth {
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
