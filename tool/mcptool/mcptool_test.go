package mcptool_test

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/pageside/pageside/agui"
	"github.com/pageside/pageside/test/logged"
	"github.com/pageside/pageside/test/must"
	"github.com/pageside/pageside/tool"
	"github.com/pageside/pageside/tool/mcptool"
)

// hangs is how long something may take that must happen. It is no measure of how fast it is.
const hangs = time.Minute

// stdio is the fault server as a command.
func stdio(t *testing.T, fault string) mcptool.Server {
	t.Helper()
	self := must.Get(os.Executable())(t)
	return mcptool.Server{
		Name: "f", Command: self, Required: true, ConnectTimeout: hangs,
		Env: map[string]string{"FAULT": fault, "RECORD": filepath.Join(t.TempDir(), "record"), "GORACE": "atexit_sleep_ms=0"},
	}
}

// remote is the fault server behind HTTP, in this process. It can be stopped and started again at
// its address.
type remote struct {
	t           *testing.T
	addr        string
	srv         *httptest.Server
	up          *atomic.Bool // false: srv is stopped, whatever still reaches it
	handler     http.Handler
	description string            // of its tool "echo"
	extend      func(*mcp.Server) // adds tools

	mu     sync.Mutex  // guards what requests see, and srv
	header http.Header // of the last request
}

// ServeHTTP is the server's, whichever it is at the moment.
func (r *remote) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	r.mu.Lock()
	r.header = req.Header.Clone()
	h := r.handler
	r.mu.Unlock()
	h.ServeHTTP(w, req)
}

func (r *remote) lastHeader() http.Header {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.header
}

func newRemote(t *testing.T, opts *mcp.StreamableHTTPOptions) *remote {
	r := &remote{t: t, addr: reserve(t).String()}
	r.handle(opts)
	r.start()
	t.Cleanup(r.stop)
	return r
}

// handle makes a new server that knows no session.
func (r *remote) handle(opts *mcp.StreamableHTTPOptions) {
	over := make(chan struct{})
	s := newFaultServer(r.description, func() { r.stop(); <-over })
	if r.extend != nil {
		r.extend(s)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.handler = mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return s }, opts)
	r.t.Cleanup(func() {
		close(over)
		for session := range s.Sessions() {
			session.Close()
		}
	})
}

func (r *remote) start() {
	up := new(atomic.Bool)
	up.Store(true)
	srv := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		if !up.Load() { // on a connection that was just being made when it was stopped
			panic(http.ErrAbortHandler)
		}
		r.ServeHTTP(w, req)
	}))
	l := must.Get(listenAgain(r.addr))(r.t)
	srv.Listener.Close()
	srv.Listener = l
	srv.Start()
	r.mu.Lock()
	r.srv, r.up = srv, up
	r.mu.Unlock()
}

// stop is a crash: connections break, nobody says goodbye.
func (r *remote) stop() {
	r.mu.Lock()
	srv := r.srv
	r.up.Store(false)
	r.mu.Unlock()
	srv.Listener.Close()
	srv.CloseClientConnections()
}

func (r *remote) server() mcptool.Server {
	return mcptool.Server{Name: "f", URL: "http://" + r.addr + "/mcp", Required: true, ConnectTimeout: hangs, Egress: mcptool.Egress{Private: []string{"127.0.0.1"}}}
}

// tools are connected ones, ready to be called.
type tools struct {
	t        *testing.T
	registry *tool.Registry
	manager  *mcptool.Manager
}

func connect(t *testing.T, servers ...mcptool.Server) *tools {
	t.Helper()
	list, m, err := mcptool.Connect(t.Context(), servers...)
	must.Do(t, err)
	t.Cleanup(func() { m.Close() })
	r := must.Get(tool.NewRegistry(list...))(t)
	return &tools{t, r, m}
}

func (ts *tools) call(name, args string) tool.Result {
	ts.t.Helper()
	return ts.callWith(ts.t.Context(), name, args, nil)
}

