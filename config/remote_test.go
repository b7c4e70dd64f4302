package config_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/pageside/pageside/agui"
	"github.com/pageside/pageside/auth"
	"github.com/pageside/pageside/run"
	"github.com/pageside/pageside/store/storetest/temp"
	"github.com/pageside/pageside/test/must"
)

// TestRemoteAgents: an agent with a url is asked there, with the secrets of its headers, under the
// rules of egress.
func TestRemoteAgents(t *testing.T) {
	var header http.Header
	far := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		header = r.Header.Clone()
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = io.WriteString(w, `data: {"type":"TEXT_MESSAGE_CHUNK","messageId":"m","delta":"From afar."}`+"\n\n"+`data: {"type":"RUN_FINISHED"}`+"\n\n")
	}))
	defer far.Close()
	f := newFolder(t, map[string]string{"pageside.yaml": `
agents:
  - id: far
    description: Somewhere else.
    url: env:FAR
    headers: {Authorization: "Bearer ${env:KEY}", X-Team: search}
    sign: {secret: env:SIGN}
    approvals: {untrusted: false}
    state: {maxBytes: 100}
egress: {private: [127.0.0.1]}
`})
	f.env["FAR"] = far.URL
	f.env["KEY"], f.env["SIGN"] = "secret-of-the-agent", "0123456789abcdef"
	site := must.Get(f.build())(t)
	if site.Remote("far") == "" || !site.Agents[0].Approvals.IgnoreTaint || site.Agents[0].State.MaxBytes != 100 || site.Agents[0].Description != "Somewhere else." {
		t.Errorf("the agent is %+v", site.Agents[0])
	}
	m := must.Get(run.NewManager(t.Context(), run.Config{Store: temp.Store(t), Agents: site.Served()}))(t)
	defer m.Drain(t.Context())
	in := &agui.RunAgentInput{ThreadID: "t", RunID: "r", ProtocolVersion: "1.0", Messages: []agui.Message{{ID: "u", Role: agui.RoleUser, Content: agui.TextContent("go")}}}
	r, err := m.Start(t.Context(), run.Request{Principal: auth.Local, Agent: "far", Input: in, Fingerprint: "f"})
	must.Do(t, err)
	if said := readRun(t, r); !strings.Contains(said, "From afar.") || strings.Contains(said, "RUN_ERROR") {
		t.Errorf("it says %s", said)
	}
	if header.Get("Authorization") != "Bearer secret-of-the-agent" || header.Get("X-Team") != "search" || header.Get("Webhook-Signature") == "" {
		t.Errorf("it is asked with %v", header)
	}
}

// readRun returns a run's stream.
func readRun(t *testing.T, r *run.Run) string {
	t.Helper()
	reader := r.Read(false)
	defer reader.Close()
	var all strings.Builder
	for {
		frames, done := reader.Next()
		all.Write(frames)
		switch {
		case len(frames) > 0:
		case done:
			return all.String()
		default:
			<-reader.Wake()
		}
	}
}
