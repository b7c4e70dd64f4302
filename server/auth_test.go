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

// recorded is an audit log in memory, for requests that come one after the other.
type recorded struct{ all []audit.Entry }

func (r *recorded) Record(_ context.Context, e audit.Entry) error {
	r.all = append(r.all, e)
	return nil
}

// A stranger cannot fill the disk with failures: only so many at once are recorded.
func TestFailedSignInsAreBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		log := new(recorded)
		s := newPipeSite(t, func(c *server.Config) {
			c.Audit = log
			c.Authenticate = func(*http.Request) (auth.Principal, error) { return auth.Principal{}, errors.New("bad") }
		})
		conn := s.dial()
		answers := bufio.NewReader(conn)
		for range 1000 {
			s.request(conn, "GET", "/v1/agents", "")
			s.streamed(answers)
		}
		conn.Close()
		must.Be(t, len(log.all), 100, "failures are recorded")
	})
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
						conn, all = s.follow(follow)
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
		_, rest := s.follow("/v1/runs/r1/events?protocolVersion=1.0")
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
		s.request(conn, "POST", "/library/run", "{}", "Connection", "close")
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
