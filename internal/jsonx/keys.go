package jsonx

import (
	"bytes"
	"hash/maphash"
	"strconv"
)

// manyKeys is how many keys of one object are compared linearly; beyond it a hash table is built.
const manyKeys = 16

// span is a key: its size and offset in the document or, if it has escapes, in keySet.plain.
type span struct{ off, size uint32 }

const escapedKey = 1 << 31 // in span.size

func (s span) len() uint32 { return s.size &^ escapedKey }

// keySet holds the keys of all open objects, innermost last.
type keySet struct {
	spans  []span
	plain  []byte // unescaped keys that had escapes
	tables []keyTable
	seed   maphash.Seed
}

// keyTable finds the keys of one large object: open addressing, each slot an index into spans plus
// one.
type keyTable struct {
	start int // index in spans of the object's first key
	slots []int32
}

// add adds a key of the object whose keys begin at start and reports whether it is new.
func (k *keySet) add(data []byte, off, n, start int) bool {
	key := span{uint32(off), uint32(n)}
	if name := data[off : off+n]; hasEscape(name) {
		key = k.unescaped(name)
	}
	if len(k.spans)-start >= manyKeys {
		return k.addToTable(data, key, start)
	}
	text := k.text(data, key)
	for _, other := range k.spans[start:] {
		if other.len() == key.len() && bytes.Equal(k.text(data, other), text) {
			return false
		}
	}
	k.spans = append(k.spans, key)
	return true
}

func hasEscape(name []byte) bool { return bytes.IndexByte(name, '\\') >= 0 }

func (k *keySet) unescaped(name []byte) span {
	at := len(k.plain)
	k.plain, _ = appendUnquoted(k.plain, name)
	return span{uint32(at), uint32(len(k.plain)-at) | escapedKey}
}

func (k *keySet) text(data []byte, s span) []byte {
	if s.size&escapedKey != 0 {
		data = k.plain
	}
	return data[s.off : s.off+s.len()]
}

// drop removes the keys from start on: their object is closed.
func (k *keySet) drop(start int) {
	k.spans = k.spans[:start]
	if n := len(k.tables); n > 0 && k.tables[n-1].start == start {
		k.tables = k.tables[:n-1]
	}
}

func (k *keySet) addToTable(data []byte, key span, start int) bool {
	n := len(k.tables)
	if n == 0 || k.tables[n-1].start != start {
		k.newTable(data, start)
		n = len(k.tables)
	}
	t := &k.tables[n-1]
	if used := len(k.spans) - start; used*2 >= len(t.slots) {
		k.fill(data, t, len(t.slots)*4)
	}
	slot := k.find(data, t, key)
	if *slot != 0 {
		return false
	}
	k.spans = append(k.spans, key)
	*slot = int32(len(k.spans))
	return true
}

func (k *keySet) newTable(data []byte, start int) {
	if k.tables == nil {
		k.seed = maphash.MakeSeed()
	}
	k.tables = append(k.tables, keyTable{start: start})
	k.fill(data, &k.tables[len(k.tables)-1], manyKeys*4)
}

// fill gives t a table of the given size with all its keys.
func (k *keySet) fill(data []byte, t *keyTable, size int) {
	t.slots = make([]int32, size)
	for i := t.start; i < len(k.spans); i++ {
		*k.find(data, t, k.spans[i]) = int32(i + 1)
	}
}

// find returns the slot of the key, or the free slot for it.
func (k *keySet) find(data []byte, t *keyTable, key span) *int32 {
	text := k.text(data, key)
	mask := uint64(len(t.slots) - 1)
	for i := maphash.Bytes(k.seed, text) & mask; ; i = (i + 1) & mask {
		slot := &t.slots[i]
		if *slot == 0 || bytes.Equal(k.text(data, k.spans[*slot-1]), text) {
			return slot
		}
	}
}

// quoted returns a key for messages, shortened if long.
func quoted(name string) string {
	const most = 64
	if len(name) > most {
		return strconv.Quote(name[:most]) + "…"
	}
	return strconv.Quote(name)
}
