package a2atool_test

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
	"time"

	"github.com/pageside/pageside/internal/leaktest"
	"github.com/pageside/pageside/test/must"
	"github.com/pageside/pageside/tool"
	"github.com/pageside/pageside/tool/a2atool"
)

func TestMain(m *testing.M) { leaktest.Main(m) }

// far is an agent elsewhere: what it answers to each method.
type far struct {
	*httptest.Server
	mu    sync.Mutex
	asked []string // methods and params, in order
}

type answers map[string]func(w http.ResponseWriter, r *http.Request)

func serve(t *testing.T, how answers) *far {
	t.Helper()
	f := &far{}
	f.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var req struct {
			Method string
			Params json.RawMessage
		}
		raw, _ := io.ReadAll(r.Body)
		must.Be(t, json.Unmarshal(raw, &req), nil, "the request %s", raw)
		must.Be(t, r.Header.Get("A2A-Version"), "1.0", "the version of %s", raw)
		f.mu.Lock()
		f.asked = append(f.asked, req.Method+" "+string(req.Params))
		f.mu.Unlock()
		answer := how[req.Method]
		if answer == nil {
			answer = says(`"error":{"code":-32601,"message":"no such method"}`)
		}
		answer(w, r)
	}))
	t.Cleanup(func() {
		f.CloseClientConnections()
		f.Close()
	})
	return f
}

func (f *far) methods() (names []string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, line := range f.asked {
		name, _, _ := strings.Cut(line, " ")
		names = append(names, name)
	}
	return names
}

// says answers once.
func says(body string) func(http.ResponseWriter, *http.Request) {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprintf(w, `{"jsonrpc":"2.0","id":1,%s}`, body)
	}
}

// streams answers with events, and then ends the stream.
func streams(events ...string) func(http.ResponseWriter, *http.Request) {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		for _, e := range events {
			fmt.Fprintf(w, "data: {\"jsonrpc\":\"2.0\",\"id\":1,\"result\":%s}\n\n", e)
			w.(http.Flusher).Flush()
		}
	}
}

// hangs is streams without an end.
func hangs(events ...string) func(http.ResponseWriter, *http.Request) {
	return func(w http.ResponseWriter, r *http.Request) {
		streams(events...)(w, r)
		w.(http.Flusher).Flush()
		<-r.Context().Done()
	}
}

func is(state, text string) string {
	return fmt.Sprintf(`{"state":"TASK_STATE_%s","message":{"messageId":"s","role":"ROLE_AGENT","parts":[{"text":%q}]}}`, state, text)
}

func updates(state, text string) string {
	return `{"statusUpdate":{"taskId":"t1","contextId":"c1","status":` + is(state, text) + `}}`
}

func shows(id string, more bool, parts string) string {
	return fmt.Sprintf(`{"artifactUpdate":{"taskId":"t1","contextId":"c1","append":%t,"artifact":{"artifactId":%q,"parts":[%s]}}}`, more, id, parts)
}

const working = `{"task":{"id":"t1","contextId":"c1","status":{"state":"TASK_STATE_WORKING"}}}`

func (f *far) tool(t *testing.T, change ...func(*a2atool.Config)) *tool.Tool {
	t.Helper()
	c := a2atool.Config{
		Name: "travel", Description: "Books trips.", URL: f.URL + "/a2a", Headers: map[string]string{"Authorization": "Bearer a-long-secret"},
		Egress: a2atool.Egress{Private: []string{"127.0.0.1"}},
	}
	for _, do := range change {
		do(&c)
	}
	made := must.Get(a2atool.New(c))(t)
	list := must.Get(tool.NewRegistry(made))(t)
	made, _ = list.Get("travel")
	return made
}

// book calls the tool, and returns its progress too, of which it tells heard.
func book(t *testing.T, made *tool.Tool, reply *tool.Reply, heard ...func()) (tool.Result, []string) {
	t.Helper()
	var progress []string
	r := tool.Execute(t.Context(), made, tool.Call{
		ID: "call", Key: "key", Args: json.RawMessage(`{"message":"To Rome","data":{"people":2}}`), Reply: reply, CanAsk: true, Log: slog.New(slog.DiscardHandler),
	}, func(p tool.Progress) {
		progress = append(progress, p.Message)
		for _, tell := range heard {
			tell()
		}
	})
	return r, progress
}

