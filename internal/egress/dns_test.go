package egress_test

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

// nameserver answers DNS questions from a table, over the connections that its resolver opens.
type nameserver struct {
	mu sync.Mutex
	// by name: the answers one after the other, the last one for ever
	names map[string][][]netip.Addr
	asked map[string]int
}

func newResolver(t *testing.T, names map[string][][]netip.Addr) *net.Resolver {
	t.Helper()
	ns := &nameserver{names: names, asked: map[string]int{}}
	var serving sync.WaitGroup
	t.Cleanup(serving.Wait)
	return &net.Resolver{PreferGo: true, Dial: func(context.Context, string, string) (net.Conn, error) {
		client, server := net.Pipe() // not a packet connection: messages have their length in front
		serving.Go(func() { ns.serve(server) })
		return client, nil
	}}
}

func (ns *nameserver) serve(c net.Conn) {
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
		answer := ns.answer(query)
		if _, err := c.Write(append(binary.BigEndian.AppendUint16(nil, uint16(len(answer))), answer...)); err != nil {
			return
		}
	}
}

const (
	typeA    = 1
	typeAAAA = 28
)

// answer builds the response (RFC 1035) to a query of one question.
func (ns *nameserver) answer(query []byte) []byte {
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
	addrs, known := ns.lookup(name, kind)
	for _, addr := range addrs {
		if addr.Is4() != (kind == typeA) {
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

// lookup counts the questions for A records, so that a name can change its mind from one look-up to
// the next.
func (ns *nameserver) lookup(name string, kind uint16) ([]netip.Addr, bool) {
	ns.mu.Lock()
	defer ns.mu.Unlock()
	answers, known := ns.names[name]
	if !known {
		return nil, false
	}
	turn := min(ns.asked[name], len(answers)-1)
	if kind == typeA {
		ns.asked[name]++
	}
	if len(answers) > 1 && kind == typeAAAA {
		return nil, true
	}
	return answers[turn], true
}
