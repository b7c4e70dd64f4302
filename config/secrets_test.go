package config_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
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
	"github.com/pageside/pageside/inspect"
	"github.com/pageside/pageside/llm"
	"github.com/pageside/pageside/llm/openai"
	"github.com/pageside/pageside/llm/script"
	"github.com/pageside/pageside/policy"
	"github.com/pageside/pageside/run"
	"github.com/pageside/pageside/store"
	"github.com/pageside/pageside/store/storetest/temp"
)

// TestSecretsStayInside seeds fifty secrets where a configuration takes them: model keys, tool
// headers, a provider's error body that repeats its key, a tool that answers with its headers. None
// may appear in logs, events, errors, the audit log, the inspector or a report.
func TestSecretsStayInside(t *testing.T) {
	var secrets []string
	env := map[string]string{}
	seed := func(name string) string {
		value := fmt.Sprintf("canary-%s-%04d-x7Qz", name, len(secrets))
		secrets, env[name] = append(secrets, value), value
		return "env:" + name
	}
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

	folder := t.TempDir()
	var file strings.Builder
	fmt.Fprintf(&file, "audit: {key: '%s', arguments: true}\negress: {private: [127.0.0.0/8], ports: [%s]}\nmodels:\n", seed("AUDIT_KEY"), echo.URL[strings.LastIndex(echo.URL, ":")+1:])
	for i := range 9 {
		fmt.Fprintf(&file, "  m%d: {use: openai/x, baseUrl: '%s', key: '%s'}\n", i, provider.URL, seed(fmt.Sprint("MODEL", i)))
	}
	file.WriteString("  scripted: {use: script/s.yaml}\nagents:\n")
	for i := range 9 {
		fmt.Fprintf(&file, "  - {id: a%d, model: m%d}\n", i, i)
	}
	file.WriteString("  - {id: tools, model: scripted, approvals: {untrusted: false}}\ntools:\n")
	var calls strings.Builder
	for i := range 40 {
		fmt.Fprintf(&file, "  - {name: t%d, description: Echoes., url: '%s', global: true, effect: write, headers: {X-Secret: '%s'}}\n", i, echo.URL, seed(fmt.Sprint("TOOL", i)))
		fmt.Fprintf(&calls, "{tool: t%d, args: {}}, ", i)
	}
	write(t, folder, "s.yaml", "name: s\nrules: [{match: '.*', steps: [{calls: ["+strings.TrimSuffix(calls.String(), ", ")+"]}, {text: done}]}]\n")
	write(t, folder, "pageside.yaml", file.String())
	if len(secrets) != 50 {
		t.Fatalf("%d secrets", len(secrets))
	}

	var out bytes.Buffer // everything that leaves the server
	log := slog.New(slog.NewTextHandler(&out, &slog.HandlerOptions{Level: slog.LevelDebug}))
	source, err := config.Load(filepath.Join(folder, "pageside.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	inspector := inspect.New(50)
	site, err := config.Build(t.Context(), source, config.Options{Env: func(name string) string { return env[name] }, Logger: log, Tracer: inspector, Audit: true, OpenModel: openSecretly})
	if err != nil {
		t.Fatal(err)
	}
	defer site.Close()
	st := temp.Store(t)
	if err := site.Audit.Open(t.Context(), st); err != nil {
		t.Fatal(err)
	}
	m, err := run.NewManager(t.Context(), run.Config{Store: st, Agents: site.Served(), Audit: site.Audit, Logger: log})
	if err != nil {
		t.Fatal(err)
	}
	for i, a := range site.Agents {
		a.Authorizer = policy.Everything
		out.WriteString(secretRun(t, m, a, fmt.Sprint("r", i)))
	}
	m.Drain(context.Background())
	site.Audit.Close()
	for _, r := range inspector.Runs(store.Owner{Subject: "ann"}.Key()) {
		detail, _ := inspector.Run(store.Owner{Subject: "ann"}.Key(), r.ID)
		raw, _ := json.Marshal(detail)
		report, _, _ := inspector.Report(store.Owner{Subject: "ann"}.Key(), r.ID)
		out.Write(append(raw, report...))
	}
	rows := 0
	for r, err := range st.AuditRows(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		rows++
		out.Write(r.Body)
	}
	if rows < 80 || !strings.Contains(out.String(), "502") || !strings.Contains(out.String(), "RUN_ERROR") {
		t.Fatalf("the runs did not do what leaks: %d rows, %d bytes", rows, out.Len())
	}
	if report, err := audit.Verify(t.Context(), st, nil, []byte(env["AUDIT_KEY"])); err != nil || report.State == audit.Tampered {
		t.Errorf("the log does not verify: %v, %v", report.Problems, err)
	}
	for _, secret := range secrets {
		if at := strings.Index(out.String(), secret); at >= 0 {
			t.Errorf("%s leaked: …%s…", secret, out.String()[max(0, at-200):at+len(secret)])
		}
	}
}

// secretRun runs an agent and returns its events.
func secretRun(t *testing.T, m *run.Manager, a *agent.Agent, id string) string {
	t.Helper()
	in := &agui.RunAgentInput{ThreadID: "t" + id, RunID: id, ProtocolVersion: "1.0", Messages: []agui.Message{{ID: "u1", Role: agui.RoleUser, Content: agui.TextContent("go")}}}
	r, err := m.Start(t.Context(), run.Request{Principal: auth.Principal{Subject: "ann"}, Agent: a.ID, Input: in, Fingerprint: id})
	if err != nil {
		t.Fatal(err)
	}
	reader := r.Read(false)
	defer reader.Close()
	var stream strings.Builder
	for {
		frames, done := reader.Next()
		stream.Write(frames)
		if done {
			return stream.String()
		}
		if len(frames) == 0 {
			<-reader.Wake()
		}
	}
}

func openSecretly(spec config.ModelSpec) (llm.Model, error) {
	if spec.Provider == "script" {
		return script.Load(spec.Name)
	}
	return openai.New(openai.Config{Model: spec.Name, BaseURL: spec.BaseURL, APIKey: spec.Key}), nil
}

func write(t *testing.T, folder, name, text string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}
