package httptool_test

import (
	"encoding/json"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/pageside/pageside/test/must"
	"github.com/pageside/pageside/tool"
	"github.com/pageside/pageside/tool/httptool"
)

const papers = `{"total":2,"hits":[{"title":"On <Logs> & \"more\"","year":2024},{"title":"Second"}],"card":{"n":1.50,"items":["a"]},"none":null,"a/b":{"~":7}}`

func TestResults(t *testing.T) {
	for _, tt := range []struct {
		name   string
		change func(*httptool.Config, *endpoint)
		want   string
	}{
		{"the whole body", func(*httptool.Config, *endpoint) {}, papers},
		{"template", func(c *httptool.Config, _ *endpoint) {
			c.Result = "{{.body.total}} papers for {{.args.id}}:{{range .body.hits}}\n- {{.title}} ({{.year}}){{end}}"
		}, "2 papers for x:\n- On <Logs> & \"more\" (2024)\n- Second ()"},
		{"template with JSON", func(c *httptool.Config, _ *endpoint) { c.Result = "{{.status}} {{.body.card}}" }, `200 {"items":["a"],"n":1.50}`},
		{"template that does not fit", func(c *httptool.Config, _ *endpoint) { c.Result = "{{index .body.hits 7}}" }, papers},
		{"template over text", func(c *httptool.Config, e *endpoint) {
			c.Result, e.media, e.answer = "said: {{.body}}", "text/plain", "hello"
		}, "said: hello"},
		{"pointer", func(c *httptool.Config, _ *endpoint) { c.ResultPointer = "/hits/1" }, `{"title":"Second"}`},
		{"pointer to a text", func(c *httptool.Config, _ *endpoint) { c.ResultPointer = "/hits/0/title" }, `On <Logs> & "more"`},
		{"pointer with escapes", func(c *httptool.Config, _ *endpoint) { c.ResultPointer = "/a~1b/~0" }, `7`},
		{"text", func(_ *httptool.Config, e *endpoint) { e.media, e.answer = "text/html; charset=utf-8", "<b>hi</b>" }, "<b>hi</b>"},
		{"nothing", func(_ *httptool.Config, e *endpoint) { e.status, e.answer = 204, "" }, "The endpoint answered 204 No Content, without content."},
		{"binary", func(_ *httptool.Config, e *endpoint) { e.media, e.answer = "image/png", "\x89PNG\x00\xff" }, "The endpoint answered with image/png of 6 bytes, which cannot be shown as text."},
		{"unlabelled text", func(_ *httptool.Config, e *endpoint) { e.media, e.answer = "application/octet-stream", "plain" }, "plain"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			e := serve(t)
			e.answer = papers
			c := e.config("/v1")
			tt.change(&c, e)
			if res := call(t, c, `{"id":"x"}`); res.IsError || res.Text != tt.want {
				t.Errorf("got  %+v\nwant %s", res, tt.want)
			}
		})
	}
}

func TestPayloads(t *testing.T) {
	for _, tt := range []struct{ name, pointer, answer, want string }{
		{"a part", "/card", papers, `{"n":1.50,"items":["a"]}`}, // digits as they came
		{"the whole", "", `{"a":1}`, `{"a":1}`},
		{"nothing there", "/nowhere", papers, ""},
		{"null", "/none", papers, ""},
		{"no object", "/hits", papers, ""},
		{"no JSON", "/card", "hello", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			e := serve(t)
			e.answer = tt.answer
			c := e.config("/v1")
			c.PayloadType, c.PayloadPointer = "paper_list", tt.pointer
			res := call(t, c, `{"id":"x"}`)
			got, _ := res.Payload.(json.RawMessage)
			if res.IsError || string(got) != tt.want || (tt.want == "") != (res.Payload == nil) {
				t.Errorf("got %s, %+v, want %s", got, res, tt.want)
			}
		})
	}
}

// A long answer within maxBytes is a result, however long the model may see it.
func TestLongAnswers(t *testing.T) {
	e := serve(t)
	e.media, e.answer = "text/plain", strings.Repeat("x", 5_000_000)
	c := e.config("/v1")
	c.MaxBytes = 20_000_000
	if res := call(t, c, `{"id":"x"}`); res.IsError || len(res.Text) < len(e.answer) {
		t.Errorf("%d bytes: %.200s", len(res.Text), res.Text)
	}
}

