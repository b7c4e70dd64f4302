package llm

import (
	"bytes"
	"slices"
	"strings"

	"github.com/pageside/pageside/internal/jsonx"
)

// keyword returns what is sent of a keyword's value, nil where the keyword is left out: it is not
// known, or its value is not of its kind, for which some providers refuse the request.
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
	case "minLength", "maxLength", "minItems", "maxItems", "minProperties", "maxProperties", "minContains", "maxContains":
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

// fitType keeps the types there are.
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

// properties leaves out those that may not be there at all.
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

// schemaOrTrue is for a single schema; one that allows nothing is left out, and so is a list of
// them.
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

// combinators are the keywords that no root may have. The first of them say what of the schema is
// lost without them.
var combinators = []string{"anyOf", "oneOf", "not", "if", "then", "else", "enum", "const", "dependentSchemas", "allOf", "$ref"}

const lostCombinators = 9

// flatten returns the root with the properties that its alternatives add, and without them. What
// the model is told no more by the schema, its description says.
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

// lost are the root's alternatives as words.
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
	said := string(lost.append(nil))
	if len(said) > maxSchemaNote {
		said = strings.ToValidUTF8(said[:maxSchemaNote], "") + "…"
	}
	return "The arguments must also match this JSON Schema: " + said
}

// shape is what a schema of an object says of its members, whichever of its alternatives holds.
type shape struct {
	properties *value
	required   []string
}

// shape collects the members of a schema and its alternatives: all that there may be, and of the
// required ones those that each alternative has.
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

// and adds the members of a schema that must hold too. A property that both describe stays as it
// was.
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

// oneOf is the shape of alternatives: a property that they describe differently is one or the
// other.
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
		out.required = slices.DeleteFunc(out.required, func(name string) bool { return !slices.Contains(s.required, name) })
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
