package server_test

import (
	"fmt"
	"log/slog"
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

func TestTokensAreNotLogged(t *testing.T) {
	var log lines
	s := newSite(t, func(c *server.Config) {
		c.Authenticate, c.AccessLog = byName, slog.New(slog.NewJSONHandler(&log, nil))
	})
	for _, path := range []string{"/v1/shared/TOKEN", "/v1/shared/TOKEN/x", "/v1//shared/TOKEN", "/base/v1/shared/TOKEN"} {
		s.do("acme/bob", "GET", path, "", 404)
	}
	s.Close() // waits for the handlers, which log last
	got := log.of(t, "request")
	for _, line := range got {
		if path := fmt.Sprint(line["path"]); strings.Contains(path, "TOKEN") || !strings.HasSuffix(path, "/shared/…") {
			t.Errorf("logged is %s", path)
		}
	}
	if len(got) < 4 {
		t.Errorf("logged are %v", got)
	}
}