func (ts *tools) callWith(ctx context.Context, name, args string, report func(tool.Progress)) tool.Result {
	ts.t.Helper()
	tl, ok := ts.registry.Get(name)
	if !ok {
		ts.t.Fatalf("there is no tool %s", name)
	}
	parsed := must.Get(tool.ParseArgs(args, tl.Schema()))(ts.t)
	return tool.Execute(ctx, tl, tool.Call{ID: "c1", Args: parsed}, report)
}

func (ts *tools) names() string {
	var names []string
	for tl := range ts.registry.All() {
		names = append(names, tl.Name)
	}
	return strings.Join(names, " ")
}

func want(t *testing.T, res tool.Result, isError bool, texts ...string) {
	t.Helper()
	for _, text := range texts {
		must.Be(t, res.IsError, isError, "%.500s is an error", res.Text)
		must.Have(t, res.Text, text, "the result")
	}
}

// over runs a test over both transports.
func over(t *testing.T, test func(t *testing.T, s mcptool.Server)) {
	t.Run("stdio", func(t *testing.T) { test(t, stdio(t, "none")) })
	t.Run("http", func(t *testing.T) { test(t, newRemote(t, nil).server()) })
	t.Run("http with sessions that can be resumed", func(t *testing.T) {
		test(t, newRemote(t, &mcp.StreamableHTTPOptions{EventStore: mcp.NewMemoryEventStore(nil)}).server())
	})
	t.Run("http with JSON", func(t *testing.T) { test(t, newRemote(t, &mcp.StreamableHTTPOptions{JSONResponse: true}).server()) })
	t.Run("http without sessions", func(t *testing.T) { test(t, newRemote(t, &mcp.StreamableHTTPOptions{Stateless: true}).server()) })
}

func TestCalls(t *testing.T) {
	over(t, func(t *testing.T, s mcptool.Server) {
		s.Tools = map[string]mcptool.Options{"struct*": {PayloadType: "rows", Effect: tool.Read}}
		s.Timeout = 20 * time.Second
		ts := connect(t, s)
		want(t, ts.call("f__echo", `{"text":"hello \u00e9"}`), false, "hello é")
		want(t, ts.call("f__fail", `{}`), true, `"code":"failed","message":"no such ticket"`)
		want(t, ts.call("f__refuse", `{}`), true, `bad id`)
		want(t, ts.call("f__contents", `{}`), false, "one\n\n[an image, image/png, 3 bytes: not shown]\n\n[a sound, audio/wav, 4 bytes: not shown]\n\n"+
			"[a resource: doc <file:///a.txt> a file]\n\n[the resource <file:///b.txt>]\ninside\n\n[the resource <file:///c>, application/zip, 5 bytes: not shown]\n\ntwo")
		if res := ts.call("f__structured", `{}`); res.Text != "2 rows" || mustJSON(res.Payload) != `{"rows":["a","b"]}` {
			t.Errorf("%+v", res)
		}
		if res := ts.call("f__repeated", `{}`); res.Text != `{ "n": 1 }` || res.Payload != nil {
			t.Errorf("%+v", res)
		}
		for tl := range ts.registry.All() {
			effect := tool.Write // whatever the server's annotations say
			if tl.Name == "f__structured" {
				effect = tool.Read
			}
			if tl.Effect != effect || tl.Name == "f__echo" && tl.Policy.Timeout != 20*time.Second {
				t.Errorf("%s: effect %s, timeout %v", tl.Name, tl.Effect, tl.Policy.Timeout)
			}
		}
	})
}

// What a result links to, or embeds, is what it rests on. Only addresses of the web are links.
func TestResourcesAreSources(t *testing.T) {
	s := newRemote(t, nil).server()
	s.Secrets = []string{"s3cret-value"}
	ts := connect(t, s)
	var given []agui.CitableSource
	for _, source := range ts.call("f__sources", `{}`).Sources {
		given = append(given, agui.CitableSource(source))
	}
	got := agui.CleanSources(given) // as a thread has them
	if len(got) != 6 || len(got[4].Snippet) > 1000 || !strings.HasPrefix(got[4].Snippet, "What it says. éé") {
		t.Fatalf("%+v", got)
	}
	got[4].Snippet = ""
	const want = `[{"title":"The ***","url":"https://example.com/manual","snippet":"All of it."},{"title":"notes"},{"title":"in the application"},{"title":"script"},` +
		`{"title":"HTTPS://example.com/page","url":"HTTPS://example.com/page"},{"title":"db://rows/7"}]`
	must.Be(t, mustJSON(got), want, "sources")
	if res := ts.call("f__failing", `{}`); !res.IsError || res.Sources != nil {
		t.Errorf("%+v", res)
	}
}

