package script

import (
	"encoding/json"
	"fmt"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/pageside/pageside/internal/jsonx"
)

// value is a tool call's argument, or a part of it, with templates to render to JSON.
type value interface {
	appendJSON(dst []byte, d *data) ([]byte, error)
}

type (
	object []member // in the file's order
	member struct {
		key   string
		value value
	}
	array    []value
	constant []byte          // JSON
	quoted   struct{ *text } // a template whose text becomes a string
	verbatim struct{ *text } // a template whose text is JSON: the !json tag
)

// maxDepth limits arguments, which an alias to its own parent would make endless.
const maxDepth = 64

func (p *parser) value(n *yaml.Node, path string, depth int) value {
	n = resolve(n)
	if depth > maxDepth {
		p.failf(n, path, "is nested too deeply")
		return nil
	}
	switch n.Kind {
	case yaml.MappingNode:
		o := object{}
		for i := 0; i+1 < len(n.Content); i += 2 {
			key := n.Content[i].Value
			o = append(o, member{key, p.value(n.Content[i+1], join(path, key), depth+1)})
		}
		return o
	case yaml.SequenceNode:
		a := array{}
		p.items(n, path, func(n *yaml.Node, path string) { a = append(a, p.value(n, path, depth+1)) })
		return a
	}
	return p.scalarValue(n, path)
}

func (p *parser) scalarValue(n *yaml.Node, path string) value {
	switch n.Tag {
	case "!json":
		return verbatim{p.newText(n, path, n.Value)}
	case "!!int", "!!float", "!!bool", "!!null":
		var v any
		err := n.Decode(&v)
		c, jsonErr := json.Marshal(v)
		if err != nil || jsonErr != nil {
			p.failf(n, path, "%q cannot be written as JSON", n.Value)
		}
		return constant(c)
	}
	if strings.HasPrefix(n.Tag, "!") && !strings.HasPrefix(n.Tag, "!!") {
		p.failf(n, path, "unknown tag %s; known is !json", n.Tag)
	}
	return quoted{p.newText(n, path, n.Value)}
}

func (o object) appendJSON(dst []byte, d *data) (_ []byte, err error) {
	dst = append(dst, '{')
	for i, m := range o {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(jsonx.AppendString(dst, m.key), ':')
		if dst, err = m.value.appendJSON(dst, d); err != nil {
			return nil, err
		}
	}
	return append(dst, '}'), nil
}

func (a array) appendJSON(dst []byte, d *data) (_ []byte, err error) {
	dst = append(dst, '[')
	for i, v := range a {
		if i > 0 {
			dst = append(dst, ',')
		}
		if dst, err = v.appendJSON(dst, d); err != nil {
			return nil, err
		}
	}
	return append(dst, ']'), nil
}

func (c constant) appendJSON(dst []byte, _ *data) ([]byte, error) { return append(dst, c...), nil }

func (q quoted) appendJSON(dst []byte, d *data) ([]byte, error) {
	s, err := q.render(d)
	return jsonx.AppendString(dst, s), err
}

func (v verbatim) appendJSON(dst []byte, d *data) ([]byte, error) {
	s, err := v.render(d)
	if err == nil && !json.Valid([]byte(s)) {
		err = fmt.Errorf("%q is not JSON", s)
	}
	return append(dst, s...), err
}
