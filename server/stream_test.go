package server_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/pageside/pageside/agent"
	"github.com/pageside/pageside/llm/script"
	"github.com/pageside/pageside/page"
	"github.com/pageside/pageside/policy"
	"github.com/pageside/pageside/protocol/agui"
	"github.com/pageside/pageside/run"
	"github.com/pageside/pageside/server"
	"github.com/pageside/pageside/store/storetest/temp"
	"github.com/pageside/pageside/test/must"
	"github.com/pageside/pageside/tool"
)

const slowRules = `
name: slow
rules:
  - match: '^slow'
    steps: [{ text: 'one two three four five six seven eight nine ten', delay: 10s }]
  - match: '^silence'
    steps: [{ text: 'at last', delay: 50s }]
  - match: '.*'
    steps: [{ text: 'Hello.' }]
`

// pipes is a listener whose connections are pipes: inside a synctest bubble they wait for the
// bubble's clock.
type pipes struct {
	accept chan net.Conn
	done   chan struct{}
}

func (p *pipes) Accept() (net.Conn, error) {
	select {
	case c := <-p.accept:
		return c, nil
	case <-p.done:
		return nil, net.ErrClosed
	}
}
func (p *pipes) Close() error   { close(p.done); return nil }
func (p *pipes) Addr() net.Addr { return &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1)} }

// pipeSite is a server inside a synctest bubble.
type pipeSite struct {
	t    *testing.T
	in   *pipes
	runs *run.Manager
}

func newPipeSite(t *testing.T, adjust func(*server.Config)) *pipeSite {
	t.Helper()
	model := must.Get(script.Parse("slow", []byte(slowRules)))(t)
	tools := must.Get(tool.NewRegistry())(t)
	pages := must.Get(page.NewRegistry(tools, nil))(t)
	quiet := slog.New(slog.DiscardHandler)
	st := temp.Store(t)
	runs, err := run.NewManager(t.Context(), run.Config{Store: st, Agents: run.Loops(&agent.Agent{Authorizer: policy.Everything, Approvals: agent.Approvals{IgnoreTaint: true}, ID: "default", Model: model, Pages: pages}), Logger: quiet})
	must.Do(t, err)
	cfg := server.Config{Runs: runs, Logger: quiet, Protocols: []server.Protocol{agui.Protocol{}}}
	if adjust != nil {
		adjust(&cfg)
	}
	h := must.Get(server.New(cfg))(t)
	in := &pipes{make(chan net.Conn), make(chan struct{})}
	srv := &http.Server{Handler: h, ErrorLog: slog.NewLogLogger(quiet.Handler(), slog.LevelError)}
	go func() { _ = srv.Serve(in) }()
	t.Cleanup(func() {
		runs.Drain(context.WithoutCancel(t.Context()))
		srv.Close()
		h.Close()
	})
	return &pipeSite{t, in, runs}
}

// dial opens a connection.
func (s *pipeSite) dial() net.Conn {
	s.t.Helper()
	client, conn := net.Pipe()
	s.t.Cleanup(func() { client.Close() })
	s.in.accept <- conn
	return client
}

// answer reads all that comes, beside what else happens.
func answer(from io.Reader) <-chan string {
	all := make(chan string, 1)
	go func() {
		read, _ := io.ReadAll(from) // however it is closed
		all <- string(read)
	}()
	return all
}

// send opens a connection and writes a request for a run on it.
func (s *pipeSite) send(thread, runID, text string) net.Conn {
	s.t.Helper()
	client := s.dial()
	s.post(client, thread, runID, text)
	return client
}

func (s *pipeSite) post(client net.Conn, thread, runID, text string) {
	s.t.Helper()
	s.request(client, "POST", "/v1/agents/default/run", input(thread, runID, text))
}

// request writes a request with headers, a name and a value each.
func (s *pipeSite) request(client net.Conn, method, path, body string, headers ...string) {
	s.t.Helper()
	req := must.Get(http.NewRequest(method, "http://127.0.0.1"+path, strings.NewReader(body)))(s.t)
	req.Header.Set("Content-Type", "application/json")
	for header := range slices.Chunk(headers, 2) {
		req.Header.Set(header[0], header[1])
	}
	must.Do(s.t, req.Write(client))
}

