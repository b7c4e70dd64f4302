package agui

import (
	"bytes"
	"hash/maphash"
	"slices"

	lru "github.com/hashicorp/golang-lru/v2"
)

// The lists of tools and of context that were read last, by the hash of their JSON: a page sends
// the same ones with every question. Together they hold at most 128 times maxKnownList bytes of
// JSON, and what was read of it.
var (
	knownTools, _   = lru.New[uint64, knownList[Tool]](64) // these fail for no size only
	knownContext, _ = lru.New[uint64, knownList[ContextItem]](64)
	knownSeed       = maphash.MakeSeed()
)

const maxKnownList = 32 << 10

type knownList[T any] struct {
	raw  []byte
	list []T
}

// readKnown reads an array of objects, or knows it. The list is the caller's; what its items refer
// to is not.
func readKnown[T any](c *codec, list *[]T, known *lru.Cache[uint64, knownList[T]], read func()) {
	start := c.in
	raw := c.in.Raw()
	if len(raw) > maxKnownList {
		c.in = start
		read()
		return
	}
	hash := maphash.Bytes(knownSeed, raw)
	k, ok := known.Get(hash)
	if !ok || !bytes.Equal(k.raw, raw) {
		after := c.in
		k.raw = bytes.Clone(raw)
		c.in.Data, c.in.Pos = k.raw, 0
		if read(); c.err != nil {
			return
		}
		c.in = after
		k.list = slices.Clip(*list)
		known.Add(hash, k)
	}
	*list = append([]T{}, k.list...)
}