// A structured result without a payload type is a part of the text.
func TestStructuredContentIsText(t *testing.T) {
	ts := connect(t, newRemote(t, nil).server())
	if res := ts.call("f__structured", `{}`); res.Text != "2 rows\n\n"+`{"rows":["a","b"]}` || res.Payload != nil {
		t.Errorf("%+v", res)
	}
}

func TestProgress(t *testing.T) {
	for name, s := range map[string]mcptool.Server{"stdio": stdio(t, "none"), "http": newRemote(t, nil).server()} {
		t.Run(name, func(t *testing.T) {
			ts := connect(t, s)
			var got []tool.Progress
			res := ts.callWith(t.Context(), "f__progress", `{}`, func(p tool.Progress) {
				got = append(got, p)
				want(t, ts.call("f__seen", `{}`), false, "so it is")
			})
			want(t, res, false, "done")
			one := tool.Progress{CallID: "c1", Tool: "f__progress", Stage: "f", Message: "one", Fraction: 0.25}
			unknown, most := one, one
			unknown.Message, unknown.Fraction, most.Message, most.Fraction = "unknown", -1, "", 1
			must.Same(t, got, []tool.Progress{one, unknown, most}, "progress")
		})
	}
}

func TestNotificationFloods(t *testing.T) {
	for name, s := range map[string]mcptool.Server{"stdio": stdio(t, "none"), "http": newRemote(t, nil).server()} {
		t.Run(name, func(t *testing.T) {
			s.MaxBytes = 16 << 20
			ts := connect(t, s)
			reports := 0
			start := time.Now()
			want(t, ts.callWith(t.Context(), "f__flood", `{}`, func(tool.Progress) { reports++ }), false, "done")
			if most := int(time.Since(start)/(100*time.Millisecond)) + 2; reports > most {
				t.Errorf("%d reports, at most %d fit", reports, most)
			}
			want(t, ts.call("f__echo", `{"text":"still here"}`), false, "still here")
		})
	}
}

// 100 MB in one message end the session, not the process; the next call has another one.
func TestMessagesThatAreTooLarge(t *testing.T) {
	t.Run("stdio", func(t *testing.T) {
		s := stdio(t, "none")
		s.Timeout = 10 * time.Minute
		ts := connect(t, s)
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		want(t, ts.call("f__big", `{"mib":100}`), true, `"code":"lost"`, "whether it had an effect is not known")
		runtime.ReadMemStats(&after)
		if used := (after.TotalAlloc - before.TotalAlloc) >> 20; used > 64 {
			t.Errorf("%d MiB allocated for a message of which 8 may be read", used)
		} else {
			t.Logf("%d MiB allocated", used)
		}
		want(t, ts.call("f__echo", `{"text":"again"}`), false, "again")
	})
	for name, opts := range map[string]*mcp.StreamableHTTPOptions{"http": nil, "http with JSON": {JSONResponse: true}} {
		t.Run(name, func(t *testing.T) { // here the server's memory and time are the test's own
			s := newRemote(t, opts).server()
			s.MaxBytes, s.Timeout = 1<<20, 10*time.Minute
			ts := connect(t, s)
			want(t, ts.call("f__big", `{"mib":3}`), true, `"code":"lost"`, "whether it had an effect is not known")
			want(t, ts.call("f__echo", `{"text":"again"}`), false, "again")
		})
	}
}

