package gemini

import (
	"errors"
	"strconv"
	"strings"

	"github.com/pageside/pageside/internal/jsonx"
	"github.com/pageside/pageside/llm/httpmodel"
)

// partial puts together arguments that come in pieces: each names a value by a path
// such as $.a.b[0] and holds the value, or more of its text.
type partial struct {
	whole string // the arguments, where they came in one piece
	root  node
	nodes int // made so far
}

// node is an object, a list or a value.
type node struct {
	keys  []string
	items []*node // of the object, by key, or of the list
	list  bool
	value []byte // JSON; of a text only what stands between the quotes
	text  bool
}

const (
	maxPath  = 64     // steps of a path
	maxGap   = 16     // items a list may skip: those without a value are not sent
	maxNodes = 50_000 // of one call
)

var errPath = errors.New("the place of a piece of the arguments is not one")

// add takes in a list of pieces.
func (p *partial) add(raw []byte) error {
	pieces := jsonx.Decoder{Data: raw}
	if pieces.Kind() != jsonx.Array {
		return nil
	}
	for pieces.Enter(); pieces.More(); {
		piece := pieces.Raw()
		path, err := httpmodel.Text(jsonx.Find(piece, "jsonPath"))
		if err != nil {
			return err
		}
		n, err := p.at(path)
		if err != nil {
			return err
		}
		if err := n.add(piece); err != nil {
			return err
		}
	}
	return nil
}

// at returns the node at a path, and makes it where there is none.
func (p *partial) at(path string) (*node, error) {
	n := &p.root
	rest, ok := strings.CutPrefix(path, "$")
	for steps := 0; rest != "" && ok; steps++ {
		var key string
		var index int
		if key, index, rest, ok = step(rest); !ok || steps == maxPath {
			break
		}
		if index < 0 {
			n = p.member(n, key)
		} else {
			n = p.item(n, index)
		}
		if n == nil {
			break
		}
	}
	if !ok || n == nil || rest != "" {
		return nil, errPath
	}
	return n, nil
}

// step splits the first step off a path: .key, ['key'] or [3]. The index is -1 where the step is a
// key.
func step(path string) (key string, index int, rest string, ok bool) {
	if path[0] == '.' {
		end := strings.IndexAny(path[1:], ".[")
		if end < 0 {
			end = len(path) - 1
		}
		return path[1 : end+1], -1, path[end+1:], end > 0
	}
	inside, rest, ok := strings.Cut(path, "]")
	inside, opened := strings.CutPrefix(inside, "[")
	if !ok || !opened || inside == "" {
		return "", 0, "", false
	}
	if quote := inside[0]; quote == '\'' || quote == '"' {
		return strings.Trim(inside, string(quote)), -1, rest, len(inside) > 2
	}
	index, err := strconv.Atoi(inside)
	return "", index, rest, err == nil && index >= 0
}

func (p *partial) member(n *node, key string) *node {
	for i, k := range n.keys {
		if k == key {
			return n.items[i]
		}
	}
	if p.nodes++; n.list || n.isValue() || p.nodes > maxNodes {
		return nil
	}
	child := &node{}
	n.keys, n.items = append(n.keys, key), append(n.items, child)
	return child
}

func (p *partial) item(n *node, i int) *node {
	if len(n.keys) > 0 || n.isValue() || i > len(n.items)+maxGap {
		return nil
	}
	n.list = true
	for len(n.items) <= i {
		if p.nodes++; p.nodes > maxNodes {
			return nil
		}
		n.items = append(n.items, &node{})
	}
	return n.items[i]
}

func (n *node) isValue() bool { return n.text || len(n.value) > 0 }

// add sets the value of a node, or adds to its text.
func (n *node) add(piece []byte) error {
	if n.list || len(n.keys) > 0 {
		return errPath
	}
	if raw := jsonx.Find(piece, "stringValue"); raw != nil {
		more, err := httpmodel.Text(raw)
		n.text = true
		n.value = jsonx.AppendStringBody(n.value, more)
		return err
	}
	for _, field := range []string{"numberValue", "boolValue"} {
		if raw := jsonx.Find(piece, field); raw != nil {
			n.value = append(n.value[:0], raw...)
		}
	}
	if jsonx.Find(piece, "nullValue") != nil {
		n.value = []byte("null")
	}
	return nil
}

// String returns the arguments.
func (p *partial) String() string {
	if p.whole != "" {
		return p.whole
	}
	if !p.root.list && len(p.root.keys) == 0 {
		return "{}"
	}
	return string(p.root.append(nil))
}

func (n *node) append(dst []byte) []byte {
	switch {
	case n.text:
		return append(append(append(dst, '"'), n.value...), '"')
	case n.list:
		return n.appendItems(dst, '[', ']')
	case len(n.keys) > 0:
		return n.appendItems(dst, '{', '}')
	case len(n.value) == 0:
		return append(dst, "null"...)
	}
	return append(dst, n.value...)
}

func (n *node) appendItems(dst []byte, opening, closing byte) []byte {
	dst = append(dst, opening)
	for i, item := range n.items {
		if i > 0 {
			dst = append(dst, ',')
		}
		if !n.list {
			dst = append(jsonx.AppendString(dst, n.keys[i]), ':')
		}
		dst = item.append(dst)
	}
	return append(dst, closing)
}
