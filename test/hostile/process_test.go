package hostile

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/pageside/pageside/agent"
	"github.com/pageside/pageside/audit"
	"github.com/pageside/pageside/auth"
	"github.com/pageside/pageside/internal/leaktest"
	"github.com/pageside/pageside/page"
	"github.com/pageside/pageside/protocol/a2a"
	"github.com/pageside/pageside/protocol/agui"
	"github.com/pageside/pageside/protocol/mcp"
	"github.com/pageside/pageside/run"
	"github.com/pageside/pageside/server"
	"github.com/pageside/pageside/store"
	"github.com/pageside/pageside/store/sqlstore"
	"github.com/pageside/pageside/test/must"
	"github.com/pageside/pageside/tool"
	"github.com/pageside/pageside/tool/httptool"
)

func TestMain(m *testing.M) { leaktest.Main(m) }

var quiet = slog.New(slog.DiscardHandler)

// effects are the tools that do something, with what they do.
var effects = map[string]tool.Effect{"stamp": tool.Idempotent, "save": tool.Write, "leak": tool.Exfil, "drop": tool.Destructive}

// outside is an HTTP server whose endpoints the tools call. It counts what happens there.
type outside struct {
	*httptest.Server
	mu    sync.Mutex
	seen  []string // what arrived at endpoints that have an effect
	leaks []string // requests anywhere that have a canary in them
}

func newOutside(t testing.TB) *outside {
	t.Helper()
	o := &outside{}
	o.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		arrived := r.Method + " " + r.RequestURI + " " + string(body)
		o.mu.Lock()
		defer o.mu.Unlock()
		if strings.Contains(arrived+fmt.Sprint(r.Header), "canary") {
			o.leaks = append(o.leaks, arrived)
		}
		switch {
		case strings.HasPrefix(r.URL.Path, "/effect/"):
			o.seen = append(o.seen, arrived)
		case r.URL.Path == "/broken":
			http.Error(w, order, http.StatusBadRequest)
		default:
			_, _ = io.WriteString(w, order)
		}
	}))
	t.Cleanup(o.Close)
	return o
}

// reset forgets what arrived and returns how much it was.
func (o *outside) reset() (seen, leaks int) {
	o.mu.Lock()
	defer o.mu.Unlock()
	seen, leaks = len(o.seen), len(o.leaks)
	o.seen, o.leaks = nil, nil
	return seen, leaks
}

// tools returns tools that call the endpoints: look and broken read, the others have effects.
func (o *outside) tools(t testing.TB) []*tool.Tool {
	t.Helper()
	inside := httptool.Egress{Private: []string{"127.0.0.1"}}
	schema := json.RawMessage(`{"type":"object","properties":{"text":{"type":"string"}},"required":["text"],"additionalProperties":false}`)
	var all []*tool.Tool
	add := func(c httptool.Config) {
		c.Global, c.Egress, c.Description = true, inside, "Does it."
		made := must.Get(httptool.New(c))(t)
		all = append(all, made)
	}
	for name, effect := range effects {
		add(httptool.Config{Name: name, InputSchema: schema, Method: http.MethodPost, URL: o.URL + "/effect/" + name, Effect: effect})
	}
	for _, name := range []string{"look", "broken"} {
		add(httptool.Config{Name: name, InputSchema: json.RawMessage(`{"type":"object"}`), URL: o.URL + "/" + name, Effect: tool.Read})
	}
	return all
}

// process is one life of a server over a store.
type process struct {
	store database
	runs  *run.Manager
	*server.Server
}

// begin starts a process.
func begin(t testing.TB, st database, a *agent.Agent, mode run.ClientInstructions) *process {
	t.Helper()
	a.Logger = quiet
	runs, err := run.NewManager(context.Background(), run.Config{Store: st, Agents: run.Loops(a), Logger: quiet, ClientInstructions: mode})
	must.Do(t, err)
	s, err := server.New(server.Config{Runs: runs, Logger: quiet, Authenticate: who, Protocols: []server.Protocol{agui.Protocol{}, a2a.Protocol{}, mcp.Protocol{}}})
	must.Do(t, err)
	return &process{st, runs, s}
}

// who believes a header of the form tenant/subject.
func who(r *http.Request) (auth.Principal, error) {
	tenant, subject, ok := strings.Cut(r.Header.Get("X-User"), "/")
	if !ok {
		return auth.Principal{}, fmt.Errorf("nobody")
	}
	return auth.Principal{Tenant: tenant, Subject: subject}, nil
}

// end ends the process as a signal does.
func (p *process) end() {
	p.runs.Drain(context.Background())
	p.Close()
	if file, ok := p.store.(file); ok {
		_ = file.Close()
	}
}

// do makes a request as somebody.
func (p *process) do(user, method, path, body string) (int, string) {
	req := httptest.NewRequest(method, path, strings.NewReader(body))
	req.Header.Set("X-User", user)
	if body != "" {
		req.Header.Set("Content-Type", "application/json")
	}
	w := httptest.NewRecorder()
	p.ServeHTTP(w, req)
	return w.Code, w.Body.String()
}

// database is a store with the audit log.
type database interface {
	store.Store
	audit.Store
}

// file is a store that another process opens later.
type file struct{ *sqlstore.Store }

// sqlite opens a database file.
func sqlite(t testing.TB, path string) database {
	t.Helper()
	st := must.Get(sqlstore.Open(context.Background(), "sqlite:"+path))(t)
	return file{st}
}

// input is the body of a run, as the protocol has it.
type input map[string]any

func newInput(thread, id, text string) input {
	in := input{
		"protocolVersion": "1.0", "threadId": thread, "runId": id, "messages": []any{}, "tools": []any{}, "context": []any{}, "state": map[string]any{},
		"forwardedProps": map[string]any{},
	}
	if text != "" {
		in["messages"] = []any{message("u-"+id, "user", text)}
	}
	return in
}

func message(id, role, text string) map[string]any {
	return map[string]any{"id": id, "role": role, "content": text}
}

func (in input) json() string {
	body, err := json.Marshal(in)
	if err != nil {
		panic(err) // a test's own values
	}
	return string(body)
}

// pageside says where the user is.
func (in input) pageside(props map[string]any) {
	in["forwardedProps"] = map[string]any{"pageside": props}
}

// registry returns pages with tools; the page "built" has a context builder.
func registry(t testing.TB, tools []*tool.Tool) *page.Registry {
	t.Helper()
	all := must.Get(tool.NewRegistry(tools...))(t)
	pages, err := page.NewRegistry(all, nil, page.Page{Name: "orders"},
		page.Page{Name: "built", Context: func(page.Place, map[string]any) (page.Built, error) { return page.Built{Data: order}, nil }})
	must.Do(t, err)
	return pages
}
