package schema

import (
	"bytes"
	"encoding/json"
	"fmt"

	"github.com/go-json-experiment/json/jsontext"
)

// Closed returns the schema of an object such that members it does not declare are refused, at the
// top and in the objects it describes, except where it says so itself (additionalProperties,
// unevaluatedProperties). The order of its members stays. An object without properties inside of it
// is free-form: its members are not declared, and not refused.
//
// Schemas that are put together (allOf, $ref, …) are closed by unevaluatedProperties, which
// draft-07 does not know.
func Closed(raw json.RawMessage) (json.RawMessage, error) {
	if len(bytes.TrimSpace(raw)) == 0 || string(bytes.TrimSpace(raw)) == "null" {
		return json.RawMessage(`{"type":"object","properties":{},"additionalProperties":false}`), nil
	}
	if err := Check(raw, Bounds{Depth: maxSchemaDepth, Values: maxSchemaNodes}); err != nil {
		return nil, fmt.Errorf("the schema cannot be used: %w", err)
	}
	out, err := closeObject(jsontext.Value(raw), true)
	return json.RawMessage(out), err
}

// together are the keywords by which a schema takes members from other schemas.
var together = []string{"allOf", "anyOf", "oneOf", "if", "then", "else", "dependentSchemas", "$ref"}

// closeObject closes a schema. Anything else is returned as it is.
func closeObject(v jsontext.Value, top bool) (jsontext.Value, error) {
	has := map[string]bool{}
	out, err := rewrite(v, '{', func(name string, value jsontext.Value) (jsontext.Value, error) {
		has[name] = true
		switch name {
		case "properties", "patternProperties":
			return rewrite(value, '{', func(_ string, each jsontext.Value) (jsontext.Value, error) {
				return closeObject(each, false)
			})
		case "prefixItems":
			return rewrite(value, '[', func(_ string, each jsontext.Value) (jsontext.Value, error) {
				return closeObject(each, false)
			})
		case "items", "additionalProperties":
			return closeObject(value, false)
		}
		return value, nil
	})
	if err != nil || v.Kind() != '{' || has["additionalProperties"] || has["unevaluatedProperties"] ||
		!top && !has["properties"] && !has["$ref"] {
		return out, err
	}
	keyword := "additionalProperties"
	for _, name := range together {
		if has[name] {
			keyword = "unevaluatedProperties"
		}
	}
	comma := ","
	if len(has) == 0 {
		comma = ""
	}
	return append(out[:len(out)-1], comma+`"`+keyword+`":false}`...), nil
}

// rewrite changes the members of an object or the elements of a list. It returns other values as
// they are.
func rewrite(
	v jsontext.Value, kind jsontext.Kind,
	change func(name string, value jsontext.Value) (jsontext.Value, error),
) (jsontext.Value, error) {
	if v.Kind() != kind {
		return v, nil
	}
	d := jsontext.NewDecoder(bytes.NewReader(v))
	if _, err := d.ReadToken(); err != nil {
		return nil, err
	}
	out := jsontext.Value{byte(kind)}
	for d.PeekKind() != '}' && d.PeekKind() != ']' {
		if len(out) > 1 {
			out = append(out, ',')
		}
		name := ""
		if kind == '{' {
			token, err := d.ReadToken()
			if err != nil {
				return nil, err
			}
			name = token.String()
			if out, err = jsontext.AppendQuote(out, name); err != nil {
				return nil, err
			}
			out = append(out, ':')
		}
		value, err := d.ReadValue()
		if err != nil {
			return nil, err
		}
		if value, err = change(name, value.Clone()); err != nil {
			return nil, err
		}
		out = append(out, value...)
	}
	return append(out, byte(kind)+2), nil // } is two after {, ] two after [
}
