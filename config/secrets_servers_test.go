package config_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/pageside/pageside/policy"
	"github.com/pageside/pageside/protocol/agui"
	"github.com/pageside/pageside/server"
	"github.com/pageside/pageside/test/must"
)

// tellsVariable makes the test's program an MCP server that tells its environment.
const tellsVariable = "CONFIG_TEST_TELLS"

// beIndiscreet is what that program does.
func beIndiscreet() {
	all := os.Getenv("WHOLE") + " " + os.Getenv("PART")
	fmt.Fprintln(os.Stderr, all)
	_ = indiscreet(all).Run(context.Background(), &mcp.StdioTransport{})
}

// indiscreet is an MCP server that tells what it knows in every way there is.
func indiscreet(knows string) *mcp.Server {
	s := mcp.NewServer(&mcp.Implementation{Name: "test", Version: "1"}, nil)
	add := func(name string, answer func(*mcp.CallToolRequest) (*mcp.CallToolResult, error)) {
		s.AddTool(&mcp.Tool{Name: name, Description: "Knows " + knows, InputSchema: json.RawMessage(`{"type":"object"}`)},
			func(_ context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) { return answer(r) })
	}
	text := []mcp.Content{&mcp.TextContent{Text: "I know " + knows}}
	quoted, _ := json.Marshal(map[string]any{"knows": []string{knows}})
	add("text", func(*mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		return &mcp.CallToolResult{Content: text}, nil
	})
	add("quoted", func(*mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: string(quoted)}}}, nil
	})
	add("data", func(*mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		return &mcp.CallToolResult{StructuredContent: map[string]any{"knows": []any{knows}, knows: true}}, nil
	})
	add("failure", func(*mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		return &mcp.CallToolResult{Content: text, IsError: true}, nil
	})
	add("error", func(*mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		return nil, fmt.Errorf("failed with %s", knows)
	})
	add("progress", func(r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		err := r.Session.NotifyProgress(context.Background(), &mcp.ProgressNotificationParams{ProgressToken: r.Params.GetProgressToken(), Message: "On it, with " + knows})
		return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: "progressed"}}}, err
	})
	return s
}

// TestSecretsOfToolServersStayInside: an MCP server and an endpoint know secrets of the file, and
// tell them in every way there is: as text, as JSON, in failures, as progress, in a description, on
// standard error, in a refusal of the connection.
func TestSecretsOfToolServersStayInside(t *testing.T) {
	c := newCanaries(t)
	known := func(r *http.Request) (all string) {
		for _, name := range []string{"Authorization", "Cookie", "X-Plain"} {
			all += name + "=" + r.Header.Get(name) + " "
		}
		return all
	}
	remote := httptest.NewServer(mcp.NewStreamableHTTPHandler(func(r *http.Request) *mcp.Server { return indiscreet(known(r)) }, &mcp.StreamableHTTPOptions{Stateless: true}))
	t.Cleanup(remote.Close)
	closed := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		http.Error(w, "not with "+known(r), http.StatusUnauthorized)
	}))
	t.Cleanup(closed.Close)
	endpoint := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		all := known(r)
		if r.URL.Path == "/busy" {
			w.Header().Set("Retry-After", c.env["SHORT"])
			w.WriteHeader(http.StatusServiceUnavailable)
		} else {
			all += c.env["SIGN"] // which the endpoint checks requests with
		}
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(map[string]string{"knows": all})
	}))
	t.Cleanup(endpoint.Close)
	header := func(name string) string {
		return fmt.Sprintf("{Authorization: 'Bearer ${%s}', Cookie: 'sid=${%s}; x=1', X-Plain: '%s'}", c.seed(name+"_BEARER"), c.seed(name+"_COOKIE"), c.seed(name+"_PLAIN"))
	}
	port := func(s *httptest.Server) string { return s.URL[strings.LastIndex(s.URL, ":")+1:] }
	file := fmt.Sprintf(`
audit: {key: '%s', arguments: true}
egress: {private: [127.0.0.0/8], ports: [%s, %s, %s]}
models: {scripted: {use: script/s.yaml}}
agents: [{id: tools, model: scripted, approvals: {untrusted: false}}]
mcp:
  local: {command: '%s', env: {%s: '1', WHOLE: '%s', PART: 'user=x;password=${%s};'}, global: true, effect: read, required: true, pinFile: pins.json}
  remote: {url: '%s', headers: %s, global: true, effect: read, required: true, pinFile: pins.json}
  closed: {url: '%s', headers: %s, global: true, effect: read, pinFile: pins.json}
tools:
  - {name: answer, description: Answers., url: '%s/answer', global: true, effect: read, headers: %s, sign: {secret: '%s'}}
  - {name: busy, description: Is busy., url: '%s/busy', global: true, effect: read, headers: {X-Plain: '%s'}}
`, c.seed("AUDIT_KEY"), port(remote), port(closed), port(endpoint), os.Args[0], tellsVariable, c.seed("WHOLE"), c.seed("PART"),
		remote.URL, header("REMOTE"), closed.URL, header("CLOSED"), endpoint.URL, header("HTTP"), c.seed("SIGN"), endpoint.URL, c.seed("SHORT"))
	var calls []string
	for _, s := range []string{"local", "remote"} {
		for _, name := range []string{"text", "quoted", "data", "failure", "error", "progress"} {
			calls = append(calls, fmt.Sprintf("{tool: %s__%s, args: {}}", s, name))
		}
	}
	calls = append(calls, "{tool: answer, args: {}}", "{tool: busy, args: {}}")
	write(t, c.folder, "s.yaml", "name: s\nrules: [{match: '.*', steps: [{calls: ["+strings.Join(calls, ", ")+"]}, {text: done}]}]\n")
	site := c.build(file)
	m := c.open(site)
	fmt.Fprint(&c.out, secretRun(t, m, site.Agents[0], "r"))
	for d := range site.Tools.All() {
		fmt.Fprintln(&c.out, d.Description, string(d.InputSchema))
	}
	for _, s := range site.MCP.Status() {
		fmt.Fprintf(&c.out, "%+v\n", s)
	}
	c.close(site)
	for _, want := range []string{"I know", "failed with", "standard error", "cannot be reached", `\"knows\"`, "It asks to wait", "Knows "} {
		if !strings.Contains(c.out.String(), want) {
			t.Errorf("nothing says %q: the servers did not do what leaks", want)
		}
	}
	c.check()
}

