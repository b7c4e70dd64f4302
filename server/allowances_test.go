package server_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/pageside/pageside/agent"
	"github.com/pageside/pageside/auth"
	"github.com/pageside/pageside/llm/script"
	"github.com/pageside/pageside/page"
	"github.com/pageside/pageside/policy"
	"github.com/pageside/pageside/protocol/agui"
	"github.com/pageside/pageside/run"
	"github.com/pageside/pageside/server"
	"github.com/pageside/pageside/store/sqlstore"
	"github.com/pageside/pageside/tool"
)

const alertRules = `
name: test
rules:
  - match: '^alert (?P<name>\w+)'
    steps: [{ calls: [{ tool: create_alert, args: { name: '{{ .Match.name }}' } }] }, { text: 'done' }]
  - match: '^delete (?P<name>\w+)'
    steps: [{ calls: [{ tool: delete_alert, args: { name: '{{ .Match.name }}' } }] }, { text: 'done' }]
`

// alerts is a server whose users are named by a header and whose calls need approval.
type alerts struct {
	*httptest.Server
	t    *testing.T
	n    *int
	made []string
}

// serveAlerts starts a process over a store.
func serveAlerts(t *testing.T, st *sqlstore.Store, n *int) *alerts {
	t.Helper()
	s := &alerts{t: t, n: n}
	type named struct {
		Name string `json:"name"`
	}
	change := func(name string, effect tool.Effect) *tool.Tool {
		made := tool.New(name, "Changes an alert.", func(_ context.Context, c *tool.Call, in named) (tool.Result, error) {
			s.made = append(s.made, c.Tool+" "+in.Name)
			return tool.Result{Text: "done"}, nil
		})
		made.Global, made.Effect = true, effect
		return made
	}
	model, err := script.Parse("test", []byte(alertRules))
	must(t, err)
	tools, err := tool.NewRegistry(change("create_alert", tool.Write), change("delete_alert", tool.Destructive))
	must(t, err)
	pages, err := page.NewRegistry(tools, nil)
	must(t, err)
	a := &agent.Agent{Authorizer: policy.Everything, ID: "default", Model: model, Pages: pages}
	runs, err := run.NewManager(t.Context(), run.Config{Store: st, Agents: run.Loops(a)})
	must(t, err)
	h, err := server.New(server.Config{Runs: runs, Protocols: []server.Protocol{agui.Protocol{}}, Authenticate: func(r *http.Request) (auth.Principal, error) {
		return auth.Principal{Subject: r.Header.Get("X-User")}, nil
	}})
	must(t, err)
	s.Server = httptest.NewServer(h)
	t.Cleanup(func() {
		s.Server.Close()
		h.Close()
		runs.Drain(t.Context())
		http.DefaultClient.CloseIdleConnections()
	})
	return s
}

// do makes a request as a user, whose answer must have the status.
func (s *alerts) do(user, method, path, body string, status int) string {
	s.t.Helper()
	req, err := http.NewRequestWithContext(s.t.Context(), method, s.URL+path, strings.NewReader(body))
	must(s.t, err)
	req.Header.Set("X-User", user)
	if body != "" {
		req.Header.Set("Content-Type", "application/json")
	}
	resp, err := http.DefaultClient.Do(req)
	must(s.t, err)
	defer resp.Body.Close()
	got, err := io.ReadAll(resp.Body)
	must(s.t, err)
	if resp.StatusCode != status {
		s.t.Fatalf("%s %s as %s: %d %s, want %d", method, path, user, resp.StatusCode, got, status)
	}
	return string(got)
}

// run says something and answers an interrupt, either of which may be missing.
func (s *alerts) run(text, interrupt, payload string, status int) string {
	s.t.Helper()
	*s.n++
	messages, resume := "[]", "[]"
	if text != "" {
		messages = fmt.Sprintf(`[{"id":"u%d","role":"user","content":%q}]`, *s.n, text)
	}
	if interrupt != "" {
		resume = fmt.Sprintf(`[{"interruptId":%q,"status":"resolved","payload":%s}]`, interrupt, payload)
	}
	return s.do("ann", "POST", "/v1/agents/default/run", fmt.Sprintf(
		`{"protocolVersion":"1.0","threadId":"t1","runId":"r%d","messages":%s,"resume":%s,"tools":[],"context":[{"description":"page","value":"rows"}],"state":{},"forwardedProps":{}}`,
		*s.n, messages, resume), status)
}

var interruptID = regexp.MustCompile(`"interrupts":\[\{"id":"([^"]+)"`)

// asked says something and returns the id of the interrupt it ends with.
func (s *alerts) asked(text string) string {
	s.t.Helper()
	stream := s.run(text, "", "", http.StatusOK)
	found := interruptID.FindStringSubmatch(stream)
	if found == nil {
		s.t.Fatalf("%s: nobody is asked: %s", text, stream)
	}
	return found[1]
}

func (s *alerts) wantMade(want ...string) {
	s.t.Helper()
	if got := strings.Join(s.made, ", "); got != strings.Join(want, ", ") {
		s.t.Errorf("the tools made %q, want %q", got, want)
	}
	s.made = nil
}

