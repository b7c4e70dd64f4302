// Package protocoltest is what every drop-in must do, as data: conversations that are played
// through each of them, against a server on SQLite.
package protocoltest

import (
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/pageside/pageside/agent"
	"github.com/pageside/pageside/agui"
	"github.com/pageside/pageside/auth"
	"github.com/pageside/pageside/internal/sse"
	"github.com/pageside/pageside/llm/script"
	"github.com/pageside/pageside/page"
	"github.com/pageside/pageside/payload"
	"github.com/pageside/pageside/policy"
	aguihttp "github.com/pageside/pageside/protocol/agui"
	"github.com/pageside/pageside/run"
	"github.com/pageside/pageside/server"
	"github.com/pageside/pageside/store"
	"github.com/pageside/pageside/store/sqlstore"
	"github.com/pageside/pageside/test/must"
	"github.com/pageside/pageside/tool"
)

// Protocol is a drop-in and a client of it. Lacks says, for each need that the protocol cannot
// meet, why its scenarios are left out.
type Protocol struct {
	DropIn server.Protocol
	// Ask sends a message, results or answers, and reads to the end.
	Ask func(t *testing.T, s *Site, q Question) Seen
	// Cut leaves in the middle of the answer and comes back for the rest. Cancel cancels there.
	Cut, Cancel func(t *testing.T, s *Site, q Question) Seen

	ShowsTools, ShowsCards bool
	Lacks                  map[Need]string
}

// Need is something that a scenario needs from a protocol, besides text.
type Need string

// The needs. A protocol that cannot be cut or cancelled has no such function either.
const (
	FrontendTools Need = "tools of the client"
	Approvals     Need = "approvals"
	Cuts          Need = "coming back to an answer"
	Cancels       Need = "cancelling an answer"
)

// Question is what a client sends.
type Question struct {
	Conversation string // as the last answer called it; "" begins one
	Text         string
	Tools        []agui.Tool // of the client
	Results      []Call      // of its tools
	Approve      []string    // interrupts, by their ids
	Deny         []string
}

// Call is a tool call as a client sees it.
type Call struct{ ID, Tool, Input, Output string }

// Seen is what a client has been told.
type Seen struct {
	Conversation string
	Text         string
	Tools        []Call // of the server, that have ended
	Open         []Call // of the client
	Waits        []Call // for a person; ID is the interrupt's
	Card         string // type and data
	Error        string
}

// Site is a running server.
type Site struct {
	*httptest.Server
	T     *testing.T
	Store store.Store
}

// Users are known by their tokens. The one without a token is nobody.
var Users = map[string]auth.Principal{
	"anns": {Tenant: "acme", Subject: "ann"}, "bobs": {Tenant: "acme", Subject: "bob"}, "twins": {Tenant: "globex", Subject: "ann"},
}

// Serve starts a server with one drop-in, as the user's token says.
func Serve(t *testing.T, d server.Protocol, adjust ...func(*server.Config)) *Site {
	t.Helper()
	st := must.Get(sqlstore.Open(t.Context(), "sqlite:"+filepath.Join(t.TempDir(), "test.db")))(t)
	return ServeOn(t, st, d, adjust...)
}

// ServeOn is Serve over a store, which is closed with the server.
func ServeOn(t *testing.T, st store.Store, d server.Protocol, adjust ...func(*server.Config)) *Site {
	t.Helper()
	model := must.Get(script.Parse("test", []byte(Script)))(t)
	log := slog.New(slog.DiscardHandler)
	a := &agent.Agent{Authorizer: policy.Everything, ID: "default", Description: "A test.", Model: model, Pages: pages(t),
		PageTools: map[string]agent.PageTool{Pick.Name: {Effect: tool.Read}}}
	runs := must.Get(run.NewManager(t.Context(), run.Config{Store: st, Agents: run.Loops(a), Logger: log}))(t)
	cfg := server.Config{Runs: runs, Logger: log, Protocols: []server.Protocol{aguihttp.Protocol{}, d}, Authenticate: authenticate}
	for _, change := range adjust {
		change(&cfg)
	}
	h := must.Get(server.New(cfg))(t)
	s := &Site{httptest.NewServer(h), t, st}
	t.Cleanup(func() {
		s.CloseClientConnections()
		s.Close()
		h.Close()
		now, stop := context.WithTimeout(context.Background(), time.Millisecond)
		defer stop()
		runs.Drain(now)
		must.Do(t, st.Close())
		http.DefaultClient.CloseIdleConnections()
	})
	return s
}