// TestSecretsOfSignInStayInside: what people and proxies sign in with, and what it is checked with,
// good or bad, is in no answer, log or audit entry.
func TestSecretsOfSignInStayInside(t *testing.T) {
	c := newCanaries(t)
	app := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Location", "/login?was="+r.Header.Get("Cookie"))
		status := map[string]int{"down": http.StatusInternalServerError, "moved": http.StatusFound, "odd": http.StatusOK}
		cookie, _ := r.Cookie("kind")
		w.WriteHeader(status[cookie.Value])
		fmt.Fprintf(w, `{"subject": ["%s"]}`, r.Header.Get("Cookie"))
	}))
	t.Cleanup(app.Close)
	keys := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		http.Error(w, "none for "+fmt.Sprint(r.Header), http.StatusInternalServerError)
	}))
	t.Cleanup(keys.Close)
	site := c.build(fmt.Sprintf(`
audit: {key: '%s', arguments: true}
models: {scripted: {use: script/s.yaml}}
agents: [{id: tools, model: scripted}]
auth:
  apiKeys: {}
  oidc: [{issuer: 'https://id.example.com', audience: [a], jwksUrl: '%s/keys'}]
  forward: {url: '%s', cookies: [session, kind]}
  signed: {secret: '%s'}
  proxy: {networks: [127.0.0.0/8], secret: '%s'}
`, c.seed("AUDIT_KEY"), keys.URL, app.URL, c.seed("SIGNED"), c.seed("PROXY")))
	m := c.open(site)
	s, err := server.New(server.Config{Runs: m, Protocols: []server.Protocol{agui.Protocol{}}, Logger: c.log, Authenticate: site.Authenticator.Authenticate, Authorizer: policy.Everything, Audit: site.Audit, Inspector: c.inspector})
	must.Do(t, err)
	defer s.Close()
	statuses := map[int]int{}
	ask := func(method, path string, headers ...string) {
		r := httptest.NewRequest(method, path, strings.NewReader(`{}`))
		r.RemoteAddr = "127.0.0.1:4711"
		r.Header.Set("Content-Type", "application/json")
		for i := 0; i < len(headers); i += 2 {
			r.Header.Add(headers[i], headers[i+1])
		}
		w := httptest.NewRecorder()
		s.ServeHTTP(w, r)
		statuses[w.Code]++
		fmt.Fprintln(&c.out, w.Code, w.Header(), w.Body)
	}
	const proxySecret, user = "X-Pageside-Proxy-Secret", "X-Forwarded-User"
	jwt := "eyJhbGciOiJSUzI1NiIsImtpZCI6IngifQ.eyJpc3MiOiJodHRwczovL2lkLmV4YW1wbGUuY29tIiwiYXVkIjoiYSJ9."
	for _, credentials := range [][]string{
		{"Authorization", "Bearer " + c.secret("BEARER")},
		{"Authorization", "Bearer " + jwt + c.secret("JWT")},
		{"Authorization", "Bearer pgs_0123456789_" + c.secret("KEY")},
		{"Authorization", "Bearer " + c.secret("TWO") + ", " + c.secret("TOKENS")},
		{"X-API-Key", "pgs_0123456789_" + c.secret("HEADER_KEY")},
		{"X-API-Key", c.secret("TWICE"), "X-API-Key", c.secret("AGAIN")},
		{"X-Pageside-Principal", c.secret("PRINCIPAL")},
		{"X-Pageside-Principal", jwt + c.secret("PRINCIPAL_JWT")},
		{"Cookie", "kind=down; session=" + c.secret("SESSION_DOWN")},
		{"Cookie", "kind=moved; session=" + c.secret("SESSION_MOVED")},
		{"Cookie", "kind=odd; session=" + c.secret("SESSION_ODD")},
		{"Cookie", "session=" + c.secret("SESSION_TWICE") + "; session=b"},
		{proxySecret, c.secret("WRONG"), user, "ann"},
		{proxySecret, c.env["PROXY"], user, "ann", "Cookie", "session=" + c.secret("BESIDE")},
	} {
		for _, path := range []string{"/v1/threads", "/v1/threads/t?token=x", "/v1/runs/r/events"} {
			ask(http.MethodGet, path, credentials...)
		}
		ask(http.MethodPost, "/v1/agents/tools/run", credentials...)
		ask(http.MethodPost, "/v1/nowhere", credentials...)
	}
	for _, path := range []string{"/v1/audit", "/v1/inspector/runs", "/v1/limits"} {
		ask(http.MethodGet, path, proxySecret, c.env["PROXY"], user, "ann")
	}
	if statuses[http.StatusUnauthorized] < 40 || statuses[http.StatusServiceUnavailable] == 0 || statuses[http.StatusOK] < 3 {
		t.Errorf("the answers were %v", statuses)
	}
	c.close(site)
	c.check()
}