// respond reads the head of the answer to a request.
func (s *pipeSite) respond(client io.Reader) *http.Response {
	s.t.Helper()
	return must.Get(http.ReadResponse(bufio.NewReader(client), nil))(s.t)
}

// streamed reads the body of the answer to a request.
func (s *pipeSite) streamed(client io.Reader) string {
	s.t.Helper()
	return string(must.Get(io.ReadAll(s.respond(client).Body))(s.t))
}

// follow sends a request for the events of something, on a connection that is closed after it.
func (s *pipeSite) follow(path string) (conn net.Conn, all <-chan string) {
	s.t.Helper()
	conn = s.dial()
	all = answer(conn)
	s.request(conn, "GET", path, "", "Connection", "close")
	return conn, all
}

// TestReaderThatStalls: a client that does not read is dropped, and neither its run nor another
// client's stream minds.
func TestReaderThatStalls(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newPipeSite(t, nil)
		stalled := s.send("t1", "r1", "slow")
		silent := s.send("t2", "r2", "silence")
		lines := answer(s.respond(silent).Body)
		time.Sleep(16 * time.Second)
		synctest.Wait()
		_, err := stalled.Write([]byte("x"))
		if err == nil {
			t.Error("the connection is still open after the write deadline")
		}
		if body := <-lines; strings.Count(body, ": keep-alive") < 2 || !strings.Contains(body, "RUN_FINISHED") {
			t.Errorf("the other stream is %s", body)
		}
		again := s.send("t1", "r1", "slow") // follows the run, which went on
		if body := s.streamed(again); !strings.Contains(body, "ten") || !strings.Contains(body, "RUN_FINISHED") {
			t.Errorf("the stalled client's run is %s", body)
		}
	})
}

func TestKeepAlive(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newPipeSite(t, func(c *server.Config) { c.KeepAlive = 4 * time.Second })
		body := s.streamed(s.send("t1", "r1", "silence"))
		if n := strings.Count(body, ": keep-alive\n\n"); n < 12 {
			t.Errorf("%d comments in 50 seconds of silence, want one each 4: %s", n, body)
		}
	})
}

// TestWhoFollowsAQuietThreadIsConnectedAtOnce: the headers do not wait for the first event.
func TestWhoFollowsAQuietThreadIsConnectedAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newPipeSite(t, nil)
		client := s.send("t1", "r1", "hello")
		r := bufio.NewReader(client)
		frames := strings.Split(strings.TrimSpace(s.streamed(r)), "\n\n")
		last := strings.TrimPrefix(strings.SplitN(frames[len(frames)-1], "\n", 2)[0], "id: ")
		synctest.Wait()
		begun := time.Now()
		s.request(client, "GET", "/v1/threads/t1/events?stay=1&lastEventId="+last, "")
		resp := s.respond(r)
		if took := time.Since(begun); took != 0 || resp.StatusCode != 200 || resp.Header.Get("Content-Type") != "text/event-stream" {
			t.Errorf("after %s: %d %v", took, resp.StatusCode, resp.Header)
		}
		client.Close()
	})
}

// TestSlowBody: a body that does not come is not waited for.
func TestSlowBody(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newPipeSite(t, func(c *server.Config) { c.BodyTimeout = 20 * time.Second })
		conn, begun := s.dial(), time.Now()
		_, err := io.WriteString(conn, "POST /v1/agents/default/run HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nContent-Length: 4000000\r\n\r\n{")
		must.Do(t, err)
		got := <-answer(conn) // until the server closes
		if took := time.Since(begun); !strings.HasPrefix(got, "HTTP/1.1 408") || !strings.Contains(got, "body_timeout") || took > 30*time.Second {
			t.Errorf("after %s the answer is %q", took, got)
		}
	})
}

