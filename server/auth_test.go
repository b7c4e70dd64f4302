package server_test

import (
	"bufio"
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/pageside/pageside/agui"
	"github.com/pageside/pageside/audit"
	"github.com/pageside/pageside/auth"
	"github.com/pageside/pageside/server"
	"github.com/pageside/pageside/test/must"
)

// recorded is an audit log in memory.
type recorded struct {
	mu  sync.Mutex
	all []audit.Entry
}

func (r *recorded) Record(_ context.Context, e audit.Entry) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.all = append(r.all, e)
	return nil
}

func (r *recorded) entries() []audit.Entry {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.all
}

func TestCredentialsRefused(t *testing.T) {
	log := new(recorded)
	errs := map[string]error{
		"none": auth.ErrNoCredentials, "many": auth.TooMany("session", "too many", 1500*time.Millisecond), "bad": auth.Refuse("oidc", "the token has expired"), "down": auth.Unavailable("oidc", "fetch the keys"), "odd": errors.New("odd"),
	}
	s := newSite(t, func(c *server.Config) {
		c.Audit = log
		c.Authenticate = func(r *http.Request) (auth.Principal, error) {
			switch kind := r.Header.Get("Authorization"); kind {
			case "nameless":
				return auth.Principal{}, nil
			case "old":
				return auth.Principal{Subject: "ann", Expires: time.Now().Add(-2 * time.Minute)}, nil
			default:
				return auth.Principal{}, errs[kind]
			}
		}
	})
	for _, test := range []struct {
		kind      string
		status    int
		code      string
		challenge string
		retry     string
	}{
		{"none", 401, "unauthenticated", `Bearer realm="pageside"`, ""},
		{"bad", 401, "unauthenticated", `Bearer realm="pageside", error="invalid_token"`, ""},
		{"odd", 401, "unauthenticated", `Bearer realm="pageside", error="invalid_token"`, ""},
		{"nameless", 401, "unauthenticated", `Bearer realm="pageside", error="invalid_token"`, ""},
		{"old", 401, "unauthenticated", `Bearer realm="pageside", error="invalid_token"`, ""},
		{"down", 503, "auth_unavailable", "", "5"},
		{"many", 429, "rate_limited", "", "2"},
	} {
		req := must.Get(http.NewRequestWithContext(t.Context(), http.MethodGet, s.URL+"/v1/threads", nil))(t)
		req.Header.Set("Authorization", test.kind)
		resp := must.Get(http.DefaultClient.Do(req))(t)
		body, err := io.ReadAll(resp.Body)
		resp.Body.Close()
		must.Do(t, err)
		if resp.StatusCode != test.status || resp.Header.Get("WWW-Authenticate") != test.challenge || resp.Header.Get("Retry-After") != test.retry ||
			!strings.HasPrefix(string(body), `{"error":{"code":"`+test.code+`","message":"`) || strings.Contains(string(body), "expired") {
			t.Errorf("%s: %d %q %s", test.kind, resp.StatusCode, resp.Header.Get("WWW-Authenticate"), body)
		}
	}
	all := log.entries()
	if len(all) != 4 { // not the missing ones, nor those that could not be checked
		t.Fatalf("recorded %+v", all)
	}
	if e := all[0]; e.Kind != audit.SignIn || e.Principal.Method != "oidc" || e.Decision != "deny" || !strings.Contains(e.Detail, "has expired, from 127.0.0.1") {
		t.Errorf("recorded %+v", e)
	}
}

// A stranger cannot fill the disk with failures.
func TestFailedSignInsAreBounded(t *testing.T) {
	log := new(recorded)
	s := newSite(t, func(c *server.Config) {
		c.Audit = log
		c.Authenticate = func(*http.Request) (auth.Principal, error) { return auth.Principal{}, errors.New("bad") }
	})
	for range 1000 {
		resp := must.Get(http.Get(s.URL + "/v1/agents"))(t)
		resp.Body.Close()
	}
	if n := len(log.entries()); n < 50 || n > 900 {
		t.Errorf("%d of 1000 failures were recorded", n)
	}
}

