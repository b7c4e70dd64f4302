package server_test

import (
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/pageside/pageside/store/sqlstore"
	"github.com/pageside/pageside/store/storetest/temp"
)

// statements collects what a store runs.
type statements struct {
	mu  sync.Mutex
	all []string
}

func (s *statements) note(text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.all = append(s.all, strings.Join(strings.Fields(text), " "))
}

// take returns what was run since the last time, in alphabetical order: a group of writes and a
// read may run at once.
func (s *statements) take() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	all := s.all
	s.all = nil
	slices.Sort(all)
	return all
}

// TestForeignIDsCostWhatUnknownOnesDo: an id that somebody else has makes the store run the same
// statements as one that nobody has. Nobody can find out by the time that takes, then.
func TestForeignIDsCostWhatUnknownOnesDo(t *testing.T) {
	ran := new(statements)
	w := serveMatrix(t, temp.Store(t, sqlstore.WithTrace(ran.note)), tokenIssuer(t))
	for _, p := range people[:3] {
		w.fill(p, p.name)
	}
	compared := 0
	for _, c := range matrix {
		for _, p := range people[1:3] {
			if of := people[0]; c.hasIDs() && !c.together(p, of) && !c.fresh() {
				compared++
				foreign, unknown := w.work(ran, c, p, of), w.work(ran, c, p, nobody)
				if !slices.Equal(foreign, unknown) {
					t.Errorf("%s as %s: what is %s's costs %q, what nobody has %q", c.route, p.name, of.name, foreign, unknown)
				}
			}
		}
	}
	if compared < 30 {
		t.Errorf("only %d requests were compared", compared)
	}
	if w.request(matrix[len(matrix)-1], w.by.good(people[1]), people[1], "x"); len(ran.take()) == 0 {
		t.Error("no statement is seen")
	}
}

// work returns the statements of a cell's request by p about what belongs to of. The store also
// works by itself, on its search index and on what a request before has left: of several requests
// the one with the fewest statements counts.
func (w *world) work(ran *statements, c cell, p, of person) (least []string) {
	credentials := w.by.good(p)
	for i := range 5 {
		ran.take()
		w.request(c, credentials, of, of.name)
		if all := ran.take(); i == 0 || len(all) < len(least) {
			least = all
		}
	}
	return least
}
