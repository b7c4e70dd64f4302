package server_test

import (
	"strings"
	"testing"

	"github.com/pageside/pageside/server"
	"github.com/pageside/pageside/store"
)

func TestSharesAreSoMany(t *testing.T) {
	s := newSite(t, func(c *server.Config) { c.Authenticate = byName })
	s.do("acme/ann", "POST", "/v1/agents/default/run", input("t1", "r1", "hello"), 200)
	for range store.MaxShares {
		s.do("acme/ann", "POST", "/v1/threads/t1/shares", "", 201)
	}
	if got := s.do("acme/ann", "POST", "/v1/threads/t1/shares", "", 409); !strings.Contains(got, `"too_many_shares"`) {
		t.Errorf("one too many is refused with %s", got)
	}
	s.do("acme/bob", "POST", "/v1/agents/default/run", input("t1", "r1", "hello"), 200)
	s.do("acme/bob", "POST", "/v1/threads/t1/shares", "", 201) // his own thread
}