func TestRefusals(t *testing.T) {
	for _, tt := range []struct {
		name   string
		change func(*httptool.Config, *endpoint)
		want   []string
	}{
		{"what the endpoint said", func(_ *httptool.Config, e *endpoint) { e.status, e.answer = 422, `{"error":"year must be a number"}` },
			[]string{`"code":"http_422"`, `422 Unprocessable Entity`, "year must be a number", `"retryable":true`, "Correct the arguments"}},
		{"not found", func(_ *httptool.Config, e *endpoint) { e.status = 404 }, []string{`"code":"http_404"`, `"retryable":false`}},
		{"too many", func(_ *httptool.Config, e *endpoint) {
			e.status, e.headers = 429, map[string]string{"Retry-After": "30"}
		},
			[]string{`"code":"http_429"`, `"retryable":true`, "Retry-After 30"}},
		{"a page of an error", func(_ *httptool.Config, e *endpoint) { e.status, e.answer = 500, strings.Repeat("x", 100_000) }, []string{`"code":"http_500"`, "xxx…"}},
		{"binary", func(_ *httptool.Config, e *endpoint) { e.status, e.media, e.answer = 500, "image/png", "\x00\xff" }, []string{`Internal Server Error"`}},
		{"not JSON", func(c *httptool.Config, e *endpoint) {
			c.ResultPointer, e.media, e.answer = "/a", "text/html", "<h1>login</h1>"
		},
			[]string{`"code":"bad_response"`, "text/html where JSON was expected", "<h1>login"}},
		{"nothing at the pointer", func(c *httptool.Config, _ *endpoint) { c.ResultPointer = "/a/0" }, []string{`"code":"bad_response"`, "nothing at /a/0"}},
		{"too large", func(c *httptool.Config, e *endpoint) { c.MaxBytes, e.answer = 1000, strings.Repeat("x", 1001) }, []string{`"code":"too_large"`}},
		{"a redirect elsewhere", func(_ *httptool.Config, e *endpoint) {
			e.status, e.headers = 302, map[string]string{"Location": "http://169.254.169.254/latest"}
		},
			[]string{`"code":"not_allowed"`}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			e := serve(t)
			c := e.config("/v1")
			tt.change(&c, e)
			res := call(t, c, `{"id":"x"}`)
			if len(res.Text) > 4<<10 || !res.IsError {
				t.Errorf("%d bytes: %+v", len(res.Text), res)
			}
			for _, want := range tt.want {
				if !strings.Contains(res.Text, want) {
					t.Errorf("got %s\nwant %s", res.Text, want)
				}
			}
			if strings.Contains(res.Text, "169.254") || strings.Contains(res.Text, "127.0.0.1") {
				t.Errorf("the model is told an address: %s", res.Text)
			}
		})
	}
}

// An endpoint that repeats what it was sent does not hand the secret to the model.
func TestSecretsAreStruckOut(t *testing.T) {
	for _, status := range []int{200, 401} {
		e := serve(t)
		e.status = status
		e.answer = `{"you sent":"Authorization: Bearer s3cret-token-1234","token":"s3cret-token-1234","key":"k-9999","in the URL":"u-8888"}`
		c := e.config("/v1?key=u-8888")
		c.Headers = map[string]string{"Authorization": "Bearer s3cret-token-1234", "X-Api-Key": "k-9999", "Accept": "application/json"}
		c.Secrets = []string{"u-8888"}
		c.PayloadType = "echo"
		res := call(t, c, `{"id":"x"}`)
		payload, _ := json.Marshal(res.Payload)
		for _, secret := range []string{"s3cret", "k-9999", "u-8888"} {
			if strings.Contains(res.Text+string(payload), secret) {
				t.Errorf("%d: %s is in %s %s", status, secret, res.Text, payload)
			}
		}
	}
}

func TestEndpointsThatAreNotThere(t *testing.T) {
	srv := httptest.NewServer(http.NotFoundHandler())
	srv.Close()
	c := (&endpoint{Server: srv}).config("/v1")
	if res := call(t, c, `{"id":"x"}`); !res.IsError || !strings.Contains(res.Text, "gave no answer to the request: whether it had an effect is not known") {
		t.Errorf("%+v", res)
	}
	c.Effect = tool.Read
	if res := call(t, c, `{"id":"x"}`); !res.IsError || !strings.Contains(res.Text, `"code":"unreachable"`) || !strings.Contains(res.Text, `"retryable":true`) {
		t.Errorf("%+v", res)
	}
}

