package mcptool_test

import (
	"encoding/json"
	"fmt"
	"math"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/pageside/pageside/test/logged"
	"github.com/pageside/pageside/test/must"
	"github.com/pageside/pageside/tool"
	"github.com/pageside/pageside/tool/mcptool"
)

// official returns the entry point of a server of the protocol's own authors, installed with the
// web workspace's packages.
func official(t *testing.T, name string) string {
	t.Helper()
	if testing.Short() {
		t.Skip("a server that others wrote: only in the long version")
	}
	entry, err := filepath.Abs(filepath.Join("..", "..", "web", "node_modules", "@modelcontextprotocol", name, "dist", "index.js"))
	must.Do(t, err)
	if _, err := os.Stat(entry); err != nil {
		t.Skipf("%s is not installed: run npm ci in web", name)
	}
	if _, err := exec.LookPath("node"); err != nil {
		t.Skip("node is not installed")
	}
	return entry
}

// everything is the server with a tool for each feature, over stdio. The shell writes down the
// number of the process it becomes.
func everything(t *testing.T) (s mcptool.Server, pid func() int) {
	t.Helper()
	entry, file := official(t, "server-everything"), filepath.Join(t.TempDir(), "pid")
	s = mcptool.Server{
		Name: "every", Command: "sh", Args: []string{"-c", `echo $$ > "$0"; exec node "$1" stdio`, file, entry}, Required: true, ConnectTimeout: hangs,
		Default: mcptool.Options{Effect: tool.Read},
		Tools:   map[string]mcptool.Options{"get-structured-content": {PayloadType: "weather"}},
	}
	return s, func() int {
		raw := must.Get(os.ReadFile(file))(t)
		return must.Get(strconv.Atoi(strings.TrimSpace(string(raw))))(t)
	}
}

// everythingRemote is the same over HTTP, at a port it is given. It can be killed and started
// again.
type everythingRemote struct {
	t    *testing.T
	port int
	cmd  *exec.Cmd
	said logged.Text
}

func newEverythingRemote(t *testing.T) *everythingRemote {
	r := &everythingRemote{t: t, port: reserve(t).Port}
	r.start()
	t.Cleanup(func() { r.kill() })
	return r
}

func (r *everythingRemote) start() {
	r.t.Helper()
	r.cmd = exec.Command("node", official(r.t, "server-everything"), "streamableHttp")
	r.cmd.Env = append(os.Environ(), fmt.Sprintf("PORT=%d", r.port))
	r.cmd.Stdout, r.cmd.Stderr = &r.said, &r.said
	must.Do(r.t, r.cmd.Start())
	defer func() {
		if r.t.Failed() {
			r.t.Logf("server-everything said %s", r.said.String())
		}
	}()
	eventually(r.t, "the server listens", func() bool {
		c, err := net.Dial("tcp", fmt.Sprintf("127.0.0.1:%d", r.port))
		if err == nil {
			c.Close()
		}
		return err == nil
	})
}

func (r *everythingRemote) kill() {
	_ = r.cmd.Process.Kill()
	_ = r.cmd.Wait()
}

func (r *everythingRemote) server() mcptool.Server {
	return mcptool.Server{
		Name: "every", URL: fmt.Sprintf("http://127.0.0.1:%d/mcp", r.port), Required: true, ConnectTimeout: hangs,
		Egress: mcptool.Egress{Private: []string{"127.0.0.1"}}, Default: mcptool.Options{Effect: tool.Read},
		Tools: map[string]mcptool.Options{"get-structured-content": {PayloadType: "weather"}},
	}
}

