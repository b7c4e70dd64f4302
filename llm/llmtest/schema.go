package llmtest

import (
	"encoding/json"
	"maps"
	"regexp"
	"slices"
	"strings"
)

// schemaRules are a provider's extra rules for a tool's schema.
type schemaRules struct {
	property *regexp.Regexp // nil accepts any name
	only     []string       // the known keywords; nil accepts any
	bareRoot bool
	noRefs   bool
}

var keywords = []string{
	"type", "title", "description", "minItems", "maxItems", "minimum", "maximum", "propertyOrdering", "format", "enum", "required", "items",
	"additionalProperties", "prefixItems", "anyOf", "oneOf", "properties", "$defs", "$ref",
}

// checkSchema checks the schema of a tool.
func (r schemaRules) checkSchema(n node) {
	root := n.object()
	if root["type"] != "object" {
		n.refuse(`schema must have type "object"`)
	}
	if _, ok := root["properties"].(map[string]any); !ok {
		n.refuse("object schema missing properties")
	}
	for _, name := range []string{"anyOf", "oneOf", "allOf", "not", "enum", "if", "$ref"} {
		if n.get(name).is() {
			n.refuse("schema must have type 'object' and not have '%s' at the top level", name)
		}
	}
	if r.bareRoot {
		n.only("type", "properties", "required")
	}
	r.schema(n, n, 0)
}

// schema checks a nested schema.
func (r schemaRules) schema(n, root node, depth int) {
	if _, ok := n.value.(bool); ok || depth > 100 {
		n.refuse("must be a schema object")
	}
	for _, name := range slices.Sorted(maps.Keys(n.object())) {
		if r.only != nil && !slices.Contains(r.only, name) {
			n.get(name).refuse("Unknown name")
		}
		r.keyword(name, n.get(name), root, depth)
	}
	kinds := typesOf(n.get("type"))
	if slices.Contains(kinds, "array") {
		if _, ok := n.get("items").value.(map[string]any); !ok {
			n.refuse("array schema missing items")
		}
	}
	properties, ok := n.get("properties").value.(map[string]any)
	for _, name := range n.get("required").list() {
		if ok && properties[name.text()] == nil {
			name.refuse("property %q is not defined", name.text())
		}
	}
}

func (r schemaRules) keyword(name string, v, root node, depth int) {
	switch name {
	case "properties", "$defs", "definitions", "patternProperties", "dependentSchemas":
		for _, key := range slices.Sorted(maps.Keys(v.object())) {
			if name == "properties" && r.property != nil && !r.property.MatchString(key) {
				v.refuse("Property keys should match pattern %s: %q", r.property, key)
			}
			r.schema(v.get(key), root, depth+1)
		}
	case "items", "contains", "not", "if", "then", "else", "propertyNames":
		r.schema(v, root, depth+1)
	case "additionalProperties", "unevaluatedProperties", "unevaluatedItems":
		if _, ok := v.value.(bool); !ok {
			r.schema(v, root, depth+1)
		}
	case "anyOf", "oneOf", "allOf", "prefixItems":
		if len(v.list()) == 0 {
			v.refuse("must not be empty")
		}
		for _, item := range v.list() {
			r.schema(item, root, depth+1)
		}
	case "enum":
		if len(v.list()) == 0 {
			v.refuse("[] is too short")
		}
	case "required":
		for i, item := range v.list() {
			if slices.ContainsFunc(v.list()[:i], func(before node) bool { return before.text() == item.text() }) {
				item.refuse("%q stands there twice", item.text())
			}
		}
	case "$ref":
		r.reference(v, root)
	case "title", "description", "pattern", "format", "$schema", "$id":
		v.text()
	case "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "minLength", "maxLength", "minItems", "maxItems", "multipleOf":
		if _, ok := v.value.(json.Number); !ok {
			v.refuse("must be a number")
		}
	}
}

func typesOf(n node) (kinds []string) {
	if !n.is() {
		return nil
	}
	if _, ok := n.value.(string); ok {
		n = node{[]any{n.value}, n.path}
	}
	if len(n.list()) == 0 {
		n.refuse("must not be empty")
	}
	for _, kind := range n.list() {
		kinds = append(kinds, kind.oneOf("object", "array", "string", "number", "integer", "boolean", "null"))
	}
	return kinds
}

func (r schemaRules) reference(v, root node) {
	name, ok := strings.CutPrefix(strings.Replace(v.text(), "#/definitions/", "#/$defs/", 1), "#/$defs/")
	if !ok || r.noRefs || !root.get("$defs").get(name).is() && !root.get("definitions").get(name).is() {
		v.refuse("reference %q leads nowhere", v.text())
	}
}
