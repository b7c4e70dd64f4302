package server_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/pageside/pageside/agent"
	"github.com/pageside/pageside/agui"
	"github.com/pageside/pageside/internal/leaktest"
	"github.com/pageside/pageside/internal/stock"
	"github.com/pageside/pageside/llm/script"
	"github.com/pageside/pageside/page"
	"github.com/pageside/pageside/policy"
	aguihttp "github.com/pageside/pageside/protocol/agui"
	"github.com/pageside/pageside/run"
	"github.com/pageside/pageside/server"
	"github.com/pageside/pageside/store"
	"github.com/pageside/pageside/store/storetest/temp"
	"github.com/pageside/pageside/test/logged"
	"github.com/pageside/pageside/test/must"
	"github.com/pageside/pageside/tool"
)

func TestMain(m *testing.M) {
	http.DefaultClient.Timeout = 2 * time.Minute // so that a test that hangs says where
	leaktest.Main(m)
}

const rules = `
name: test
rules:
  - match: '^hello'
    steps: [{ text: 'Hello to <you> & all.' }]
  - match: '^slow'
    steps: [{ text: 'one two three four five six seven eight', delay: 100ms }]
  - match: '^for ever'
    steps: [{ text: 'one two three four five six seven eight', delay: 10m }]
`

// site is a running server.
type site struct {
	*httptest.Server
	t    *testing.T
	logs *logged.Text
}

func newSite(t *testing.T, adjust func(*server.Config)) *site {
	t.Helper()
	return newSiteOn(t, temp.Store(t), adjust)
}

// newSiteOn is newSite over a store.
func newSiteOn(t *testing.T, st store.Store, adjust func(*server.Config)) *site {
	t.Helper()
	model := must.Get(script.Parse("test", []byte(rules)))(t)
	clock := tool.New("clock", "Tells the time.", func(_ context.Context, _ *tool.Call, _ struct{}) (tool.Result, error) {
		return tool.Result{Text: "noon"}, nil
	})
	clock.Global = true
	tools := must.Get(tool.NewRegistry(clock))(t)
	pages := must.Get(page.NewRegistry(tools, nil))(t)
	logs := new(logged.Text)
	log := logs.Logger()
	runs, err := run.NewManager(t.Context(), run.Config{Store: st, Agents: run.Loops(&agent.Agent{Authorizer: policy.Everything, Approvals: agent.Approvals{IgnoreTaint: true}, ID: "default", Description: "A test.", Model: model, Pages: pages}), Logger: log})
	must.Do(t, err)
	cfg := server.Config{Runs: runs, Logger: log, Protocols: []server.Protocol{aguihttp.Protocol{}}}
	if adjust != nil {
		adjust(&cfg)
	}
	h := must.Get(server.New(cfg))(t)
	s := &site{httptest.NewServer(h), t, logs}
	t.Cleanup(func() {
		s.Server.Close()
		h.Close()
		runs.Drain(t.Context())
		http.DefaultClient.CloseIdleConnections()
	})
	return s
}

// withAgent changes the agent of a server.
func withAgent(t *testing.T, change func(*agent.Agent)) func(*server.Config) {
	t.Helper()
	return func(c *server.Config) {
		a := *c.Runs.Settings("default")
		change(&a)
		must.Do(t, c.Runs.SetAgents(run.Loops(&a)))
	}
}

// input is the body of a run.
func input(thread, runID, text string) string {
	return fmt.Sprintf(`{"protocolVersion":"1.0","threadId":%q,"runId":%q,"messages":[{"id":"u-%s","role":"user","content":%q}],"tools":[],"context":[],"state":{},"forwardedProps":{}}`,
		thread, runID, runID, text)
}

// send makes a request with headers, a name and a value each. It may run in any goroutine: without
// an answer the test fails, and goes on with an empty one.
func (s *site) send(method, path, body string, headers ...string) *http.Response {
	s.t.Helper()
	req := must.Get(http.NewRequestWithContext(s.t.Context(), method, s.URL+path, strings.NewReader(body)))(s.t)
	if body != "" || method == http.MethodPost {
		req.Header.Set("Content-Type", "application/json")
	}
	for header := range slices.Chunk(headers, 2) {
		req.Header.Set(header[0], header[1])
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		s.t.Error(err)
		return &http.Response{Request: req, Body: http.NoBody}
	}
	s.t.Cleanup(func() { resp.Body.Close() })
	return resp
}

// as makes a request as somebody, as byName has it.
func (s *site) as(who, method, path, body string) *http.Response {
	s.t.Helper()
	return s.send(method, path, body, "X-Who", who)
}

