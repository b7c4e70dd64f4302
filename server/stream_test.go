package server_test

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/pageside/pageside/agent"
	"github.com/pageside/pageside/llm/script"
	"github.com/pageside/pageside/page"
	"github.com/pageside/pageside/run"
	"github.com/pageside/pageside/server"
	"github.com/pageside/pageside/store"
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

// pipes is a listener whose connections are pipes: inside a synctest bubble they wait for the bubble's clock.
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
	t  *testing.T
	in *pipes
}

func newPipeSite(t *testing.T) *pipeSite {
	t.Helper()
	model, err := script.Parse("slow", []byte(slowRules))
	must(t, err)
	tools, err := tool.NewRegistry()
	must(t, err)
	pages, err := page.NewRegistry(tools, nil)
	must(t, err)
	quiet := slog.New(slog.DiscardHandler)
	st := store.NewMemory()
	runs, err := run.NewManager(t.Context(), run.Config{Store: st, Agents: []*agent.Agent{{ID: "default", Model: model, Pages: pages}}, Logger: quiet})
	must(t, err)
	h, err := server.New(server.Config{Runs: runs, Store: st, Logger: quiet})
	must(t, err)
	in := &pipes{make(chan net.Conn), make(chan struct{})}
	srv := &http.Server{Handler: h, ErrorLog: slog.NewLogLogger(quiet.Handler(), slog.LevelError)}
	go func() { _ = srv.Serve(in) }()
	t.Cleanup(func() {
		runs.Drain(context.WithoutCancel(t.Context()))
		srv.Close()
		h.Close()
	})
	return &pipeSite{t, in}
}

// send opens a connection and writes a request for a run on it.
func (s *pipeSite) send(thread, runID, text string) net.Conn {
	s.t.Helper()
	client, conn := net.Pipe()
	s.t.Cleanup(func() { client.Close() })
	s.in.accept <- conn
	s.post(client, thread, runID, text)
	return client
}

func (s *pipeSite) post(client net.Conn, thread, runID, text string) {
	s.t.Helper()
	req, err := http.NewRequest(http.MethodPost, "http://127.0.0.1/v1/agents/default/run", strings.NewReader(input(thread, runID, text)))
	must(s.t, err)
	req.Header.Set("Content-Type", "application/json")
	must(s.t, req.Write(client))
}

// TestReaderThatStalls: a client that does not read is dropped, and neither its run nor another client's stream minds.
func TestReaderThatStalls(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newPipeSite(t)
		stalled := s.send("t1", "r1", "slow")
		silent := s.send("t2", "r2", "silence")
		resp, err := http.ReadResponse(bufio.NewReader(silent), nil)
		must(t, err)
		lines := make(chan string)
		go func() {
			body, _ := io.ReadAll(resp.Body)
			lines <- string(body)
		}()
		time.Sleep(16 * time.Second)
		synctest.Wait()
		_, err = stalled.Write([]byte("x"))
		if err == nil {
			t.Error("the connection is still open after the write deadline")
		}
		if body := <-lines; strings.Count(body, ": keep-alive") < 2 || !strings.Contains(body, "RUN_FINISHED") {
			t.Errorf("the other stream is %s", body)
		}
		again := s.send("t1", "r1", "slow") // follows the run, which went on
		resp, err = http.ReadResponse(bufio.NewReader(again), nil)
		must(t, err)
		body, err := io.ReadAll(resp.Body)
		must(t, err)
		if !strings.Contains(string(body), "ten") || !strings.Contains(string(body), "RUN_FINISHED") {
			t.Errorf("the stalled client's run is %s", body)
		}
	})
}

// TestStreamBeginsAtOnce: the client sees that its run has begun long before the model has said anything.
func TestStreamBeginsAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newPipeSite(t)
		begun := time.Now()
		r := bufio.NewReader(s.send("t1", "r1", "silence"))
		resp, err := http.ReadResponse(r, nil)
		must(t, err)
		line, err := bufio.NewReader(resp.Body).ReadString('\n')
		must(t, err)
		if took := time.Since(begun); took != 0 || resp.StatusCode != http.StatusOK || line != "id: r1:1.1\n" {
			t.Errorf("after %s: %d %q", took, resp.StatusCode, line)
		}
	})
}

// TestConnectionOutlivesAStream: nothing of a stream's deadlines is left for the next request on its connection.
func TestConnectionOutlivesAStream(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newPipeSite(t)
		client := s.send("t1", "r1", "hello")
		r := bufio.NewReader(client)
		for _, id := range []string{"r2", "r3", ""} {
			resp, err := http.ReadResponse(r, nil)
			must(t, err)
			body, err := io.ReadAll(resp.Body)
			must(t, err)
			if !strings.Contains(string(body), "RUN_FINISHED") {
				t.Fatalf("the stream is %s", body)
			}
			time.Sleep(time.Minute)
			if id != "" {
				s.post(client, "t1", id, "hello")
			}
		}
	})
}

// TestBusyThread: the second run of a thread waits, and is refused with the name of the run that is in its way.
func TestBusyThread(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newPipeSite(t)
		go func() { _, _ = io.Copy(io.Discard, s.send("t1", "r1", "slow")) }()
		synctest.Wait()
		begun := time.Now()
		resp, err := http.ReadResponse(bufio.NewReader(s.send("t1", "r2", "hello")), nil)
		must(t, err)
		var p struct {
			Error struct {
				Code    string
				Details struct{ Field, RunID string }
			}
		}
		must(t, json.NewDecoder(resp.Body).Decode(&p))
		if took := time.Since(begun); took != 30*time.Second {
			t.Errorf("it waited %s", took)
		}
		if resp.StatusCode != http.StatusConflict || p.Error.Code != "thread_busy" || p.Error.Details.RunID != "r1" {
			t.Errorf("%d %+v", resp.StatusCode, p)
		}
	})
}