// TestATaskIsACall: artifacts are the result, updates the progress.
func TestATaskIsACall(t *testing.T) {
	heard := make(chan struct{})
	f := serve(t, answers{"SendStreamingMessage": func(w http.ResponseWriter, r *http.Request) {
		must.Be(t, r.Header.Get("Authorization"), "Bearer a-long-secret", "the credentials")
		streams(working, updates("WORKING", "Looking for\u200b trains"))(w, r)
		w.(http.Flusher).Flush()
		<-heard // a result that is there leaves no time for progress
		hangs(shows("a", false, `{"text":"Two tickets"}`), shows("a", true, `{"text":" to Rome, a-long-secret."}`),
			shows("b", false, `{"data":{"price":42}},{"url":"https://x.example/t.pdf","filename":"t.pdf","mediaType":"application/pdf"},{"raw":"aGVsbG8h","mediaType":"image/png"}`),
			updates("COMPLETED", "Done"))(w, r) // what follows the end is not waited for
	}})
	r, progress := book(t, f.tool(t), nil, sync.OnceFunc(func() { close(heard) }))
	want := "Two tickets to Rome, ***.\n\n{\"price\":42}\n\n[a file: t.pdf, application/pdf, <https://x.example/t.pdf>]\n\n[a file: image/png, 6 bytes, not shown]"
	if r.IsError || r.Text != want {
		t.Errorf("the result is %q, want %q", r.Text, want)
	}
	if len(progress) == 0 || strings.Contains(strings.Join(progress, ""), "\u200b") {
		t.Errorf("the progress is %q", progress)
	}
	sent := f.asked[0]
	for _, part := range []string{`"messageId":"key"`, `{"text":"To Rome"}`, `{"data":{"people":2}}`, `"role":"ROLE_USER"`} {
		must.Have(t, sent, part, "what is sent")
	}
}

