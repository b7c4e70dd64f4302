package schema

import (
	"bytes"
	"encoding/json"
	"slices"

	"github.com/pageside/pageside/internal/jsonx"
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
	if err := checkSchema(raw); err != nil {
		return nil, err
	}
	return closeObject(raw, true), nil
}

// together are the keywords by which a schema takes members from other schemas.
var together = []string{"allOf", "anyOf", "oneOf", "if", "then", "else", "dependentSchemas", "$ref"}

// closeObject closes a schema. Anything else is returned as it is.
func closeObject(v json.RawMessage, top bool) json.RawMessage {
	has := map[string]bool{}
	inside := func(_ string, each json.RawMessage) json.RawMessage { return closeObject(each, false) }
	out := rewrite(v, jsonx.Object, func(name string, value json.RawMessage) json.RawMessage {
		has[name] = true
		switch name {
		case "properties", "patternProperties":
			return rewrite(value, jsonx.Object, inside)
		case "prefixItems":
			return rewrite(value, jsonx.Array, inside)
		case "items", "additionalProperties":
			return closeObject(value, false)
		}
		return value
	})
	if jsonx.KindOf(v) != jsonx.Object || has["additionalProperties"] || has["unevaluatedProperties"] ||
		!top && !has["properties"] && !has["$ref"] {
		return out
	}
	keyword := "additionalProperties"
	if slices.ContainsFunc(together, func(name string) bool { return has[name] }) {
		keyword = "unevaluatedProperties"
	}
	comma := ","
	if len(has) == 0 {
		comma = ""
	}
	return append(out[:len(out)-1], comma+`"`+keyword+`":false}`...)
}

// rewrite changes the members of an object or the elements of a list. It returns other values as
// they are.
func rewrite(
	v json.RawMessage, kind jsonx.Kind, change func(name string, value json.RawMessage) json.RawMessage,
) json.RawMessage {
	d := jsonx.Decoder{Data: v}
	if d.Kind() != kind {
		return v
	}
	out := json.RawMessage{v[d.Pos]}
	for d.Enter(); d.More(); {
		if len(out) > 1 {
			out = append(out, ',')
		}
		name := ""
		if kind == jsonx.Object {
			name = string(d.Key(nil))
			out = append(jsonx.AppendString(out, name), ':')
		}
		out = append(out, change(name, d.Raw())...)
	}
	return append(out, out[0]+2) // } is two after {, ] two after [
}
