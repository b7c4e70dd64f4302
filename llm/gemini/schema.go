package gemini

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"

	"github.com/pageside/pageside/internal/jsonx"
	"github.com/pageside/pageside/llm/httpmodel"
)

const maxSchemaDepth = 32 // the API stops at a hundred brackets, two of which are a level

// cutSchema returns what the API takes of a tool's schema; nil where the tool takes no arguments.
func cutSchema(schema []byte) []byte {
	if !json.Valid(schema) {
		return nil
	}
	if jsonx.Find(schema, "$ref") == nil && isEmptyObject(jsonx.Find(schema, "properties")) &&
		jsonx.Find(schema, "anyOf") == nil &&
		jsonx.Find(schema, "oneOf") == nil && jsonx.Find(schema, "allOf") == nil {
		return nil // an object without properties is refused
	}
	return appendSchema(nil, schema, 0)
}

func isEmptyObject(raw []byte) bool {
	d := jsonx.Decoder{Data: raw}
	if d.Kind() != jsonx.Object {
		return true
	}
	d.Enter()
	return !d.More()
}

// keyword returns the name the API has for a keyword and what writes its value, nil where it has
// none (its reference, "responseJsonSchema", lists them for schemas of both kinds). Others are
// refused or ignored depending on the model, and are left out: the arguments are validated against
// the whole schema in any case.
func keyword(key string) (name string, write func(dst, value, schema []byte, depth int) []byte) {
	switch key {
	case "type", "title", "description", "minItems", "maxItems", "minimum", "maximum", "propertyOrdering":
		return key, asIs
	case "format":
		return key, knownFormat
	case "enum":
		return key, enumOf
	case "required":
		return key, requiredOf
	case "items":
		return key, subschema
	case "additionalProperties":
		return key, subschemaOrBool
	case "prefixItems", "anyOf", "oneOf":
		return key, list
	case "properties", "$defs":
		return key, named
	case "$ref":
		return key, reference
	// These go by another name.
	case "definitions":
		return "$defs", named
	case "const":
		return "enum", constOf
	case "allOf":
		return "anyOf", onlyOne
	case "exclusiveMinimum":
		return "minimum", limit
	case "exclusiveMaximum":
		return "maximum", limit
	}
	return key, nil
}

// appendSchema writes what the API takes of a schema, its keywords in their order.
func appendSchema(dst, schema []byte, depth int) []byte {
	d := jsonx.Decoder{Data: schema}
	if d.Kind() != jsonx.Object || depth > maxSchemaDepth {
		return append(dst, `{}`...)
	}
	refers := jsonx.Find(schema, "$ref") != nil
	dst = append(dst, '{')
	start := len(dst)
	for d.Enter(); d.More(); {
		key := string(d.Key(nil))
		value := d.Raw()
		name, write := keyword(key)
		if write == nil || (name != key && jsonx.Find(schema, name) != nil) || (refers && name[0] != '$') {
			continue // nothing may stand beside a reference
		}
		before := len(dst)
		if len(dst) > start {
			dst = append(dst, ',')
		}
		dst = append(jsonx.AppendString(dst, name), ':')
		if written := write(dst, value, schema, depth+1); len(written) > len(dst) {
			dst = written
		} else {
			dst = dst[:before]
		}
	}
	return append(dst, '}')
}

// The functions below write a keyword's value, or nothing where the keyword is to be left out.

func asIs(dst, value, _ []byte, _ int) []byte { return append(dst, value...) }

func subschema(dst, value, _ []byte, depth int) []byte {
	if jsonx.KindOf(value) != jsonx.Object {
		return dst
	}
	return appendSchema(dst, value, depth)
}

func subschemaOrBool(dst, value, schema []byte, depth int) []byte {
	if jsonx.KindOf(value) == jsonx.Bool {
		return append(dst, value...)
	}
	return subschema(dst, value, schema, depth)
}

func list(dst, value, _ []byte, depth int) []byte {
	d := jsonx.Decoder{Data: value}
	if d.Kind() != jsonx.Array {
		return dst
	}
	dst = append(dst, '[')
	d.Enter()
	for i := 0; d.More(); i++ {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = appendSchema(dst, d.Raw(), depth)
	}
	return append(dst, ']')
}

// named leaves out an empty object: the API wants properties to be some.
func named(dst, value, _ []byte, depth int) []byte {
	if isEmptyObject(value) {
		return dst
	}
	d := jsonx.Decoder{Data: value}
	dst = append(dst, '{')
	d.Enter()
	for i := 0; d.More(); i++ {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(jsonx.AppendString(dst, string(d.Key(nil))), ':')
		dst = appendSchema(dst, d.Raw(), depth)
	}
	return append(dst, '}')
}

func reference(dst, value, _ []byte, _ int) []byte {
	return append(dst, bytes.Replace(value, []byte(`"#/definitions/`), []byte(`"#/$defs/`), 1)...)
}

var formats = []string{"date-time", "date", "time", "int32", "int64", "float", "double"}

func knownFormat(dst, value, _ []byte, _ int) []byte {
	if !slices.Contains(formats, strings.Trim(string(value), `"`)) {
		return dst
	}
	return append(dst, value...)
}

func limit(dst, value, _ []byte, _ int) []byte {
	if jsonx.KindOf(value) != jsonx.Number {
		return dst
	}
	return append(dst, value...)
}

// enumOf keeps texts and numbers: the API knows no other values.
func enumOf(dst, value, _ []byte, _ int) []byte {
	return appendItems(dst, value, func(item []byte) bool {
		kind := jsonx.KindOf(item)
		return kind == jsonx.String || kind == jsonx.Number
	})
}

func constOf(dst, value, schema []byte, depth int) []byte {
	return enumOf(dst, slices.Concat([]byte{'['}, value, []byte{']'}), schema, depth)
}

// requiredOf keeps the names that are properties: others are refused.
func requiredOf(dst, value, schema []byte, _ int) []byte {
	properties := jsonx.Find(schema, "properties")
	return appendItems(dst, value, func(item []byte) bool {
		name, err := httpmodel.Text(item)
		return err == nil && jsonx.Find(properties, name) != nil
	})
}

// onlyOne turns an allOf of one schema, as generators write it around a reference, into what says
// the same.
func onlyOne(dst, value, schema []byte, depth int) []byte {
	d := jsonx.Decoder{Data: value}
	if d.Kind() != jsonx.Array {
		return dst
	}
	n := 0
	for d.Enter(); d.More(); d.Skip() {
		n++
	}
	if n != 1 {
		return dst
	}
	return list(dst, value, schema, depth)
}

// appendItems writes the items of a list that are kept; nothing where none is.
func appendItems(dst, value []byte, keep func([]byte) bool) []byte {
	d := jsonx.Decoder{Data: value}
	if d.Kind() != jsonx.Array {
		return dst
	}
	start := len(dst)
	for d.Enter(); d.More(); {
		item := d.Raw()
		if !keep(item) {
			continue
		}
		if len(dst) == start {
			dst = append(dst, '[')
		} else {
			dst = append(dst, ',')
		}
		dst = append(dst, item...)
	}
	if len(dst) > start {
		dst = append(dst, ']')
	}
	return dst
}