func TestRequestsFromBeyond(t *testing.T) {
	known := func(c *server.Config) {
		c.Authenticate = func(*http.Request) (auth.Principal, error) { return auth.Principal{Subject: "ann"}, nil }
	}
	allowed := func(c *server.Config) { c.Origins = []string{"https://app.example.com"} }
	for _, test := range []struct {
		name   string
		adjust func(*server.Config)
		header string
		want   int
	}{
		{"plain", nil, "", 200},
		{"forwarded", nil, "Forwarded: for=1.2.3.4", 403},
		{"forwarded for", nil, "X-Forwarded-For: 1.2.3.4", 403},
		{"forwarded with any name", nil, "x-forwarded-anything: 1", 403},
		{"nginx", nil, "X-Real-IP: 1.2.3.4", 403},
		{"nginx, as its guides have it", nil, "X-Real-IP: 127.0.0.1\nX-Forwarded-For: 127.0.0.1, 203.0.113.9\nX-Forwarded-Proto: https", 403},
		{"nginx that names the scheme alone", nil, "X-Forwarded-Proto: https", 403},
		{"nginx for this machine", nil, "X-Real-IP: 127.0.0.1\nX-Forwarded-For: 127.0.0.1\nX-Forwarded-Proto: http", 200},
		{"ngrok", nil, "X-Forwarded-For: 203.0.113.9\nX-Forwarded-Host: abc.ngrok-free.app\nX-Forwarded-Proto: https", 403},
		{"ngrok with a local address", nil, "X-Forwarded-For: 127.0.0.1\nX-Forwarded-Host: abc.ngrok-free.app\nX-Forwarded-Proto: https", 403},
		{"cloudflared", nil, "X-Forwarded-For: 127.0.0.1\nCf-Connecting-Ip: 203.0.113.9\nCf-Ray: 1", 403},
		{"a CDN", nil, "X-Forwarded-For: 127.0.0.1\nTrue-Client-IP: 203.0.113.9", 403},
		{"a proxy that names itself", nil, "X-Forwarded-For: 127.0.0.1\nVia: 1.1 proxy", 403},
		{"next dev", nil, "X-Forwarded-For: ::1\nX-Forwarded-Host: localhost:3000\nX-Forwarded-Port: 3000\nX-Forwarded-Proto: http", 200},
		{"next dev, another family", nil, "X-Forwarded-For: ::ffff:127.0.0.1, 127.0.0.1\nX-Forwarded-Host: 127.0.0.1:3000", 200},
		{"passed on here", nil, `Forwarded: for="[::1]:4000";host=localhost, for=127.0.0.1;by=127.0.0.1`, 200},
		{"forwarded by somebody hidden", nil, "Forwarded: for=127.0.0.1, for=_hidden", 403},
		{"forwarded for nobody", nil, "Forwarded: proto=https", 403},
		{"an unreadable hop", nil, "X-Forwarded-For: 127.0.0.1, unknown", 403},
		{"no hop", nil, "X-Forwarded-For: ", 403},
		{"a page from beyond", nil, "Origin: https://app.example.com", 403},
		{"a local page", nil, "Origin: http://localhost:5173", 200},
		{"an allowed page", allowed, "Origin: https://app.example.com", 200},
		{"a local proxy", func(c *server.Config) { c.LocalProxy = true }, "X-Forwarded-For: 127.0.0.1", 200},
		{"forwarded, known", known, "X-Forwarded-For: 1.2.3.4", 200},
		{"another site", nil, "Sec-Fetch-Site: cross-site", 403},
		{"another site, known", known, "Sec-Fetch-Site: cross-site", 403},
		{"same origin", known, "Sec-Fetch-Site: same-origin", 200},
		{"an allowed site", allowed, "Sec-Fetch-Site: cross-site\nOrigin: https://app.example.com", 200},
		{"a site that is not allowed", allowed, "Sec-Fetch-Site: cross-site\nOrigin: https://evil.example", 403},
	} {
		s := newSite(t, test.adjust)
		req := must.Get(http.NewRequestWithContext(t.Context(), http.MethodGet, s.URL+"/v1/agents", nil))(t)
		for line := range strings.SplitSeq(test.header, "\n") {
			if name, value, found := strings.Cut(line, ": "); found {
				req.Header.Set(name, value)
			}
		}
		resp := must.Get(http.DefaultClient.Do(req))(t)
		body, err := io.ReadAll(resp.Body)
		resp.Body.Close()
		must.Do(t, err)
		if resp.StatusCode != test.want {
			t.Errorf("%s: %d %s", test.name, resp.StatusCode, body)
		}
		if strings.Contains(test.name, "forwarded ") && !strings.Contains(string(body), "configure auth") {
			t.Errorf("%s: %s does not say what to do", test.name, body)
		}
		if strings.Contains(string(body), "forbidden_proxy") && strings.Count(s.logs.String(), "configure auth") != 1 {
			t.Errorf("%s: the log does not say what to do: %s", test.name, s.logs)
		}
	}
}

