package payload

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/pageside/pageside/agui"
	"github.com/pageside/pageside/internal/jsonx"
	"github.com/pageside/pageside/internal/schema"
)

// Source is the origin of payloads of a type.
type Source string

// Sources. The default is FromTool.
const (
	FromTool Source = agui.SourceTool // returned by a tool with its text
	// written by the model, after a marker or as the arguments of a generated tool
	FromLLM Source = agui.SourceLLM
)

// Type defines one kind of payload: typed data shown as a card. Pages refer to it by name. A
// Registry keeps its own copy: later changes have no effect.
type Type struct {
	Name        string // ^[a-zA-Z0-9_-]{1,64}$; the AG-UI activityType of its cards
	Description string // one sentence, for the model and for people
	Source      Source
	Global      bool // available on every page
	// precedes the JSON in the model's text; default: the name in capitals and a colon. Of one that
	// ends with a colon, other spellings are found too
	Marker       string
	Schema       json.RawMessage // a JSON Schema of the data; nil accepts any object
	Instructions string          // for the model: when to use it, with an example

	// Parse, if set, converts the parsed JSON to the card's data, before the schema check.
	Parse func(json.RawMessage) (json.RawMessage, error)

	schema *schema.Schema // Schema compiled; set by NewRegistry
}

// Declaration returns the schema for the model, or nil if any object is accepted. The type must
// come from a Registry.
func (t *Type) Declaration() json.RawMessage {
	if t.schema == nil {
		return nil
	}
	return t.schema.Declaration()
}

// Strict reports whether every provider can hold a model to the schema of the type, which must come
// from a Registry.
func (t *Type) Strict() bool { return t.schema.Strict() }

// MaxBytes is the maximum size of a payload's JSON.
const MaxBytes = 256 << 10

// maxDepth is the maximum nesting of a payload: its event may nest 64 levels, and so may a client's
// copy of the message.
const maxDepth = 48

// Read returns the data of a payload written by a model: parsed, repaired if possible, converted by
// the type's parser, checked against its schema. The type must come from a Registry. The error is
// worded for the model.
func (t *Type) Read(written string) (json.RawMessage, error) {
	if len(written) > MaxBytes {
		return nil, ErrTooLarge
	}
	data, err := schema.Parse(written)
	if err != nil {
		return nil, fmt.Errorf("it is not valid JSON: %w", err)
	}
	return t.finish(data)
}

// Encode returns the data of a payload returned by a tool: anything that encoding/json marshals to
// an object. The type must come from a Registry.
func (t *Type) Encode(v any) (json.RawMessage, error) {
	data, err := json.Marshal(v)
	if err != nil {
		return nil, fmt.Errorf("it cannot be written as JSON: %w", err)
	}
	if len(data) > MaxBytes {
		return nil, ErrTooLarge
	}
	if err := schema.Check(data, maxDepth); err != nil {
		return nil, fmt.Errorf("it cannot be shown: %w", err)
	}
	return t.finish(data)
}

// finish passes valid JSON through the type's parser and schema.
func (t *Type) finish(data json.RawMessage) (json.RawMessage, error) {
	if t.Parse != nil {
		parsed, err := t.parse(data)
		if err != nil {
			return nil, err
		}
		data = parsed
	}
	if jsonx.KindOf(data) != jsonx.Object {
		return nil, errors.New("it must be an object")
	}
	// Last, because a parser may have made what no model could write.
	if err := jsonx.Validate(data, jsonx.Limits{MaxBytes: MaxBytes, MaxDepth: maxDepth, Keys: true}); err != nil {
		return nil, fmt.Errorf("it cannot be shown: %w", err)
	}
	if err := t.schema.Validate(data); err != nil {
		return nil, err
	}
	// Compact, so that storing and reading it again changes neither it nor any later prompt.
	var compact bytes.Buffer
	if err := json.Compact(&compact, data); err != nil {
		return nil, err
	}
	return compact.Bytes(), nil
}

// parse runs the type's own parser: a panic costs one card, not the run.
func (t *Type) parse(data json.RawMessage) (parsed json.RawMessage, err error) {
	defer func() {
		if p := recover(); p != nil {
			parsed, err = nil, fmt.Errorf("payload %q: its parser failed: %v", t.Name, p)
		}
	}()
	parsed, err = t.Parse(data)
	if err == nil && len(parsed) == 0 {
		err = errors.New("it holds nothing")
	}
	return parsed, err
}