// TestWhatAnAgentAnswers: each end of a task has its result, and each failure its words.
func TestWhatAnAgentAnswers(t *testing.T) {
	stream := func(events ...string) answers { return answers{"SendStreamingMessage": streams(events...)} }
	status := func(code int) answers {
		return answers{"SendStreamingMessage": func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(code) }}
	}
	done := `"result":{"id":"t1","contextId":"c1","status":` + is("COMPLETED", "") + `,"artifacts":[{"artifactId":"a","parts":[{"text":"At last"}]}]}`
	for name, c := range map[string]struct {
		how  answers
		want string // of the result
		code string
	}{
		"a message":                {stream(`{"message":{"messageId":"m","role":"ROLE_AGENT","parts":[{"text":"Hello"},{"text":" you"}]}}`), "Hello you", ""},
		"nothing":                  {stream(`{"task":{"id":"t1","contextId":"c1","status":{"state":"TASK_STATE_COMPLETED"}}}`), "says nothing", ""},
		"no stream":                {answers{"SendMessage": says(`"result":{"message":{"messageId":"m","role":"ROLE_AGENT","parts":[{"text":"Hello"}]}}`)}, "Hello", ""},
		"a task without end":       {answers{"SendMessage": says(`"result":` + working), "GetTask": says(done)}, "At last", ""},
		"a stream that breaks":     {answers{"SendStreamingMessage": streams(working), "GetTask": says(done)}, "At last", ""},
		"failed":                   {stream(working, updates("FAILED", "No trains")), "the agent travel failed: No trains", tool.CodeFailed},
		"rejected":                 {stream(working, updates("REJECTED", "Not me")), "refused the task: Not me", tool.CodeFailed},
		"cancelled":                {stream(working, updates("CANCELED", "")), "cancelled the task", tool.CodeFailed},
		"credentials":              {stream(working, updates("AUTH_REQUIRED", "Sign in at x")), "wants credentials that it does not have: Sign in at x", a2atool.CodeAuthRequired},
		"refused credentials":      {status(401), "did not accept the server's credentials", a2atool.CodeAuthRequired},
		"a broken server":          {status(500), "answered 500 Internal Server Error", "http_500"},
		"a refusal":                {answers{"SendStreamingMessage": says(`"error":{"code":-32602,"message":"parts: a-long-secret is wrong"}`)}, "refused the message: parts: *** is wrong", a2atool.CodeRefused},
		"no protocol":              {answers{"SendStreamingMessage": func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "<html>") }}, "not A2A 1.0", a2atool.CodeBadResponse},
		"an unknown event":         {stream(`{"colour":"red"}`), "not A2A 1.0", a2atool.CodeBadResponse},
		"an artifact that is none": {stream(`{"artifactUpdate":{"taskId":"t1","contextId":"c1"}}`), "not A2A 1.0", a2atool.CodeBadResponse},
		"a hole among the parts":   {stream(`{"message":{"messageId":"m","role":"ROLE_AGENT","parts":[null]}}`), "not A2A 1.0", a2atool.CodeBadResponse},
		"a name twice":             {stream(`{"message":{"messageId":"m","messageId":"m","role":"ROLE_AGENT","parts":[{"text":"Hello"}]}}`), "not A2A 1.0", a2atool.CodeBadResponse},
		"data":                     {stream(`{"message":{"messageId":"m","role":"ROLE_AGENT","parts":[{"data":{"b":12345678901234567890.10,"a":["<",null]}},{"data":"parts"}]}}`), `{"b":12345678901234567890.10,"a":["<",null]}` + "\n\n" + `"parts"`, ""},
		"details of an error":      {answers{"SendStreamingMessage": says(`"error":{"code":-32602,"message":"No trains","data":{"why":"strike"}}`)}, "refused the message: No trains", a2atool.CodeRefused},
		"an error with a status": {answers{"SendStreamingMessage": func(w http.ResponseWriter, r *http.Request) {
			w.WriteHeader(http.StatusBadRequest)
			says(`"error":{"code":-32602,"message":"No trains"}`)(w, r)
		}}, "refused the message: No trains", a2atool.CodeRefused},
		"version 0.3": {stream(`{"kind":"task","id":"t1"}`), "not A2A 1.0", a2atool.CodeBadResponse},
		"elsewhere": {answers{"SendStreamingMessage": func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "http://127.0.0.1:1/", http.StatusTemporaryRedirect)
		}}, "not A2A 1.0", a2atool.CodeBadResponse},
		"silence":   {answers{"SendStreamingMessage": hangs(working)}, "said nothing for 200ms", a2atool.CodeStalled},
		"too much":  {stream(shows("a", false, `{"text":"`+strings.Repeat("x", 40_000)+`"}`)), "said more than can be read", tool.CodeTooLarge},
		"lost task": {answers{"SendStreamingMessage": streams(working), "GetTask": func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(502) }}, "broke off while it was working", a2atool.CodeLost},
	} {
		t.Run(name, func(t *testing.T) {
			f := serve(t, c.how)
			silence := time.Minute
			if name == "silence" {
				silence = 200 * time.Millisecond
			}
			made := f.tool(t, func(cfg *a2atool.Config) { cfg.Silence, cfg.MaxBytes = silence, 32<<10 }, a2atool.PollSoon)
			r, _ := book(t, made, nil)
			if !strings.Contains(r.Text, c.want) || tool.ErrorCode(r.Text) != c.code || strings.Contains(r.Text, "secret") {
				t.Errorf("the result is %s, want %q with the code %q", r.Text, c.want, c.code)
			}
		})
	}
}

