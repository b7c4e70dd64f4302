package server_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/pageside/pageside/server"
	"github.com/pageside/pageside/store"
	"github.com/pageside/pageside/store/storetest/temp"
	"github.com/pageside/pageside/test/must"
)

// refusal is the answer to a request beyond a limit.
type refusal struct {
	Error struct {
		Code, Message string
		Details       struct{ Limit string }
	}
}

func (s *site) wantRefused(resp *http.Response, code, limit string) {
	s.t.Helper()
	var got refusal
	body := s.read(resp, http.StatusTooManyRequests)
	must.Do(s.t, json.Unmarshal([]byte(body), &got))
	if got.Error.Code != code || got.Error.Details.Limit != limit || resp.Header.Get("Retry-After") == "" {
		s.t.Errorf("refused with %s, Retry-After %q", body, resp.Header.Get("Retry-After"))
	}
}

// One user fills a thread from many connections. What others ask is answered.
func TestOneUserFillsAThread(t *testing.T) {
	s := newSite(t, func(c *server.Config) { c.Authenticate = byName })
	n := 2000
	if testing.Short() {
		n = 300
	}
	ctx, leave := context.WithCancel(t.Context())
	defer leave()
	client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 50}}
	defer client.CloseIdleConnections()
	var all sync.WaitGroup
	var mu sync.Mutex
	statuses := map[int]int{}
	slots := make(chan struct{}, 50)
	for i := range n {
		slots <- struct{}{}
		all.Go(func() {
			defer func() { <-slots }()
			req, err := http.NewRequestWithContext(ctx, http.MethodPost, s.URL+"/v1/agents/default/run", strings.NewReader(input("t1", fmt.Sprint("m", i), "for ever")))
			if err != nil {
				t.Error(err)
				return
			}
			req.Header.Set("X-Who", "mallory")
			req.Header.Set("Content-Type", "application/json")
			resp, err := client.Do(req)
			if err != nil {
				return // it waited to the end of the test
			}
			defer resp.Body.Close()
			mu.Lock()
			statuses[resp.StatusCode]++
			mu.Unlock()
			io.Copy(io.Discard, resp.Body) // a stream is read to the end of the test
		})
		if i%(n/10) == n/20 {
			resp := s.as("bob", http.MethodPost, "/v1/agents/default/run", input("t1", fmt.Sprint("b", i), "hello"))
			must.Have(t, s.read(resp, http.StatusOK), "RUN_FINISHED", "another user gets")
		}
	}
	// all but four, which wait; a run may supersede one that is not read yet
	eventually(t, func() bool {
		mu.Lock()
		defer mu.Unlock()
		return statuses[http.StatusTooManyRequests]+statuses[http.StatusOK] >= n-4
	})
	leave()
	all.Wait()
	if statuses[http.StatusOK]+statuses[http.StatusTooManyRequests] < n-4 || statuses[http.StatusServiceUnavailable] > 0 || statuses[http.StatusOK] > n/10 {
		t.Errorf("%d posts on one thread were answered with %v", n, statuses)
	}
}

// Bodies that arrive slowly hold memory: what one user's may hold is bounded.
func TestLimitOnBodies(t *testing.T) {
	s := newSite(t, func(c *server.Config) {
		c.Authenticate, c.Limits = byName, &server.Limits{Bodies: 1000, AllBodies: 1500}
		c.BodyTimeout = 10 * time.Minute
	})
	// a run that has begun holds nothing, though its stream goes on
	for i := range 3 {
		if status := s.as("ada", http.MethodPost, "/v1/agents/default/run", input(fmt.Sprint("live", i), fmt.Sprint("live", i), "for ever "+strings.Repeat("x", 400))).StatusCode; status != http.StatusOK {
			t.Fatalf("a run beside others that are live: status %d", status)
		}
	}
	first := s.slowBody(t, "ada", "Content-Length: 700")
	body := input("t", "r", "hello "+strings.Repeat("x", 400))
	s.wantRefused(s.as("ada", http.MethodPost, "/v1/agents/default/run", body), "rate_limited", "bodies")
	second := s.slowBody(t, "bob", "Content-Length: 700")
	if status := s.as("eve", http.MethodPost, "/v1/agents/default/run", body).StatusCode; status != http.StatusServiceUnavailable {
		t.Errorf("beside the large requests of two others: status %d", status)
	}
	first.Close()
	second.Close()
	eventually(t, func() bool {
		return s.as("eve", http.MethodPost, "/v1/agents/default/run", body).StatusCode == http.StatusOK
	})
}

