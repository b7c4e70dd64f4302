package egress_test

import (
	"net"
	"net/netip"
	"sync"
	"testing"

	"github.com/pageside/pageside/internal/egress/egresstest"
)

// nameserver answers DNS questions from a table.
type nameserver struct {
	mu sync.Mutex
	// by name: the answers one after the other, the last one for ever
	names map[string][][]netip.Addr
	asked map[string]int
}

func newResolver(t *testing.T, names map[string][][]netip.Addr) *net.Resolver {
	t.Helper()
	return egresstest.NewResolver(t, (&nameserver{names: names, asked: map[string]int{}}).lookup)
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
	if kind == egresstest.A {
		ns.asked[name]++
	}
	if len(answers) > 1 && kind == egresstest.AAAA {
		return nil, true
	}
	return answers[turn], true
}
