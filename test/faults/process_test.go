package faults

import (
	"bufio"
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/pageside/pageside/test/must"
)

// process is a server in a process of its own, which can be killed.
type process struct {
	*client
	cmd   *exec.Cmd
	stdin io.Closer
	log   *tail
	ended chan struct{}
}

// site is what outlives its processes: the store's file, the ledger, and the model.
type site struct {
	t      *testing.T
	dir    string
	llm    *provider
	starts int
	slow   time.Duration // the longest a start has taken
}

func newSite(t *testing.T) *site {
	t.Helper()
	return &site{t: t, dir: t.TempDir(), llm: newProvider(t)}
}

func (s *site) db() string     { return filepath.Join(s.dir, "faults.db") }
func (s *site) ledger() string { return filepath.Join(s.dir, "ledger") }

// start starts a server on what the last one has left.
func (s *site) start(adjust func(*childConfig)) *process {
	s.t.Helper()
	cfg := childConfig{DB: s.db(), LLM: s.llm.url, Ledger: s.ledger()}
	if adjust != nil {
		adjust(&cfg)
	}
	s.starts++
	begun := time.Now()
	p := startChild(s.t, cfg)
	s.slow = max(s.slow, time.Since(begun))
	return p
}

// startChild starts a child and waits until it says where it listens.
func startChild(t *testing.T, cfg childConfig) *process {
	t.Helper()
	role := must.Get(json.Marshal(cfg))(t)
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), childEnv+"="+string(role))
	return launch(t, cmd)
}

// launch starts a command whose first line with an address says where it listens.
func launch(t *testing.T, cmd *exec.Cmd) *process {
	t.Helper()
	p := &process{cmd: cmd, log: &tail{}, ended: make(chan struct{})}
	cmd.Stderr = p.log
	out, err := cmd.StdoutPipe()
	must.Do(t, err)
	if p.stdin, err = cmd.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	must.Do(t, cmd.Start())
	t.Cleanup(p.kill)
	lines := bufio.NewReader(out)
	late := time.AfterFunc(hang, func() { _ = cmd.Process.Kill() })
	defer late.Stop()
	for url := ""; url == ""; {
		line, err := lines.ReadString('\n')
		if err != nil {
			t.Fatalf("the server did not start: %v\n%s", err, p.log)
		}
		if i := strings.Index(line, "http://"); i >= 0 {
			url = strings.TrimSpace(line[i:])
			p.client = newClient(t, url)
		}
	}
	go func() {
		_, _ = io.Copy(io.Discard, lines)
		_ = cmd.Wait()
		close(p.ended)
	}()
	return p
}

// kill ends the process without a word, and waits until it is gone.
func (p *process) kill() {
	_ = p.cmd.Process.Kill()
	p.awaitEnd()
}

// awaitEnd waits until the process is gone, whoever ended it.
func (p *process) awaitEnd() {
	if p.client == nil { // it never came up
		_ = p.cmd.Wait()
		return
	}
	<-p.ended
	p.stdin.Close()
	p.http.CloseIdleConnections()
}

// endsWithin waits until the process is gone by itself, and reports whether it was in time.
func (p *process) endsWithin(d time.Duration) bool {
	select {
	case <-p.ended:
		p.awaitEnd()
		return true
	case <-time.After(d):
		return false
	}
}

// counts returns what the process holds.
func (p *process) counts(t *testing.T, query string) (c counts) {
	t.Helper()
	resp, err := p.request(within(t, hang), http.MethodGet, "/debug/counts"+query, nil)
	if err != nil {
		t.Fatalf("counts: %v\n%s", err, p.log)
	}
	defer resp.Body.Close()
	if err := json.NewDecoder(resp.Body).Decode(&c); err != nil || resp.StatusCode != http.StatusOK {
		t.Fatalf("counts: %d, %v", resp.StatusCode, err)
	}
	return c
}

// tail keeps the end of what is written to it.
type tail struct {
	mu  sync.Mutex
	buf []byte
}

func (l *tail) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.buf = append(l.buf, p...); len(l.buf) > 16<<10 {
		l.buf = bytes.Clone(l.buf[len(l.buf)-8<<10:])
	}
	return len(p), nil
}

func (l *tail) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return string(l.buf)
}
