package page

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/pageside/pageside/internal/jsonx"
	"github.com/pageside/pageside/internal/visible"
)

// node is a JSON value with its weight. It keeps the order of members and the digits of numbers.
type node struct {
	kind     jsontext.Kind // '{', '[', '"', or '0' for literals copied as they are
	text     string        // decoded string, or literal
	names    []string      // of an object, by position in children
	children []node
	weight   int
}

// maxDepth is the maximum nesting of a value shown as JSON; deeper ones are shown as text.
const maxDepth = 64

// parseNode reads an object or array; everything else is a string.
func parseNode(value string) node {
	trimmed := strings.TrimSpace(value)
	if trimmed == "" || trimmed[0] != '{' && trimmed[0] != '[' {
		return stringNode(value)
	}
	dec := jsontext.NewDecoder(strings.NewReader(trimmed))
	n, ok := readNode(dec)
	if !ok || dec.InputOffset() != int64(len(trimmed)) {
		return stringNode(value)
	}
	return n
}

func readNode(dec *jsontext.Decoder) (node, bool) {
	tok, err := dec.ReadToken()
	if err != nil || dec.StackDepth() > maxDepth {
		return node{}, false
	}
	switch tok.Kind() {
	case '"':
		return stringNode(tok.String()), true
	case '{', '[':
		return readChildren(dec, tok.Kind())
	}
	return literalNode(tok.String()), true
}

func readChildren(dec *jsontext.Decoder, kind jsontext.Kind) (node, bool) {
	n := node{kind: kind}
	for {
		switch dec.PeekKind() {
		case '}', ']':
			_, err := dec.ReadToken()
			return n.weigh(), err == nil
		}
		if kind == '{' {
			name, err := dec.ReadToken()
			if err != nil {
				return node{}, false
			}
			n.names = append(n.names, name.String())
		}
		child, ok := readNode(dec)
		if !ok {
			return node{}, false
		}
		n.children = append(n.children, child)
	}
}

func stringNode(s string) node  { return node{kind: '"', text: s, weight: textWeight(s) + 2} }
func literalNode(s string) node { return node{kind: '0', text: s, weight: len(s)} }

// weigh adds up the weight of an object or array.
func (n node) weigh() node {
	n.weight = 2
	for i := range n.children {
		n.weight += n.memberWeight(i)
	}
	return n
}

// memberWeight is the weight of the i-th child with its name and comma.
func (n node) memberWeight(i int) int { return n.frameWeight(i) + n.children[i].weight }

// frameWeight is the weight of the i-th child without its value.
func (n node) frameWeight(i int) int {
	if n.kind == '{' {
		return textWeight(n.names[i]) + 4
	}
	return 1
}

// seen returns the node without the characters that nobody sees. It may be lighter than it says.
func (n node) seen() node {
	if n.kind == '"' {
		n.text = visible.Text(n.text)
	}
	for i := range n.names {
		n.names[i] = visible.Text(n.names[i])
	}
	for i := range n.children {
		n.children[i] = n.children[i].seen()
	}
	return n
}

// hasSchema reports whether n is a JSON Schema, or holds one.
func (n node) hasSchema() bool {
	return n.isSchema() || slices.ContainsFunc(n.children, node.hasSchema)
}

// isSchema goes by the keywords that only schemas have together: records may have a type, and
// features of a map have properties.
func (n node) isSchema() bool {
	if n.kind != '{' {
		return false
	}
	isObject := n.member("type").text == "object" && n.member("properties").kind == '{'
	return isObject || n.member("$schema").kind == '"' || n.member("$ref").kind == '"'
}

// member returns a member of an object; the zero node if it has none of the name.
func (n node) member(name string) node {
	if i := slices.Index(n.names, name); i >= 0 {
		return n.children[i]
	}
	return node{}
}

func (n node) append(dst []byte) []byte {
	switch n.kind {
	case '"':
		return jsonx.AppendString(dst, n.text)
	case '{':
		dst = append(dst, '{')
		for i, child := range n.children {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = jsonx.AppendString(dst, n.names[i])
			dst = child.append(append(dst, ':'))
		}
		return append(dst, '}')
	case '[':
		dst = append(dst, '[')
		for i, child := range n.children {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = child.append(dst)
		}
		return append(dst, ']')
	}
	return append(dst, n.text...)
}

// weightPerToken converts weights to tokens: four English letters are about one token.
const weightPerToken = 4

// textWeight estimates the cost of a text in a JSON string: an ASCII byte weighs 1, an escaped
// character its escape, and any other character a whole token.
func textWeight(s string) int {
	w := 0
	for i := range len(s) {
		w += int(byteWeights[s[i]])
	}
	return w
}

// byteWeights gives the weight of a character at its first byte; its other bytes weigh nothing.
var byteWeights = func() (table [256]uint8) {
	for b := range table {
		switch c := byte(b); {
		case strings.IndexByte("\"\\\n\t\r", c) >= 0:
			table[b] = 2
		case c < 0x20, c == '<', c == '>':
			table[b] = 6
		case c < utf8.RuneSelf:
			table[b] = 1
		case utf8.RuneStart(c):
			table[b] = weightPerToken
		}
	}
	return table
}()
