package schema

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"sync"

	lru "github.com/hashicorp/golang-lru/v2"

	"github.com/pageside/pageside/internal/jsonx"
)

// Schema is a compiled JSON Schema of an object: a tool's arguments or a payload's data. Immutable
// and safe for concurrent use. A nil *Schema accepts any object.
type Schema struct {
	compiled *node
	tracks   bool
	declared json.RawMessage
	strict   bool
}

// Declaration returns the schema for a model, with the type "object" that providers require and
// clients omit. nil accepts any object. The caller must not change it.
func (s *Schema) Declaration() json.RawMessage { return s.declared }

// Compile checks and compiles the schema of an object, ours or a client's. nil or null accepts any
// object. It refuses what could keep a validator busy: more than 16 KiB, 32 levels or 1,000 objects
// and arrays, references that leave the schema or are circular, and more than 2,000 nodes after
// expanding references. It opens no files or URLs.
//
// Patterns that Go's regular expressions cannot express (look-ahead, back-references), and those
// that expand to thousands of steps, are not checked: a browser that declared one checks it itself.
// Compiled schemas are cached, since a client may send its tools with every run.
func Compile(raw json.RawMessage) (*Schema, error) {
	if len(raw) == 0 || string(raw) == "null" {
		return anyObject(), nil
	}
	if len(raw) > maxSchemaBytes {
		return nil, fmt.Errorf("a schema of %d bytes is too large: at most %d", len(raw), maxSchemaBytes)
	}
	if s, ok := compiledSchemas.Get(string(raw)); ok {
		return s, nil
	}
	s, err := compile(raw)
	if err == nil {
		compiledSchemas.Add(string(raw), s)
	}
	return s, err
}

// compiledSchemas are those used last, by text: about 100 MB of clients' schemas in the worst case,
// usually a few MB.
var compiledSchemas, _ = lru.New[string, *Schema](512) // fails for no size only

// anyObject accepts any object: a model that sees no arguments sends {} or something harmless.
var anyObject = sync.OnceValue(func() *Schema { return &Schema{} })

func compile(raw json.RawMessage) (*Schema, error) {
	if err := checkSchema(raw); err != nil {
		return nil, err
	}
	doc, err := jsonx.Value(raw, nil)
	if err != nil {
		return nil, fmt.Errorf("the schema cannot be used: %w", err)
	}
	root, ok := doc.(map[string]any)
	if !ok {
		return nil, errors.New("the schema must be a JSON object")
	}
	if err := lint(root); err != nil {
		return nil, fmt.Errorf("the schema cannot be used: %w", err)
	}
	_, typed := root["type"]
	n, tracks, err := compileNode(root)
	if err != nil {
		return nil, fmt.Errorf("the schema is not valid: %w", err)
	}
	return &Schema{n, tracks, declaration(raw, typed), isStrict(root)}, nil
}

// declaration returns a copy of the schema, with a type if it has none.
func declaration(raw json.RawMessage, typed bool) json.RawMessage {
	text := bytes.TrimSpace(raw)
	if typed {
		return bytes.Clone(text)
	}
	rest := bytes.TrimSpace(text[1:])
	if string(rest) == "}" {
		return json.RawMessage(`{"type":"object","properties":{}}`)
	}
	return append(json.RawMessage(`{"type":"object",`), rest...)
}

// Validate returns an error if raw, which must be JSON, does not match the schema: it lists at most
// a handful of problems with path, expected and found value, worded for a model.
func (s *Schema) Validate(raw json.RawMessage) error {
	if s == nil || s.compiled == nil {
		return nil
	}
	v, err := jsonx.Value(raw, nil)
	if err != nil {
		return err
	}
	work := maxWork
	whole := &attempt{tracks: s.tracks, work: &work}
	switch whole.inside(s.compiled, v, outside); {
	case work < 0:
		return errors.New("$: is too large for what its schema checks")
	case !whole.ok():
		return errors.New(explain(whole.problems))
	}
	return nil
}
