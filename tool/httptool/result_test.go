package httptool_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/pageside/pageside/test/must"
	"github.com/pageside/pageside/test/talk"
	"github.com/pageside/pageside/tool"
	"github.com/pageside/pageside/tool/httptool"
)

const (
	papers = `{"total":2,"hits":[{"title":"On <Logs> & \"more\"","year":2024},{"title":"Second"}],"card":{"n":1.50,"items":["a"]},"none":null,"a/b":{"~":7}}`
	hits   = `{"hits":[{"title":"First","url":"https://example.com/1","snippet":"It worked."},{"name":"Second","at":{"link":"/articles/2"},"title":7}]}`
)

func TestAnswers(t *testing.T) {
	talk.Lines(t, "testdata/answers.txtar", func(t *testing.T, section, line string) []string {
		config, answer, _ := strings.Cut(line, " ← ")
		e := serve(t)
		e.answer = strings.NewReplacer("PAPERS", papers, "HITS", hits).Replace(answer)
		c := e.config("/v1")
		must.Do(t, json.Unmarshal([]byte(config), &c))
		c.PayloadType, c.Secrets = "paper_list", []string{"s3cret-value"}
		res := call(t, c, `{"id":"x"}`)
		must.Be(t, res.IsError, false, "%s: %s is an error", line, res.Text)
		switch section {
		case "text":
			return []string{res.Text}
		case "sources":
			return []string{string(must.Get(json.Marshal(cited(res)))(t))}
		}
		if res.Payload == nil {
			return []string{"none"}
		}
		return []string{string(res.Payload.(json.RawMessage))}
	})
}

func TestAnswersThatAreNoJSON(t *testing.T) {
	for _, tt := range []struct {
		status                      int
		media, template, said, want string
	}{
		{200, "text/plain", "said: {{.body}}", "hello", "said: hello"},
		{200, "text/html; charset=utf-8", "", "<b>hi</b>", "<b>hi</b>"},
		{204, "application/json", "", "", "The endpoint answered 204 No Content, without content."},
		{200, "image/png", "", "\x89PNG\x00\xff", "The endpoint answered with image/png of 6 bytes, which cannot be shown as text."},
		{200, "application/octet-stream", "", "plain", "plain"},
	} {
		e := serve(t)
		e.status, e.media, e.answer = tt.status, tt.media, tt.said
		c := e.config("/v1")
		c.Result = tt.template
		res := call(t, c, `{"id":"x"}`)
		must.Be(t, res.Text, tt.want, "an answer of %s", tt.media)
		must.Be(t, res.IsError, false, "an answer of %s is an error", tt.media)
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
				must.Have(t, res.Text, want, "what the model is told")
			}
			must.Lack(t, res.Text, "169.254", "what the model is told")
			must.Lack(t, res.Text, "127.0.0.1", "what the model is told")
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
			must.Lack(t, res.Text+string(payload), secret, "with status %d", status)
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
	usable := func() httptool.Config {
		return httptool.Config{Name: "x", InputSchema: json.RawMessage(schema), URL: "https://api.example.com/v1/{{.id}}"}
	}
	must.Be(t, must.Err(httptool.New(usable())), nil, "what the others differ from")
	talk.Lines(t, "testdata/unusable.txtar", func(t *testing.T, _, line string) []string {
		c := usable()
		must.Do(t, json.Unmarshal([]byte(line), &c))
		return []string{must.Text(must.Err(httptool.New(c)))}
	})
}
