package jsonx

import (
	"bytes"
	"fmt"
	"slices"
	"strconv"
)

// Limits of applying a patch: the size of the document in bytes of JSON, and the work per patch.
// Without the first, a few copy operations could make a small document fill the memory.
const (
	MaxPatchedSize = 16 << 20
	maxPatchWork   = 64 << 20 // members looked at or copied, and bytes compared
)

// Patch applies an RFC 6902 patch and returns the result. The patch must be valid JSON and must not
// be changed afterwards. It is atomic: on error Patch returns the original document and an *Error
// whose path names the operation.
func (d Document) Patch(patch []byte) (Document, error) {
	p := patcher{root: d.root}
	if err := eachOperation(patch, p.apply); err != nil {
		return d, err
	}
	root := p.root
	// its nodes still refer to the patcher, which must not keep the document alive
	p.root = nil
	return Document{root}, nil
}

// patcher applies operations to a root in order. Nodes are shared with older documents, so it
// copies those on the path to a change, each once. It may change its copies until a copy operation
// puts them into the document twice.
type patcher struct {
	root  *node
	work  int
	epoch int // copy operations so far
}

// own returns n, or a copy of it, that p may change.
func (p *patcher) own(n *node) *node {
	if n.owner == p && n.epoch == p.epoch {
		return n
	}
	p.spend(len(n.kids))
	return &node{
		size: n.size, parsed: true, object: n.object, owner: p, epoch: p.epoch,
		keys: slices.Clone(n.keys), kids: slices.Clone(n.kids),
	}
}

func (p *patcher) apply(op operation) error {
	value := &node{raw: op.value, size: len(op.value)}
	var err error
	switch op.op {
	case "test":
		return p.test(op.path, value)
	case "remove":
		return p.remove("path", op.path)
	case "copy", "move":
		if value, err = p.get("from", op.from); err != nil {
			return err
		}
	}
	if op.op == "copy" {
		p.epoch++
	}
	if op.op == "move" {
		if inside(op.path, op.from) {
			return refuse("path", "is inside from")
		}
		if err := p.remove("from", op.from); err != nil {
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

// inside reports whether path is strictly below from.
func inside(path, from []string) bool {
	return len(path) > len(from) && slices.Equal(path[:len(from)], from)
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

// find returns the index of the part of n that the last segment of path names.
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
	var b []byte
	for _, s := range path {
		b = append(append(b, '/'), s...)
	}
	return quoted(string(b))
}

// arrayIndex parses an RFC 6901 index: digits without leading zeros.
func arrayIndex(s string) (int, bool) {
	i, err := strconv.Atoi(s)
	return i, err == nil && i >= 0 && strconv.Itoa(i) == s
}

// edit changes the part of n that the last segment of path names, and returns the changed node.
type edit func(p *patcher, n *node, path []string, value *node) (*node, error)

// remove removes what is at path. Of the whole document it leaves null.
func (p *patcher) remove(field string, path []string) error {
	return p.change(field, path, without, &node{raw: []byte("null"), size: 4})
}

// change makes an edit at path, in copies of the nodes on the way. The whole document becomes
// value.
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
		return value, nil
	}
	if n == nil {
		return nil, missing(field, path)
	}
	if k := n.kind(); k != Array && k != Object {
		return nil, missing(field, path)
	}
	n.parse()
	if !p.spend(1) {
		return nil, refuse("", "is too much work")
	}
	if depth == len(path)-1 {
		return do(p, n, path, value)
	}
	at, err := p.find(field, n, path[:depth+1])
	if err != nil {
		return nil, err
	}
	old := n.kids[at].size
	kid, err := p.rebuild(field, n.kids[at], path, depth+1, do, value)
	if err != nil {
		return nil, err
	}
	return p.with(n, at, kid, old), nil
}

// with returns n with the part at an index replaced, which was of a size.
func (p *patcher) with(n *node, at int, kid *node, was int) *node {
	c := p.own(n)
	c.size += kid.size - was
	c.kids[at] = kid
	return c
}

func replace(p *patcher, n *node, path []string, value *node) (*node, error) {
	at, err := p.find("path", n, path)
	if err != nil {
		return nil, err
	}
	return p.with(n, at, value, n.kids[at].size), nil
}

func add(p *patcher, n *node, path []string, value *node) (*node, error) {
	last := path[len(path)-1]
	if n.object {
		p.spend(len(n.kids))
		if at := n.index(last); at >= 0 {
			return p.with(n, at, value, n.kids[at].size), nil
		}
		return p.insert(n, len(n.kids), last, value), nil
	}
	at, ok := arrayIndex(last)
	if last == "-" {
		at, ok = len(n.kids), true
	}
	if !ok || at > len(n.kids) {
		return nil, refuse("path", "is no place in an array of "+strconv.Itoa(len(n.kids))+": "+pointer(path))
	}
	return p.insert(n, at, "", value), nil
}

func (p *patcher) insert(n *node, at int, key string, value *node) *node {
	c := p.own(n)
	c.kids = slices.Insert(c.kids, at, value)
	c.size += value.size + 1
	if c.object {
		c.keys = slices.Insert(c.keys, at, key)
		c.size += len(AppendString(nil, key)) + 1
	}
	p.spend(len(c.kids) - at)
	return c
}

func without(p *patcher, n *node, path []string, _ *node) (*node, error) {
	at, err := p.find("path", n, path)
	if err != nil {
		return nil, err
	}
	c := p.own(n)
	c.size -= c.kids[at].size
	c.kids = slices.Delete(c.kids, at, at+1)
	if c.object {
		c.keys = slices.Delete(c.keys, at, at+1)
	}
	p.spend(len(c.kids) - at)
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
