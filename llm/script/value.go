package script

import (
	"encoding/json"
	"fmt"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/pageside/pageside/internal/jsonx"
)

// argument is what a tool call is given, or a part of it, with templates to render to JSON.
type argument interface {
	appendJSON(dst []byte, d *data) ([]byte, error)
}

// arguments are those of a call: any YAML, and nil where there are none.
type arguments struct{ argument }

type (
	constant []byte          // JSON
	quoted   struct{ *text } // a template whose text becomes a string
	verbatim struct{ *text } // a template whose text is JSON: the !json tag
	// composite is an object or an array, in the file's order.
	composite struct {
		open, end byte
		keys      []string // of an object
		parts     []argument
	}
)

// maxDepth limits arguments, which an alias to its own parent would make endless.
const maxDepth = 64

func (a *arguments) read(p *parser, n *yaml.Node, path string) { a.argument = p.argument(n, path, 0) }

func (p *parser) argument(n *yaml.Node, path string, depth int) argument {
	n = resolve(n)
	if depth > maxDepth {
		p.failf(n, path, "is nested too deeply")
		return nil
	}
	switch n.Kind {
	case yaml.MappingNode:
		o := composite{open: '{', end: '}'}
		for i := 0; i+1 < len(n.Content); i += 2 {
			key := n.Content[i].Value
			o.keys = append(o.keys, key)
			o.parts = append(o.parts, p.argument(n.Content[i+1], join(path, key), depth+1))
		}
		return o
	case yaml.SequenceNode:
		a := composite{open: '[', end: ']'}
		p.items(n, path, func(n *yaml.Node, path string) {
			a.parts = append(a.parts, p.argument(n, path, depth+1))
		})
		return a
	}
	return p.single(n, path)
}

// single reads an argument that is neither an object nor an array.
func (p *parser) single(n *yaml.Node, path string) argument {
	switch n.Tag {
	case "!json":
		return verbatim{p.template(n, path)}
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
	return quoted{p.template(n, path)}
}

func (c composite) appendJSON(dst []byte, d *data) (_ []byte, err error) {
	dst = append(dst, c.open)
	for i, part := range c.parts {
		if i > 0 {
			dst = append(dst, ',')
		}
		if c.keys != nil {
			dst = append(jsonx.AppendString(dst, c.keys[i]), ':')
		}
		if dst, err = part.appendJSON(dst, d); err != nil {
			return nil, err
		}
	}
	return append(dst, c.end), nil
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
