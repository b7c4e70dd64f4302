package script

import (
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"text/template"
	"time"

	"go.yaml.in/yaml/v3"
)

// parser walks the YAML nodes of a file and collects all problems.
type parser struct {
	file string
	errs []error
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

// setters maps the known keys of a mapping to the functions for their values.
type setters map[string]func(n *yaml.Node, path string)

// fields passes each value of a mapping to the setter of its key; unknown and repeated keys are
// errors.
func (p *parser) fields(n *yaml.Node, path string, known setters) {
	if n = resolve(n); n.Kind != yaml.MappingNode {
		p.failf(n, path, "must be a mapping, not %s", kindName(n))
		return
	}
	seen := map[string]bool{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, value := n.Content[i], n.Content[i+1]
		set, ok := known[key.Value]
		switch {
		case !ok:
			p.failf(key, join(path, key.Value), "unknown field; known are %s",
				strings.Join(slices.Sorted(maps.Keys(known)), ", "))
		case seen[key.Value]:
			p.failf(key, join(path, key.Value), "appears twice")
		default:
			set(value, join(path, key.Value))
		}
		seen[key.Value] = true
	}
}

// items passes each item of a sequence to take.
func (p *parser) items(n *yaml.Node, path string, take func(n *yaml.Node, path string)) {
	if n = resolve(n); n.Kind != yaml.SequenceNode {
		p.failf(n, path, "must be a list, not %s", kindName(n))
		return
	}
	for i, item := range n.Content {
		take(item, fmt.Sprintf("%s[%d]", path, i))
	}
}

// scalar decodes a node into *to, a plain Go value.
func scalar[T any](p *parser, n *yaml.Node, path string, to *T) bool {
	n = resolve(n)
	if n.Kind != yaml.ScalarNode {
		p.failf(n, path, "must be a single value, not %s", kindName(n))
		return false
	}
	if err := n.Decode(to); err != nil {
		p.failf(n, path, "%q is not a valid %T", n.Value, *to)
		return false
	}
	return true
}

func into[T any](p *parser, to *T) func(*yaml.Node, string) {
	return func(n *yaml.Node, path string) { scalar(p, n, path, to) }
}

func (p *parser) duration(to *time.Duration) func(*yaml.Node, string) {
	return func(n *yaml.Node, path string) {
		d, err := time.ParseDuration(resolve(n).Value)
		if resolve(n).Value == "0" {
			d, err = 0, nil
		}
		if err != nil || d < 0 {
			p.failf(n, path, "%q is not a duration such as 12ms or 1.5s", n.Value)
			return
		}
		*to = d
	}
}

func (p *parser) regexp(to **regexp.Regexp) func(*yaml.Node, string) {
	return func(n *yaml.Node, path string) {
		var source string
		if !scalar(p, n, path, &source) {
			return
		}
		re, err := regexp.Compile(source)
		if err != nil {
			p.failf(n, path, "%v", err)
		}
		*to = re
	}
}

func (p *parser) text(to **text) func(*yaml.Node, string) {
	return func(n *yaml.Node, path string) {
		var source string
		if scalar(p, n, path, &source) {
			*to = p.newText(n, path, source)
		}
	}
}

func (p *parser) newText(n *yaml.Node, path, source string) *text {
	if !strings.Contains(source, "{{") {
		return &text{plain: source}
	}
	t, err := template.New(path).Option("missingkey=error").Funcs(functions).Parse(source)
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