// A body that does not say its length holds what it may become.
func TestLimitOnBodiesWithoutLength(t *testing.T) {
	s := newSite(t, func(c *server.Config) {
		c.Authenticate, c.Limits, c.BodyTimeout = byName, &server.Limits{Bodies: 1000}, 10*time.Minute
	})
	s.slowBody(t, "ada", "Transfer-Encoding: chunked")
	body := input("t", "r", "hello")
	s.wantRefused(s.as("ada", http.MethodPost, "/v1/agents/default/run", body), "rate_limited", "bodies")
	s.read(s.as("bob", http.MethodPost, "/v1/agents/default/run", body), http.StatusOK)
}

// slowBody sends a request whose body does not come, and returns once the server holds memory for
// it: that is when it asks for the body.
func (s *site) slowBody(t *testing.T, user, length string) net.Conn {
	t.Helper()
	var conn net.Conn
	eventually(t, func() bool {
		conn = must.Get(net.Dial("tcp", s.Listener.Addr().String()))(t)
		t.Cleanup(func() { conn.Close() })
		fmt.Fprintf(conn, "POST /v1/agents/default/run HTTP/1.1\r\nHost: %s\r\nX-Who: %s\r\nContent-Type: application/json\r\n%s\r\nExpect: 100-continue\r\n\r\n", s.Listener.Addr(), user, length)
		status := must.Get(bufio.NewReader(conn).ReadString('\n'))(t)
		return strings.Contains(status, " 100 ")
	})
	return conn
}

// eventually waits until something holds.
func eventually(t *testing.T, holds func() bool) {
	t.Helper()
	for range 6000 {
		if holds() {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Fatal("it did not come to hold")
}

// Open streams are bounded for each user, and free again when they are closed.
func TestLimitOnStreams(t *testing.T) {
	s := newSite(t, func(c *server.Config) { c.Authenticate, c.Limits = byName, &server.Limits{StreamsAtOnce: 2} })
	first := s.as("ada", http.MethodPost, "/v1/agents/default/run", input("t", "r", "for ever"))
	follow := s.as("ada", http.MethodGet, "/v1/runs/r/events", "")
	if first.StatusCode != http.StatusOK || follow.StatusCode != http.StatusOK {
		t.Fatalf("streams within the limit: %d, %d", first.StatusCode, follow.StatusCode)
	}
	for _, path := range []string{"/v1/runs/r/events", "/v1/threads/t/events"} {
		s.wantRefused(s.as("ada", http.MethodGet, path, ""), "rate_limited", "streams")
	}
	s.wantRefused(s.as("ada", http.MethodPost, "/v1/agents/default/run", input("t2", "r2", "hello")), "rate_limited", "streams")
	s.read(s.as("bob", http.MethodPost, "/v1/agents/default/run", input("t", "r", "hello")), http.StatusOK)
	follow.Body.Close()
	eventually(t, func() bool {
		return s.as("ada", http.MethodPost, "/v1/agents/default/run", input("t3", "r3", "hello")).StatusCode == http.StatusOK
	})
}

// lateStore is a store whose searches take until they are let go, or too long.
type lateStore struct {
	store.Store
	began, end chan struct{}
}

func (s lateStore) Threads(ctx context.Context, o store.Owner, q store.ThreadQuery) (store.Page[store.FoundThread], error) {
	if q.Text == "late" {
		return store.Page[store.FoundThread]{}, fmt.Errorf("store: %w", store.ErrBusy)
	}
	if q.Text != "" {
		s.began <- struct{}{}
		<-s.end
	}
	return s.Store.Threads(ctx, o, q)
}

func TestSearchesAtOnce(t *testing.T) {
	late := lateStore{temp.Store(t), make(chan struct{}), make(chan struct{})}
	s := newSiteOn(t, late, func(c *server.Config) {
		c.Authenticate, c.Limits = byName, &server.Limits{SearchesAtOnce: 2}
	})
	var all sync.WaitGroup
	search := func(user string) {
		all.Go(func() { s.read(s.as(user, http.MethodGet, "/v1/threads?q=x", ""), http.StatusOK) })
		<-late.began
	}
	search("ada")
	search("ada")
	s.wantRefused(s.as("ada", http.MethodGet, "/v1/threads?q=x", ""), "rate_limited", "searches")
	search("bob")
	s.read(s.as("ada", http.MethodGet, "/v1/threads", ""), http.StatusOK)
	close(late.end)
	all.Wait()
	resp := s.as("ada", http.MethodGet, "/v1/threads?q=late", "")
	if got := s.read(resp, http.StatusGatewayTimeout); !strings.Contains(got, `"search_timeout"`) || resp.Header.Get("Retry-After") == "" {
		t.Errorf("a search that takes too long is answered with %s", got)
	}
}
