package gate

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"strings"
	"testing"

	"github.com/pageside/pageside/agent"
	"github.com/pageside/pageside/llm/openai"
	"github.com/pageside/pageside/page"
	"github.com/pageside/pageside/protocol/agui"
	"github.com/pageside/pageside/run"
	"github.com/pageside/pageside/server"
	"github.com/pageside/pageside/store/sqlstore"
	"github.com/pageside/pageside/tool"
)

// site is a server with its defaults, and the client of one conversation.
type site struct {
	t       *testing.T
	handler http.Handler
	input   input
	rest    []byte // of each request: tools, context
	history []json.RawMessage
	cost    cost

	runs                 int
	answerID, answerText string // the last answer
}

func open(t *testing.T, sc scenario) *site {
	st, err := sqlstore.OpenTemp(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	a := newAgent(t, &sc.answer)
	quiet := slog.New(slog.DiscardHandler)
	runs, err := run.NewManager(t.Context(), run.Config{Store: st, Agents: run.Loops(a), Logger: quiet, Limits: run.Limits{UserRuns: -1, UserInputs: -1}})
	if err != nil {
		t.Fatal(err)
	}
	handler, err := server.New(server.Config{Runs: runs, Protocols: []server.Protocol{agui.Protocol{}}, Logger: quiet})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		handler.Close()
		runs.Drain(context.Background())
		st.Close()
	})
	s := &site{t: t, handler: handler, input: sc.input}
	if s.input == (input{}) {
		s.input = usualInput
	}
	s.rest, s.history = s.input.rest(), s.input.history()
	return s
}

func newAgent(t *testing.T, provider http.RoundTripper) *agent.Agent {
	text := strings.Repeat("record found; ", 74)[:1024]
	type query struct {
		Query string `json:"query" jsonschema:"what to look up"`
	}
	lookup := tool.New("bench_lookup", "Looks a record up by query.", func(context.Context, *tool.Call, query) (tool.Result, error) {
		return tool.Result{Text: text}, nil
	})
	lookup.Global, lookup.Effect = true, tool.Read
	tools, err := tool.NewRegistry(lookup)
	if err != nil {
		t.Fatal(err)
	}
	pages, err := page.NewRegistry(tools, nil)
	if err != nil {
		t.Fatal(err)
	}
	model := openai.New(openai.Config{BaseURL: "http://provider/v1", APIKey: "sk-mock", Model: "mock", HTTPClient: &http.Client{Transport: provider}})
	return &agent.Agent{ID: "default", Instructions: "You are a helpful assistant.", Model: model, Pages: pages}
}

// request is what differs between the requests of a scenario.
type request struct {
	thread   string
	messages []json.RawMessage
}