// useEverything calls the tools of server-everything.
func useEverything(t *testing.T, ts *tools) {
	want(t, ts.call("every__echo", `{"message":"hello"}`), false, "Echo: hello")
	want(t, ts.call("every__get-sum", `{"a":2,"b":40}`), false, "42")
	want(t, ts.call("every__get-tiny-image", `{}`), false, "[an image, image/png, ", "bytes: not shown]")
	links := ts.call("every__get-resource-links", `{"count":2}`)
	if want(t, links, false, "[a resource: "); len(links.Sources) != 2 || links.Sources[0].Title == "" || links.Sources[0].URL != "" {
		t.Errorf("its links of a scheme of its own are the sources %+v", links.Sources)
	}
	want(t, ts.call("every__get-resource-reference", `{"resourceType":"Text","resourceId":1}`), false, "[the resource <")
	want(t, ts.call("every__get-annotated-message", `{"messageType":"error"}`), false, "Error")
	if res := ts.call("every__get-structured-content", `{"location":"Chicago"}`); res.IsError || !strings.Contains(mustJSON(res.Payload), `"temperature":`) {
		t.Errorf("%+v", res)
	}
	// whoever is busy misses a report, and is told the newest one
	eventually(t, "progress is reported", func() bool {
		var fractions []float64
		res := ts.callWith(t.Context(), "every__trigger-long-running-operation", `{"duration":1,"steps":4}`, func(p tool.Progress) {
			fractions = append(fractions, p.Fraction)
		})
		want(t, res, false, "Long running operation completed")
		for i, f := range fractions {
			if f*4 != math.Trunc(f*4) || f <= 0 || f > 1 || i > 0 && f <= fractions[i-1] {
				t.Errorf("progress %v", fractions)
			}
		}
		return len(fractions) > 0 || t.Failed()
	})
}

func TestServerEverythingOverStdio(t *testing.T) {
	s, pid := everything(t)
	ts := connect(t, s)
	useEverything(t, ts)
	ts.manager.Close()
	gone(t, strconv.Itoa(pid()))
}

func TestServerEverythingOverHTTP(t *testing.T) {
	useEverything(t, connect(t, newEverythingRemote(t).server()))
}

// A server that is killed in the middle of a call fails it, and the next call finds a new one.
func TestServerEverythingIsKilledInACall(t *testing.T) {
	inCall := func(t *testing.T, ts *tools, kill func()) {
		t.Helper()
		running := make(chan struct{}, 1)
		got := make(chan tool.Result)
		go func() {
			got <- ts.callWith(t.Context(), "every__trigger-long-running-operation", `{"duration":60,"steps":300}`, func(tool.Progress) {
				select {
				case running <- struct{}{}:
				default:
				}
			})
		}()
		<-running
		kill()
		want(t, <-got, true, `"code":"lost"`, `"retryable":true`)
	}
	t.Run("stdio", func(t *testing.T) {
		s, pid := everything(t)
		ts := connect(t, s)
		first := pid()
		inCall(t, ts, func() {
			p := must.Get(os.FindProcess(first))(t)
			_ = p.Kill()
		})
		want(t, ts.call("every__echo", `{"message":"back"}`), false, "Echo: back")
		if pid() == first {
			t.Error("no new process")
		}
	})
	t.Run("http", func(t *testing.T) {
		r := newEverythingRemote(t)
		ts := connect(t, r.server())
		inCall(t, ts, r.kill)
		want(t, ts.call("every__echo", `{"message":"x"}`), true, `"code":"unreachable"`)
		r.start()
		want(t, ts.call("every__echo", `{"message":"back"}`), false, "Echo: back")
	})
}

func TestServerFilesystem(t *testing.T) {
	dir := t.TempDir()
	must.Do(t, os.WriteFile(filepath.Join(dir, "a.txt"), []byte("twelve papers"), 0o600))
	pins := filepath.Join(t.TempDir(), "pins.json")
	s := mcptool.Server{
		Name: "files", Command: "node", Args: []string{official(t, "server-filesystem"), dir}, Required: true, ConnectTimeout: hangs,
		Allow: []string{"read_*", "list_*"}, Default: mcptool.Options{Effect: tool.Read}, PinFile: pins,
	}
	ts := connect(t, s)
	args := func(name string) string { return mustJSON(map[string]string{"path": filepath.Join(dir, name)}) }
	want(t, ts.call("files__read_text_file", args("a.txt")), false, "twelve papers")
	want(t, ts.call("files__list_directory", mustJSON(map[string]string{"path": dir})), false, "a.txt")
	want(t, ts.call("files__read_text_file", args("none.txt")), true, `"code":"failed"`, "ENOENT")
	want(t, ts.call("files__read_text_file", `{"path":"/etc/passwd"}`), true, `"code":"failed"`, "Access denied")
	must.Lack(t, ts.names(), "write_file", "tools")
	ts.manager.Close()

	raw := must.Get(os.ReadFile(pins))(t)
	var file struct {
		Servers map[string]map[string]struct{ Hash string }
	}
	if err := json.Unmarshal(raw, &file); err != nil || file.Servers["files"]["write_file"].Hash == "" {
		t.Fatalf("%s: %v", raw, err)
	}
	// the pins hold in a second process
	want(t, connect(t, s).call("files__read_text_file", args("a.txt")), false, "twelve papers")
}
