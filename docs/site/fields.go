package main

import (
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
)

// schema is what the field reference reads of a JSON Schema. Properties keeps their order.
type schema struct {
	Type        any             `json:"type"`
	Description string          `json:"description"`
	Enum        []any           `json:"enum"`
	Properties  ordered         `json:"properties"`
	Items       *schema         `json:"items"`
	Required    []string        `json:"required"`
	Additional  json.RawMessage `json:"additionalProperties"`
}

// ordered is the properties of an object in the order of the file.
type ordered []property

type property struct {
	name string
	schema
}

// UnmarshalJSON is part of json.Unmarshaler.
func (o *ordered) UnmarshalJSON(data []byte) error {
	d := json.NewDecoder(strings.NewReader(string(data)))
	if _, err := d.Token(); err != nil { // {
		return err
	}
	for d.More() {
		name, err := d.Token()
		if err != nil {
			return err
		}
		p := property{name: name.(string)}
		if err := d.Decode(&p.schema); err != nil {
			return fmt.Errorf("%s: %w", p.name, err)
		}
		*o = append(*o, p)
	}
	return nil
}

// fieldReference returns the page that lists every field of pageside.yaml.
func fieldReference(file string) ([]byte, error) {
	raw, err := os.ReadFile(file)
	if err != nil {
		return nil, fmt.Errorf("read the schema: %w", err)
	}
	var root schema
	if err := json.Unmarshal(raw, &root); err != nil {
		return nil, fmt.Errorf("read the schema: %w", err)
	}
	var out strings.Builder
	out.WriteString("# Every field of pageside.yaml\n\nMade from [the schema](pageside.schema.json), which editors read; [pageside.yaml](configuration.md) explains what belongs together. " +
		"`[]` stands for each element of a list, `NAME` for a name of yours.\n")
	for _, p := range root.Properties {
		fmt.Fprintf(&out, "\n## %s\n\n", p.name)
		if len(p.children()) == 0 {
			fmt.Fprintf(&out, "%s. %s\n", upper(p.kind()), sentence(p.Description))
			continue
		}
		if p.Description != "" {
			fmt.Fprintf(&out, "%s\n\n", sentence(p.Description))
		}
		out.WriteString("| field | type | |\n|---|---|---|\n")
		p.rows(&out, p.name+p.suffix(), p.required())
	}
	return []byte(out.String()), nil
}

// rows writes a row for each field below an object, and for those below these.
func (s *schema) rows(out *strings.Builder, path string, required []string) {
	for _, p := range s.children() {
		name := path + "." + p.name
		description := p.Description
		if slices.Contains(required, p.name) {
			description = strings.TrimSpace("**required** " + description)
		}
		fmt.Fprintf(out, "| `%s` | %s | %s |\n", name, p.kind(), cell(description))
		p.rows(out, name+p.suffix(), p.required())
	}
}

// children returns the fields of an object, of each element of a list, or of what stands below any
// name.
func (s *schema) children() ordered {
	if inner := s.inner(); inner != nil {
		return inner.children()
	}
	return s.Properties
}

func (s *schema) required() []string {
	if inner := s.inner(); inner != nil {
		return inner.required()
	}
	return s.Required
}

// inner returns what describes each element of a list or map, or nil for anything else.
func (s *schema) inner() *schema {
	if s.Items != nil {
		return s.Items
	}
	var below schema
	if len(s.Properties) == 0 && len(s.Additional) > 0 && s.Additional[0] == '{' && json.Unmarshal(s.Additional, &below) == nil {
		return &below
	}
	return nil
}

// suffix is what stands in a path for the elements.
func (s *schema) suffix() string {
	inner := s.inner()
	switch {
	case inner == nil:
		return ""
	case s.Items != nil:
		return "[]" + inner.suffix()
	}
	return ".NAME" + inner.suffix()
}

// kind names the type of a field.
func (s *schema) kind() string {
	if len(s.Enum) > 0 {
		var values []string
		for _, v := range s.Enum {
			values = append(values, fmt.Sprintf("`%v`", v))
		}
		return strings.Join(values, ", ")
	}
	inner := s.inner()
	switch {
	case s.Items != nil:
		return "list of " + inner.plural()
	case inner != nil:
		return "names with " + inner.plural()
	}
	switch t := s.Type.(type) {
	case string:
		return t
	case []any:
		var names []string
		for _, name := range t {
			names = append(names, fmt.Sprint(name))
		}
		return strings.Join(names, " or ")
	}
	return "anything"
}

func (s *schema) plural() string {
	switch kind := s.kind(); {
	case len(s.Enum) > 0, kind == "anything", strings.Contains(kind, " "):
		return kind
	default:
		return kind + "s"
	}
}

func cell(s string) string { return strings.ReplaceAll(strings.ReplaceAll(s, "|", `\|`), "\n", " ") }

// sentence begins with a capital and ends with a full stop.
func sentence(s string) string {
	if s == "" {
		return ""
	}
	return strings.TrimSuffix(upper(s), ".") + "."
}

func upper(s string) string {
	if strings.HasPrefix(s, "`") {
		return s
	}
	return strings.ToUpper(s[:1]) + s[1:]
}
