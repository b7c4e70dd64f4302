package server_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/pageside/pageside/agent"
	"github.com/pageside/pageside/audit"
	"github.com/pageside/pageside/auth"
	"github.com/pageside/pageside/limit"
	"github.com/pageside/pageside/llm/script"
	"github.com/pageside/pageside/page"
	"github.com/pageside/pageside/policy"
	"github.com/pageside/pageside/protocol/agui"
	"github.com/pageside/pageside/run"
	"github.com/pageside/pageside/server"
	"github.com/pageside/pageside/store/sqlstore"
	"github.com/pageside/pageside/tool"
)

// office is a server with an audit log, whose callers are named by a header: tenant/subject/roles.
type office struct {
	*httptest.Server
	t   *testing.T
	log *audit.Log
	st  *sqlstore.Store
	ran int
}

func newOffice(t *testing.T, authorizer policy.Authorizer) *office {
	t.Helper()
	st, err := sqlstore.Open(t.Context(), filepath.Join(t.TempDir(), "test.db"))
	must(t, err)
	o := &office{t: t, st: st, log: audit.NewLog(audit.Config{Keep: -1, Arguments: true, Secrets: []string{"sk-configured-secret"}})}
	must(t, o.log.Open(t.Context(), st))
	model, err := script.Parse("test", []byte("name: test\nrules:\n  - {match: '^glance', steps: [{calls: [{tool: glance, args: {}}]}, {text: seen}]}\n  - {match: '.*', steps: [{text: ok}]}"))
	must(t, err)
	order := tool.New("order", "Orders.", func(_ context.Context, _ *tool.Call, in struct {
		Item     string `json:"item"`
		Password string `json:"password,omitempty"`
	}) (tool.Result, error) {
		o.ran++
		return tool.Result{}, errors.New("the shop refused token sk-configured-secret")
	})
	order.Effect = tool.Write
	glance := tool.New("glance", "Glances.", func(context.Context, *tool.Call, struct{}) (tool.Result, error) {
		return tool.Result{Text: "nice"}, nil
	})
	glance.Effect, glance.Global, glance.Policy.Rate = tool.Read, true, limit.PerMinute(1)
	tools, err := tool.NewRegistry(order, glance)
	must(t, err)
	pages, err := page.NewRegistry(tools, nil, page.Page{Name: "shop", Actions: []page.Action{
		{Name: "order", Handler: page.HandlerServer, Tool: "order"}, {Name: "glance", Handler: page.HandlerServer, Tool: "glance"},
	}})
	must(t, err)
	a := &agent.Agent{Authorizer: policy.Everything, Approvals: agent.Approvals{IgnoreTaint: true}, ID: "default", Model: model, Pages: pages, Audit: o.log}
	runs, err := run.NewManager(t.Context(), run.Config{Store: st, Agents: run.Loops(a), Audit: o.log})
	must(t, err)
	if authorizer == nil {
		authorizer = staff(t)
	}
	h, err := server.New(server.Config{Runs: runs, Protocols: []server.Protocol{agui.Protocol{}}, Audit: o.log, Authorizer: authorizer, Authenticate: func(r *http.Request) (auth.Principal, error) {
		who := strings.Split(r.Header.Get("X-Who"), "/")
		if len(who) < 2 {
			return auth.Principal{}, errors.New("no such key")
		}
		return auth.Principal{Tenant: who[0], Subject: who[1], Roles: who[2:], Method: "test"}, nil
	}})
	must(t, err)
	o.Server = httptest.NewServer(h)
	t.Cleanup(func() {
		o.Server.Close()
		h.Close()
		runs.Drain(t.Context())
		o.log.Close()
		st.Close()
		http.DefaultClient.CloseIdleConnections()
	})
	return o
}

// staff lets everybody do everything but read the audit log, which an auditor may.
func staff(t *testing.T) policy.Authorizer {
	t.Helper()
	all := []string{"*"}
	rules, err := policy.NewRules(
		policy.Rule{Name: "staff", Then: policy.Allow, On: map[policy.Kind][]string{policy.Agent: all, policy.Page: all, policy.Action: all, policy.Tool: all,
			policy.Instructions: all, policy.Definitions: all, policy.Resolve: all, policy.Inspector: all, policy.Subject: all, policy.Sharing: all}},
		policy.Rule{Name: "auditors", Roles: []string{policy.RoleAuditor}, Then: policy.Allow, On: map[policy.Kind][]string{policy.Audit: all}},
	)
	must(t, err)
	return rules
}

