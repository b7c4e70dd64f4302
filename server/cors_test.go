package server_test

import (
	"fmt"
	"log/slog"
	"net/http"
	"strings"
	"testing"

	"github.com/pageside/pageside/auth"
	"github.com/pageside/pageside/protocol/agui"
	"github.com/pageside/pageside/run"
	"github.com/pageside/pageside/server"
	"github.com/pageside/pageside/test/must"
)

// TestRefusedOriginsAreLogged: the browser tells the page only that there is no server, so the log
// has the origin and what to do, once each, and not without end.
func TestRefusedOriginsAreLogged(t *testing.T) {
	ada := func(*http.Request) (auth.Principal, error) { return auth.Principal{Subject: "ada"}, nil }
	for name, users := range map[string]func(*http.Request) (auth.Principal, error){"one user": nil, "many users": ada} {
		var log lines
		s := newSite(t, func(c *server.Config) { c.Authenticate, c.Logger = users, slog.New(slog.NewJSONHandler(&log, nil)) })
		ask := func(method, origin string) {
			req := must.Get(http.NewRequestWithContext(t.Context(), method, s.URL+"/v1/agents", nil))(t)
			req.Header.Set("Origin", origin)
			req.Header.Set("Access-Control-Request-Method", "POST")
			resp := must.Get(http.DefaultClient.Do(req))(t)
			must.Do(t, resp.Body.Close())
		}
		for range 3 {
			ask("OPTIONS", "http://localhost:5173")
		}
		const message = "requests of a page from another origin are refused"
		if got := log.of(t, message); len(got) != 1 || got[0]["remedy"] != "add it to origins in pageside.yaml, or start with --origin http://localhost:5173" {
			t.Errorf("%s: %v", name, got)
		}
		for i := range 50 {
			ask("OPTIONS", fmt.Sprintf("http://localhost:%d", 6000+i))
		}
		if got := log.of(t, message); len(got) != 20 {
			t.Errorf("%s: %d lines", name, len(got))
		}
	}
}

// TestPagesOfAllowedOriginsUseTheAPI: as browsers ask for it; others can neither write nor read.
func TestPagesOfAllowedOriginsUseTheAPI(t *testing.T) {
	const shop, thief = "https://shop.example.com", "https://thief.example.com"
	s := newSite(t, func(c *server.Config) { c.Origins = []string{shop} })
	send := func(method, origin, body string, headers ...string) *http.Response {
		req, err := http.NewRequestWithContext(t.Context(), method, s.URL+"/v1/agents/default/run", strings.NewReader(body))
		must.Do(t, err)
		req.Header.Set("Origin", origin)
		req.Header.Set("Sec-Fetch-Site", "cross-site")
		req.Header.Set("Content-Type", "application/json")
		for i := 0; i < len(headers); i += 2 {
			req.Header.Set(headers[i], headers[i+1])
		}
		resp := must.Get(http.DefaultClient.Do(req))(t)
		t.Cleanup(func() { resp.Body.Close() })
		return resp
	}
	asked := []string{"Access-Control-Request-Method", "POST", "Access-Control-Request-Headers", "content-type,last-event-id"}
	may := send("OPTIONS", shop, "", asked...)
	if h := may.Header; may.StatusCode != 204 || h.Get("Access-Control-Allow-Origin") != shop || !strings.Contains(h.Get("Access-Control-Allow-Methods"), "POST") ||
		h.Get("Access-Control-Allow-Headers") != "content-type,last-event-id" || h.Get("Access-Control-Allow-Credentials") != "" || !strings.Contains(h.Get("Vary"), "Origin") {
		t.Errorf("the question is answered with %d %v", may.StatusCode, may.Header)
	}
	posted := send("POST", shop, input("t", "r", "hello"))
	if body := s.read(posted, 200); posted.Header.Get("Access-Control-Allow-Origin") != shop || !strings.Contains(body, "RUN_FINISHED") {
		t.Errorf("the run is %v %s", posted.Header, body)
	}
	if no := send("OPTIONS", thief, "", asked...); no.Header.Get("Access-Control-Allow-Origin") != "" || no.StatusCode == 204 {
		t.Errorf("another origin is told %d %v", no.StatusCode, no.Header)
	}
	if no := send("POST", thief, input("t2", "r2", "hello")); no.StatusCode != 403 || no.Header.Get("Access-Control-Allow-Origin") != "" {
		t.Errorf("another origin's run is %d", no.StatusCode)
	}
	// with authentication, other pages reach the API: browsers must not show them what it says
	s = newSite(t, func(c *server.Config) {
		c.Origins = []string{shop}
		c.Authenticate = func(*http.Request) (auth.Principal, error) { return auth.Principal{Subject: "ada"}, nil }
	})
	for origin, want := range map[string]string{shop: shop, thief: ""} {
		asked := send("OPTIONS", origin, "", asked...)
		posted := send("POST", origin, input("t3", "r-"+origin, "hello"))
		if got := asked.Header.Get("Access-Control-Allow-Origin"); got != want || (asked.StatusCode == 204) != (want != "") {
			t.Errorf("%s is told %d %v", origin, asked.StatusCode, asked.Header)
		}
		must.Be(t, posted.Header.Get("Access-Control-Allow-Origin"), want, "%s may read its run", origin)
	}
	if _, err := server.New(server.Config{Runs: new(run.Manager), Protocols: []server.Protocol{agui.Protocol{}}, Origins: []string{"shop.example.com/"}}); err == nil || !strings.Contains(err.Error(), "shop.example.com/") {
		t.Errorf("what is no origin: %v", err)
	}
}

// TestNoOriginIsSharedUnlessNamed: the default is closed.
func TestNoOriginIsSharedUnlessNamed(t *testing.T) {
	s := newSite(t, nil)
	if h := s.get("/v1/agents").Header; h.Get("Access-Control-Allow-Origin") != "" {
		t.Errorf("headers %v", h)
	}
}

// TestAServerNamesItsProtocols: one without any would answer every run with 404.
func TestAServerNamesItsProtocols(t *testing.T) {
	_, err := server.New(server.Config{Runs: new(run.Manager)})
	must.Fail(t, err, "agui.Protocol", "a server without protocols")
}
