package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"runtime"
	"runtime/debug"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/pageside/pageside/test/must"
)

// child runs this program as a process of its own: signals and exits can be seen only from outside.
func child(t *testing.T, args ...string) (cmd *exec.Cmd, stdout *lineReader, stderr *bytes.Buffer) {
	t.Helper()
	ctx, stop := context.WithTimeout(t.Context(), time.Minute)
	t.Cleanup(stop)
	cmd = exec.CommandContext(ctx, os.Args[0], args...)
	cmd.Env = append(os.Environ(), asProgram+"=1")
	out := must.Get(cmd.StdoutPipe())(t)
	stderr = new(bytes.Buffer)
	cmd.Stderr = stderr
	must.Do(t, cmd.Start())
	return cmd, &lineReader{t, out}, stderr
}

// lineReader reads the addresses that the program prints.
type lineReader struct {
	t *testing.T
	r io.Reader
}

// address returns where the server listens.
func (l *lineReader) address() string {
	l.t.Helper()
	buf := make([]byte, 4096)
	n, err := l.r.Read(buf)
	if err != nil {
		l.t.Fatalf("the server says nothing: %v", err)
	}
	_, rest, ok := strings.Cut(string(buf[:n]), "http://")
	if !ok {
		l.t.Fatalf("%q has no address", buf[:n])
	}
	address, _, _ := strings.Cut(rest, "\n")
	return "http://" + address
}

// slowRules is a model that takes long to answer, and one that answers at once.
const slowRules = `
name: test
rules:
  - match: slow
    steps: [{ delay: 20s, text: 'It takes very long.' }]
  - match: '.*'
    steps: [{ text: 'Hello.', usage: { input: 12, output: 3 } }]
`

func serveRules(t *testing.T, more ...string) (cmd *exec.Cmd, url string, stderr *bytes.Buffer) {
	t.Helper()
	file := fileOf(t, "rules.yaml", slowRules)
	t.Cleanup(http.DefaultClient.CloseIdleConnections)
	cmd, stdout, stderr := child(t, append([]string{"serve", "--listen", "127.0.0.1:0", "--model", "script/" + file, "--store", newStore(t)}, more...)...)
	return cmd, stdout.address(), stderr
}

// asked starts a run and returns its open stream once the server has taken it.
func asked(t *testing.T, url, run, question string) *http.Response {
	t.Helper()
	resp, err := http.Post(url+"/v1/agents/default/run", "application/json", strings.NewReader(aguiBody("t-"+run, run, question)))
	must.Do(t, err)
	t.Cleanup(func() { resp.Body.Close() })
	if resp.StatusCode != http.StatusOK {
		t.Fatalf("%d", resp.StatusCode)
	}
	return resp
}

func TestSecondSignalStopsAtOnce(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("there are no such signals")
	}
	cmd, url, stderr := serveRules(t)
	resp := asked(t, url, "r1", "slow")
	if _, err := resp.Body.Read(make([]byte, 1)); err != nil { // the run is live
		t.Fatal(err)
	}
	must.Do(t, cmd.Process.Signal(syscall.SIGINT))
	eventually(t, func() bool { // the first one has been taken
		ready, err := http.Get(url + "/readyz")
		if err != nil {
			return true
		}
		ready.Body.Close()
		return ready.StatusCode != http.StatusOK
	}, func() string { return "the first signal does nothing" })
	must.Do(t, cmd.Process.Signal(syscall.SIGINT))
	if err := cmd.Wait(); cmd.ProcessState.ExitCode() != 130 {
		t.Errorf("ended with %v", err)
	}
	has(t, stderr.String(), "a second Ctrl-C stops at once", "pageside: stopped at once; live runs go on at the next start")
}