func (o *office) do(who, method, path, body string, status int) string {
	o.t.Helper()
	req, err := http.NewRequestWithContext(o.t.Context(), method, o.URL+path, strings.NewReader(body))
	must(o.t, err)
	req.Header.Set("X-Who", who)
	if body != "" {
		req.Header.Set("Content-Type", "application/json")
	}
	resp, err := http.DefaultClient.Do(req)
	must(o.t, err)
	defer resp.Body.Close()
	got, err := io.ReadAll(resp.Body)
	must(o.t, err)
	if resp.StatusCode != status {
		o.t.Fatalf("%s %s as %s: %d %s, want %d", method, path, who, resp.StatusCode, got, status)
	}
	return string(got)
}

// entries reads a tenant's log, oldest first, as kind/decision/outcome/tool of a subject.
func (o *office) entries(who, query string) (lines []string) {
	o.t.Helper()
	must(o.t, o.st.Ping(o.t.Context())) // which is written after what was recorded before
	var page struct {
		Records []struct {
			Entry struct{ Kind, Decision, Outcome, Tool, Subject string }
		}
	}
	must(o.t, json.Unmarshal([]byte(o.do(who, "GET", "/v1/audit?"+query, "", http.StatusOK)), &page))
	for _, r := range page.Records {
		e := r.Entry
		lines = append(lines, fmt.Sprintf("%s: %s/%s/%s/%s", e.Subject, e.Kind, e.Decision, e.Outcome, e.Tool))
	}
	slices.Reverse(lines)
	return lines
}

const shopOrder = `{"page":"shop","args":{"item":"tea","password":"hunter2hunter2"},"threadId":""}`

