package jsonx

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
)

// Limits of applying a patch: how large a document may become, in bytes of JSON, and how much work one patch may be.
// Without the first a few copy operations make a small document fill the memory.
const (
	MaxPatchedSize = 16 << 20
	maxPatchWork   = 64 << 20 // members looked at or copied, and bytes compared
)

// Document is a JSON document that patches can be applied to. It is immutable: a patch gives a new one, which shares
// with the old what it did not touch. Only what a patch walks through is ever parsed. It is not safe for concurrent
// use, nor are two that share.
type Document struct{ root *node }

// NewDocument returns the document raw, which must be valid JSON and must not be changed after.
func NewDocument(raw json.RawMessage) Document { return Document{&node{raw: raw, size: len(raw)}} }

// IsZero reports whether there is no document.
func (d Document) IsZero() bool { return d.root == nil }

// Kind returns what the document is.
func (d Document) Kind() Kind {
	if d.root == nil {
		return Invalid
	}
	return d.root.kind()
}

// Raw returns the document's JSON. What no patch has touched stands as it stood.
func (d Document) Raw() json.RawMessage {
	if d.root == nil {
		return nil
	}
	if d.root.raw == nil {
		d.root.raw = d.root.append(make([]byte, 0, d.root.size))
	}
	return d.root.raw
}

// Patch applies an RFC 6902 patch, which must be valid JSON and must not be changed after, and returns the result. All of it applies or none: on error,
// an *Error whose path names the operation, the document is returned as it was.
func (d Document) Patch(patch []byte) (Document, error) {
	p := patcher{root: d.root}
	if err := eachOperation(patch, p.apply); err != nil {
		return d, err
	}
	return Document{p.root}, nil
}

