package llm

import (
	"bytes"
	"slices"
	"strings"

	"github.com/pageside/pageside/internal/jsonx"
	"github.com/pageside/pageside/internal/visible"
)

// keyword returns a keyword's value as sent, or nil to omit it: an unknown keyword, or a value of
// the wrong kind, which makes some providers refuse the request.
func (f *schemaFitter) keyword(name string, v *value, depth int) *value {
	switch name {
	case "type":
		return fitType(v)
	case "enum":
		return when(v.is(jsonx.Array) && len(v.items) > 0, v)
	case "const", "default":
		return v
	case "examples":
		return when(v.is(jsonx.Array), v)
	case "title", "description", "format", "pattern", "contentEncoding", "contentMediaType", "$ref":
		return when(v.is(jsonx.String), v)
	case "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum":
		return when(v.is(jsonx.Number), v)
	case "multipleOf":
		return when(v.is(jsonx.Number) && v.raw[0] != '-' && bytes.ContainsAny(v.raw, "123456789"), v)
	case "minLength", "maxLength", "minItems", "maxItems", "minProperties", "maxProperties",
		"minContains", "maxContains":
		return when(v.is(jsonx.Number) && !bytes.ContainsAny(v.raw, "-.eE"), v)
	case "uniqueItems", "deprecated", "readOnly", "writeOnly":
		return when(v.is(jsonx.Bool), v)
	case "required":
		return f.required(v)
	case "properties":
		return f.properties(v, depth)
	case "$defs", "definitions":
		if f.rules.BareRoot {
			return nil
		}
		return f.named(v, depth)
	case "patternProperties", "dependentSchemas":
		return f.named(v, depth)
	case "items", "contains", "propertyNames", "not", "if", "then", "else":
		return f.schemaOrTrue(v, depth)
	case "additionalProperties", "unevaluatedProperties", "unevaluatedItems":
		if v.is(jsonx.Bool) {
			return v
		}
		return f.schemaOrTrue(v, depth)
	case "prefixItems", "anyOf", "oneOf", "allOf":
		return f.list(v, depth)
	}
	return nil
}

func when(ok bool, v *value) *value {
	if ok {
		return v
	}
	return nil
}

var typeNames = []string{"object", "array", "string", "number", "integer", "boolean", "null"}

