package jsonx

import "encoding/json"

// Equal reports whether two JSON values are the same: the order of names, white space and the
// spelling of strings and numbers do not count. Both must be valid JSON.
func Equal(a, b json.RawMessage) bool {
	var p patcher
	return p.equal(&node{raw: a}, &node{raw: b})
}

// Merge returns ours with what theirs has changed since base, the value that both come from: a
// three-way merge. Objects are merged name by name. Any other value, an array too, is taken as a
// whole. What both have changed is as in theirs. A nil base has no values, so theirs removes none.
// All must be valid JSON; theirs must not be nil.
func Merge(base, theirs, ours json.RawMessage) json.RawMessage {
	var m merger
	return Document{m.merge(nodeOf(base), nodeOf(theirs), nodeOf(ours))}.Raw()
}

// nodeOf returns the node of raw, nil for nil.
func nodeOf(raw json.RawMessage) *node {
	if raw == nil {
		return nil
	}
	return &node{raw: raw, size: len(raw)}
}

// merger merges nodes. A nil node is a value that is not there.
type merger struct{ patcher }

func (m *merger) merge(base, theirs, ours *node) *node {
	switch {
	case m.same(base, theirs):
		return ours
	case !isObject(theirs) || !isObject(ours) || base != nil && !isObject(base):
		return theirs
	}
	before, mine, yours := partsOf(base), partsOf(ours), partsOf(theirs)
	merged := &node{object: true, parsed: true}
	add := func(key string, kid *node) {
		if kid != nil {
			merged.keys, merged.kids = append(merged.keys, key), append(merged.kids, kid)
			merged.size += kid.size + len(key) + 4
		}
	}
	for _, key := range ours.keys {
		add(key, m.merge(before[key], yours[key], mine[key]))
	}
	for _, key := range theirs.keys {
		if mine[key] == nil {
			add(key, m.merge(before[key], yours[key], nil))
		}
	}
	return merged
}

// same reports whether two values are equal, or both not there.
func (m *merger) same(a, b *node) bool {
	if a == nil || b == nil {
		return a == b
	}
	return m.equal(a, b)
}

func isObject(n *node) bool { return n != nil && n.kind() == Object }

// partsOf returns the members of an object by name.
func partsOf(n *node) map[string]*node {
	if n == nil {
		return nil
	}
	n.parse()
	parts := make(map[string]*node, len(n.keys))
	for i, key := range n.keys {
		parts[key] = n.kids[i]
	}
	return parts
}