// TestAuditOfRequests: what a caller does besides runs is in the log, with who did it, and reading
// the log is too.
func TestAuditOfRequests(t *testing.T) {
	o := newOffice(t, nil)
	o.do("acme/ann", "POST", "/v1/actions/order", shopOrder, http.StatusOK)
	o.do("acme/ann", "PUT", "/v1/instructions/stream/42", `{"text":"Be brief."}`, http.StatusNoContent)
	o.do("acme/ann", "DELETE", "/v1/instructions/stream/42", "", http.StatusNoContent)
	o.do("acme/ann", "POST", "/v1/agents/default/run", `{"protocolVersion":"1.0","threadId":"t1","runId":"r1","messages":[{"id":"u1","role":"user","content":"hi"}],"resume":[],"tools":[],"context":[],"state":{},"forwardedProps":{}}`, http.StatusOK)
	o.do("acme/ann", "DELETE", "/v1/threads/t1", "", http.StatusNoContent)
	o.do("acme/ann", "PATCH", "/v1/threads/t1", `{"deleted":false}`, http.StatusOK)
	o.do("acme/ann", "GET", "/v1/definitions", "", http.StatusOK)
	o.do("acme/ann", "POST", "/v1/resolve", `{"page":"shop"}`, http.StatusOK)
	o.do("acme/ann", "DELETE", "/v1/subjects/bob", "", http.StatusNoContent)
	o.do("acme/ann", "GET", "/v1/audit", "", http.StatusForbidden)
	o.do("nobody", "GET", "/v1/threads", "", http.StatusUnauthorized)
	want := []string{
		"ann: action/allow/begun/order", "ann: action//error/order",
		"ann: instructions/changed/ok/stream:42", "ann: instructions/deleted/ok/stream:42",
		"ann: thread/deleted/ok/", "ann: thread/restored/ok/",
		"ann: admin.read/read/ok/definitions", "ann: admin.read/read/ok/resolve",
		"ann: forget/deleted/begun/subject bob", "ann: forget/deleted/ok/subject bob",
		"ann: denied/deny/not_run/audit",
	}
	if got := o.entries("acme/eve/auditor", ""); !slices.Equal(got, want) {
		t.Errorf("the log is\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	if got := o.entries("acme/eve/auditor", "kind=admin.read&subject=eve"); !slices.Equal(got, []string{"eve: admin.read/read/ok/audit"}) {
		t.Errorf("reading the log is recorded as %q", got)
	}
	if got := o.entries("/root/auditor", "kind=signin"); !slices.Equal(got, []string{": signin/deny/not_run/GET /v1/threads"}) {
		t.Errorf("the refused sign-in is recorded as %q", got)
	}
	if got := o.entries("other/eve/auditor", ""); len(got) > 0 {
		t.Errorf("another tenant is shown %q", got)
	}
	if got := o.do("acme/eve/auditor", "GET", "/v1/audit/verify", "", http.StatusOK); !strings.HasPrefix(got, `{"state":"unanchored","tenants":1,`) {
		t.Errorf("verify answers %s", got)
	}
	for _, bad := range []string{"from=yesterday", "to=1", "limit=0", "cursor=x"} {
		o.do("acme/eve/auditor", "GET", "/v1/audit?"+bad, "", http.StatusBadRequest)
	}
	report, err := audit.Verify(t.Context(), o.st, nil)
	if err != nil || report.State == audit.Tampered {
		t.Errorf("the log does not verify: %+v, %v", report, err)
	}
}

// TestAuditOfToolRates: a call beyond its tool's rate is recorded as refused, behind a button as in
// a run.
func TestAuditOfToolRates(t *testing.T) {
	o := newOffice(t, nil)
	const button = `{"page":"shop","args":{}}`
	o.do("acme/ann", "POST", "/v1/actions/glance", button, http.StatusOK)
	o.do("acme/ann", "POST", "/v1/actions/glance", button, http.StatusOK)
	o.do("acme/ann", "POST", "/v1/agents/default/run", input("t1", "r1", "glance"), http.StatusOK)
	want := []string{
		"ann: action/allow/begun/glance", "ann: action//ok/glance",
		"ann: action/allow/begun/glance", "ann: action/deny/not_run/glance", "ann: tool.call/deny/not_run/glance",
	}
	if got := o.entries("acme/eve/auditor", "tool=glance"); !slices.Equal(got, want) {
		t.Errorf("the log is\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	if log := o.do("acme/eve/auditor", "GET", "/v1/audit?tool=glance", "", http.StatusOK); strings.Count(log, `"rule":"policy.rate"`) != 2 {
		t.Errorf("the rule is missing: %s", log)
	}
}

// TestAuditHoldsNoSecret: with arguments recorded, neither configured secrets nor passwords are,
// nor what a tool said.
func TestAuditHoldsNoSecret(t *testing.T) {
	o := newOffice(t, nil)
	o.do("acme/ann", "POST", "/v1/actions/order", shopOrder, http.StatusOK)
	o.do("acme/ann", "POST", "/v1/actions/order", `{"page":"shop","args":{"item":"Bearer sk-configured-secret"},"threadId":""}`, http.StatusOK)
	log := o.do("acme/eve/auditor", "GET", "/v1/audit", "", http.StatusOK)
	if !strings.Contains(log, `"item":"tea"`) || !strings.Contains(log, `"password":"***"`) {
		t.Errorf("arguments are not recorded: %s", log)
	}
	for _, secret := range []string{"hunter2", "sk-configured", "the shop refused"} {
		if strings.Contains(log, secret) {
			t.Errorf("the log holds %q: %s", secret, log)
		}
	}
}

// TestAuditPermission: a policy decides who reads the log, whatever their roles are.
func TestAuditPermission(t *testing.T) {
	o := newOffice(t, onlyKim{})
	o.do("acme/kim", "GET", "/v1/audit", "", http.StatusOK)
	o.do("acme/eve/auditor", "GET", "/v1/audit", "", http.StatusForbidden)
	o.do("acme/eve/auditor", "GET", "/v1/audit/verify", "", http.StatusForbidden)
	if got := o.entries("acme/kim", "kind=denied"); len(got) != 2 || got[0] != "eve: denied/deny/not_run/audit" {
		t.Errorf("refusals are recorded as %q", got)
	}
}

type onlyKim struct{}

func (onlyKim) Authorize(_ context.Context, q policy.Question) (policy.Answer, error) {
	if q.Kind == policy.Audit && q.Verb == policy.Read && q.Principal.Subject == "kim" {
		return policy.Answer{Decision: policy.Allow, Rule: "kim reads"}, nil
	}
	return policy.Answer{Decision: policy.Deny, Rule: "nobody else does"}, nil
}

// TestUnrecordedActionsDoNotRun: with a log that takes nothing, no action runs and no instructions
// change.
func TestUnrecordedActionsDoNotRun(t *testing.T) {
	o := newOffice(t, nil)
	o.log.Close()
	o.do("acme/ann", "POST", "/v1/actions/order", shopOrder, http.StatusServiceUnavailable)
	o.do("acme/ann", "PUT", "/v1/instructions/stream/42", `{"text":"Be brief."}`, http.StatusServiceUnavailable)
	o.do("acme/ann", "GET", "/v1/instructions/stream/42", "", http.StatusNotFound)
	o.do("acme/ann", "GET", "/v1/definitions", "", http.StatusOK)
	if o.ran > 0 {
		t.Error("an action ran unrecorded")
	}
}
