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

// Values stand where the template puts them, whatever is in them.
func TestURLTemplates(t *testing.T) {
	const path = "/v1/{{.id}}/papers"
	const query = "/v1/all?q={{.q}}&limit={{default 10 .limit}}"
	for _, tt := range []struct{ name, template, args, want string }{
		{"plain", path, `{"id":"a1"}`, "/v1/a1/papers"},
		{"space and letters", path, `{"id":"ä b"}`, "/v1/%C3%A4%20b/papers"},
		{"question mark", path, `{"id":"a?admin=1"}`, "/v1/a%3Fadmin=1/papers"},
		{"fragment", path, `{"id":"a#b"}`, "/v1/a%23b/papers"},
		{"percent", path, `{"id":"%2e%2e"}`, "/v1/%252e%252e/papers"},
		{"encoded slash", path, `{"id":"%2F"}`, "/v1/%252F/papers"},
		{"at sign", path, `{"id":"@evil.test"}`, "/v1/@evil.test/papers"},
		{"three dots", path, `{"id":"..."}`, "/v1/.../papers"},
		{"part of a segment", "/v1/id-{{.id}}.json", `{"id":".."}`, "/v1/id-...json"},
		{"query", query, `{"id":"x","q":"a b&admin=1#x"}`, "/v1/all?q=a+b%26admin%3D1%23x&limit=10"},
		{"query with slashes", query, `{"id":"x","q":"../..","limit":3}`, "/v1/all?q=..%2F..&limit=3"},
		{"digits", query, `{"id":"x","q":"1","limit":9007199254740993}`, "/v1/all?q=1&limit=9007199254740993"},
		{"fractions", "/v1/all?r={{.ratio}}", `{"id":"x","ratio":0.1}`, "/v1/all?r=0.1"},
		{"other notations", "/v1/all?r={{.ratio}}", `{"id":"x","ratio":1.50e3}`, "/v1/all?r=1.50e3"},
		{"boolean", "/v1/all?d={{.deep}}", `{"id":"x","deep":false}`, "/v1/all?d=false"},
		{"left out", "/v1/all?a=1{{if .q}}&q={{.q}}{{end}}", `{"id":"x"}`, "/v1/all?a=1"},
		{"the query begins in a branch", "/v1/all{{if .q}}?q={{.q}}{{end}}", `{"id":"x","q":"a/b"}`, "/v1/all?q=a%2Fb"},
		{"comparison", "/v1/all{{if gt .limit 5}}/many{{end}}", `{"id":"x","limit":6}`, "/v1/all/many"},
		{"list", "/v1/all?{{range .tags}}tag={{.}}&{{end}}", `{"id":"x","tags":["a&b","c"]}`, "/v1/all?tag=a%26b&tag=c&"},
		{"joined list", `/v1/all?tags={{join .tags ","}}`, `{"id":"x","tags":["a","b"]}`, "/v1/all?tags=a%2Cb"},
		{"no list", "/v1/all?{{range .tags}}tag={{.}}{{end}}", `{"id":"x"}`, "/v1/all?"},
		{"JSON in the query", "/v1/all?f={{json .filter}}", `{"id":"x","filter":{"a":"<b>"}}`, "/v1/all?f=%7B%22a%22%3A%22%3Cb%3E%22%7D"},
		{"map", "/v1/all?{{range $k, $v := .filter}}{{$k}}={{$v}}&{{end}}", `{"id":"x","filter":{"a&b":"c=d"}}`, "/v1/all?a%26b=c%3Dd&"},
		{"functions", "/v1/{{.id | lower | trim}}", `{"id":" ABC "}`, "/v1/abc"},
		{"variables", "/v1/{{$x := .id}}{{$x}}", `{"id":"a"}`, "/v1/a"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			e := serve(t)
			res := call(t, e.config(tt.template), tt.args)
			if res.IsError || e.last.uri != tt.want {
				t.Errorf("got %+v: %+v, want %s", e.last, res, tt.want)
			}
		})
	}
}