// do is as for an answer that must have the status and the texts; one that begins with ! must not
// be in it.
func (s *site) do(who, method, path, body string, status int, want ...string) string {
	s.t.Helper()
	got := s.read(s.as(who, method, path, body), status)
	for _, w := range want {
		if text, not := strings.CutPrefix(w, "!"); strings.Contains(got, text) == not {
			s.t.Errorf("%s %s as %q: %s: %q", method, path, who, got, w)
		}
	}
	return got
}

// post starts a run and returns the response.
func (s *site) post(body string) *http.Response {
	s.t.Helper()
	return s.as("", http.MethodPost, "/v1/agents/default/run", body)
}

func (s *site) get(path string) *http.Response {
	s.t.Helper()
	return s.as("", http.MethodGet, path, "")
}

// read returns a response's body, which must have the status.
func (s *site) read(resp *http.Response, status int) string {
	s.t.Helper()
	body := must.Get(io.ReadAll(resp.Body))(s.t)
	if resp.StatusCode != status {
		s.t.Fatalf("%s %s: %d %s, want %d", resp.Request.Method, resp.Request.URL.Path, resp.StatusCode, body, status)
	}
	return string(body)
}

// problem reads the error a refused request is answered with.
type problem struct {
	Error struct {
		Code, Message string
		Details       struct{ Field *string }
	}
}

func readProblem(t *testing.T, resp *http.Response) problem {
	t.Helper()
	var p problem
	must.Be(t, resp.Header.Get("Content-Type"), "application/json", "the error comes as")
	if err := json.NewDecoder(resp.Body).Decode(&p); err != nil || p.Error.Code == "" || p.Error.Message == "" {
		t.Errorf("the error is %+v, %v", p, err)
	}
	return p
}

func TestRunStreams(t *testing.T) {
	s := newSite(t, nil)
	resp := s.post(input("t1", "r1", "hello"))
	for name, want := range map[string]string{"Content-Type": "text/event-stream", "Cache-Control": "no-cache, no-transform", "X-Accel-Buffering": "no"} {
		must.Be(t, resp.Header.Get(name), want, "%s", name)
	}
	body := s.read(resp, http.StatusOK)
	if strings.Contains(body, "\r") {
		t.Error("the stream has carriage returns")
	}
	frames := strings.Split(strings.TrimSuffix(body, "\n\n"), "\n\n")
	v := agui.NewVerifier()
	for i, frame := range frames {
		id, data, ok := strings.Cut(frame, "\ndata: ")
		if want := fmt.Sprintf("id: r1:1.%d", i+1); !ok || id != want {
			t.Fatalf("frame %d is %q, want it to begin with %q", i, frame, want)
		}
		e := must.Get(agui.UnmarshalEvent([]byte(data)))(t)
		must.Do(t, v.Check(e))
	}
	if !strings.Contains(body, `Hello`) || !strings.Contains(frames[len(frames)-1], "RUN_FINISHED") {
		t.Errorf("the stream is %s", body)
	}
}

func TestClientThatLeavesDoesNotEndTheRun(t *testing.T) {
	s := newSite(t, nil)
	resp := s.post(input("t1", "r1", "slow"))
	must.Get(bufio.NewReader(resp.Body).ReadString('\n'))(t)
	resp.Body.Close()
	// the same request follows the run
	again := s.read(s.post(input("t1", "r1", "slow")), http.StatusOK)
	if !strings.Contains(again, "RUN_STARTED") || !strings.Contains(again, `eight`) || !strings.Contains(again, "RUN_FINISHED") {
		t.Errorf("the run is %s", again)
	}
}

func TestCancel(t *testing.T) {
	s := newSite(t, nil)
	resp := s.post(input("t1", "r1", "for ever"))
	r := bufio.NewReader(resp.Body)
	for line := ""; !strings.Contains(line, "RUN_STARTED"); {
		line = must.Get(r.ReadString('\n'))(t)
	}
	s.do("", http.MethodPost, "/v1/runs/r1/cancel", "", http.StatusNoContent)
	rest := must.Get(io.ReadAll(r))(t)
	must.Have(t, string(rest), `"outcome":{"type":"cancelled"}`, "the stream ends with %s", rest)
}

// The capabilities are what AG-UI's schema says.
func TestCapabilities(t *testing.T) {
	s := newSite(t, nil)
	body := s.read(s.get("/v1/agents/default/capabilities"), http.StatusOK)
	must.Have(t, body, `"name":"clock"`, "the capabilities")
	v := must.Get(jsonschema.UnmarshalJSON(strings.NewReader(body)))(t)
	must.Do(t, stock.Schema(t, "..", "AgentCapabilities").Validate(v))
}
