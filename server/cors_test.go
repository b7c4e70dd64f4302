package server_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/pageside/pageside/auth"
	"github.com/pageside/pageside/protocol/agui"
	"github.com/pageside/pageside/run"
	"github.com/pageside/pageside/server"
	"github.com/pageside/pageside/test/must"
)

// TestRefusedOriginsAreBounded: callers choose them freely, and the log names only so many.
func TestRefusedOriginsAreBounded(t *testing.T) {
	ada := func(*http.Request) (auth.Principal, error) { return auth.Principal{Subject: "ada"}, nil }
	for name, users := range map[string]func(*http.Request) (auth.Principal, error){"one user": nil, "many users": ada} {
		s := newSite(t, func(c *server.Config) { c.Authenticate = users })
		for i := range 50 {
			origin := fmt.Sprintf("http://localhost:%d", 6000+i)
			s.send("OPTIONS", "/v1/agents", "", "Origin", origin, "Access-Control-Request-Method", "POST")
		}
		refused := strings.Count(s.logs.String(), "requests of a page from another origin are refused")
		must.Be(t, refused, 20, "%s: lines", name)
	}
}

// TestServersThatAreRefused: one without a protocol would answer every run with 404, and what is no
// origin would never be one.
func TestServersThatAreRefused(t *testing.T) {
	_, err := server.New(server.Config{Runs: new(run.Manager)})
	must.Fail(t, err, "agui.Protocol", "a server without protocols")
	named := server.Config{
		Runs: new(run.Manager), Protocols: []server.Protocol{agui.Protocol{}}, Origins: []string{"shop.example.com/"},
	}
	_, err = server.New(named)
	must.Fail(t, err, "shop.example.com/", "what is no origin")
}
