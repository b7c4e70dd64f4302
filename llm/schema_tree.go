package llm

import (
	"encoding/json"
	"slices"

	"github.com/pageside/pageside/internal/jsonx"
)

// value is a JSON value whose objects keep their order: models read a schema from the top, and
// caches compare bytes.
type value struct {
	kind    jsonx.Kind
	members []field  // of an object
	items   []*value // of an array
	raw     []byte   // of anything else
}

type field struct {
	name  string
	value *value
}

// parseValue reads valid JSON. Of duplicate members the first counts.
func parseValue(d *jsonx.Decoder) *value {
	v := &value{kind: d.Kind()}
	switch v.kind {
	case jsonx.Object:
		for d.Enter(); d.More(); {
			name := string(d.Key(nil))
			if m := parseValue(d); v.get(name) == nil {
				v.members = append(v.members, field{name, m})
			}
		}
	case jsonx.Array:
		for d.Enter(); d.More(); {
			v.items = append(v.items, parseValue(d))
		}
	default:
		v.raw = d.Raw()
	}
	return v
}

func parseObject(raw json.RawMessage) *value {
	if !json.Valid(raw) {
		return nil
	}
	v := parseValue(&jsonx.Decoder{Data: raw})
	if v.kind != jsonx.Object {
		return nil
	}
	return v
}

// fields returns the members of an object, or none for any other value.
func (v *value) fields() []field {
	if v == nil {
		return nil
	}
	return v.members
}

func (v *value) append(dst []byte) []byte {
	switch v.kind {
	case jsonx.Object:
		dst = append(dst, '{')
		for i, m := range v.members {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = append(jsonx.AppendString(dst, m.name), ':')
			dst = m.value.append(dst)
		}
		return append(dst, '}')
	case jsonx.Array:
		dst = append(dst, '[')
		for i, item := range v.items {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = item.append(dst)
		}
		return append(dst, ']')
	}
	return append(dst, v.raw...)
}

// get returns a member of an object, or nil. v may be nil.
func (v *value) get(name string) *value {
	if v == nil {
		return nil
	}
	for _, m := range v.members {
		if m.name == name {
			return m.value
		}
	}
	return nil
}

// set sets a member of an object, in place or at the end.
func (v *value) set(name string, to *value) {
	for i := range v.members {
		if v.members[i].name == name {
			v.members[i].value = to
			return
		}
	}
	v.members = append(v.members, field{name, to})
}

func (v *value) remove(names ...string) {
	v.members = slices.DeleteFunc(v.members, func(m field) bool { return slices.Contains(names, m.name) })
}

func (v *value) is(k jsonx.Kind) bool { return v != nil && v.kind == k }

// text returns the string value, or "".
func (v *value) text() string {
	if !v.is(jsonx.String) {
		return ""
	}
	s, _ := jsonx.Unquote(v.raw)
	return s
}

func (v *value) isTrue() bool { return v.is(jsonx.Bool) && string(v.raw) == "true" }

func newObject() *value { return &value{kind: jsonx.Object} }

func newText(s string) *value { return &value{kind: jsonx.String, raw: jsonx.AppendString(nil, s)} }