// signedIn is who a test's requests are from.
type signedIn struct {
	mu      sync.Mutex
	who     auth.Principal
	err     error
	hang    bool
	broken  bool
	checked int
}

func (p *signedIn) set(change func(*signedIn)) {
	p.mu.Lock()
	defer p.mu.Unlock()
	change(p)
}

func (p *signedIn) authenticate(*http.Request) (auth.Principal, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.checked++
	if p.broken {
		panic("the check is broken")
	}
	if p.hang {
		p.mu.Unlock()
		time.Sleep(time.Minute) // it does not even look at the context
		p.mu.Lock()
	}
	return p.who, p.err
}

// A stream ends within half a minute after its credentials: that of a run's own request, and those
// of who follows its thread or the run. The run goes on.
func TestStreamsEndWithTheirCredentials(t *testing.T) {
	for name, test := range map[string]struct {
		change func(*signedIn)
		within time.Duration
	}{
		"revoked":                 {func(p *signedIn) { p.err = errors.New("revoked") }, 30 * time.Second},
		"cannot be checked":       {func(p *signedIn) { p.err = auth.Unavailable("oidc", "down") }, 30 * time.Second},
		"somebody else":           {func(p *signedIn) { p.who.Subject = "bob" }, 30 * time.Second},
		"another tenant":          {func(p *signedIn) { p.who.Tenant = "b" }, 30 * time.Second},
		"expired":                 {func(p *signedIn) { p.who.Expires = time.Now() }, 30 * time.Second},
		"a check that panics":     {func(p *signedIn) { p.broken = true }, 30 * time.Second},
		"a check that never ends": {func(p *signedIn) { p.hang = true }, 30 * time.Second},
	} {
		for _, follow := range []string{"", "/v1/threads/t1/events?stay=1&protocolVersion=1.0", "/v1/runs/r1/events?protocolVersion=1.0"} {
			own := follow == ""
			t.Run(name+" "+follow, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					who := &signedIn{who: auth.Principal{Subject: "ann"}}
					s := newPipeSite(t, func(c *server.Config) { c.Authenticate = who.authenticate })
					conn := s.dial()
					all := answer(conn)
					s.post(conn, "t1", "r1", "slow")
					time.Sleep(time.Second)
					if !own {
						conn = s.dial()
						all = answer(conn)
						_, err := io.WriteString(conn, "GET "+follow+" HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n")
						must.Do(t, err)
					}
					time.Sleep(31 * time.Second) // several checks
					who.set(test.change)
					changed := time.Now()
					got := endOf(t, conn, all, own)
					if took := time.Since(changed); took > test.within {
						t.Errorf("the stream ended after %s", took)
					}
					if !strings.Contains(got, ": the credentials have ended") || strings.Contains(got, "RUN_ERROR") || strings.Contains(got, "RUN_FINISHED") && own {
						t.Errorf("the stream: %s", got)
					}
					time.Sleep(2 * time.Minute) // for the check that hangs
				})
			})
		}
	}
}

