package main

import (
	"context"
	"errors"
	"flag"
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
	path := fileOf(t, "rules.yaml", rules)
	return path
}

func TestCommandsThatPrint(t *testing.T) {
	for name, tt := range map[string]struct {
		args []string
		want string
		err  error
	}{
		"nothing":    {nil, "pageside serve [flags]", nil},
		"help":       {[]string{"help"}, "pageside demo  [flags]", nil},
		"--help":     {[]string{"--help"}, "PAGESIDE_LISTEN", nil},
		"version":    {[]string{"version"}, "AG-UI 1.0", nil},
		"demo help":  {[]string{"demo", "--help"}, "  --log FILE\n", flag.ErrHelp},
		"serve help": {[]string{"serve", "-h"}, "  --instructions string\n", flag.ErrHelp},
	} {
		t.Run(name, func(t *testing.T) {
			var stdout, stderr strings.Builder
			must.FailWith(t, run(t.Context(), tt.args, environment(nil), &stdout, &stderr), tt.err, "error")
			if !strings.Contains(stdout.String(), tt.want) || stderr.Len() > 0 {
				t.Errorf("prints %q and %q, want %q", stdout.String(), stderr.String(), tt.want)
			}
		})
	}
}

// TestCommandsThatFail: one sentence that names what is wrong, and nothing else.
func TestCommandsThatFail(t *testing.T) {
	script := "script/" + rulesFile(t)
	folder := t.TempDir()
	taken := must.Get(net.Listen("tcp", "127.0.0.1:0"))(t)
	defer taken.Close()
	for name, tt := range map[string]struct {
		args  string
		env   map[string]string
		usage bool
		want  string
	}{
		"unknown command":          {"dance", nil, true, `no command "dance"`},
		"unknown flag":             {"demo --nope", nil, true, "-nope"},
		"flag that was meant":      {"demo --logs x", nil, true, "pageside demo has no flag --logs; did you mean --log? see 'pageside demo --help'"},
		"port as elsewhere":        {"demo --port 8080", nil, true, "pageside demo has no flag --port; did you mean --listen? see 'pageside demo --help'"},
		"config in one letter":     {"serve -c x.yaml", nil, true, "did you mean --config?"},
		"config without its flag":  {"serve x.yaml", nil, true, `unexpected argument "x.yaml"; did you mean --config x.yaml?`},
		"no such config":           {"check --config " + folder + "/none.yaml", nil, false, "'pageside init' writes one to start from"},
		"origin without scheme":    {"demo --origin localhost:5173", nil, true, `invalid value "localhost:5173" for --origin: "localhost:5173" is not an origin, such as`},
		"neither flag":             {"serve", nil, true, "'pageside init' writes a FILE to start from"},
		"format that was meant":    {"serve --log-format jsn", nil, true, "must be text or json; did you mean json?"},
		"unknown level":            {"serve --log-level warning", nil, true, "must be debug, info, warn or error"},
		"port alone":               {"demo --listen 8420", nil, true, "write it as 127.0.0.1:8420"},
		"bad duration":             {"demo --grace soon", nil, true, "grace"},
		"bad duration in env":      {"demo", map[string]string{"PAGESIDE_GRACE": "soon"}, true, `"soon" for the environment variable PAGESIDE_GRACE`},
		"stray argument":           {"demo now", nil, true, `"now"`},
		"no model":                 {"serve", nil, true, "--model provider/name is needed"},
		"model without provider":   {"serve --model gpt", nil, true, `"gpt"`},
		"unknown provider":         {"serve --model nobody/x", nil, false, "nobody"},
		"model without its key":    {"serve --model openai/gpt-5-mini", nil, false, "OPENAI_API_KEY"},
		"missing script":           {"serve --model script/" + folder + "/none.yaml", nil, false, "no such file"},
		"missing script of demo":   {"demo --listen 127.0.0.1:0 --model script/" + folder + "/none.yaml", nil, false, "no such file"},
		"missing log":              {"demo --listen 127.0.0.1:0 --log " + folder + "/none.log", nil, false, "none.log: no such file"},
		"log that is a folder":     {"demo --listen 127.0.0.1:0 --log " + folder, nil, false, "is a directory"},
		"store of another kind":    {"demo --listen 127.0.0.1:0 --store postgres://x", nil, true, `"postgres://x": must be sqlite:FILE`},
		"store without its kind":   {"demo --listen 127.0.0.1:0 --store x.db", nil, true, `"x.db": must be sqlite:FILE: write sqlite:x.db`},
		"the same in env":          {"serve", map[string]string{"PAGESIDE_STORE": "x.db"}, true, "write sqlite:x.db"},
		"store in no folder":       {"demo --listen 127.0.0.1:0 --store sqlite:" + folder + "/none/x.db", nil, false, "none/x.db"},
		"reset without a store":    {"demo --reset", nil, true, "--reset is for a demo with --store"},
		"recover without a store":  {"demo --recover", nil, true, "--recover is for a demo with --store"},
		"store that is a folder":   {"serve --listen 127.0.0.1:0 --model " + script + " --store sqlite:" + folder, nil, false, "is a directory"},
		"every address":            {"demo --listen :8420", nil, true, "only loopback"},
		"an address of others":     {"demo --listen 192.0.2.1:8420", nil, true, "only loopback"},
		"address without a port":   {"demo --listen 127.0.0.1", nil, true, "missing port"},
		"port in use":              {"demo --listen " + taken.Addr().String(), nil, false, "--listen 127.0.0.1:0 takes any free port"},
		"bad listen in env":        {"demo", map[string]string{"PAGESIDE_LISTEN": "0.0.0.0:1"}, true, "0.0.0.0:1"},
		"flag wins over bad env":   {"demo --listen 192.0.2.1:1", map[string]string{"PAGESIDE_LISTEN": "x"}, true, "192.0.2.1:1"},
		"OpenAI key and a bad URL": {"demo --listen 127.0.0.1:0", map[string]string{"OPENAI_API_KEY": "sk-x", "OPENAI_BASE_URL": "://"}, false, `model "openai/gpt-5-mini": "://"`},
	} {
		t.Run(name, func(t *testing.T) {
			ctx, stop := context.WithTimeout(t.Context(), time.Minute) // should it serve after all
			defer stop()
			var stdout, stderr strings.Builder
			err := run(ctx, strings.Fields(tt.args), environment(tt.env), &stdout, &stderr)
			if err == nil || !strings.Contains(err.Error(), tt.want) || strings.Contains(err.Error(), "\n") {
				t.Errorf("error is %v, want one line with %q", err, tt.want)
			}
			if errors.Is(err, errUsage) != tt.usage {
				t.Errorf("%v: an error of usage: %v, want %v", err, !tt.usage, tt.usage)
			}
			if stdout.Len()+stderr.Len() > 0 {
				t.Errorf("prints %q and %q", stdout.String(), stderr.String())
			}
		})
	}
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

func (s *started) ask(thread, runID, text string) string {
	s.t.Helper()
	status, answer := s.do("POST", "/v1/agents/default/run", aguiBody(thread, runID, text))
	if status != http.StatusOK {
		s.t.Fatalf("the run is answered %d %s", status, answer)
	}
	return answer
}

func TestDemo(t *testing.T) {
	s := serving(t, "demo")
	must.Have(t, s.said, "a scripted model", "what it says of its model")
	if status, page := s.do("GET", "/", ""); status != http.StatusOK || !strings.Contains(page, "<html") {
		t.Errorf("the page is %d %s", status, page)
	}
	if answer := s.ask("t1", "r1", "hello"); !strings.Contains(answer, "TEXT_MESSAGE_CONTENT") || !strings.Contains(answer, `"RUN_FINISHED"`) {
		t.Errorf("the run is %s", answer)
	}
	for _, path := range []string{"/healthz", "/readyz", "/v1/agents/default/capabilities"} {
		if status, answer := s.do("GET", path, ""); status != http.StatusOK {
			t.Errorf("%s: %d %s", path, status, answer)
		}
	}
	s.ends()
}

// TestServeKeepsThreads: what one process has answered the next one knows.
func TestServeKeepsThreads(t *testing.T) {
	args := []string{"serve", "--model", "script/" + rulesFile(t), "--store", newStore(t)}
	s := serving(t, args...)
	if status, text := s.do("GET", "/", ""); status != http.StatusOK || !strings.Contains(text, "/v1/agents/{agent}/run") {
		t.Errorf("/ is %d %s", status, text)
	}
	s.ask("t1", "r1", "remember this")
	s.ends()
	s = serving(t, args...)
	if status, list := s.do("GET", "/v1/threads/t1/messages", ""); status != http.StatusOK || !strings.Contains(list, "remember this") || !strings.Contains(list, "Hello.") {
		t.Errorf("the thread is %d %s", status, list)
	}
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
	for _, request := range []struct{ method, path, body string }{
		{"GET", "/readyz", ""}, {"POST", "/v1/agents/default/run", aguiBody("t1", "r2", "and this")}, {"PATCH", "/v1/threads/t1", `{"title":"other"}`},
	} {
		status, answer := s.do(request.method, request.path, request.body)
		if status != http.StatusServiceUnavailable || !strings.Contains(answer, `"store_unavailable"`) ||
			!strings.Contains(answer, "database file was deleted or replaced while the server was running; restart it") {
			t.Errorf("%s %s: %d %s", request.method, request.path, status, answer)
		}
	}
	if status, _ := s.do("GET", "/healthz", ""); status != http.StatusOK {
		t.Errorf("/healthz: %d: the process is alive", status)
	}
	s.ends()
	s = serving(t, args...)
	if status, answer := s.do("GET", "/readyz", ""); status != http.StatusOK {
		t.Errorf("after a restart: %d %s", status, answer)
	}
	s.ends()
}

// TestALiveRunIsHandedOver: the server stops in time, whoever reads a run then is cut off without
// an end, and the next server goes on with the run.
func TestALiveRunIsHandedOver(t *testing.T) {
	slow := "name: slow\nrules:\n  - match: '.*'\n    steps: [{ text: 'one two', delay: 60s }]\n"
	path := fileOf(t, "slow.yaml", slow)
	args := []string{"serve", "--model", "script/" + path, "--store", newStore(t), "--grace", "50ms"}
	s := serving(t, args...)
	begun := make(chan struct{})
	answer := make(chan string)
	go func() {
		resp, err := http.Post(s.url+"/v1/agents/default/run", "application/json",
			strings.NewReader(aguiBody("t", "r", "x")))
		close(begun)
		if err != nil {
			answer <- err.Error()
			return
		}
		defer resp.Body.Close()
		all, err := io.ReadAll(resp.Body)
		if err != nil {
			all = append(all, err.Error()...)
		}
		answer <- string(all)
	}()
	<-begun
	s.stop()
	got := <-answer
	if strings.Contains(got, `"RUN_ERROR"`) || strings.Contains(got, `"RUN_FINISHED"`) || !strings.HasSuffix(got, "\n\nretry: 1000\n\n") {
		t.Errorf("the stream is %s", got)
	}
	s.ends()

	s = serving(t, args...)
	if status, text := s.do("POST", "/v1/runs/r/cancel", ""); status != http.StatusNoContent {
		t.Errorf("cancelling the run in the next server: %d %s", status, text)
	}
	status, rest := s.do("GET", "/v1/runs/r/events?protocolVersion=1.0", "")
	before, _, _ := strings.Cut(got, "retry:")
	if status != http.StatusOK || !strings.HasPrefix(rest, before) || !strings.Contains(rest, "id: r:2.") || !strings.Contains(rest, `"outcome":{"type":"cancelled"}`) {
		t.Errorf("the run goes on as %d %s, after %s", status, rest, before)
	}
	s.ends()
}
