package config_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pageside/pageside/agent"
	"github.com/pageside/pageside/agui"
	"github.com/pageside/pageside/audit"
	"github.com/pageside/pageside/auth"
	"github.com/pageside/pageside/config"
	"github.com/pageside/pageside/llm"
	"github.com/pageside/pageside/llm/openai"
	"github.com/pageside/pageside/llm/script"
	"github.com/pageside/pageside/policy"
	"github.com/pageside/pageside/run"
	"github.com/pageside/pageside/test/must"
)

// TestSecretsStayInside seeds fifty secrets where a configuration takes them: model keys, tool
// headers, a provider's error body that repeats its key, a tool that answers with its headers. None
// may appear in logs, events, errors, the audit log, the inspector or a report.
func TestSecretsStayInside(t *testing.T) {
	c := newCanaries(t)
	provider := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(http.StatusUnauthorized)
		fmt.Fprintf(w, `{"error":{"message":"Incorrect API key provided: %s","code":"invalid_api_key"}}`, strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer "))
	}))
	t.Cleanup(provider.Close)
	echo := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.WriteHeader(http.StatusBadGateway)
		for name := range r.Header {
			fmt.Fprintf(w, "%s=%s ", name, r.Header.Get(name))
		}
	}))
	t.Cleanup(echo.Close)

	var file strings.Builder
	fmt.Fprintf(&file, "audit: {key: '%s', arguments: true}\negress: {private: [127.0.0.0/8], ports: [%s]}\nmodels:\n", c.seed("AUDIT_KEY"), echo.URL[strings.LastIndex(echo.URL, ":")+1:])
	for i := range 9 {
		fmt.Fprintf(&file, "  m%d: {use: openai/x, baseUrl: '%s', key: '%s'}\n", i, provider.URL, c.seed(fmt.Sprint("MODEL", i)))
	}
	file.WriteString("  scripted: {use: script/s.yaml}\nagents:\n")
	for i := range 9 {
		fmt.Fprintf(&file, "  - {id: a%d, model: m%d}\n", i, i)
	}
	file.WriteString("  - {id: tools, model: scripted, approvals: {untrusted: false}}\ntools:\n")
	var calls strings.Builder
	for i := range 40 {
		fmt.Fprintf(&file, "  - {name: t%d, description: Echoes., url: '%s', global: true, effect: write, headers: {X-Secret: '%s'}}\n", i, echo.URL, c.seed(fmt.Sprint("TOOL", i)))
		fmt.Fprintf(&calls, "{tool: t%d, args: {}}, ", i)
	}
	write(t, c.folder, "s.yaml", "name: s\nrules: [{match: '.*', steps: [{calls: ["+strings.TrimSuffix(calls.String(), ", ")+"]}, {text: done}]}]\n")
	if len(c.cores) != 50 {
		t.Fatalf("%d secrets", len(c.cores))
	}
	site := c.build(file.String())
	m := c.open(site)
	for i, a := range site.Agents {
		a.Authorizer = policy.Everything
		fmt.Fprint(&c.out, secretRun(t, m, a, fmt.Sprint("r", i)))
	}
	rows := c.close(site)
	if rows < 80 || !strings.Contains(c.out.String(), "502") || !strings.Contains(c.out.String(), "RUN_ERROR") {
		t.Fatalf("the runs did not do what leaks: %d rows, %d bytes", rows, len(c.out.String()))
	}
	if report, err := audit.Verify(t.Context(), c.store, nil, []byte(c.env["AUDIT_KEY"])); err != nil || report.State == audit.Tampered {
		t.Errorf("the log does not verify: %v, %v", report.Problems, err)
	}
	c.check()
}

// secretRun runs an agent and returns its events.
func secretRun(t *testing.T, m *run.Manager, a *agent.Agent, id string) string {
	t.Helper()
	in := &agui.RunAgentInput{ThreadID: "t" + id, RunID: id, ProtocolVersion: "1.0", Messages: []agui.Message{{ID: "u1", Role: agui.RoleUser, Content: agui.TextContent("go")}}}
	r, err := m.Start(t.Context(), run.Request{Principal: auth.Principal{Subject: "ann"}, Agent: a.ID, Input: in, Fingerprint: id})
	must.Do(t, err)
	return readRun(t, r)
}

func openSecretly(spec config.ModelSpec) (llm.Model, error) {
	if spec.Provider == "script" {
		return script.Load(spec.Name)
	}
	return openai.New(openai.Config{Model: spec.Name, BaseURL: spec.BaseURL, APIKey: spec.Key}), nil
}

func write(t *testing.T, folder, name, text string) {
	t.Helper()
	must.Do(t, os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600))
}