// endOf reads a stream to its end, which is a chunk of no bytes.
func endOf(t *testing.T, conn io.Closer, all <-chan string, keptAlive bool) string {
	t.Helper()
	if keptAlive {
		// the connection stays open for the next request: it is idle once nothing comes any more
		time.Sleep(29 * time.Second)
		must.Do(t, conn.Close())
	}
	return <-all
}

// A token says when it ends: its stream ends then, not at the next check.
func TestStreamEndsWhenTheTokenExpires(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		who := &signedIn{who: auth.Principal{Subject: "ann", Expires: time.Now().Add(20 * time.Second)}}
		s := newPipeSite(t, func(c *server.Config) { c.Authenticate = who.authenticate })
		began := time.Now()
		lines := bufio.NewScanner(s.send("t1", "r1", "slow"))
		for lines.Scan() && lines.Text() != ": the credentials have ended" {
			continue
		}
		must.Be(t, time.Since(began), 20*time.Second, "the stream ended after")
		// with a fresh token the rest follows, and the run was not stopped
		who.set(func(p *signedIn) { p.who.Expires = time.Now().Add(time.Hour) })
		conn := s.dial()
		rest := answer(conn)
		_, err := io.WriteString(conn, "GET /v1/runs/r1/events?protocolVersion=1.0 HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n")
		must.Do(t, err)
		if got := <-rest; !strings.Contains(got, "RUN_FINISHED") || !strings.Contains(got, "ten") {
			t.Errorf("the rest: %s", got)
		}
	})
}

// library is a drop-in whose own library writes the stream, and waits for a run meanwhile.
type library struct{ server.StandardError }

func (library) Routes() []server.Route {
	return []server.Route{{Pattern: "POST /library/run", Starts: true, Handle: func(x *server.Exchange) error {
		in := &agui.RunAgentInput{ProtocolVersion: agui.ProtocolVersion, ThreadID: "t1", RunID: "r1"}
		in.Messages = []agui.Message{{ID: "m", Role: agui.RoleUser, Content: agui.TextContent("slow")}}
		r, err := x.Start("default", in)
		if err != nil {
			return err
		}
		return x.Serve(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
			x.Request = req
			w.Header().Set("Content-Type", "text/event-stream")
			_, _ = io.WriteString(w, "data: begun\n\n")
			_ = x.Wait(r.Read(false), func(agui.Event) {})
		}), x.Request)
	}}}
}

// The stream of a protocol's library says, as all others do, that its credentials have ended.
func TestStreamsOfLibrariesEndWithTheirCredentials(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		who := &signedIn{who: auth.Principal{Subject: "ann", Expires: time.Now().Add(20 * time.Second)}}
		s := newPipeSite(t, func(c *server.Config) {
			c.Authenticate, c.Protocols = who.authenticate, append(c.Protocols, library{})
		})
		conn := s.dial()
		all := answer(conn)
		began := time.Now()
		_, err := io.WriteString(conn, "POST /library/run HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n"+
			"Content-Length: 2\r\nConnection: close\r\n\r\n{}")
		must.Do(t, err)
		got := <-all
		if _, after, _ := strings.Cut(got, "data: begun\n\n"); !strings.Contains(after, ": the credentials have ended") {
			t.Errorf("the stream: %s", got)
		}
		must.Be(t, time.Since(began), 20*time.Second, "the stream ended after")
	})
}

// Good credentials end no stream, also if each answer is good for a short time only.
func TestStreamsStay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		who := &signedIn{}
		s := newPipeSite(t, func(c *server.Config) {
			c.Authenticate = func(r *http.Request) (auth.Principal, error) {
				_, err := who.authenticate(r)
				return auth.Principal{Subject: "ann", Expires: time.Now().Add(10 * time.Second)}, err
			}
		})
		conn := s.dial()
		all := answer(conn)
		s.post(conn, "t1", "r1", "slow")
		time.Sleep(2 * time.Minute)
		must.Do(t, conn.Close())
		must.Have(t, <-all, "RUN_FINISHED", "the stream")
		who.set(func(p *signedIn) {
			if p.checked < 5 {
				t.Errorf("the credentials were checked %d times", p.checked)
			}
		})
	})
}
