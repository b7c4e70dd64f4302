package schema

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
)

// shape returns what is wrong with the value of a keyword, or nothing.
type shape func(v any) string

// shapes are those of the keywords we use, and of those that others read: what the meta-schemas of
// JSON Schema say. Schemas within schemas are checked when they are compiled.
var shapes = map[string]shape{
	"$ref": ofType("string"), "$comment": ofType("string"), "title": ofType("string"), "description": ofType("string"),
	"format": ofType("string"), "pattern": ofType("string"),
	"contentEncoding": ofType("string"), "contentMediaType": ofType("string"),

	"uniqueItems": ofType("boolean"), "readOnly": ofType("boolean"), "writeOnly": ofType("boolean"),
	"deprecated": ofType("boolean"),

	"maximum": ofType("number"), "minimum": ofType("number"),
	"exclusiveMaximum": ofType("number"), "exclusiveMinimum": ofType("number"), "multipleOf": positive,

	"minLength": count, "maxLength": count, "minItems": count, "maxItems": count, "minContains": count,
	"maxContains": count, "minProperties": count, "maxProperties": count,

	"enum": ofType("array"), "examples": ofType("array"), "required": names, "type": types,
	"allOf": nonempty, "anyOf": nonempty, "oneOf": nonempty, "prefixItems": nonempty,

	"properties": ofType("object"), "patternProperties": ofType("object"), "$defs": ofType("object"),
	"definitions": ofType("object"), "dependentSchemas": ofType("object"),
	"dependencies": each(nil), "dependentRequired": each(names),
}

// checkShapes fails for the first keyword whose value makes no sense.
func (o object) checkShapes() {
	for _, name := range slices.Sorted(maps.Keys(o.values)) {
		check, known := shapes[name]
		if !known {
			continue
		}
		if problem := check(o.values[name]); problem != "" {
			o.c.fail(o.below(name), problem)
		}
	}
}

func ofType(want string) shape {
	return func(v any) string {
		if got := typeName(v); got != want {
			return "expected " + want + ", got " + got
		}
		return ""
	}
}

func count(v any) string {
	if n, ok := v.(json.Number); !ok || !isWhole(n) || rational(n).Sign() < 0 {
		return "must be a whole number, 0 or more"
	}
	return ""
}

func positive(v any) string {
	if n, ok := v.(json.Number); !ok || rational(n).Sign() <= 0 {
		return "must be a number above 0"
	}
	return ""
}

func nonempty(v any) string {
	if list, ok := v.([]any); !ok || len(list) == 0 {
		return "expected array of schemas, at least one"
	}
	return ""
}

// names is the shape of a list of different names.
func names(v any) string {
	list, ok := v.([]any)
	if !ok {
		return "expected array, got " + typeName(v)
	}
	seen := map[any]bool{}
	for _, v := range list {
		name, ok := v.(string)
		if !ok || seen[name] {
			return "expected different strings"
		}
		seen[name] = true
	}
	return ""
}

// each is the shape of an object whose lists are names, and whose other values are as given; nil
// allows any.
func each(other shape) shape {
	return func(v any) string {
		members, ok := v.(map[string]any)
		if !ok {
			return "expected object, got " + typeName(v)
		}
		for _, name := range slices.Sorted(maps.Keys(members)) {
			check := other
			if _, list := members[name].([]any); list {
				check = names
			}
			if check == nil {
				continue
			}
			if problem := check(members[name]); problem != "" {
				return name + ": " + problem
			}
		}
		return ""
	}
}

// typeNames are the types of JSON Schema.
var typeNames = []string{"array", "boolean", "integer", "null", "number", "object", "string"}

func types(v any) string {
	list, ok := v.([]any)
	if !ok {
		list = []any{v}
	}
	if problem := names(list); problem != "" || len(list) == 0 {
		return "expected a type or a list of different types"
	}
	for _, name := range texts(list) {
		if !slices.Contains(typeNames, name) {
			return "must be one of " + strings.Join(typeNames, ", ")
		}
	}
	return ""
}

// typeName returns the JSON type of a decoded value.
func typeName(v any) string {
	switch v.(type) {
	case nil:
		return "null"
	case bool:
		return "boolean"
	case string:
		return "string"
	case json.Number:
		return "number"
	case []any:
		return "array"
	}
	return "object"
}