// fitType keeps the known types.
func fitType(v *value) *value {
	if v.is(jsonx.String) {
		return when(slices.Contains(typeNames, v.text()), v)
	}
	if !v.is(jsonx.Array) {
		return nil
	}
	var names []string
	for _, item := range v.items {
		if name := item.text(); slices.Contains(typeNames, name) && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return when(len(names) > 0, newTexts(names))
}

func newTexts(texts []string) *value {
	v := &value{kind: jsonx.Array}
	for _, t := range texts {
		v.items = append(v.items, newText(t))
	}
	return v
}

func (f *schemaFitter) required(v *value) *value {
	if !v.is(jsonx.Array) {
		return nil
	}
	var names []string
	for _, item := range v.items {
		if name := f.propertyName(item.text()); item.is(jsonx.String) && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return when(len(names) > 0, newTexts(names))
}

// properties omits forbidden properties.
func (f *schemaFitter) properties(v *value, depth int) *value {
	if !v.is(jsonx.Object) {
		return nil
	}
	out := newObject()
	for _, m := range v.members {
		if !isFalse(m.value) {
			out.members = append(out.members, field{f.propertyName(m.name), f.node(m.value, depth+1)})
		}
	}
	return out
}

func (f *schemaFitter) named(v *value, depth int) *value {
	if !v.is(jsonx.Object) {
		return nil
	}
	out := newObject()
	for _, m := range v.members {
		out.members = append(out.members, field{m.name, f.node(m.value, depth+1)})
	}
	return out
}

// schemaOrTrue is for a single schema; it omits one that allows nothing, and lists of schemas.
func (f *schemaFitter) schemaOrTrue(v *value, depth int) *value {
	if v.is(jsonx.Object) || v.isTrue() {
		return f.node(v, depth+1)
	}
	return nil
}

func (f *schemaFitter) list(v *value, depth int) *value {
	if !v.is(jsonx.Array) {
		return nil
	}
	out := &value{kind: jsonx.Array}
	for _, item := range v.items {
		if !isFalse(item) {
			out.items = append(out.items, f.node(item, depth+1))
		}
	}
	return when(len(out.items) > 0, out)
}

func isFalse(v *value) bool { return v.is(jsonx.Bool) && !v.isTrue() }

// combinators are keywords that no root may have. The first of them are described in words when
// removed.
var combinators = []string{
	"anyOf", "oneOf", "not", "if", "then", "else", "enum", "const", "dependentSchemas", "allOf", "$ref",
}

const lostCombinators = 9

// flatten returns the root with the properties of its alternatives merged in. The description tells
// the model what the schema no longer says.
func (f *schemaFitter) flatten() *value {
	flat := &value{kind: jsonx.Object, members: slices.Clone(f.root.members)}
	if !slices.ContainsFunc(flat.members, func(m field) bool { return slices.Contains(combinators, m.name) }) {
		return flat
	}
	all := f.shape(f.root, 0)
	flat.remove(combinators...)
	flat.set("properties", all.properties)
	flat.remove("required")
	if len(all.required) > 0 {
		flat.set("required", newTexts(all.required))
	}
	if note := f.lost(); note != "" {
		flat.set("description", newText(strings.TrimSpace(f.root.get("description").text()+"\n"+note)))
	}
	return flat
}

// lost describes the root's alternatives in words.
func (f *schemaFitter) lost() string {
	lost := newObject()
	for _, name := range combinators[:lostCombinators] {
		if v := f.root.get(name); v != nil {
			lost.set(name, v)
		}
	}
	if len(lost.members) == 0 {
		return ""
	}
	said := visible.Clip(string(lost.append(nil)), maxSchemaNote)
	return "The arguments must also match this JSON Schema: " + said
}

// shape is what an object schema says about its members under all its alternatives.
type shape struct {
	properties *value
	required   []string
}

// shape collects the members of a schema and its alternatives: all possible members, and as
// required those required by each alternative.
func (f *schemaFitter) shape(v *value, depth int) shape {
	out := shape{properties: newObject()}
	if f.nodes++; !v.is(jsonx.Object) || depth > maxSchemaDepth/4 || f.nodes > maxSchemaNodes {
		return out
	}
	if own := v.get("properties"); own.is(jsonx.Object) {
		out.properties.members = slices.Clone(own.members)
	}
	if own := v.get("required"); own.is(jsonx.Array) {
		for _, name := range own.items {
			out.required = append(out.required, name.text())
		}
	}
	if ref := v.get("$ref"); ref != nil {
		out.and(f.shape(f.resolve(ref.text()), depth+1))
	}
	if all := v.get("allOf"); all.is(jsonx.Array) {
		for _, item := range all.items {
			out.and(f.shape(item, depth+1))
		}
	}
	for _, name := range []string{"anyOf", "oneOf"} {
		if list := v.get(name); list.is(jsonx.Array) {
			out.and(f.oneOf(list.items, depth))
		}
	}
	if then, or := v.get("then"), v.get("else"); then != nil || or != nil {
		out.and(f.oneOf([]*value{orEmpty(then), orEmpty(or)}, depth))
	}
	return out
}

func orEmpty(v *value) *value {
	if v == nil {
		return newObject()
	}
	return v
}

// and adds the members of a schema that must also hold. Properties in both stay unchanged.
func (s *shape) and(other shape) {
	for _, m := range other.properties.members {
		if s.properties.get(m.name) == nil {
			s.properties.set(m.name, m.value)
		}
	}
	for _, name := range other.required {
		if !slices.Contains(s.required, name) {
			s.required = append(s.required, name)
		}
	}
}

// oneOf returns the shape of alternatives: a property with different schemas may match any of them.
func (f *schemaFitter) oneOf(alternatives []*value, depth int) shape {
	out := shape{properties: newObject()}
	kinds := map[string][]*value{}
	first := true
	for _, alternative := range alternatives {
		if isFalse(alternative) {
			continue
		}
		s := f.shape(alternative, depth+1)
		for _, m := range s.properties.members {
			same := func(v *value) bool { return bytes.Equal(v.append(nil), m.value.append(nil)) }
			if !slices.ContainsFunc(kinds[m.name], same) {
				kinds[m.name] = append(kinds[m.name], m.value)
			}
			out.properties.set(m.name, m.value)
		}
		if first {
			out.required, first = s.required, false
		}
		out.required = slices.DeleteFunc(out.required, func(name string) bool {
			return !slices.Contains(s.required, name)
		})
	}
	for i, m := range out.properties.members {
		if list := kinds[m.name]; len(list) > 1 {
			either := newObject()
			either.set("anyOf", &value{kind: jsonx.Array, items: list})
			out.properties.members[i].value = either
		}
	}
	return out
}
