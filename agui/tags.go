package agui

import (
	"encoding/json"
	"reflect"
	"strconv"
	"strings"
	"sync"

	"github.com/pageside/pageside/internal/jsonx"
)

// The fields of a type on the wire are those with a tag such as `agui:"threadId,required"`: the
// name, then the rule, then for opaque JSON the kind that it must have. They are written in the
// order of the struct. What a tag cannot say, a type says in a method fields.
//
//	required nullable readOnly   rules, see rule
//	object                       a json.RawMessage that is an object
//	any                          a json.RawMessage that may be null, and is null if nil; required
//	patch                        a json.RawMessage that is an RFC 6902 patch; required
//	text                         a string for which other values are taken as their JSON; required
//	parts                        a Content that may be an array of parts
//	signed                       an *int64 that may be negative
//	oneof=a b c                  a string with only these values
//
// An embedded Base may be tagged untagged (a sub-agent's id is refused) or subagent (it is
// required).

// taggedField is a tagged field of a struct.
type taggedField struct {
	name  string
	rule  rule
	index []int // of reflect.Value.FieldByIndex
	visit func(c *codec, name string, p any, r rule)
}

// taggedType is what the tags of a struct say.
type taggedType struct {
	of       reflect.Type
	fields   []taggedField
	untagged bool
}

var taggedTypes sync.Map // of *taggedType by reflect.Type

// tagged visits the tagged fields of *o.
func (c *codec) tagged(o any) {
	v := reflect.ValueOf(o).Elem()
	t := c.tags
	if t == nil || t.of != v.Type() {
		t = taggedTypeOf(v.Type())
		c.tags = t
	}
	if e, ok := o.(Event); ok {
		c.constant("type", string(e.Type()), required)
		if c.mode == writing && t.untagged && e.base().SubagentRunID != "" {
			c.failIn("subagentRunId", "is not allowed on "+string(e.Type()))
		}
	}
	for i := range t.fields {
		f := &t.fields[i]
		switch {
		case c.mode == writing, c.mode == reading && string(c.key) == f.name:
			f.visit(c, f.name, v.FieldByIndex(f.index).Addr().Interface(), f.rule)
		case c.mode == reading:
			c.field++
		default:
			c.wants(f.name, f.rule)
		}
	}
}

func taggedTypeOf(t reflect.Type) *taggedType {
	if known, ok := taggedTypes.Load(t); ok {
		return known.(*taggedType)
	}
	known, _ := taggedTypes.LoadOrStore(t, readTags(t))
	return known.(*taggedType)
}

func readTags(t reflect.Type) *taggedType {
	tagged := &taggedType{of: t}
	subagent := false
	for _, f := range reflect.VisibleFields(t) {
		name, options, _ := strings.Cut(f.Tag.Get("agui"), ",")
		switch {
		case f.Anonymous:
			tagged.untagged, subagent = name == "untagged", name == "subagent"
			continue
		case name == "", name == "subagentRunId" && tagged.untagged:
			continue
		}
		field := taggedField{name: name, index: f.Index}
		field.rule, field.visit = readOptions(f.Type, options)
		if name == "subagentRunId" && subagent {
			field.rule = required
		}
		tagged.fields = append(tagged.fields, field)
	}
	return tagged
}

// readOptions returns the rule of a field, and the codec's method for it.
func readOptions(t reflect.Type, options string) (r rule, visit func(c *codec, name string, p any, r rule)) {
	kind := ""
	for option := range strings.SplitSeq(options, ",") {
		if named, ok := rules[option]; ok {
			r |= named
		} else {
			kind = option
		}
	}
	if values, ok := strings.CutPrefix(kind, "oneof="); ok {
		words := strings.Fields(values)
		return r, func(c *codec, name string, p any, r rule) { c.word(name, p.(*string), r, words) }
	}
	if visit := visits[t][kind]; visit != nil {
		return r, visit
	}
	if kind == "" {
		return r, visitNested(t)
	}
	panic("agui: no fields of type " + t.String() + " are " + strconv.Quote(kind))
}

var rules = map[string]rule{"required": required, "nullable": nullable, "readOnly": readOnly}

// visits are the codec's methods by the type of a field and its kind. It is filled by init, since
// the methods come back to it.
var visits map[reflect.Type]map[string]func(c *codec, name string, p any, r rule)

func init() {
	visits = map[reflect.Type]map[string]func(c *codec, name string, p any, r rule){
		reflect.TypeFor[string](): {
			"":     func(c *codec, name string, p any, r rule) { c.str(name, p.(*string), r) },
			"text": func(c *codec, name string, p any, _ rule) { c.text(name, p.(*string)) },
		},
		reflect.TypeFor[*string](): {
			"": func(c *codec, name string, p any, _ rule) { c.strPtr(name, p.(**string)) },
		},
		reflect.TypeFor[[]string](): {
			"": func(c *codec, name string, p any, _ rule) { c.words(name, p.(*[]string)) },
		},
		reflect.TypeFor[*bool](): {
			"": func(c *codec, name string, p any, _ rule) { c.boolean(name, p.(**bool)) },
		},
		reflect.TypeFor[*int64](): {
			"":       func(c *codec, name string, p any, _ rule) { c.integer(name, p.(**int64), 0) },
			"signed": func(c *codec, name string, p any, _ rule) { c.integer(name, p.(**int64), -mostInt) },
		},
		reflect.TypeFor[Content](): {
			"":      func(c *codec, name string, p any, r rule) { c.content(name, p.(*Content), r, false) },
			"parts": func(c *codec, name string, p any, r rule) { c.content(name, p.(*Content), r, true) },
		},
		reflect.TypeFor[json.RawMessage](): {
			"": func(c *codec, name string, p any, r rule) {
				c.opaque(name, p.(*json.RawMessage), jsonx.Invalid, r)
			},
			"object": func(c *codec, name string, p any, r rule) {
				c.opaque(name, p.(*json.RawMessage), jsonx.Object, r)
			},
			"any":   func(c *codec, name string, p any, _ rule) { c.anything(name, p.(*json.RawMessage)) },
			"patch": func(c *codec, name string, p any, _ rule) { c.patch(name, p.(*json.RawMessage)) },
		},
	}
}

// visitNested is for objects, by pointer or in a list.
func visitNested(t reflect.Type) func(c *codec, name string, p any, r rule) {
	if t.Kind() == reflect.Slice {
		return (*codec).list
	}
	return (*codec).one
}
