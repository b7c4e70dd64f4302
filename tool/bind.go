package tool

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/pageside/pageside/auth"
	"github.com/pageside/pageside/internal/jsonx"
	"github.com/pageside/pageside/internal/nearest"
)

// binding is a tool's Bind, compiled. nil binds nothing.
type binding struct {
	names    []string        // of the bound arguments, sorted
	declared json.RawMessage // the tool's schema without them
	schema   *Schema         // of the bound arguments alone
	literal  map[string]bool // arguments whose value is read as JSON, not taken as text
}

// Declaration returns the schema that the model is shown: InputSchema without bound arguments.
func (t *Tool) Declaration() json.RawMessage {
	if t.binding == nil {
		return t.InputSchema
	}
	return t.binding.declared
}

// prepareBind checks and compiles Bind and Needs.
func (t *Tool) prepareBind() error {
	if err := t.checkNeeds(); err != nil || len(t.Bind) == 0 {
		return err
	}
	b := &binding{names: slices.Sorted(maps.Keys(t.Bind)), literal: map[string]bool{}}
	for _, name := range b.names {
		if _, err := ParseSource(string(t.Bind[name])); err != nil {
			return fmt.Errorf("its argument %q is bound: %w", name, err)
		}
		if slices.Contains(t.Policy.OpenArgs, name) {
			return fmt.Errorf("its argument %q is bound, and cannot be left open by an allowance", name)
		}
	}
	if err := b.divide(t.InputSchema); err != nil {
		return err
	}
	t.binding = b
	return nil
}