// TestAnAgentThatIsAway: the connection is refused, or the address is.
func TestAnAgentThatIsAway(t *testing.T) {
	f := serve(t, nil)
	made := f.tool(t)
	f.Close()
	if r, _ := book(t, made, nil); tool.ErrorCode(r.Text) != a2atool.CodeUnreachable || !strings.Contains(r.Text, "not known") {
		t.Errorf("the result is %s", r.Text)
	}
	_, err := a2atool.New(a2atool.Config{Name: "travel", Description: "d", URL: "http://127.0.0.1:1/"})
	must.Fail(t, err, "url: egress to", "a private address")
}

// TestAQuestionIsTheUsers: the answer goes on with the same task.
func TestAQuestionIsTheUsers(t *testing.T) {
	f := serve(t, answers{"SendStreamingMessage": streams(working, updates("INPUT_REQUIRED", "Which day?"))})
	made := f.tool(t)
	r, _ := book(t, made, nil)
	if r.Ask == nil || r.Ask.Text != "The agent travel asks: Which day?" {
		t.Fatalf("it asks %+v", r)
	}
	again, _ := book(t, made, &tool.Reply{Text: "Monday", Memo: r.Ask.Memo})
	if again.Ask == nil || string(again.Ask.Memo) != `{"task":"t1","context":"c1","asked":2}` {
		t.Errorf("asked again, it keeps %+v", again.Ask)
	}
	for _, part := range []string{`"taskId":"t1"`, `"contextId":"c1"`, `[{"text":"Monday"}]`, `"messageId":"key-1"`} {
		must.Have(t, f.asked[1], part, "what is sent")
	}
	must.Fail(t, must.Err(made.Handler(t.Context(), &tool.Call{})), "", "a call without arguments")
}

// TestTheStreamAfterAnAnswer may begin with the task as it was when it asked.
func TestTheStreamAfterAnAnswer(t *testing.T) {
	asked := `{"task":{"id":"t1","contextId":"c1","status":` + is("INPUT_REQUIRED", "Which day?") + `}}`
	f := serve(t, answers{"SendStreamingMessage": hangs(asked, shows("a", false, `{"text":"Booked"}`), updates("COMPLETED", ""))})
	r, _ := book(t, f.tool(t), &tool.Reply{Text: "Monday", Memo: json.RawMessage(`{"task":"t1","context":"c1","asked":1}`)})
	must.Be(t, r.Text, "Booked", "the result is %+v", r)
}

// TestACallThatEndsCancelsItsTask, once it has one.
func TestACallThatEndsCancelsItsTask(t *testing.T) {
	cancelled := make(chan struct{})
	f := serve(t, answers{"SendStreamingMessage": hangs(working), "CancelTask": func(w http.ResponseWriter, r *http.Request) {
		close(cancelled)
		says(`"result":{"id":"t1","status":{"state":"TASK_STATE_CANCELED"}}`)(w, r)
	}})
	ctx, cancel := context.WithCancel(t.Context())
	r := tool.Execute(ctx, f.tool(t), tool.Call{ID: "call", Args: json.RawMessage(`{"message":"To Rome"}`)}, func(tool.Progress) { cancel() })
	must.Be(t, tool.ErrorCode(r.Text), tool.CodeInterrupted, "the result is %s", r.Text)
	<-cancelled
	must.Be(t, len(f.methods()), 2, "its requests")
}

// TestWhatCannotBeConfigured: the error names the field.
func TestWhatCannotBeConfigured(t *testing.T) {
	for field, change := range map[string]func(*a2atool.Config){
		"name":        func(c *a2atool.Config) { c.Name = "a b" },
		"description": func(c *a2atool.Config) { c.Description = " " },
		"url":         func(c *a2atool.Config) { c.URL = "https://a.example/.well-known/agent-card.json" },
		"headers":     func(c *a2atool.Config) { c.Headers = map[string]string{"A2A-Version": "0.3"} },
		"silence":     func(c *a2atool.Config) { c.Silence = -1 },
	} {
		c := a2atool.Config{Name: "travel", Description: "d", URL: "https://a.example/a2a"}
		change(&c)
		if _, err := a2atool.New(c); err == nil || !strings.HasPrefix(err.Error(), field+": ") {
			t.Errorf("%s: %v", field, err)
		}
	}
}