// What would make another path, or nothing sensible, never leaves.
func TestArgumentsThatDoNotFitTheURL(t *testing.T) {
	const path = "/v1/{{.id}}/papers"
	for _, tt := range []struct{ name, template, args, want string }{
		{"parent", path, `{"id":".."}`, "cannot be a part of the path"},
		{"here", path, `{"id":"."}`, "cannot be a part of the path"},
		{"parent of two parts", "/v1/{{.id}}{{.q}}/papers", `{"id":".","q":"."}`, "cannot be a part of the path"},
		{"slash", path, `{"id":"a/b"}`, "id must not contain /"},
		{"traversal", path, `{"id":"../../admin"}`, "id must not contain /"},
		{"backslash", path, `{"id":"..\\admin"}`, "id must not contain /"},
		{"empty", path, `{"id":""}`, "id must not be empty"},
		{"line break", path, `{"id":"a\r\nHost: x"}`, "id must not contain control characters"},
		{"tab", path, `{"id":"a\tb"}`, "control characters"},
		{"missing", "/v1/all?q={{.q}}", `{"id":"x"}`, "q is missing"},
		{"null", "/v1/{{.q}}", `{"id":"x"}`, "q is missing"},
		{"list", "/v1/all?t={{.tags}}", `{"id":"x","tags":["a"]}`, "tags is a list, and only"},
		{"object", "/v1/all?t={{.filter}}", `{"id":"x","filter":{}}`, "filter is an object"},
		{"member", "/v1/all?t={{.filter.a}}", `{"id":"x","filter":{}}`, "filter.a is missing"},
		{"too long", "/v1/all?t={{.q}}", `{"id":"x","q":"` + strings.Repeat("x", 9000) + `"}`, "at most 8192 are possible"},
		{"loop over a number", "/v1/all?{{range .limit}}{{end}}", `{"id":"x","limit":9000000000000}`, "a list was expected"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			e := serve(t)
			res := call(t, e.config(tt.template), tt.args)
			if !res.IsError || !strings.Contains(res.Text, tool.CodeInvalidArgs) || !strings.Contains(res.Text, tt.want) || e.last != nil {
				t.Errorf("got %+v: %+v, want %s", e.last, res, tt.want)
			}
		})
	}
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
			if err == nil {
				t.Errorf("%q: no request and no error", s)
			}
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

func TestBodies(t *testing.T) {
	for _, tt := range []struct{ name, method, body, media, args, want string }{
		{"values", "", `{"q": {{json .q}}, "n": {{json .limit}}, "t": {{json .tags}}}`, "", `{"id":"x","q":"a\"b</script>","limit":3,"tags":["a"]}`,
			`{"q": "a\"b</script>", "n": 3, "t": ["a"]}`},
		{"left out is null", "", `{"q": {{json .q}}}`, "", `{"id":"x"}`, `{"q": null}`},
		{"values without json", "", `{"q": {{.q}}, "n": {{.limit}}}`, "", `{"id":"x","q":"a\"b","limit":3}`, `{"q": "a\"b", "n": 3}`},
		{"in a string", "", `{"q": "id:{{.id}} {{.q}}"}`, "", `{"id":"x","q":"\",\"admin\":true,\"a\":\"\\"}`, `{"q": "id:x \",\"admin\":true,\"a\":\"\\"}`},
		{"a branch", "PUT", `{"id": "{{.id}}"{{if .q}}, "q": {{json .q}}{{end}}}`, "", `{"id":"x"}`, `{"id": "x"}`},
		{"a list", "", `[{{range $i, $t := .tags}}{{if $i}},{{end}}{"term": "{{$t}}"}{{end}}]`, "", `{"id":"x","tags":["a","b\""]}`, `[{"term": "a"},{"term": "b\""}]`},
		{"none is the arguments", "POST", "", "", `{"id":"x","limit":3}`, `{"id":"x","limit":3}`},
		{"form", "", "a={{.id}}&b={{.q}}", "application/x-www-form-urlencoded", `{"id":"x","q":"1&2=3 4"}`, "a=x&b=1%262%3D3+4"},
		{"text", "", "find {{.q}}{{.limit}}", "text/plain", `{"id":"x","q":"a&\"b"}`, `find a&"b`},
		{"vendor JSON", "", `{"q":{{.q}}}`, "application/vnd.x+json; charset=utf-8", `{"id":"x","q":"a"}`, `{"q":"a"}`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			e := serve(t)
			c := e.config("/v1")
			c.Method, c.Body, c.ContentType = tt.method, tt.body, tt.media
			res := call(t, c, tt.args)
			if res.IsError || e.last.body != tt.want {
				t.Fatalf("got %+v: %+v, want %s", e.last, res, tt.want)
			}
			want := tt.media
			if want == "" {
				want = "application/json"
			}
			must.Be(t, e.last.header.Get("Content-Type"), want, "content type")
			if want := or(tt.method, "POST"); e.last.method != want {
				t.Errorf("method %s, want %s", e.last.method, want)
			}
		})
	}
}

func or(s, otherwise string) string {
	if s == "" {
		return otherwise
	}
	return s
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
	h := e.last.header
	if h.Get("Authorization") != "Bearer s3cret-token" || h.Get("X-Team") != "blue" || h.Get("Accept") != "application/vnd.x+json" || h.Get("User-Agent") != "pageside" {
		t.Errorf("headers %v", h)
	}
	must.Be(t, h.Get("Idempotency-Key"), "key-1", "the idempotency key of a tool that may write")
	c.Effect = tool.Read
	call(t, c, `{"id":"x"}`)
	if h := e.last.header; h.Get("Idempotency-Key") != "" || h.Get("Content-Type") != "" {
		t.Errorf("headers of a tool that reads: %v", h)
	}
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
