package config

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"regexp"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/pageside/pageside/internal/jsonx"
)

// document is a YAML document as JSON, with the line of each value.
type document struct {
	json  []byte
	lines map[string]int // by path: pages[0].tools[2]
}

// Limits on what aliases can make of a small file.
const (
	maxNodes = 100_000
	maxDepth = 64
)

// parseYAML reads one YAML document. It refuses duplicate keys, keys that are not text, and merge
// keys: a file should mean what a reader sees.
func parseYAML(file string, raw []byte) (document, error) {
	dec := yaml.NewDecoder(bytes.NewReader(raw))
	var root yaml.Node
	if err := dec.Decode(&root); errors.Is(err, io.EOF) {
		return document{json: []byte("{}"), lines: map[string]int{}}, nil
	} else if err != nil {
		return document{}, Errors{syntaxError(file, err)}
	}
	var second yaml.Node
	if err := dec.Decode(&second); !errors.Is(err, io.EOF) {
		return document{}, Errors{{File: file, Line: second.Line, Reason: "there must be one document in the file"}}
	}
	c := converter{file: file, lines: map[string]int{}}
	if err := c.value("", root.Content[0]); err != nil {
		return document{}, err
	}
	return document{c.out.Bytes(), c.lines}, nil
}

var atLine = regexp.MustCompile(`^line (\d+): `)

// syntaxError converts an error of the YAML parser, which has its line only in the text.
func syntaxError(file string, err error) Error {
	e := Error{File: file, Reason: strings.TrimPrefix(err.Error(), "yaml: ")}
	if m := atLine.FindStringSubmatch(e.Reason); m != nil {
		e.Line, _ = strconv.Atoi(m[1]) // matched digits
		e.Reason = e.Reason[len(m[0]):]
	}
	e.Reason += hints[e.Reason]
	return e
}

// hints say what the parser's messages usually mean.
var hints = map[string]string{
	"found character that cannot start any token":            ": indent with spaces, not tabs; a value that begins with @, ` or % needs quotes",
	"found a tab character that violates indentation":        ": indent with spaces",
	"mapping values are not allowed in this context":         ": a text with a colon and a space needs quotes, or a block that begins with |",
	"did not find expected key":                              ": check the indentation, and quotes that are not closed",
	"did not find expected node content":                     ": check brackets and quotes that are not closed",
	"could not find expected ':'":                            ": a key needs a colon and a space; check quotes that are not closed",
	"block sequence entries are not allowed in this context": ": a list begins on a line of its own",
}

// converter writes YAML nodes as JSON.
type converter struct {
	file  string
	out   bytes.Buffer
	lines map[string]int
	nodes int
	depth int
}

func (c *converter) fail(path string, n *yaml.Node, format string, args ...any) error {
	return Errors{{c.file, n.Line, path, fmt.Sprintf(format, args...)}}
}

func (c *converter) value(path string, n *yaml.Node) error {
	c.nodes++
	c.depth++
	defer func() { c.depth-- }()
	if c.nodes > maxNodes || c.depth > maxDepth {
		return c.fail(path, n, "the file is too large or too deep")
	}
	if _, known := c.lines[path]; !known {
		c.lines[path] = n.Line
	}
	switch n.Kind {
	case yaml.AliasNode:
		return c.value(path, n.Alias)
	case yaml.MappingNode:
		return c.mapping(path, n)
	case yaml.SequenceNode:
		return c.sequence(path, n)
	}
	return c.scalar(path, n)
}

func (c *converter) mapping(path string, n *yaml.Node) error {
	seen := map[string]bool{}
	c.out.WriteByte('{')
	for i := 0; i < len(n.Content); i += 2 {
		key, value := n.Content[i], n.Content[i+1]
		switch {
		case key.Tag == "!!merge":
			return c.fail(path, key, "merge keys (<<) cannot be used")
		case key.Kind != yaml.ScalarNode:
			return c.fail(path, key, "a key must be text")
		case seen[key.Value]:
			return c.fail(jsonx.Join(path, jsonx.KeyPath(key.Value)), key, "appears twice")
		}
		seen[key.Value] = true
		if i > 0 {
			c.out.WriteByte(',')
		}
		c.out.Write(jsonx.AppendString(nil, key.Value))
		c.out.WriteByte(':')
		at := jsonx.Join(path, jsonx.KeyPath(key.Value))
		c.lines[at] = key.Line
		if err := c.value(at, value); err != nil {
			return err
		}
	}
	c.out.WriteByte('}')
	return nil
}

func (c *converter) sequence(path string, n *yaml.Node) error {
	c.out.WriteByte('[')
	for i, value := range n.Content {
		if i > 0 {
			c.out.WriteByte(',')
		}
		if err := c.value(path+jsonx.Index(i), value); err != nil {
			return err
		}
	}
	c.out.WriteByte(']')
	return nil
}

func (c *converter) scalar(path string, n *yaml.Node) error {
	switch n.Tag {
	case "!!null":
		c.out.WriteString("null")
	case "!!bool":
		var v bool
		if err := n.Decode(&v); err != nil {
			return c.fail(path, n, "must be true or false")
		}
		c.out.WriteString(strconv.FormatBool(v))
	case "!!int":
		var v int64
		if err := n.Decode(&v); err != nil {
			return c.fail(path, n, "is a number that is too large")
		}
		c.out.WriteString(strconv.FormatInt(v, 10))
	case "!!float":
		var v float64
		if err := n.Decode(&v); err != nil || math.IsNaN(v) || math.IsInf(v, 0) {
			return c.fail(path, n, "is a number that cannot be used")
		}
		b, err := json.Marshal(v)
		if err != nil {
			return c.fail(path, n, "is a number that cannot be used")
		}
		c.out.Write(b)
	default: // text, and times, which count as text
		c.out.Write(jsonx.AppendString(nil, n.Value))
	}
	return nil
}