type allowanceList struct {
	Allowances []struct {
		ID, Tool, Agent, RunID string
		Args                   json.RawMessage
		Active                 bool
		CreatedAt, ExpiresAt   string
	}
}

func (s *alerts) list() allowanceList {
	s.t.Helper()
	var list allowanceList
	must(s.t, json.Unmarshal([]byte(s.do("ann", "GET", "/v1/threads/t1/allowances", "", http.StatusOK)), &list))
	return list
}

func eachStore(t *testing.T, test func(t *testing.T, restart func() *sqlstore.Store)) {
	t.Run("sqlite", func(t *testing.T) {
		path := "sqlite:" + filepath.Join(t.TempDir(), "test.db")
		var st *sqlstore.Store
		stop := func() {
			if st != nil {
				must(t, st.Close())
			}
		}
		t.Cleanup(stop)
		test(t, func() *sqlstore.Store {
			stop()
			var err error
			st, err = sqlstore.Open(t.Context(), path)
			must(t, err)
			return st
		})
	})
}

// TestAllowances: what is allowed for good runs unasked, in the next process too, until it is
// revoked. It is its owner's business alone.
func TestAllowances(t *testing.T) {
	eachStore(t, func(t *testing.T, restart func() *sqlstore.Store) {
		n := 0
		s := serveAlerts(t, restart(), &n)
		id := s.asked("alert cpu")
		if got := s.list(); len(got.Allowances) > 0 {
			t.Errorf("allowances are %+v", got)
		}
		s.run("", id, `{"approved":true,"always":true}`, http.StatusOK)
		s.wantMade("create_alert cpu")

		s.Server.Close()
		s = serveAlerts(t, restart(), &n)
		s.run("alert cpu", "", "", http.StatusOK)
		s.wantMade("create_alert cpu")
		s.run("", s.asked("alert disk"), `{"approved":false}`, http.StatusOK)
		s.wantMade()

		list := s.list().Allowances
		if len(list) != 1 || list[0].Tool != "create_alert" || string(list[0].Args) != `{"name":"cpu"}` || !list[0].Active || list[0].ExpiresAt <= list[0].CreatedAt || list[0].Agent != "default" || list[0].RunID != "r2" {
			t.Fatalf("allowances are %+v", list)
		}
		one := "/v1/threads/t1/allowances/" + list[0].ID
		for path, method := range map[string]string{"/v1/threads/t1/allowances": "GET", one: "DELETE"} {
			if got := s.do("eve", method, path, "", http.StatusNotFound); !strings.Contains(got, "not_found") {
				t.Errorf("%s %s as another: %s", method, path, got)
			}
		}
		s.do("ann", "GET", "/v1/threads/t9/allowances", "", http.StatusNotFound)
		s.do("ann", "DELETE", "/v1/threads/t9/allowances/"+list[0].ID, "", http.StatusNotFound)
		s.do("ann", "DELETE", "/v1/threads/t1/allowances/none", "", http.StatusNotFound)
		s.run("alert cpu", "", "", http.StatusOK)
		s.wantMade("create_alert cpu") // nobody has revoked it
		s.do("ann", "DELETE", one, "", http.StatusNoContent)
		s.do("ann", "DELETE", one, "", http.StatusNotFound)
		s.asked("alert cpu")
		s.wantMade()
	})
}

// TestAllowancesAreNotForged: a client that asks for more than it was offered is told which field,
// and nothing of its request is taken.
func TestAllowancesAreNotForged(t *testing.T) {
	eachStore(t, func(t *testing.T, restart func() *sqlstore.Store) {
		n := 0
		s := serveAlerts(t, restart(), &n)
		id := s.asked("delete cpu")
		got := s.run("", id, `{"approved":true,"always":true}`, http.StatusUnprocessableEntity)
		if !strings.Contains(got, `"field":"resume[0].payload.always"`) || !strings.Contains(got, "invalid_request") {
			t.Errorf("the error is %s", got)
		}
		s.wantMade()
		s.run("", id, `{"approved":true}`, http.StatusOK) // as an older client answers
		s.wantMade("delete_alert cpu")
		s.asked("delete cpu")
		s.wantMade()
		if got := s.list(); len(got.Allowances) > 0 {
			t.Errorf("allowances are %+v", got)
		}
	})
}

// TestAllowancesGoWithTheirThread: a deleted thread shows none.
func TestAllowancesGoWithTheirThread(t *testing.T) {
	eachStore(t, func(t *testing.T, restart func() *sqlstore.Store) {
		n := 0
		s := serveAlerts(t, restart(), &n)
		s.run("", s.asked("alert cpu"), `{"approved":true,"always":true}`, http.StatusOK)
		id := s.list().Allowances[0].ID
		s.do("ann", "DELETE", "/v1/threads/t1", "", http.StatusNoContent)
		s.do("ann", "GET", "/v1/threads/t1/allowances", "", http.StatusNotFound)
		s.do("ann", "DELETE", "/v1/threads/t1/allowances/"+id, "", http.StatusNotFound)
	})
}