// divide makes two schemas of a tool's: one without the bound arguments, and one of them alone.
func (b *binding) divide(schema json.RawMessage) error {
	var root struct {
		Properties map[string]json.RawMessage `json:"properties"`
	}
	if len(schema) == 0 || json.Unmarshal(schema, &root) != nil {
		return errors.New("its bound arguments need an input schema")
	}
	alone := map[string]json.RawMessage{}
	for _, name := range b.names {
		p, ok := root.Properties[name]
		if !ok {
			return fmt.Errorf("its argument %q is bound, but not among the properties of its input schema%s",
				name, nearest.Question("%s", nearest.Of(name, slices.Sorted(maps.Keys(root.Properties)))))
		}
		alone[name], b.literal[name] = p, !takesText(p)
	}
	declared, err := b.without(schema)
	if err != nil {
		return fmt.Errorf("its input schema without bound arguments: %w", err)
	}
	properties, err := json.Marshal(alone)
	if err != nil {
		return err
	}
	only, err := edited(schema, func(name string, value jsontext.Value) jsontext.Value {
		switch name {
		case "type", "$schema", "$defs", "definitions":
			return value
		case "properties":
			return properties
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("its bound arguments: %w", err)
	}
	if b.schema, err = CompileSchema(only); err != nil {
		return fmt.Errorf("its bound arguments: %w", err)
	}
	b.declared = declared
	return nil
}

// without returns a schema without the bound arguments.
func (b *binding) without(schema json.RawMessage) (json.RawMessage, error) {
	return edited(schema, func(name string, value jsontext.Value) jsontext.Value {
		switch name {
		case "properties":
			rest, err := edited(json.RawMessage(value), func(name string, value jsontext.Value) jsontext.Value {
				if slices.Contains(b.names, name) {
					return nil
				}
				return value
			})
			if err != nil {
				return value
			}
			return jsontext.Value(rest)
		case "required":
			var required []string
			if json.Unmarshal(value, &required) != nil {
				return value
			}
			required = slices.DeleteFunc(required, func(name string) bool { return slices.Contains(b.names, name) })
			if len(required) == 0 {
				return nil
			}
			rest, _ := json.Marshal(required) // strings: cannot fail
			return rest
		}
		return value
	})
}

// takesText reports whether a property takes a text: any that does not name other types only.
func takesText(property json.RawMessage) bool {
	var p struct {
		Type any `json:"type"`
	}
	if json.Unmarshal(property, &p) != nil || p.Type == nil {
		return true
	}
	if several, ok := p.Type.([]any); ok {
		return slices.Contains(several, any("string"))
	}
	return p.Type == "string"
}

// edited returns a JSON object with other values for its members, in their order. A nil value
// leaves the member out.
func edited(
	object json.RawMessage, change func(name string, value jsontext.Value) jsontext.Value,
) (json.RawMessage, error) {
	in, out := jsontext.NewDecoder(bytes.NewReader(object)), json.RawMessage("{")
	if _, err := in.ReadToken(); err != nil {
		return nil, err
	}
	for in.PeekKind() == '"' {
		token, err := in.ReadToken()
		if err != nil {
			return nil, err
		}
		name := token.String()
		value, err := in.ReadValue()
		if err != nil {
			return nil, err
		}
		if value = change(name, value); value == nil {
			continue
		}
		out = appendMember(out, name, value)
	}
	if _, err := in.ReadToken(); err != nil {
		return nil, err
	}
	return append(out, '}'), nil
}

// appendMember adds a member to an object that is not closed yet.
func appendMember(object json.RawMessage, name string, value []byte) json.RawMessage {
	if last := object[len(object)-1]; last != '{' {
		object = append(object, ',')
	}
	object = append(jsonx.AppendString(object, name), ':')
	return append(object, value...)
}

// Unmet says why the tool cannot be offered to a principal at a place: a source that it binds or
// needs has no value there, or none that fits the argument. It returns "" if it can. The tool must
// come from a Registry.
func (t *Tool) Unmet(p auth.Principal, from Origin) string {
	for _, source := range t.Needs {
		if _, ok := source.Value(p, from); !ok {
			return absent(source)
		}
	}
	if _, err := t.bound(p, from); err != nil {
		return err.Error()
	}
	return ""
}

// UnmetAt is Unmet for all principals and whatever the page shows: it considers the place and the
// scope only.
func (t *Tool) UnmetAt(from Origin) string {
	sources := slices.Clone(t.Needs)
	if t.binding != nil {
		for _, name := range t.binding.names {
			sources = append(sources, t.Bind[name])
		}
	}
	for _, source := range sources {
		kind, _, _ := strings.Cut(string(source), ".")
		if _, ok := source.Value(auth.Principal{}, from); !ok && (kind == "place" || kind == "scope") {
			return absent(source)
		}
	}
	return ""
}

func absent(s Source) string { return string(s) + " has no value here" }

// bound returns the values of the bound arguments.
func (t *Tool) bound(p auth.Principal, from Origin) (map[string]json.RawMessage, error) {
	if t.binding == nil {
		return nil, nil
	}
	values, object := map[string]json.RawMessage{}, json.RawMessage("{")
	for _, name := range t.binding.names {
		source := t.Bind[name]
		v, ok := source.Value(p, from)
		if !ok {
			return nil, errors.New(absent(source))
		}
		value, err := t.binding.value(name, v)
		if err != nil {
			return nil, fmt.Errorf("%s does not fit the argument %q: %w", source, name, err)
		}
		values[name], object = value, appendMember(object, name, value)
	}
	if err := t.binding.schema.Validate(append(object, '}')); err != nil {
		return nil, fmt.Errorf("a bound argument does not fit its schema: %w", err)
	}
	return values, nil
}

// value returns a source's value as JSON for an argument.
func (b *binding) value(name string, v any) (json.RawMessage, error) {
	text, isText := v.(string)
	if !isText {
		return json.Marshal(v)
	}
	if !b.literal[name] {
		return jsonx.AppendString(nil, strings.ToValidUTF8(text, "\uFFFD")), nil
	}
	value := jsontext.Value(strings.TrimSpace(text))
	if !value.IsValid() {
		return nil, errors.New("it is not JSON")
	}
	return json.RawMessage(value), nil
}

// ParseArgs reads the arguments that a model wrote for a call of the tool, as the function
// ParseArgs does, and adds the bound ones. A model that writes a bound argument itself is refused,
// unless it writes the bound value. The tool must come from a Registry.
func (t *Tool) ParseArgs(raw string, p auth.Principal, from Origin) (json.RawMessage, error) {
	if t.binding == nil {
		return ParseArgs(raw, t.Schema())
	}
	values, err := t.bound(p, from)
	if err != nil {
		return nil, &Error{
			Code: CodeUnavailable, Message: "the tool cannot be used here: " + err.Error(),
			Hint: "Go on without it.",
		}
	}
	return t.with(raw, values)
}

// ParseArgsLike is ParseArgs for arguments that replace others of the same call: bound arguments
// stay as they were.
func (t *Tool) ParseArgsLike(raw string, before json.RawMessage) (json.RawMessage, error) {
	if t.binding == nil {
		return ParseArgs(raw, t.Schema())
	}
	var given map[string]json.RawMessage
	if err := json.Unmarshal(before, &given); err != nil {
		return nil, invalidArgs(err)
	}
	maps.DeleteFunc(given, func(name string, _ json.RawMessage) bool { return !slices.Contains(t.binding.names, name) })
	return t.with(raw, given)
}

// with parses arguments, sets the bound ones, and validates them together.
func (t *Tool) with(raw string, bound map[string]json.RawMessage) (json.RawMessage, error) {
	args, err := ParseArgs(raw, nil)
	if err != nil {
		return nil, err
	}
	chosen := ""
	whole, err := edited(args, func(name string, value jsontext.Value) jsontext.Value {
		if !slices.Contains(t.binding.names, name) {
			return value
		}
		if !sameValue(json.RawMessage(value), bound[name]) {
			chosen = name
		}
		return nil
	})
	switch {
	case err != nil:
		return nil, invalidArgs(err)
	case chosen != "":
		return nil, invalidArgs(fmt.Errorf("%q is set by the application, not by you: leave it out", chosen))
	}
	whole = whole[:len(whole)-1]
	for _, name := range t.binding.names {
		if bound[name] != nil {
			whole = appendMember(whole, name, bound[name])
		}
	}
	return ParseArgs(string(append(whole, '}')), t.Schema())
}

func sameValue(a, b json.RawMessage) bool {
	x, err1 := Canonical(a)
	y, err2 := Canonical(b)
	return err1 == nil && err2 == nil && bytes.Equal(x, y)
}

// Unbound returns arguments of a call without the bound ones, as the model could have written them.
func (t *Tool) Unbound(args json.RawMessage) json.RawMessage {
	if t.binding == nil || len(args) == 0 {
		return args
	}
	rest, err := edited(args, func(name string, value jsontext.Value) jsontext.Value {
		if slices.Contains(t.binding.names, name) {
			return nil
		}
		return value
	})
	if err != nil {
		return args
	}
	return rest
}