// TestLogInJSON: every line is one object, with one for the request and one for the run.
func TestLogInJSON(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("there are no such signals")
	}
	cmd, url, stderr := serveRules(t, "--log-format", "json")
	resp := asked(t, url, "r1", "hello")
	must.Get(io.Copy(io.Discard, resp.Body))(t)
	must.Do(t, cmd.Process.Signal(syscall.SIGINT))
	if err := cmd.Wait(); err != nil {
		t.Fatalf("%v: %s", err, stderr)
	}
	counts := map[any]int{}
	for line := range strings.Lines(stderr.String()) {
		attrs := must.JSON[map[string]any](t, line)
		counts[attrs["msg"]]++
		want := map[string]any{"run": "r1", "subject": "local"}
		switch attrs["msg"] {
		case "request":
			want["status"], want["path"] = 200.0, "/v1/agents/default/run"
		case "run ended":
			want["thread"], want["agent"], want["status"] = "t-r1", "default", "finished"
			if model, _ := attrs["model"].(string); !strings.HasPrefix(model, "script/") || attrs["inputTokens"] != 12.0 || attrs["outputTokens"] != 3.0 || attrs["durationMs"] == nil {
				t.Errorf("%s says too little", line)
			}
		default:
			continue
		}
		for name, value := range want {
			if attrs[name] != value {
				t.Errorf("%s: %s is %v, want %v", line, name, attrs[name], value)
			}
		}
	}
	if counts["request"] != 1 || counts["run ended"] != 1 || counts["stopped"] != 1 {
		t.Errorf("%v: %s", counts, stderr)
	}
}

func TestVersionHasTheCommit(t *testing.T) {
	stamped := &debug.BuildInfo{Settings: []debug.BuildSetting{{Key: "vcs.revision", Value: "0123456789abcdef"}}}
	released := &debug.BuildInfo{Main: debug.Module{Version: "v1.2.3"}}
	pseudo := &debug.BuildInfo{Main: debug.Module{Version: "v0.0.0-20260101000000-0123456789ab"}, Settings: stamped.Settings}
	has(t, must.Get(answered(t, nil, "version"))(t), "AG-UI 1.0")
	for _, tt := range []struct {
		info         *debug.BuildInfo
		commit, want string
	}{
		{nil, "", "devel (commit not known)"}, {nil, "abc-dirty", "devel (abc-dirty)"}, {stamped, "", "devel (0123456789ab)"},
		{stamped, "abc", "devel (abc)"}, {released, "abc", "v1.2.3 (abc)"}, {released, "", "v1.2.3"}, {pseudo, "", "v0.0.0-20260101000000-0123456789ab"},
	} {
		if got := releaseOf(tt.info, tt.commit); got != tt.want {
			t.Errorf("%q, want %q", got, tt.want)
		}
	}
}

func TestPagesOfOnesOwn(t *testing.T) {
	var log bytes.Buffer
	c := common{logFormat: "text"}
	reports := blockedByPolicy(c.logger(&log))
	for _, body := range []string{
		`{"csp-report":{"document-uri":"http://127.0.0.1/a.html","blocked-uri":"https://evil.test/","effective-directive":"base-uri"}}`,
		`{"csp-report":{"document-uri":"http://127.0.0.1/a.html","blocked-uri":"https://evil.test/","effective-directive":"base-uri"}}`,
		`{"csp-report":{"document-uri":"` + strings.Repeat("x", maxPolicyReport) + `","effective-directive":"base-uri"}}`, `null`, `{"csp-report":7}`, `{`, ``,
	} {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, policyReports, strings.NewReader(body))
		must.Do(t, err)
		w := &answer{header: http.Header{}}
		if reports.ServeHTTP(w, req); w.status != http.StatusNoContent {
			t.Errorf("%.40s: %d", body, w.status)
		}
	}
	if got := log.String(); strings.Count(got, "\n") != 1 || !strings.Contains(got, "page=http://127.0.0.1/a.html blocked=https://evil.test/ directive=base-uri") {
		t.Errorf("%s", got)
	}
	for i := range 2 * maxPolicyReports {
		req, _ := http.NewRequestWithContext(t.Context(), http.MethodPost, policyReports, strings.NewReader(fmt.Sprintf(`{"csp-report":{"document-uri":"%d","effective-directive":"x"}}`, i)))
		reports.ServeHTTP(&answer{header: http.Header{}}, req)
	}
	must.Be(t, strings.Count(log.String(), "\n"), maxPolicyReports, "lines")
}

// answer is what a handler answered.
type answer struct {
	header http.Header
	status int
}

func (a *answer) Header() http.Header         { return a.header }
func (a *answer) Write(b []byte) (int, error) { return len(b), nil }
func (a *answer) WriteHeader(status int)      { a.status = status }