func TestConfigsThatCannotBeUsed(t *testing.T) {
	ok := httptool.Config{Name: "x", InputSchema: json.RawMessage(schema), URL: "https://api.example.com/v1/{{.id}}"}
	for _, tt := range []struct {
		name   string
		change func(*httptool.Config)
		want   string
	}{
		{"name", func(c *httptool.Config) { c.Name = "a b" }, "name: a name is"},
		{"schema", func(c *httptool.Config) { c.InputSchema = json.RawMessage(`{"$ref":"#"}`) }, "inputSchema: "},
		{"method", func(c *httptool.Config) { c.Method = "TRACE" }, `method: "TRACE" is none of`},
		{"scheme", func(c *httptool.Config) { c.URL = "ftp://a/" }, "url: it must begin with"},
		{"scheme from an argument", func(c *httptool.Config) { c.URL = "{{.id}}://a/" }, "url: it must begin with"},
		{"host from an argument", func(c *httptool.Config) { c.URL = "https://{{.id}}.example.com/" }, "url: the host must be plain text"},
		{"port from an argument", func(c *httptool.Config) { c.URL = "https://example.com:{{.limit}}/" }, "url: the host must be plain text"},
		{"host continued by an argument", func(c *httptool.Config) { c.URL = "https://example.com{{.id}}/" }, "url: the host must be plain text"},
		{"user", func(c *httptool.Config) { c.URL = "https://u:p@example.com/" }, "url: it must not hold a user name"},
		{"fragment", func(c *httptool.Config) { c.URL += "#{{.q}}" }, "url: a fragment"},
		{"dots", func(c *httptool.Config) { c.URL = "https://example.com/a/../{{.id}}" }, "url: the path must not have . or .."},
		{"syntax", func(c *httptool.Config) { c.URL += "{{" }, "url: 1: unclosed action"},
		{"argument in single braces", func(c *httptool.Config) { c.URL += "/{id}" }, "url: {id} would be sent as it is: write {{ .id }} for the argument"},
		{"single braces in the query", func(c *httptool.Config) { c.URL += "?a=1&id={id}" }, "url: {id} would be sent as it is: write {{ .id }} for the argument"},
		{"argument without its dot", func(c *httptool.Config) { c.URL += "/{{ id }}" }, `function "id" not defined: an argument of the call is {{ .id }}`},
		{"unknown argument", func(c *httptool.Config) { c.URL += "/{{.idd}}" }, `url: it refers to "idd", and what there is, is: deep, filter, id`},
		{"unknown argument in a condition", func(c *httptool.Config) { c.URL += "{{if and .q (eq .x 1)}}{{end}}" }, `url: it refers to "x"`},
		{"unknown argument in a loop", func(c *httptool.Config) { c.URL += "?{{range .tags}}{{$.x}}{{end}}" }, `url: it refers to "x"`},
		{"unknown function", func(c *httptool.Config) { c.URL += "{{env .id}}" }, `url: 1: function "env" not defined`},
		{"own escaping", func(c *httptool.Config) { c.URL += "?q={{.q | urlquery}}" }, "url: urlquery is not needed"},
		{"unclear place", func(c *httptool.Config) { c.URL += "{{if .q}}?q=1{{end}}{{.id}}" }, "url: {{.id}} stands behind branches"},
		{"loop into the query", func(c *httptool.Config) { c.URL += "{{range .tags}}?{{end}}" }, "url: {{range .tags}} ends in another place"},
		{"define", func(c *httptool.Config) { c.URL += `{{define "x"}}{{end}}` }, "url: {{define}}"},
		{"template", func(c *httptool.Config) { c.URL += `{{template "x"}}` }, "is not supported"},
		{"private host", func(c *httptool.Config) { c.URL = "http://127.0.0.1:9200/{{.id}}" }, `egress: egress to "127.0.0.1" is not allowed: a loopback address; to allow it, add 127.0.0.1 to egress.private`},
		{"private name", func(c *httptool.Config) { c.URL = "http://localhost/{{.id}}" }, "egress: "},
		{"metadata", func(c *httptool.Config) { c.URL = "http://169.254.169.254/{{.id}}" }, "egress: "},
		{"host that is not listed", func(c *httptool.Config) { c.Egress.Hosts = []string{"*.example.org"} }, "egress: "},
		{"policy", func(c *httptool.Config) { c.Egress.Private = []string{"10/8"} }, "egress: private: "},
		{"header name", func(c *httptool.Config) { c.Headers = map[string]string{"A B": "x"} }, `headers: "A B" is no header name`},
		{"header value", func(c *httptool.Config) { c.Headers = map[string]string{"X-Key": "s3cret\r\nHost: x"} }, "headers: the value of X-Key"},
		{"host header", func(c *httptool.Config) { c.Headers = map[string]string{"host": "x"} }, "headers: Host is set"},
		{"type header", func(c *httptool.Config) { c.Headers = map[string]string{"content-type": "x"} }, "headers: say Content-Type in contentType"},
		{"timeout", func(c *httptool.Config) { c.Timeout = -1 }, "timeout: "},
		{"body of a GET", func(c *httptool.Config) { c.Method, c.Body = "GET", "{}" }, "body: a GET request has no body"},
		{"body that is no JSON", func(c *httptool.Config) { c.Body = `{"q": {{json .q}}` }, "body: the template makes no valid JSON"},
		{"body that is no JSON without the optional ones", func(c *httptool.Config) { c.Body = `{"a":1{{if not .q}},{{end}}}` }, "body: the template makes no valid JSON"},
		{"json within quotes", func(c *httptool.Config) { c.Body = `{"q": "{{json .q}}"}` }, "body: {{json .q}} makes JSON, quotes included"},
		{"behind a backslash", func(c *httptool.Config) { c.Body = `{"q": "\{{.q}}"}` }, `body: {{.q}} stands behind a \`},
		{"branches of strings", func(c *httptool.Config) { c.Body = `{"q": {{if .q}}"{{end}}{{.id}}"}` }, "body: {{.id}} stands behind branches"},
		{"form without template", func(c *httptool.Config) { c.Method, c.ContentType = "POST", "application/x-www-form-urlencoded" }, "body: application/x-www-form-urlencoded needs a template"},
		{"content type", func(c *httptool.Config) { c.Method, c.ContentType = "POST", "json;;" }, "contentType: "},
		{"content type without body", func(c *httptool.Config) { c.ContentType = "application/json" }, "contentType: a GET request without body has none"},
		{"result", func(c *httptool.Config) { c.Result = "{{.hits}}" }, `result: it refers to "hits", and what there is, is: status, body, args`},
		{"two results", func(c *httptool.Config) { c.Result, c.ResultPointer = "{{.body}}", "/a" }, "result: give either"},
		{"pointer", func(c *httptool.Config) { c.ResultPointer = "a/b" }, `resultPointer: "a/b" is no JSON pointer`},
		{"pointer escape", func(c *httptool.Config) { c.ResultPointer = "/a~2" }, `resultPointer: "/a~2" is no JSON pointer`},
		{"payload pointer", func(c *httptool.Config) { c.PayloadPointer = "/a" }, "payloadPointer: it needs a payloadType"},
		{"payload pointer", func(c *httptool.Config) { c.PayloadType, c.PayloadPointer = "x", "a" }, "payloadPointer: "},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := ok
			tt.change(&c)
			_, err := httptool.New(c)
			if err == nil || !strings.HasPrefix(err.Error(), "HTTP tool "+quote(c.Name)+": ") || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %v, want %s", err, tt.want)
			}
			if err != nil && strings.Contains(err.Error(), "s3cret") {
				t.Errorf("the error shows a secret: %v", err)
			}
		})
	}
	must.Be(t, must.Err(httptool.New(ok)), nil, "what the others differ from")
}

func quote(s string) string { return `"` + s + `"` }

// TestSecretsOfAFailedRequestAreNotLogged: errors of net/http have the URL in them.
func TestSecretsOfAFailedRequestAreNotLogged(t *testing.T) {
	e := serve(t)
	c := e.config("/{{.id}}?key=s3cret-key")
	c.Secrets = []string{"s3cret-key"}
	made := must.Get(httptool.New(c))(t)
	e.Close()
	var log strings.Builder
	call := tool.Call{ID: "c1", Tool: made.Name, Args: json.RawMessage(`{"id":"7"}`), Log: slog.New(slog.NewTextHandler(&log, nil))}
	r := tool.Execute(t.Context(), made, call, func(tool.Progress) {})
	if all := log.String() + r.Text; !r.IsError || strings.Contains(all, "s3cret") || !strings.Contains(log.String(), "request failed") {
		t.Errorf("the log is %s, the result %s", log.String(), r.Text)
	}
}
