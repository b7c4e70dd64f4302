// Package egresstest is a name server, and a trap, for tests of what tools may reach.
//
//	lookup := func(name string, kind uint16) ([]netip.Addr, bool) { return table[name], true }
//	resolver := egresstest.NewResolver(t, lookup)
package egresstest

import (
	"context"
	"encoding/binary"
	"io"
	"net"
	"net/netip"
	"strings"
	"sync"
	"testing"
)

// Kinds of questions.
const (
	A    = 1
	AAAA = 28
)

// Lookup answers a question for a name, in lower case and without the dot at its end. Addresses of
// the other kind are left out. It is called from several goroutines.
type Lookup func(name string, kind uint16) (addrs []netip.Addr, known bool)

// NewResolver returns a resolver that asks lookup, over connections in memory.
func NewResolver(t testing.TB, lookup Lookup) *net.Resolver {
	t.Helper()
	var serving sync.WaitGroup
	t.Cleanup(serving.Wait)
	return &net.Resolver{PreferGo: true, Dial: func(context.Context, string, string) (net.Conn, error) {
		client, server := net.Pipe() // not a packet connection: messages have their length in front
		serving.Go(func() { lookup.serve(server) })
		return client, nil
	}}
}

func (l Lookup) serve(c net.Conn) {
	defer c.Close()
	for {
		var size [2]byte
		if _, err := io.ReadFull(c, size[:]); err != nil {
			return
		}
		query := make([]byte, binary.BigEndian.Uint16(size[:]))
		if _, err := io.ReadFull(c, query); err != nil {
			return
		}
		answer := l.answer(query)
		if _, err := c.Write(append(binary.BigEndian.AppendUint16(nil, uint16(len(answer))), answer...)); err != nil {
			return
		}
	}
}

// answer builds the response (RFC 1035) to a query of one question.
func (l Lookup) answer(query []byte) []byte {
	var labels []string
	at := 12
	for query[at] != 0 {
		n := int(query[at])
		labels = append(labels, string(query[at+1:at+1+n]))
		at += 1 + n
	}
	end := at + 5
	name, kind := strings.ToLower(strings.Join(labels, ".")), binary.BigEndian.Uint16(query[at+1:])

	var records []byte
	count := 0
	addrs, known := l(name, kind)
	for _, addr := range addrs {
		if addr.Is4() != (kind == A) {
			continue
		}
		records = append(records, 0xc0, 12) // the name of the question
		records = binary.BigEndian.AppendUint16(records, kind)
		records = append(records, 0, 1, 0, 0, 0, 0) // class IN, no time to live
		records = binary.BigEndian.AppendUint16(records, uint16(len(addr.AsSlice())))
		records = append(records, addr.AsSlice()...)
		count++
	}
	flags := uint16(0x8180)
	if !known {
		flags |= 3 // no such name
	}
	out := append([]byte(nil), query[:2]...)
	for _, n := range []uint16{flags, 1, uint16(count), 0, 0} {
		out = binary.BigEndian.AppendUint16(out, n)
	}
	return append(append(out, query[12:end]...), records...)
}
