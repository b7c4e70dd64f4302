package script

import (
	"errors"
	"fmt"
	"maps"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"text/template"
	"time"

	"go.yaml.in/yaml/v3"
)

// parser fills structs with the YAML of a file and collects all problems.
type parser struct {
	file string
	errs []error
}

// reader is a value that reads itself. The node is no alias.
type reader interface {
	read(p *parser, n *yaml.Node, path string)
}

// checker is a struct that says what is wrong with it once its fields are read.
type checker interface {
	check(p *parser, n *yaml.Node, path string)
}

// failf records a problem at a node; path is the field's name from the root, such as
// rules[2].steps[0].text.
func (p *parser) failf(n *yaml.Node, path, format string, args ...any) {
	where := fmt.Sprintf("%s:%d: ", p.file, n.Line)
	if path != "" {
		where += path + ": "
	}
	p.errs = append(p.errs, errors.New(where+fmt.Sprintf(format, args...)))
}

// value reads a node into a Go value.
func (p *parser) value(n *yaml.Node, path string, to reflect.Value) {
	n = resolve(n)
	if own, ok := to.Addr().Interface().(reader); ok {
		own.read(p, n, path)
		return
	}
	switch to.Kind() {
	case reflect.Pointer:
		to.Set(reflect.New(to.Type().Elem()))
		p.value(n, path, to.Elem())
	case reflect.Struct:
		p.fields(n, path, to)
	case reflect.Slice:
		p.items(n, path, func(n *yaml.Node, path string) {
			item := reflect.New(to.Type().Elem()).Elem()
			p.value(n, path, item)
			to.Set(reflect.Append(to, item))
		})
	default:
		p.scalar(n, path, to)
	}
}

// fields reads a mapping into a struct; unknown and repeated keys are errors.
func (p *parser) fields(n *yaml.Node, path string, to reflect.Value) {
	if n.Kind != yaml.MappingNode {
		p.failf(n, path, "must be a mapping, not %s", kindName(n))
		return
	}
	known := fieldsOf(to)
	seen := map[string]bool{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, value := n.Content[i], n.Content[i+1]
		field, ok := known[key.Value]
		switch {
		case !ok:
			p.failf(key, join(path, key.Value), "unknown field; known are %s", strings.Join(slices.Sorted(maps.Keys(known)), ", "))
		case seen[key.Value]:
			p.failf(key, join(path, key.Value), "appears twice")
		default:
			p.value(value, join(path, key.Value), field)
		}
		seen[key.Value] = true
	}
	if own, ok := to.Addr().Interface().(checker); ok {
		own.check(p, n, path)
	}
}

// fieldsOf returns the fields of a struct by their names in YAML: LimitText is limitText.
func fieldsOf(v reflect.Value) map[string]reflect.Value {
	fields := map[string]reflect.Value{}
	for f, value := range v.Fields() {
		fields[strings.ToLower(f.Name[:1])+f.Name[1:]] = value
	}
	return fields
}

// items passes each item of a sequence to take.
func (p *parser) items(n *yaml.Node, path string, take func(n *yaml.Node, path string)) {
	if n.Kind != yaml.SequenceNode {
		p.failf(n, path, "must be a list, not %s", kindName(n))
		return
	}
	for i, item := range n.Content {
		take(item, fmt.Sprintf("%s[%d]", path, i))
	}
}

// scalar reads a single value.
func (p *parser) scalar(n *yaml.Node, path string, to reflect.Value) bool {
	switch {
	case n.Kind != yaml.ScalarNode:
		p.failf(n, path, "must be a single value, not %s", kindName(n))
		return false
	case n.Decode(to.Addr().Interface()) != nil:
		p.failf(n, path, "%q is not a valid %s", n.Value, to.Type())
		return false
	}
	if allowed := choices[to.Type()]; allowed != nil && !slices.Contains(allowed, to.String()) {
		p.failf(n, path, "%q is none of %v", to, allowed)
	}
	return true
}

// text reads a text, "" where there is none.
func (p *parser) text(n *yaml.Node, path string) (s string) {
	p.scalar(n, path, reflect.ValueOf(&s).Elem())
	return s
}

type (
	duration time.Duration
	length   int // of a piece; 0 where it is not given
	pattern  struct{ *regexp.Regexp }
	anything struct{}
)

func (d *duration) read(p *parser, n *yaml.Node, path string) {
	given, err := time.ParseDuration(n.Value)
	if n.Value == "0" {
		given, err = 0, nil
	}
	if err != nil || given < 0 {
		p.failf(n, path, "%q is not a duration such as 12ms or 1.5s", n.Value)
		return
	}
	*d = duration(given)
}

func (l *length) read(p *parser, n *yaml.Node, path string) {
	if p.scalar(n, path, reflect.ValueOf((*int)(l)).Elem()) && *l < 1 {
		p.failf(n, path, "must be at least 1")
	}
}

func (r *pattern) read(p *parser, n *yaml.Node, path string) {
	var err error
	if r.Regexp, err = regexp.Compile(p.text(n, path)); err != nil {
		p.failf(n, path, "%v", err)
	}
}

func (anything) read(*parser, *yaml.Node, string) {}

func (t *text) read(p *parser, n *yaml.Node, path string) {
	if p.text(n, path) != "" {
		*t = *p.template(n, path)
	}
}

// template reads a text that may hold placeholders.
func (p *parser) template(n *yaml.Node, path string) *text {
	if !strings.Contains(n.Value, "{{") {
		return &text{plain: n.Value}
	}
	t, err := template.New(path).Option("missingkey=error").Funcs(functions).Parse(n.Value)
	if err != nil {
		p.failf(n, path, "%v", err)
	}
	return &text{tmpl: t}
}

// resolve returns the node an alias refers to.
func resolve(n *yaml.Node) *yaml.Node {
	for n.Kind == yaml.AliasNode {
		n = n.Alias
	}
	return n
}

func kindName(n *yaml.Node) string {
	switch n.Kind {
	case yaml.MappingNode:
		return "a mapping"
	case yaml.SequenceNode:
		return "a list"
	}
	if n.Tag == "!!null" {
		return "nothing"
	}
	return fmt.Sprintf("%q", n.Value)
}

func join(path, key string) string {
	if path == "" {
		return key
	}
	return path + "." + key
}
