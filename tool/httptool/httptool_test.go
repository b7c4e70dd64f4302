package httptool_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/pageside/pageside/internal/leaktest"
	"github.com/pageside/pageside/test/must"
	"github.com/pageside/pageside/test/talk"
	"github.com/pageside/pageside/tool"
	"github.com/pageside/pageside/tool/httptool"
)

func TestMain(m *testing.M) { leaktest.Main(m) }

// request is what an endpoint saw.
type request struct {
	method, uri, body string
	header            http.Header
}

// endpoint answers every request alike and keeps the last one.
type endpoint struct {
	*httptest.Server
	last    *request
	status  int
	media   string
	answer  string
	headers map[string]string
}

func serve(t *testing.T) *endpoint {
	e := &endpoint{status: 200, media: "application/json", answer: `{"ok":true}`}
	e.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		e.last = &request{r.Method, r.RequestURI, string(body), r.Header}
		w.Header().Set("Content-Type", e.media)
		for name, value := range e.headers {
			w.Header().Set(name, value)
		}
		w.WriteHeader(e.status)
		fmt.Fprint(w, e.answer)
	}))
	t.Cleanup(e.Close)
	return e
}

const schema = `{"type":"object","properties":{"id":{"type":"string"},"q":{"type":"string"},"limit":{"type":"integer"},"ratio":{"type":"number"},
	"tags":{"type":"array","items":{"type":"string"}},"filter":{"type":"object"},"deep":{"type":"boolean"}},"required":["id"]}`

// config is a tool at the endpoint; path is the URL's part behind the host.
func (e *endpoint) config(path string) httptool.Config {
	return httptool.Config{
		Name: "look_up", InputSchema: json.RawMessage(schema), URL: e.URL + path, Egress: httptool.Egress{Private: []string{"127.0.0.1"}},
	}
}

func register(t *testing.T, c httptool.Config) *tool.Tool {
	t.Helper()
	made := must.Get(httptool.New(c))(t)
	r := must.Get(tool.NewRegistry(made))(t)
	ready, _ := r.Get(c.Name)
	return ready
}

func call(t *testing.T, c httptool.Config, args string) tool.Result {
	t.Helper()
	ready := register(t, c)
	parsed := must.Get(tool.ParseArgs(args, ready.Schema()))(t)
	return tool.Execute(t.Context(), ready, tool.Call{ID: "c1", Args: parsed, Key: "key-1"}, nil)
}

// Values stand where the template puts them, whatever is in them; what would make another path, or
// nothing sensible, never leaves.
func TestRequests(t *testing.T) {
	talk.Lines(t, "testdata/requests.txtar", func(t *testing.T, section, line string) []string {
		template, args, _ := strings.Cut(line, " ← ")
		e := serve(t)
		c := e.config("/v1")
		switch {
		case strings.HasPrefix(section, "URL"):
			c = e.config(template)
		case section == "application/json": // it need not be said
			c.Body = template
		default:
			c.Body, c.ContentType = template, section
		}
		res := call(t, c, args)
		switch {
		case e.last == nil:
			must.Be(t, tool.ErrorCode(res.Text), tool.CodeInvalidArgs, "%s", line)
			return []string{must.JSON[struct{ Error struct{ Message string } }](t, res.Text).Error.Message}
		case res.IsError:
			t.Errorf("%s: %s", line, res.Text)
		case strings.HasPrefix(section, "URL"):
			return []string{e.last.uri}
		}
		must.Be(t, e.last.method+" "+e.last.header.Get("Content-Type"), "POST "+section, "%s", line)
		return []string{e.last.body}
	})
	e := serve(t)
	long := call(t, e.config("/v1/all?t={{.q}}"), `{"id":"x","q":"`+strings.Repeat("x", 9000)+`"}`)
	must.Have(t, long.Text, "at most 8192 are possible", "a long URL")
	must.Be(t, e.last, nil, "the request of a long URL")
}

// Whatever the model writes, the request goes to the configured host, below the configured path.
func FuzzArgumentsStayInTheirPlace(f *testing.F) {
	for _, s := range []string{"a", "..", "/", "%2f", "?x", "#", "@evil.test", "\x00", "//evil.test", "é", "a b", ":80", ";", "&x=1", "\\"} {
		f.Add(s)
	}
	var seen *url.URL
	srv := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { seen = r.URL }))
	f.Cleanup(srv.Close)
	made := must.Get(httptool.New(httptool.Config{
		Name: "x", InputSchema: json.RawMessage(schema), URL: srv.URL + "/v1/{{.id}}/papers?q={{.q}}&z=1",
		Egress: httptool.Egress{Private: []string{"127.0.0.1"}},
	}))(f)
	f.Fuzz(func(t *testing.T, s string) {
		s = strings.ToValidUTF8(s, "")
		args, err := json.Marshal(map[string]string{"id": s, "q": s})
		if err != nil {
			t.Skip()
		}
		seen = nil
		_, err = made.Handler(t.Context(), &tool.Call{Args: args})
		if seen == nil {
			must.Fail(t, err, "", "%q, which led to no request", s)
			return
		}
		if parts := strings.Split(seen.EscapedPath(), "/"); len(parts) != 4 || parts[1] != "v1" || parts[3] != "papers" || seen.Path != "/v1/"+s+"/papers" {
			t.Errorf("%q became the path %q", s, seen.EscapedPath())
		}
		if q := seen.Query(); len(q) != 2 || q.Get("q") != s || q.Get("z") != "1" {
			t.Errorf("%q became the query %q", s, seen.RawQuery)
		}
	})
}