// node is a JSON value. It has its text, or its parts, or both; neither changes once set.
type node struct {
	raw    []byte
	size   int // of its JSON, in bytes; of one patched, up to white space
	parsed bool
	object bool
	keys   []string
	kids   []*node
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

// depth returns how many arrays and objects stand inside each other in n, itself included.
func (n *node) depth() int {
	if n.raw != nil {
		return depthOf(n.raw)
	}
	deepest := 0
	for _, kid := range n.kids {
		deepest = max(deepest, kid.depth())
	}
	return deepest + 1
}

func depthOf(raw []byte) int {
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

// patcher applies operations to a root one after the other. Nodes are shared, so it replaces the ones on the way.
type patcher struct {
	root *node
	work int
}

func (p *patcher) apply(_ int, op operation) error {
	value := &node{raw: op.value, size: len(op.value)}
	var err error
	switch op.op {
	case "test":
		return p.test(op.path, value)
	case "remove":
		return p.change("path", op.path, remove, nil)
	case "copy", "move":
		if value, err = p.get("from", op.from); err != nil {
			return err
		}
	}
	if op.op == "move" {
		if inside(op.path, op.from) {
			return refuse("path", "is inside from")
		}
		if err := p.change("from", op.from, remove, nil); err != nil {
			return err
		}
	}
	if !p.spend(value.size) {
		return refuse("", "is too much work")
	}
	if len(op.path)+value.depth() > DefaultMaxDepth {
		return refuse("path", "would nest deeper than 64 levels")
	}
	if op.op == "replace" {
		return p.change("path", op.path, replace, value)
	}
	return p.change("path", op.path, add, value)
}

// inside reports whether path is a place within from. A place is not within itself.
func inside(path, from []string) bool {
	if len(path) <= len(from) {
		return false
	}
	for i := range from {
		if path[i] != from[i] {
			return false
		}
	}
	return true
}

func (p *patcher) spend(work int) bool {
	p.work += work
	return p.work <= maxPatchWork
}

func (p *patcher) get(field string, path []string) (*node, error) {
	n := p.root
	for i := range path {
		at, err := p.find(field, n, path[:i+1])
		if err != nil {
			return nil, err
		}
		n = n.kids[at]
	}
	if n == nil {
		return nil, missing(field, path)
	}
	return n, nil
}

// find returns which of n's parts the last segment of path names.
func (p *patcher) find(field string, n *node, path []string) (int, error) {
	if n == nil {
		return 0, missing(field, path)
	}
	if k := n.kind(); k != Array && k != Object {
		return 0, missing(field, path)
	}
	n.parse()
	last := path[len(path)-1]
	at := -1
	if n.object {
		at = n.index(last)
	} else if i, ok := arrayIndex(last); ok && i < len(n.kids) {
		at = i
	}
	if !p.spend(len(n.kids)) {
		return 0, refuse("", "is too much work")
	}
	if at < 0 {
		return 0, missing(field, path)
	}
	return at, nil
}

func missing(field string, path []string) error {
	return refuse(field, "names nothing in the document: "+pointer(path))
}

func pointer(path []string) string {
	var b bytes.Buffer
	for _, s := range path {
		b.WriteByte('/')
		b.WriteString(s)
	}
	return quoted(AppendStringBody(nil, b.String()))
}

// arrayIndex reads an index as RFC 6901 writes it: digits without leading zeros.
func arrayIndex(s string) (int, bool) {
	if len(s) == 0 || len(s) > 9 || len(s) > 1 && s[0] == '0' {
		return 0, false
	}
	i := 0
	for _, c := range []byte(s) {
		if c < '0' || c > '9' {
			return 0, false
		}
		i = i*10 + int(c-'0')
	}
	return i, true
}

// edit changes one part of n, which is a fresh copy, and returns what n has become.
type edit func(p *patcher, n *node, path []string, value *node) (*node, error)

// change does an edit at path in a copy of every node on the way.
func (p *patcher) change(field string, path []string, do edit, value *node) error {
	root, err := p.rebuild(field, p.root, path, 0, do, value)
	if err != nil {
		return err
	}
	if root != nil && root.size > MaxPatchedSize {
		return refuse("", fmt.Sprintf("would make the document larger than %d bytes", MaxPatchedSize))
	}
	p.root = root
	return nil
}

func (p *patcher) rebuild(field string, n *node, path []string, depth int, do edit, value *node) (*node, error) {
	if len(path) == 0 {
		return do(p, nil, nil, value)
	}
	if n == nil {
		return nil, missing(field, path)
	}
	if k := n.kind(); k != Array && k != Object {
		return nil, missing(field, path)
	}
	n.parse()
	if !p.spend(2 * len(n.kids)) {
		return nil, refuse("", "is too much work")
	}
	if depth == len(path)-1 {
		return do(p, n, path, value)
	}
	at, err := p.find(field, n, path[:depth+1])
	if err != nil {
		return nil, err
	}
	kid, err := p.rebuild(field, n.kids[at], path, depth+1, do, value)
	if err != nil {
		return nil, err
	}
	return n.with(at, kid), nil
}

// with returns n with another part at a place.
func (n *node) with(at int, kid *node) *node {
	c := n.copy(len(n.kids))
	copy(c.kids, n.kids)
	copy(c.keys, n.keys)
	c.size += kid.size - n.kids[at].size
	c.kids[at] = kid
	return c
}

// copy returns an array or object like n with room for as many parts, still to be filled in.
func (n *node) copy(parts int) *node {
	c := &node{size: n.size, parsed: true, object: n.object, kids: make([]*node, parts)}
	if n.object {
		c.keys = make([]string, parts)
	}
	return c
}

func replace(p *patcher, n *node, path []string, value *node) (*node, error) {
	if n == nil {
		return value, nil
	}
	at, err := p.find("path", n, path)
	if err != nil {
		return nil, err
	}
	return n.with(at, value), nil
}

func add(_ *patcher, n *node, path []string, value *node) (*node, error) {
	if n == nil {
		return value, nil
	}
	last := path[len(path)-1]
	if n.object {
		if at := n.index(last); at >= 0 {
			return n.with(at, value), nil
		}
		return n.insert(len(n.kids), last, value), nil
	}
	at, ok := arrayIndex(last)
	if last == "-" {
		at, ok = len(n.kids), true
	}
	if !ok || at > len(n.kids) {
		return nil, refuse("path", "is no place in an array of "+strconv.Itoa(len(n.kids))+": "+pointer(path))
	}
	return n.insert(at, "", value), nil
}

func (n *node) insert(at int, key string, value *node) *node {
	c := n.copy(len(n.kids) + 1)
	copy(c.kids, n.kids[:at])
	copy(c.kids[at+1:], n.kids[at:])
	c.kids[at] = value
	c.size += value.size + 1
	if n.object {
		copy(c.keys, n.keys)
		c.keys[at] = key
		c.size += len(key) + 3
	}
	return c
}

func remove(p *patcher, n *node, path []string, _ *node) (*node, error) {
	if n == nil {
		return &node{raw: []byte("null"), size: 4}, nil
	}
	at, err := p.find("path", n, path)
	if err != nil {
		return nil, err
	}
	c := n.copy(len(n.kids) - 1)
	copy(c.kids, n.kids[:at])
	copy(c.kids[at:], n.kids[at+1:])
	if n.object {
		copy(c.keys, n.keys[:at])
		copy(c.keys[at:], n.keys[at+1:])
	}
	c.size -= n.kids[at].size
	return c, nil
}

func (p *patcher) test(path []string, want *node) error {
	got, err := p.get("path", path)
	if err != nil {
		return err
	}
	if !p.spend(got.size+want.size) || !p.equal(got, want) {
		return refuse("value", "is not what the document has at "+pointer(path))
	}
	return nil
}

func (p *patcher) equal(a, b *node) bool {
	kind := a.kind()
	if kind != b.kind() {
		return false
	}
	switch kind {
	case Array, Object:
		return p.equalParts(a, b)
	case String:
		s, _ := Unquote(bytes.TrimSpace(a.raw))
		t, _ := Unquote(bytes.TrimSpace(b.raw))
		return s == t
	case Number:
		x, errX := strconv.ParseFloat(string(bytes.TrimSpace(a.raw)), 64)
		y, errY := strconv.ParseFloat(string(bytes.TrimSpace(b.raw)), 64)
		return errX == nil && errY == nil && x == y || bytes.Equal(a.raw, b.raw)
	}
	return bytes.Equal(bytes.TrimSpace(a.raw), bytes.TrimSpace(b.raw))
}

func (p *patcher) equalParts(a, b *node) bool {
	a.parse()
	b.parse()
	if len(a.kids) != len(b.kids) {
		return false
	}
	for i, kid := range a.kids {
		at := i
		if a.object && b.keys[i] != a.keys[i] {
			at = b.index(a.keys[i])
			p.spend(len(b.keys))
		}
		if at < 0 || p.work > maxPatchWork || !p.equal(kid, b.kids[at]) {
			return false
		}
	}
	return true
}

// MergeObjects returns the object a with the members of the object b set in it, last write wins. Neither is changed.
func MergeObjects(a, b json.RawMessage) json.RawMessage {
	if len(a) == 0 {
		return bytes.Clone(b)
	}
	x, y := NewDocument(a), NewDocument(b)
	x.root.parse()
	y.root.parse()
	n := x.root
	for i, key := range y.root.keys {
		if at := n.index(key); at >= 0 {
			n = n.with(at, y.root.kids[i])
		} else {
			n = n.insert(len(n.kids), key, y.root.kids[i])
		}
	}
	return Document{n}.Raw()
}
