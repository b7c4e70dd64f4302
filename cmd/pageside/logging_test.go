package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
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

// child runs this program as a process of its own, and returns where it listens: signals and exits
// can be seen only from outside.
func child(t *testing.T, args ...string) (cmd *exec.Cmd, url string, stderr *bytes.Buffer) {
	t.Helper()
	ctx, stop := context.WithTimeout(t.Context(), time.Minute)
	t.Cleanup(stop)
	cmd = exec.CommandContext(ctx, os.Args[0], args...)
	cmd.Env = append(os.Environ(), asProgram+"=1")
	out := must.Get(cmd.StdoutPipe())(t)
	stderr = new(bytes.Buffer)
	cmd.Stderr = stderr
	must.Do(t, cmd.Start())
	said := make([]byte, 4096)
	n := must.Get(out.Read(said))(t)
	if url = address.FindString(string(said[:n])); url == "" {
		t.Fatalf("%q has no address", said[:n])
	}
	return cmd, url, stderr
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
	args := []string{"serve", "--listen", "127.0.0.1:0", "--model", "script/" + file, "--store", newStore(t)}
	return child(t, append(args, more...)...)
}

// asked starts a run and returns its open stream once the server has taken it.
func asked(t *testing.T, url, run, question string) *http.Response {
	t.Helper()
	body := strings.NewReader(aguiBody("t-"+run, run, question))
	resp := must.Get(http.Post(url+"/v1/agents/default/run", "application/json", body))(t)
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
	must.Get(resp.Body.Read(make([]byte, 1)))(t) // the run is live
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
	send := func(body string) {
		w := httptest.NewRecorder()
		reports.ServeHTTP(w, httptest.NewRequest(http.MethodPost, policyReports, strings.NewReader(body)))
		must.Be(t, w.Code, http.StatusNoContent, "%.40s: status", body)
	}
	blocked := func(page string) string {
		return `{"csp-report":{"document-uri":"` + page +
			`","blocked-uri":"https://evil.test/","effective-directive":"base-uri"}}`
	}
	page := blocked("http://127.0.0.1/a.html")
	for _, body := range []string{
		page, page, blocked(strings.Repeat("x", maxPolicyReport)), `null`, `{"csp-report":7}`, `{`, ``,
	} {
		send(body)
	}
	must.Be(t, strings.Count(log.String(), "\n"), 1, "lines")
	has(t, log.String(), "page=http://127.0.0.1/a.html blocked=https://evil.test/ directive=base-uri")
	for i := range 2 * maxPolicyReports {
		send(blocked(fmt.Sprint(i)))
	}
	must.Be(t, strings.Count(log.String(), "\n"), maxPolicyReports, "lines")
}
