package tool

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/pageside/pageside/internal/schema"
)

// maxArgsBytes bounds the arguments a model may write.
const maxArgsBytes = 256 << 10

// ParseArgs reads the arguments that a model wrote for a call. An empty text is {}; broken JSON is
// repaired where that is possible; the result is validated against the schema. ParseArgs returns a
// JSON object. Its error, an *Error with CodeInvalidArgs, names the path and what was expected
// there.
func ParseArgs(raw string, s *Schema) (json.RawMessage, error) {
	if strings.TrimSpace(raw) == "" {
		raw = "{}"
	}
	if len(raw) > maxArgsBytes {
		return nil, invalidArgs(fmt.Errorf("they have %d bytes, at most %d are allowed", len(raw), maxArgsBytes))
	}
	args, err := schema.Parse(raw)
	if err != nil {
		return nil, invalidArgs(fmt.Errorf("they are not valid JSON: %w", err))
	}
	if args[0] != '{' {
		return nil, invalidArgs(errors.New("they must be a JSON object"))
	}
	if err := s.Validate(args); err != nil {
		return nil, invalidArgs(err)
	}
	return args, nil
}

// RepairArgs returns the repaired form of the arguments that a model wrote, as the tool got them,
// or "" where they cannot be repaired.
func RepairArgs(raw string) string {
	if strings.TrimSpace(raw) == "" {
		return "{}"
	}
	args, err := schema.Parse(raw)
	if err != nil || args[0] != '{' {
		return ""
	}
	return string(args)
}

func invalidArgs(err error) *Error {
	return &Error{
		Code: CodeInvalidArgs, Message: "the arguments are invalid: " + err.Error(), Retryable: true,
		Hint: "Correct the arguments so that they match the tool's schema, and call it again.",
	}
}