func TestServersThatDieInACall(t *testing.T) {
	t.Run("stdio", func(t *testing.T) {
		s := stdio(t, "none")
		s.Tools = map[string]mcptool.Options{"wait": {Effect: tool.Read}}
		ts := connect(t, s)
		dying := make(chan tool.Result)
		go func() { dying <- ts.call("f__wait", `{}`) }()
		awaitNote(t, s, "waiting", 1)
		want(t, ts.call("f__die", `{}`), true, `"code":"lost"`, "whether it had an effect is not known")
		want(t, <-dying, true, `"code":"lost"`, `"retryable":true`)
		want(t, ts.call("f__echo", `{"text":"back"}`), false, "back")
		must.Be(t, len(notes(t, s, "start")), 2, "processes")
	})
	t.Run("stdio without its process", func(t *testing.T) {
		s := stdio(t, "shut")
		s.Timeout = time.Hour
		ts := connect(t, s)
		want(t, ts.call("f__die", `{}`), true, `"code":"lost"`, "whether it had an effect is not known")
		want(t, ts.call("f__echo", `{"text":"back"}`), false, "back")
	})
	for name, opts := range map[string]*mcp.StreamableHTTPOptions{
		"http": nil, "http with resuming": {EventStore: mcp.NewMemoryEventStore(nil)}, "http with JSON": {JSONResponse: true}, "http without sessions": {Stateless: true},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRemote(t, opts)
			ts := connect(t, r.server())
			want(t, ts.call("f__die", `{}`), true, `"code":"lost"`, "whether it had an effect is not known")
			want(t, ts.call("f__echo", `{"text":"x"}`), true, `"code":"unreachable"`)
			r.start()
			want(t, ts.call("f__echo", `{"text":"back"}`), false, "back")
		})
	}
}

// A server that restarted between two calls knows nothing of the session: the call is made in a new
// one.
func TestServersThatForgetTheSession(t *testing.T) {
	r := newRemote(t, nil)
	ts := connect(t, r.server())
	want(t, ts.call("f__echo", `{"text":"a"}`), false, "a")
	r.stop()
	r.handle(nil)
	r.start()
	// a request on a connection that is just breaking has an unknown outcome
	eventually(t, "an answer", func() bool {
		res := ts.call("f__echo", `{"text":"b"}`)
		return !res.IsError && res.Text == "b"
	})
}

func TestServersThatDoNotStart(t *testing.T) {
	t.Parallel()
	for fault, wants := range map[string][]string{
		"exit":    {`MCP server "f": it cannot be reached: `, "exit status 3", "no license"},
		"hang":    {"it did not answer within"},
		"garbage": {"it cannot be reached"},
		"endless": {"it cannot be reached"},
	} {
		t.Run(fault, func(t *testing.T) {
			s := stdio(t, fault)
			if fault == "hang" {
				s.ConnectTimeout = 500 * time.Millisecond
			}
			_, _, err := mcptool.Connect(t.Context(), s)
			// it was ended before it began
			for ; len(notes(t, s, "start")) == 0 && s.ConnectTimeout < hangs; s.ConnectTimeout *= 2 {
				_, _, err = mcptool.Connect(t.Context(), s)
			}
			for _, want := range wants {
				must.Fail(t, err, want, "the start")
			}
			for _, pid := range notes(t, s, "start") {
				gone(t, pid)
			}
			s.Required = false
			if ts := connect(t, s); ts.names() != "" || ts.manager.Status()[0].Connected || ts.manager.Status()[0].Problem == "" {
				t.Errorf("tools %q, status %+v", ts.names(), ts.manager.Status())
			}
		})
	}
	t.Run("no such command", func(t *testing.T) {
		_, _, err := mcptool.Connect(t.Context(), mcptool.Server{Name: "f", Command: "no-such-command-here", Required: true})
		must.Fail(t, err, "start no-such-command-here", "the start")
	})
	t.Run("http that never answers", func(t *testing.T) {
		release := make(chan struct{})
		srv := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { <-release }))
		defer srv.Close()
		defer close(release)
		_, _, err := mcptool.Connect(t.Context(), mcptool.Server{
			Name: "f", URL: srv.URL, Required: true, ConnectTimeout: 300 * time.Millisecond, Egress: mcptool.Egress{Private: []string{"127.0.0.1"}},
		})
		must.Fail(t, err, "it did not answer within 300ms", "the start")
	})
}

