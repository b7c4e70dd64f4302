package main

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/pageside/pageside/internal/leaktest"
	"github.com/pageside/pageside/test/logged"
	"github.com/pageside/pageside/test/must"
)

// asProgram is the environment variable that makes the test binary the program itself.
const asProgram = "PAGESIDE_TEST_AS_PROGRAM"

func TestMain(m *testing.M) {
	if os.Getenv(asProgram) != "" {
		main()
		return
	}
	leaktest.Main(m)
}

// environment is a fixed one: a test must not find the keys or the Ollama of the machine it runs
// on.
func environment(pairs map[string]string) func(string) string {
	return func(name string) string {
		if v, ok := pairs[name]; ok {
			return v
		}
		if name == "OLLAMA_HOST" {
			return "127.0.0.1:1" // nobody listens there
		}
		return ""
	}
}

const rules = `
name: test
rules:
  - match: '.*'
    steps: [{ text: 'Hello.' }]
`

// rulesFile is a model that needs no key.
func rulesFile(t *testing.T) string {
	t.Helper()
	return fileOf(t, "rules.yaml", rules)
}

// TestPortInUse: what else fails at once is in testdata.
func TestPortInUse(t *testing.T) {
	taken := must.Get(net.Listen("tcp", "127.0.0.1:0"))(t)
	defer taken.Close()
	said, err := printed(t, nil, "demo", "--listen", taken.Addr().String())
	must.Be(t, said, "", "it prints")
	must.Fail(t, err, "--listen 127.0.0.1:0 takes any free port", "error")
}

// started is a command that serves.
type started struct {
	t    *testing.T
	url  string
	said string // before it served
	log  logged.Text
	stop context.CancelFunc
	end  chan error
}

var address = regexp.MustCompile(`http://\S+`)

// serving runs a command until it has said where it listens.
func serving(t *testing.T, args ...string) *started {
	t.Helper()
	return servingIn(t, nil, args...)
}

// servingIn is serving with environment variables.
func servingIn(t *testing.T, env map[string]string, args ...string) *started {
	t.Helper()
	return servingBy(t, func(ctx context.Context, stdout, stderr io.Writer) error {
		return run(ctx, append(args, "--listen", "127.0.0.1:0"), environment(env), stdout, stderr)
	})
}

// servingBy runs a server until it has said where it listens.
func servingBy(t *testing.T, serve func(ctx context.Context, stdout, stderr io.Writer) error) *started {
	t.Helper()
	ctx, stop := context.WithCancel(context.Background())
	r, w := io.Pipe()
	s := &started{t: t, stop: stop, end: make(chan error, 1)}
	go func() {
		err := serve(ctx, w, &s.log)
		w.CloseWithError(io.EOF)
		s.end <- err
	}()
	t.Cleanup(func() { stop(); http.DefaultClient.CloseIdleConnections() })
	buf := make([]byte, 4096)
	for !strings.Contains(s.said, "The answers come from") {
		n, err := r.Read(buf)
		if s.said += string(buf[:n]); err != nil {
			t.Fatalf("it ended after %q: %v", s.said, <-s.end)
		}
	}
	go func() { _, _ = io.Copy(io.Discard, r) }()
	s.url = address.FindString(s.said)
	return s
}

// logs waits until the server has logged a text.
func (s *started) logs(text string) {
	s.t.Helper()
	eventually(s.t, func() bool { return strings.Contains(s.log.String(), text) },
		func() string { return fmt.Sprintf("it never logs %q, but\n%s", text, s.log.String()) })
}

// ends stops the command, which must end well and in time.
func (s *started) ends() {
	s.t.Helper()
	s.stop()
	select {
	case err := <-s.end:
		must.Be(s.t, err, nil, "it ends with")
	case <-time.After(time.Minute):
		s.t.Fatalf("it does not end. What runs:\n%s", stacks())
	}
}

// stacks are those of all goroutines.
func stacks() []byte {
	buf := make([]byte, 1<<20)
	return buf[:runtime.Stack(buf, true)]
}

// send sends a request with headers, of which those without a value are left out.
func (s *started) send(method, path, body string, headers map[string]string) (*http.Response, string) {
	s.t.Helper()
	req := must.Get(http.NewRequestWithContext(s.t.Context(), method, s.url+path, strings.NewReader(body)))(s.t)
	for name, value := range headers {
		if value != "" {
			req.Header.Set(name, value)
		}
	}
	req.Host = headers["Host"]
	resp := must.Get(http.DefaultClient.Do(req))(s.t)
	defer resp.Body.Close()
	answer := must.Get(io.ReadAll(resp.Body))(s.t)
	return resp, string(answer)
}