func authenticate(r *http.Request) (auth.Principal, error) {
	token, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
	if !ok {
		return auth.Principal{}, auth.ErrNoCredentials
	}
	p, ok := Users[token]
	if !ok {
		return p, auth.Refuse("test", "an unknown token")
	}
	return p, nil
}

// Sources is what results of the tool search rest on: an address of the web, a path of the
// application, and none.
var Sources = []tool.CitableSource{
	{Title: "First study", URL: "https://example.com/1", Snippet: "It worked."}, {Title: "Second study", URL: "/articles/2"}, {Title: "A book"},
}

// pages has a page with a tab, an action and the tools and cards of the scenarios.
func pages(t *testing.T) *page.Registry {
	t.Helper()
	count := tool.New("count", "Counts.", func(_ context.Context, c *tool.Call, in struct {
		Of string `json:"of"`
	}) (tool.Result, error) {
		c.Progress("counting", "", 0.5)
		return tool.Result{Text: "18 " + in.Of, Payload: map[string]string{"of": in.Of}}, nil
	})
	count.Global, count.Effect, count.PayloadType = true, tool.Read, "tally"
	erase := tool.New("erase", "Erases.", func(_ context.Context, _ *tool.Call, in struct {
		Name string `json:"name"`
	}) (tool.Result, error) {
		return tool.Result{Text: "erased " + in.Name}, nil
	})
	erase.Global, erase.Effect, erase.Policy.Approval = true, tool.Destructive, tool.ApprovalAlways
	broken := tool.New("broken", "Fails.", func(context.Context, *tool.Call, struct{}) (tool.Result, error) {
		return tool.Result{}, io.ErrUnexpectedEOF
	})
	broken.Global, broken.Effect = true, tool.Read
	search := tool.New("search", "Searches.", func(context.Context, *tool.Call, struct{}) (tool.Result, error) {
		return tool.Result{Text: "3 found", Sources: Sources}, nil
	})
	search.Global, search.Effect = true, tool.Read
	tools := must.Get(tool.NewRegistry(count, erase, broken, search))(t)
	types := must.Get(payload.NewRegistry(&payload.Type{Name: "tally"}, &payload.Type{
		Name: "query_suggestion", Source: payload.FromLLM, Marker: "QUERY_SUGGESTION:",
		Schema: json.RawMessage(`{"type":"object","required":["query"]}`),
	}))(t)
	streams := page.Page{
		Name: "edit_stream", Actions: []page.Action{{Name: "open_report", Handler: page.HandlerClient}, {Name: "run_count", Handler: page.HandlerServer, Tool: "count"}},
		Tabs: []page.Tab{{Name: "execute", Payloads: []string{"query_suggestion"}, Subtabs: []page.Subtab{{Name: "workbench"}}}},
	}
	all := must.Get(page.NewRegistry(tools, types, streams))(t)
	return all
}

// Do makes a request as a user, which may be "".
func (s *Site) Do(user, method, path string, body any, headers ...string) *http.Response {
	s.T.Helper()
	var sent io.Reader
	switch body := body.(type) {
	case nil:
	case string:
		sent = strings.NewReader(body)
	default:
		raw := must.Get(json.Marshal(body))(s.T)
		sent = strings.NewReader(string(raw))
	}
	req := must.Get(http.NewRequestWithContext(s.T.Context(), method, s.URL+path, sent))(s.T)
	if body != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	if user != "" {
		req.Header.Set("Authorization", "Bearer "+user)
	}
	for i := 0; i+1 < len(headers); i += 2 {
		req.Header.Set(headers[i], headers[i+1])
	}
	resp := must.Get(http.DefaultClient.Do(req))(s.T)
	s.T.Cleanup(func() { resp.Body.Close() })
	return resp
}

// Read returns an answer that must have the status.
func (s *Site) Read(resp *http.Response, status int) string {
	s.T.Helper()
	defer resp.Body.Close()
	body := must.Get(io.ReadAll(resp.Body))(s.T)
	if resp.StatusCode != status {
		s.T.Fatalf("%s %s: %d %s, want %d", resp.Request.Method, resp.Request.URL.Path, resp.StatusCode, body, status)
	}
	return string(body)
}

// Events returns the frames of an answer that must be a stream of Server-Sent Events.
func (s *Site) Events(resp *http.Response) *sse.Reader {
	s.T.Helper()
	if resp.StatusCode != 200 || resp.Header.Get("Content-Type") != "text/event-stream" {
		s.T.Fatalf("no stream: %d %s", resp.StatusCode, s.Read(resp, resp.StatusCode))
	}
	return sse.NewReader(resp.Body, sse.MaxFrame)
}