func TestCancelReachesTheServer(t *testing.T) {
	s := stdio(t, "none")
	ts := connect(t, s)
	ctx, cancel := context.WithCancel(t.Context())
	got := make(chan tool.Result)
	go func() { got <- ts.callWith(ctx, "f__wait", `{}`, nil) }()
	awaitNote(t, s, "waiting", 1)
	cancel()
	want(t, <-got, true, `"code":"interrupted"`)
	awaitNote(t, s, "cancelled", 1)
	want(t, ts.call("f__echo", `{"text":"same session"}`), false, "same session")
	must.Be(t, len(notes(t, s, "start")), 1, "processes")
}

func TestEnvironmentIsMinimal(t *testing.T) {
	t.Setenv("OPENAI_API_KEY", "sk-do-not-pass-on")
	s := stdio(t, "none")
	s.Env["TICKETS_TOKEN"] = "for-this-server"
	res := connect(t, s).call("f__environment", `{}`)
	want(t, res, false, "PATH=", "TICKETS_TOKEN=***") // its own, and struck out of what it says
	must.Lack(t, res.Text, "sk-do-not-pass-on", "its environment")
}

// Nothing is left of a process and its children: not after Close, however stubborn it is, and not
// after it died by itself.
func TestProcessesEndWithTheirChildren(t *testing.T) {
	t.Parallel()
	for _, fault := range []string{"none", "stubborn"} {
		t.Run(fault, func(t *testing.T) {
			s := stdio(t, fault)
			ts := connect(t, s)
			child := ts.call("f__child", `{}`).Text
			ts.manager.Close()
			gone(t, child)
			gone(t, notes(t, s, "start")[0])
			want(t, ts.call("f__echo", `{"text":"x"}`), true, `"code":`)
		})
	}
	t.Run("died", func(t *testing.T) {
		s := stdio(t, "none")
		ts := connect(t, s)
		child := ts.call("f__child", `{}`).Text // holds the pipes of its parent
		want(t, ts.call("f__die", `{}`), true, `"code":"lost"`)
		gone(t, child)
	})
}

func TestStandardErrorIsLoggedInBounds(t *testing.T) {
	var log logged.Text
	defer captureLog(&log)()
	ts := connect(t, stdio(t, "none"))
	want(t, ts.call("f__complain", `{}`), false, "done")
	ts.manager.Close()
	must.Have(t, log.String(), "trouble yyy", "the log")
	must.Have(t, log.String(), "the rest is not logged", "the log")
	if n := len(log.String()); n > 600<<10 {
		t.Errorf("%d bytes of log", n)
	}
}

// captureLog has the log written to b until the function it returns is called.
func captureLog(b *logged.Text) func() {
	old := slog.Default()
	slog.SetDefault(slog.New(slog.NewTextHandler(b, &slog.HandlerOptions{Level: slog.LevelDebug})))
	return func() { slog.SetDefault(old) }
}

// notes are the process numbers beside what a server noted.
func notes(t *testing.T, s mcptool.Server, what string) []string {
	t.Helper()
	raw, err := os.ReadFile(s.Env["RECORD"])
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	var pids []string
	for line := range strings.Lines(string(raw)) {
		if pid, ok := strings.CutPrefix(strings.TrimSpace(line), what+" "); ok {
			pids = append(pids, pid)
		}
	}
	return pids
}

func awaitNote(t *testing.T, s mcptool.Server, what string, n int) {
	t.Helper()
	eventually(t, what, func() bool { return len(notes(t, s, what)) >= n })
}

func eventually(t *testing.T, what string, done func() bool) {
	t.Helper()
	for deadline := time.Now().Add(hangs); !done(); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("never: %s", what)
		}
	}
}

// gone waits until no process of that number runs any more.
func gone(t *testing.T, pid string) {
	t.Helper()
	n, err := strconv.Atoi(pid)
	if err != nil {
		t.Fatalf("%q is no process", pid)
	}
	eventually(t, fmt.Sprintf("process %d is gone", n), func() bool {
		if syscall.Kill(n, 0) != nil {
			return true
		}
		stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", n))
		// dead, and its parent has not looked yet
		return err == nil && strings.Contains(string(stat), ") Z ")
	})
}
