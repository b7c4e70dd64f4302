package audit

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"hash"
	"time"
)

// Hash seals a row. Its text is hexadecimal.
type Hash [sha256.Size]byte

// String implements fmt.Stringer.
func (h Hash) String() string { return hex.EncodeToString(h[:]) }

// MarshalText implements encoding.TextMarshaler.
func (h Hash) MarshalText() ([]byte, error) { return []byte(h.String()), nil }

// UnmarshalText implements encoding.TextUnmarshaler.
func (h *Hash) UnmarshalText(text []byte) error {
	if len(text) != hex.EncodedLen(len(h)) {
		return fmt.Errorf("a hash has %d hexadecimal digits", hex.EncodedLen(len(h)))
	}
	_, err := hex.Decode(h[:], text)
	return err
}

// HashFrom returns a hash from its bytes. Those of another length are no hash of any row.
func HashFrom(b []byte) (h Hash) {
	if len(b) == len(h) {
		copy(h[:], b)
	}
	return h
}

// Row is one row of the log. The rows of a tenant form a chain: each holds the hash of the one
// before it, over midnight too.
type Row struct {
	Tenant string
	Day    string // in UTC, such as 2026-11-22; never before that of the row before
	Seq    int64  // from 1, without gaps
	Key    string // id of the key that sealed it; "" if none did
	Prev   Hash   // of the row before; zero in the first
	Hash   Hash
	Body   []byte // the entry's canonical encoding
}

// Head is the end of a tenant's chain, and what has been purged from its beginning.
type Head struct {
	Tenant string
	Day    string
	Seq    int64
	Key    string // of the newest row
	Hash   Hash
	Purged Checkpoint
}

// Checkpoint stands for the rows that were purged: it names the last of them, which the first row
// that is left refers to. The zero value means that nothing was purged.
type Checkpoint struct {
	Day  string
	Seq  int64
	Hash Hash
	Key  string // id of the key that sealed it
	Seal Hash
}

// Chain seals rows. Safe for concurrent use.
type Chain struct {
	key []byte
	id  string
}

// NewChain returns a chain. With a key, rows are sealed with HMAC-SHA-256: whoever can write the
// store cannot make a row without it. Without one they are hashed with SHA-256.
func NewChain(key []byte) *Chain {
	c := &Chain{key: bytes.Clone(key)}
	if len(key) > 0 {
		sum := sha256.Sum256(append([]byte("pageside audit key\x00"), key...))
		c.id = hex.EncodeToString(sum[:4])
	}
	return c
}

// Next returns the row after a head.
func (c *Chain) Next(head Head, d Draft, now time.Time) Row {
	r := Row{
		Tenant: d.Tenant, Day: max(head.Day, DayOf(now)), Seq: head.Seq + 1, Key: c.id,
		Prev: head.Hash, Body: d.Body,
	}
	r.Hash = c.sum(&r)
	return r
}

// Advance returns the head after a row.
func (h Head) Advance(r *Row) Head {
	h.Tenant, h.Day, h.Seq, h.Key, h.Hash = r.Tenant, r.Day, r.Seq, r.Key, r.Hash
	return h
}

// Checkpoint returns the checkpoint for a tenant whose rows up to one are purged.
func (c *Chain) Checkpoint(tenant, day string, seq int64, last Hash) Checkpoint {
	p := Checkpoint{Day: day, Seq: seq, Hash: last, Key: c.id}
	p.Seal = c.seal(tenant, &p)
	return p
}

// Purged returns the entry that says which rows were purged. It has to be appended in the
// transaction that stores the checkpoint: a checkpoint without it is a forgery.
func (c *Chain) Purged(tenant string, p Checkpoint, now time.Time) Draft {
	e := Entry{Time: now, Kind: Purge, ArgsHash: p.Hash.String(), Decision: Deleted, Outcome: OK,
		Detail: fmt.Sprintf("rows up to %d, of %s and before, were removed because of their age", p.Seq, p.Day)}
	e.Principal.Tenant, e.Principal.Method = tenant, server
	return draft(&e)
}

// server is the method of entries about what the server did by itself.
const server = "server"

func (c *Chain) sum(r *Row) Hash {
	return c.digest("row", r.Tenant, r.Day, r.Key, r.Seq, r.Prev, r.Body)
}

func (c *Chain) seal(tenant string, p *Checkpoint) Hash {
	return c.digest("checkpoint", tenant, p.Day, p.Key, p.Seq, p.Hash, nil)
}

// digest hashes what is sealed. Every part has a fixed length or comes after its length, so that no
// two records have the same input.
func (c *Chain) digest(what, tenant, day, key string, seq int64, prev Hash, body []byte) (sum Hash) {
	h := c.newHash()
	buf := make([]byte, 0, 256)
	for _, part := range []string{"pageside audit 1", what, tenant, day, key} {
		buf = binary.AppendUvarint(buf, uint64(len(part)))
		buf = append(buf, part...)
	}
	buf = binary.BigEndian.AppendUint64(buf, uint64(seq))
	buf = append(buf, prev[:]...)
	buf = binary.AppendUvarint(buf, uint64(len(body)))
	_, _ = h.Write(buf) // a hash never fails
	_, _ = h.Write(body)
	h.Sum(sum[:0])
	return sum
}

func (c *Chain) newHash() hash.Hash {
	if len(c.key) == 0 {
		return sha256.New()
	}
	return hmac.New(sha256.New, c.key)
}