// post asks for a run, counts what it costs and keeps the answer.
func (s *site) post(in request) {
	s.runs++
	messages, err := json.Marshal(in.messages)
	if err != nil {
		s.t.Fatal(err)
	}
	body := fmt.Appendf(nil, `{"threadId":%q,"runId":"run-%d","messages":%s,%s}`, in.thread, s.runs, messages, s.rest)
	r, err := http.NewRequest(http.MethodPost, "http://localhost/v1/agents/default/run", bytes.NewReader(body))
	if err != nil {
		s.t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/json")
	r.Host, r.RemoteAddr = "localhost", "127.0.0.1:1234"
	w := &writer{header: http.Header{}, body: bytes.NewBuffer(make([]byte, 0, 1<<20))}
	s.counted(func() {
		s.handler.ServeHTTP(w, r)
		settle()
	})
	s.read(w)
}

// read takes the answer out of a response, which must be that of a run that succeeded.
func (s *site) read(w *writer) {
	s.answerID, s.answerText = "", ""
	end := ""
	for line := range strings.Lines(w.body.String()) {
		data, ok := strings.CutPrefix(line, "data: ")
		if !ok {
			continue
		}
		var e struct{ Type, MessageID, Delta string }
		if err := json.Unmarshal([]byte(data), &e); err != nil {
			s.t.Fatalf("%v in %s", err, data)
		}
		switch end = e.Type; e.Type {
		case "TEXT_MESSAGE_CONTENT", "TEXT_MESSAGE_CHUNK":
			s.answerID = e.MessageID
			s.answerText += e.Delta
		}
	}
	if end != "RUN_FINISHED" || s.answerText == "" {
		s.t.Fatalf("status %d, the last event is %q, the answer %q: %.2000s", w.status, end, s.answerText, w.body)
	}
}

// writer is the least that a stream can be written to.
type writer struct {
	header http.Header
	status int
	body   *bytes.Buffer
}

func (w *writer) Header() http.Header         { return w.header }
func (w *writer) WriteHeader(status int)      { w.status = status }
func (w *writer) Write(p []byte) (int, error) { return w.body.Write(p) }
func (w *writer) Flush()                      {}

// input is what a page sends with each request, as in bench/load.
type input struct{ messages, size, tools, contexts, contextSize int }

var (
	usualInput = input{messages: 10, size: 400, tools: 8, contexts: 5, contextSize: 2048}
	longInput  = input{messages: 200, size: 2048, tools: 8, contexts: 5, contextSize: 2048}
)

const prose = "The quick brown fox, having read \"chapter 3\" of the manual,\n jumps over the lazy dog & files a report. "

func lorem(n int) string { return strings.Repeat(prose, n/len(prose)+1)[:n] }

func message(role, id, content string) json.RawMessage {
	raw, err := json.Marshal(map[string]string{"id": id, "role": role, "content": content})
	if err != nil {
		panic(err)
	}
	return raw
}

// history alternates between user and assistant; the last message is the user's.
func (in input) history() []json.RawMessage {
	list := make([]json.RawMessage, in.messages)
	for i := range list {
		role := []string{"user", "assistant"}[(in.messages-1-i)%2]
		list[i] = message(role, fmt.Sprintf("msg-%04d", i), fmt.Sprintf("message %d: ", i)+lorem(in.size))
	}
	return list
}

const parameters = `{"type":"object","properties":{"title":{"type":"string","description":"the title of the card"},` +
	`"count":{"type":"integer","description":"how many rows to show"},"mode":{"type":"string","enum":["compact","wide","full"]},` +
	`"tags":{"type":"array","items":{"type":"string"}},"position":{"type":"object","properties":{"x":{"type":"number"},` +
	`"y":{"type":"number"}},"required":["x","y"]}},"required":["title","mode"]}`

// rest is the part of a request that is the same in all of them.
func (in input) rest() []byte {
	b := []byte(`"state":{},"forwardedProps":{},"tools":[`)
	for i := range in.tools {
		b = fmt.Appendf(b, `%s{"name":"client_tool_%d","description":"Shows a card and waits for the user's answer.","parameters":%s}`, comma(i), i, parameters)
	}
	b = append(b, `],"context":[`...)
	for i := range in.contexts {
		value, _ := json.Marshal(lorem(in.contextSize)) // cannot fail
		b = fmt.Appendf(b, `%s{"description":"context item %d","value":%s}`, comma(i), i, value)
	}
	return append(b, ']')
}

func comma(i int) string { return ","[:min(i, 1)] }

// answer is a provider that always says the same: a call of the tool if it has not been called yet,
// then a text of some tokens.
type answer struct {
	tokens int
	tool   bool
}

// RoundTrip is part of http.RoundTripper.
func (a *answer) RoundTrip(r *http.Request) (*http.Response, error) {
	defer r.Body.Close()
	body := a.text()
	if a.tool {
		asked, err := io.ReadAll(r.Body)
		if err != nil {
			return nil, err
		}
		if !bytes.Contains(asked, []byte(`"role":"tool"`)) {
			body = toolCall
		}
	} else if _, err := io.Copy(io.Discard, r.Body); err != nil {
		return nil, err
	}
	return &http.Response{StatusCode: http.StatusOK, Header: http.Header{"Content-Type": {"text/event-stream"}}, Body: io.NopCloser(strings.NewReader(body)), Request: r}, nil
}

const usage = `data: {"id":"1","object":"chat.completion.chunk","model":"mock","choices":[],"usage":{"prompt_tokens":10,"completion_tokens":20,"total_tokens":30}}` +
	"\n\ndata: [DONE]\n\n"

func chunk(delta, finish string) string {
	return `data: {"id":"1","object":"chat.completion.chunk","model":"mock","choices":[{"index":0,"delta":` + delta + `,"finish_reason":` + finish + "}]}\n\n"
}

func (a *answer) text() string {
	return strings.Repeat(chunk(`{"content":"twenty bytes of text"}`, "null"), a.tokens) + chunk("{}", `"stop"`) + usage
}

var toolCall = chunk(`{"tool_calls":[{"index":0,"id":"call_1","type":"function","function":{"name":"bench_lookup","arguments":""}}]}`, "null") +
	chunk(`{"tool_calls":[{"index":0,"function":{"arguments":"{\"query\":\"x\"}"}}]}`, "null") + chunk("{}", `"tool_calls"`) + usage
