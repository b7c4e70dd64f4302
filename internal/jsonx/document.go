package jsonx

import (
	"bytes"
	"encoding/json"
)

// Document is an immutable JSON document for patching: a patch returns a new document that shares
// the unchanged parts. Only the parts on a patch's path are parsed. Not safe for concurrent use,
// nor are two documents that share parts.
type Document struct{ root *node }

// NewDocument returns the document raw, which must be valid JSON and must not be changed
// afterwards.
func NewDocument(raw json.RawMessage) Document { return Document{&node{raw: raw, size: len(raw)}} }

// IsZero reports whether there is no document.
func (d Document) IsZero() bool { return d.root == nil }

// Kind returns the kind of the document.
func (d Document) Kind() Kind {
	if d.root == nil {
		return Invalid
	}
	return d.root.kind()
}

// Raw returns the document's JSON. Unpatched parts are unchanged, byte for byte.
func (d Document) Raw() json.RawMessage {
	if d.root == nil {
		return nil
	}
	if d.root.raw == nil {
		d.root.raw = d.root.append(make([]byte, 0, d.root.size))
	}
	return d.root.raw
}

// node is a JSON value. It has its text, its parts, or both. It is immutable once the patch that
// made it is done.
type node struct {
	raw    []byte
	size   int // of its JSON, in bytes; approximate after a patch (white space)
	parsed bool
	object bool
	keys   []string
	kids   []*node
	owner  *patcher // the patcher that may change the node, during the same epoch
	epoch  int
}

func (n *node) kind() Kind {
	switch {
	case n.raw != nil:
		return KindOf(n.raw)
	case n.object:
		return Object
	}
	return Array
}

// parse splits an array or object into its parts.
func (n *node) parse() {
	if n.parsed {
		return
	}
	n.parsed = true
	d := Decoder{Data: n.raw}
	n.object = d.Kind() == Object
	for d.Enter(); d.More(); {
		if n.object {
			n.keys = append(n.keys, string(d.Key(nil)))
		}
		raw := d.Raw()
		n.kids = append(n.kids, &node{raw: raw, size: len(raw)})
	}
}

func (n *node) append(dst []byte) []byte {
	if n.raw != nil {
		return append(dst, n.raw...)
	}
	open, end := byte('['), byte(']')
	if n.object {
		open, end = '{', '}'
	}
	dst = append(dst, open)
	for i, kid := range n.kids {
		if i > 0 {
			dst = append(dst, ',')
		}
		if n.object {
			dst = append(AppendString(dst, n.keys[i]), ':')
		}
		dst = kid.append(dst)
	}
	return append(dst, end)
}

func (n *node) index(key string) int {
	for i, k := range n.keys {
		if k == key {
			return i
		}
	}
	return -1
}

// depth returns the nesting depth of n, including n itself.
func (n *node) depth() int {
	if n.raw != nil {
		return Depth(n.raw)
	}
	deepest := 0
	for _, kid := range n.kids {
		deepest = max(deepest, kid.depth())
	}
	return deepest + 1
}

// Depth returns how deep the arrays and objects of JSON nest: 0 for a string or a number. It also
// takes text that is not valid JSON.
func Depth(raw json.RawMessage) int {
	d := Decoder{Data: raw}
	depth, deepest := 0, 0
	for d.Pos < len(d.Data) {
		switch d.Data[d.Pos] {
		case '"':
			d.skipString()
			continue
		case '[', '{':
			depth++
			deepest = max(deepest, depth)
		case ']', '}':
			depth--
		}
		d.Pos++
	}
	return deepest
}

// MergeObjects returns the object a with the members of the others set, in order. It changes none.
func MergeObjects(a json.RawMessage, others ...json.RawMessage) json.RawMessage {
	if len(a) == 0 && len(others) == 1 {
		return bytes.Clone(others[0])
	}
	merged := &node{parsed: true, object: true}
	index := map[string]int{}
	for _, raw := range append([]json.RawMessage{a}, others...) {
		from := &node{raw: raw}
		from.parse()
		for i, key := range from.keys {
			at, known := index[key]
			if !known {
				at = len(merged.keys)
				index[key] = at
				merged.keys, merged.kids = append(merged.keys, key), append(merged.kids, nil)
			}
			merged.kids[at] = from.kids[i]
		}
		merged.size += len(raw)
	}
	return Document{merged}.Raw()
}