// TestBodiesThatNobodyReads: net/http waits for the rest of a body that its handler did not read.
func TestBodiesThatNobodyReads(t *testing.T) {
	for _, request := range []string{"POST /v1/nothing", "GET /v1/agents", "DELETE /v1/threads/t", "POST /v1/runs/r/cancel"} {
		synctest.Test(t, func(t *testing.T) {
			s := newPipeSite(t, func(c *server.Config) { c.BodyTimeout = 20 * time.Second })
			conn, begun := s.dial(), time.Now()
			_, err := io.WriteString(conn, request+" HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nContent-Length: 100000\r\n\r\n{")
			must.Do(t, err)
			got := <-answer(conn) // until the server closes
			if took := time.Since(begun); took > 30*time.Second {
				t.Errorf("%s: after %s the answer is %q", request, took, got)
			}
		})
	}
}

// TestSteadyBody: a body that takes long is waited for while it comes at a fair pace, and not while
// it only drips.
func TestSteadyBody(t *testing.T) {
	for _, tt := range []struct {
		name   string
		piece  int
		status string
	}{{"steady", 8 << 10, "HTTP/1.1 400"}, {"dripping", 1, "HTTP/1.1 408"}} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := newPipeSite(t, func(c *server.Config) { c.BodyTimeout = 150 * time.Millisecond })
				conn := s.dial()
				got := answer(conn)
				_, err := fmt.Fprintf(conn, "POST /v1/agents/default/run HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nConnection: close\r\nContent-Length: %d\r\n\r\n", 10*tt.piece)
				must.Do(t, err)
				for range 10 {
					if _, err = io.WriteString(conn, strings.Repeat("x", tt.piece)); err != nil {
						break
					}
					time.Sleep(40 * time.Millisecond)
				}
				if got := <-got; !strings.HasPrefix(got, tt.status) {
					t.Errorf("the answer is %q, want it to begin with %q", got, tt.status)
				}
			})
		})
	}
}

// TestStreamBeginsAtOnce: the client sees that its run has begun long before the model has said
// anything.
func TestStreamBeginsAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newPipeSite(t, nil)
		begun := time.Now()
		r := bufio.NewReader(s.send("t1", "r1", "silence"))
		resp := s.respond(r)
		line := must.Get(bufio.NewReader(resp.Body).ReadString('\n'))(t)
		if took := time.Since(begun); took != 0 || resp.StatusCode != http.StatusOK || line != "id: r1:1.1\n" {
			t.Errorf("after %s: %d %q", took, resp.StatusCode, line)
		}
	})
}

// TestConnectionOutlivesAStream: nothing of a stream's deadlines is left for the next request on
// its connection.
func TestConnectionOutlivesAStream(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newPipeSite(t, nil)
		client := s.send("t1", "r1", "hello")
		r := bufio.NewReader(client)
		for _, id := range []string{"r2", "r3", ""} {
			if body := s.streamed(r); !strings.Contains(body, "RUN_FINISHED") {
				t.Fatalf("the stream is %s", body)
			}
			time.Sleep(time.Minute)
			if id != "" {
				s.post(client, "t1", id, "hello")
			}
		}
	})
}

// TestBusyThread: the second run of a thread waits, and is refused with the name of the run that is
// in its way.
func TestBusyThread(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newPipeSite(t, nil)
		go func() { _, _ = io.Copy(io.Discard, s.send("t1", "r1", "slow")) }()
		synctest.Wait()
		begun := time.Now()
		resp := s.respond(s.send("t1", "r2", "hello"))
		must.Be(t, time.Since(begun), 30*time.Second, "it waited")
		must.Be(t, resp.StatusCode, http.StatusConflict, "status")
		refusal := string(must.Get(io.ReadAll(resp.Body))(t))
		must.Have(t, refusal, `"code":"thread_busy"`, "the refusal")
		must.Have(t, refusal, `"runId":"r1"`, "the refusal")
	})
}

// TestNextMessageAfterTheConnectionWasClosed: closing the connection is all that many clients can
// do to stop an answer. What is asked next is answered at once.
func TestNextMessageAfterTheConnectionWasClosed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newPipeSite(t, nil)
		first := s.send("t1", "r1", "for ever")
		must.Get(first.Read(make([]byte, 1)))(t)
		first.Close()
		synctest.Wait()
		begun := time.Now()
		body := s.streamed(s.send("t1", "r2", "hello"))
		if took := time.Since(begun); took > time.Second || !strings.Contains(body, "Hello.") || !strings.Contains(body, "RUN_FINISHED") {
			t.Errorf("after %s the answer is %s", took, body)
		}
	})
}