// A body needs no template: it is the arguments, and the method may be another one.
func TestBodies(t *testing.T) {
	e := serve(t)
	c := e.config("/v1")
	c.Method = "PUT"
	call(t, c, `{"id":"x","limit":3}`)
	must.Be(t, e.last.method+" "+e.last.body, `PUT {"id":"x","limit":3}`, "the arguments")
	must.Be(t, e.last.header.Get("Content-Type"), "application/json", "their type")
}

// What no configuration's check can foresee is an error at the call: the endpoint never sees broken
// JSON.
func TestBodiesThatAreNoJSONAreNotSent(t *testing.T) {
	e := serve(t)
	c := e.config("/v1")
	c.Body = `{"q": [{{range .tags}}{{json .}},{{end}}0], "n": {{if gt .limit 100}}oops{{else}}1{{end}}}`
	if res := call(t, c, `{"id":"x","limit":5,"tags":["a"]}`); res.IsError || e.last == nil {
		t.Fatalf("%+v", res)
	}
	e.last = nil
	res := call(t, c, `{"id":"x","limit":101}`)
	if !res.IsError || !strings.Contains(res.Text, httptool.CodeMisconfig) || !strings.Contains(res.Text, "no valid JSON") || e.last != nil {
		t.Errorf("%+v %+v", res, e.last)
	}
}

func TestHeaders(t *testing.T) {
	e := serve(t)
	c := e.config("/v1")
	c.Headers = map[string]string{"Authorization": "Bearer s3cret-token", "X-Team": "blue", "Accept": "application/vnd.x+json"}
	call(t, c, `{"id":"x"}`)
	for name, want := range map[string]string{
		"Authorization": "Bearer s3cret-token", "X-Team": "blue", "Accept": "application/vnd.x+json", "User-Agent": "pageside",
		"Idempotency-Key": "key-1", // of a tool that may write
	} {
		must.Be(t, e.last.header.Get(name), want, "%s", name)
	}
	c.Effect = tool.Read
	call(t, c, `{"id":"x"}`)
	must.Be(t, e.last.header.Get("Idempotency-Key")+e.last.header.Get("Content-Type"), "", "headers of a tool that reads")
}

func TestRequestsThatTakeTooLong(t *testing.T) {
	release := make(chan struct{})
	srv := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { <-release }))
	defer srv.Close()
	defer close(release)
	c := (&endpoint{Server: srv}).config("/v1")
	c.Timeout = 50 * time.Millisecond
	if res := call(t, c, `{"id":"x"}`); !res.IsError || !strings.Contains(res.Text, "effect") {
		t.Errorf("%+v", res)
	}
}

// TestDefinitionNamesTheRequest: who agreed to a call of one endpoint has not agreed to the same
// call of another. A new token changes nothing.
func TestDefinitionNamesTheRequest(t *testing.T) {
	e := serve(t)
	base := func() httptool.Config {
		c := e.config("/alerts/{{.id}}")
		c.Method, c.Headers, c.Body = "POST", map[string]string{"X-Team": "a", "Authorization": "Bearer one"}, `{"q":"{{.q}}"}`
		return c
	}
	was := register(t, base()).Definition()
	rotated := base()
	rotated.Headers["Authorization"] = "Bearer two"
	must.Be(t, register(t, rotated).Definition(), was, "the definition with another token")
	for name, change := range map[string]func(*httptool.Config){
		"method":      func(c *httptool.Config) { c.Method = "PUT" },
		"url":         func(c *httptool.Config) { c.URL = e.URL + "/users/{{.id}}" },
		"header":      func(c *httptool.Config) { c.Headers["X-Team"] = "b" },
		"body":        func(c *httptool.Config) { c.Body = `{"all":"{{.q}}"}` },
		"contentType": func(c *httptool.Config) { c.ContentType = "text/plain" },
	} {
		other := base()
		change(&other)
		if register(t, other).Definition() == was {
			t.Errorf("another %s is the same definition", name)
		}
	}
}