func (s *started) do(method, path, body string) (status int, answer string) {
	s.t.Helper()
	return s.as(person{}, method, path, body)
}

// wants makes a request whose answer must have the status and the texts, as has does.
func (s *started) wants(who person, method, path, body string, status int, texts ...string) (answer string) {
	s.t.Helper()
	got, answer := s.as(who, method, path, body)
	must.Be(s.t, got, status, "%s %s as %+v: %s: status", method, path, who, answer)
	has(s.t, answer, texts...)
	return answer
}

func (s *started) ask(thread, runID, text string) string {
	s.t.Helper()
	return s.wants(person{}, "POST", "/v1/agents/default/run", aguiBody(thread, runID, text), http.StatusOK)
}

func TestDemo(t *testing.T) {
	s := serving(t, "demo")
	must.Have(t, s.said, "a scripted model", "what it says of its model")
	s.wants(person{}, "GET", "/", "", http.StatusOK, "<html")
	has(t, s.ask("t1", "r1", "hello"), "TEXT_MESSAGE_CONTENT", `"RUN_FINISHED"`)
	for _, path := range []string{"/healthz", "/readyz", "/v1/agents/default/capabilities"} {
		s.wants(person{}, "GET", path, "", http.StatusOK)
	}
	s.ends()
}

// TestServeKeepsThreads: what one process has answered the next one knows.
func TestServeKeepsThreads(t *testing.T) {
	args := []string{"serve", "--model", "script/" + rulesFile(t), "--store", newStore(t)}
	s := serving(t, args...)
	s.wants(person{}, "GET", "/", "", http.StatusOK, "/v1/agents/{agent}/run")
	s.ask("t1", "r1", "remember this")
	s.ends()
	s = serving(t, args...)
	s.wants(person{}, "GET", "/v1/threads/t1/messages", "", http.StatusOK, "remember this", "Hello.")
	s.ends()
}

// TestFilesDeletedUnderAServer: what cannot be kept is refused, not acknowledged, and whoever asks
// is told what to do.
func TestFilesDeletedUnderAServer(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("open files cannot be deleted")
	}
	folder := t.TempDir()
	args := []string{"serve", "--model", "script/" + rulesFile(t), "--store", "sqlite:" + filepath.Join(folder, "p.db")}
	s := serving(t, args...)
	s.ask("t1", "r1", "remember this")
	files, err := filepath.Glob(filepath.Join(folder, "p.db*"))
	if err != nil || len(files) < 3 {
		t.Fatalf("the files are %v, %v", files, err)
	}
	for _, file := range files {
		must.Do(t, os.Remove(file))
	}
	for _, request := range [][3]string{
		{"GET", "/readyz", ""}, {"POST", "/v1/agents/default/run", aguiBody("t1", "r2", "and this")},
		{"PATCH", "/v1/threads/t1", `{"title":"other"}`},
	} {
		s.wants(person{}, request[0], request[1], request[2], http.StatusServiceUnavailable, `"store_unavailable"`,
			"database file was deleted or replaced while the server was running; restart it")
	}
	s.wants(person{}, "GET", "/healthz", "", http.StatusOK)
	s.ends()
	s = serving(t, args...)
	s.wants(person{}, "GET", "/readyz", "", http.StatusOK)
	s.ends()
}

// TestALiveRunIsHandedOver: the server stops in time, whoever reads a run then is cut off without
// an end, and the next server goes on with the run.
func TestALiveRunIsHandedOver(t *testing.T) {
	slow := "name: slow\nrules:\n  - match: '.*'\n    steps: [{ text: 'one two', delay: 60s }]\n"
	path := fileOf(t, "slow.yaml", slow)
	args := []string{"serve", "--model", "script/" + path, "--store", newStore(t), "--grace", "50ms"}
	s := serving(t, args...)
	resp := asked(t, s.url, "r", "x")
	s.stop()
	got := string(must.Get(io.ReadAll(resp.Body))(t))
	has(t, got, `!"RUN_ERROR"`, `!"RUN_FINISHED"`)
	before, retry, _ := strings.Cut(got, "retry:")
	must.Be(t, retry, " 1000\n\n", "the end of the stream")
	s.ends()

	s = serving(t, args...)
	s.wants(person{}, "POST", "/v1/runs/r/cancel", "", http.StatusNoContent)
	rest := s.wants(person{}, "GET", "/v1/runs/r/events?protocolVersion=1.0", "", http.StatusOK,
		"id: r:2.", `"outcome":{"type":"cancelled"}`)
	must.Be(t, strings.HasPrefix(rest, before), true, "%s\nwhether the run goes on after\n%s", rest, before)
	s.ends()
}
