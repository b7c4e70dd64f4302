package seeds

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/pageside/pageside/auth"
	"github.com/pageside/pageside/config"
	"github.com/pageside/pageside/internal/leaktest"
	"github.com/pageside/pageside/internal/sse"
	"github.com/pageside/pageside/llm"
	"github.com/pageside/pageside/llm/llmtest/dialects"
	"github.com/pageside/pageside/policy"
	"github.com/pageside/pageside/protocol/agui"
	"github.com/pageside/pageside/run"
	"github.com/pageside/pageside/server"
	"github.com/pageside/pageside/store/sqlstore"
	"github.com/pageside/pageside/suggest"
	"github.com/pageside/pageside/test/must"
)

func TestMain(m *testing.M) { leaktest.Main(m) }

var quiet = slog.New(slog.DiscardHandler)

// fake is a model that says what it was told to say, and keeps what it was asked.
type fake struct {
	mu       sync.Mutex
	answers  [][]llm.Part
	requests []*llm.Request
}

func (m *fake) Info() llm.Info {
	return llm.Info{Provider: "test", Model: "fake", Tools: true, ParallelTools: true, Images: true}
}

func (m *fake) Stream(ctx context.Context, req *llm.Request) iter.Seq2[llm.Part, error] {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.requests = append(m.requests, req)
	answer := says("Done.")
	if len(m.answers) > 0 {
		answer, m.answers = m.answers[0], m.answers[1:]
	}
	given := func(context.Context, *llm.Request) ([]llm.Part, error) { return answer, nil }
	return dialects.Fake{Is: m.Info(), Answer: given}.Stream(ctx, req)
}

// last returns the newest request.
func (m *fake) last() *llm.Request {
	asked := m.asked()
	if len(asked) == 0 {
		return &llm.Request{}
	}
	return asked[len(asked)-1]
}

// will has the model give these answers, one a call; after them it says "Done.".
func (m *fake) will(answers ...[]llm.Part) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.answers = append(m.answers, answers...)
}

// asked returns the requests the model has had.
func (m *fake) asked() []*llm.Request {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.requests[:len(m.requests):len(m.requests)]
}

// says is an answer in words, calls one that calls a tool.
var says, calls = dialects.Says, dialects.Calls

// system returns the system prompt of a request.
func system(req *llm.Request) string {
	var all []string
	for _, b := range req.System {
		all = append(all, b.Text)
	}
	return strings.Join(all, "\n")
}

// prompt returns everything that a request has the model read, tools apart.
func prompt(req *llm.Request) string {
	all := []string{system(req)}
	for _, m := range req.Messages {
		for _, c := range m.Content {
			switch c := c.(type) {
			case llm.Text:
				all = append(all, c.String())
			case llm.ToolCall:
				all = append(all, c.Name+c.Args)
			case llm.ToolResult:
				all = append(all, c.Content.String())
			}
		}
	}
	return strings.Join(all, "\n")
}

// declared returns a request's declaration of a tool, nil where it is not offered.
func declared(req *llm.Request, tool string) *llm.ToolDecl {
	for i := range req.Tools {
		if req.Tools[i].Name == tool {
			return &req.Tools[i]
		}
	}
	return nil
}

// oneAgent is a site with nothing but a model.
const oneAgent = "models: {m: {use: test/fake}}\nagents: [{id: default, model: m}]\n"

// at is the field of a run's input that says where the user is, and what else Pageside is told.
func at(where string) string { return `"forwardedProps":{"pageside":` + where + `}` }

// last returns what the model was asked last.
func (w *world) last() string { return prompt(w.model.last()) }

// world is a site: a configuration, the program's own parts, a model and a database that outlives
// processes.
type world struct {
	t     testing.TB
	yaml  string
	path  string // of the database
	model *fake
	more  func(*config.Options)

	url   string
	stop  func()
	hurry bool // stop does not wait for live runs: the next process goes on with them
}

// start begins a server for a configuration in YAML, whose models are all w.model. more, which may
// be nil, adds what a program defines itself.
func start(t testing.TB, yaml string, more func(*config.Options)) *world {
	t.Helper()
	w := &world{t: t, yaml: yaml, path: filepath.Join(t.TempDir(), "test.db"), model: &fake{}, more: more}
	w.begin()
	t.Cleanup(func() { w.stop() })
	return w
}

// restart ends the server as a signal does, and begins another on the same database.
func (w *world) restart() {
	w.t.Helper()
	w.stop()
	w.begin()
}

func (w *world) begin() {
	w.t.Helper()
	source := must.Get(config.Parse(filepath.Join(w.t.TempDir(), "pageside.yaml"), []byte(w.yaml)))(w.t)
	o := config.Options{Logger: quiet, OpenModel: func(config.ModelSpec) (llm.Model, error) { return w.model, nil }}
	if w.more != nil {
		w.more(&o)
	}
	site := must.Get(config.Build(w.t.Context(), source, o))(w.t)
	for _, a := range site.Agents {
		if a.Authorizer == nil { // the users' names are not what these tests are about
			a.Authorizer = policy.Everything
		}
	}
	st := must.Get(sqlstore.Open(w.t.Context(), w.path))(w.t)
	c := run.Config{Store: st, Agents: site.Served(), Logger: quiet}
	if source.Instructions != nil {
		c.ClientInstructions = run.ClientInstructions(source.Instructions.Client)
	}
	runs := must.Get(run.NewManager(context.Background(), c))(w.t)
	sc := server.Config{Runs: runs, Protocols: []server.Protocol{agui.Protocol{}}, Logger: quiet, Authenticate: who, Authorizer: site.Authorizer}
	if site.Suggester != nil {
		sc.Suggester = suggest.New(suggest.Config{Model: site.Suggester, Every: 1, Burst: 100, Logger: quiet})
	}
	handler := must.Get(server.New(sc))(w.t)
	ts := httptest.NewServer(handler)
	w.url = ts.URL
	w.stop = func() {
		drain, cancel := context.WithCancel(context.Background())
		if w.hurry {
			cancel()
		}
		runs.Drain(drain)
		cancel()
		handler.Close()
		ts.Close()
		must.Do(w.t, errors.Join(site.Close(), st.Close()))
		w.stop = func() {}
	}
}

// who believes a header of the form tenant/subject; without it, ada asks.
func who(r *http.Request) (auth.Principal, error) {
	tenant, subject, ok := strings.Cut(r.Header.Get("X-User"), "/")
	if !ok {
		return auth.Principal{Tenant: "acme", Subject: "ada", Roles: []string{"user"}}, nil
	}
	return auth.Principal{Tenant: tenant, Subject: subject, Roles: []string{"user"}}, nil
}

// do makes a request and returns the status and the body. headers are names and values in turn.
func (w *world) do(method, path, body string, headers ...string) (int, string) {
	w.t.Helper()
	req := must.Get(http.NewRequestWithContext(w.t.Context(), method, w.url+path, strings.NewReader(body)))(w.t)
	if body != "" {
		req.Header.Set("Content-Type", "application/json")
	}
	for i := 0; i+1 < len(headers); i += 2 {
		req.Header.Set(headers[i], headers[i+1])
	}
	res := must.Get(http.DefaultClient.Do(req))(w.t)
	defer res.Body.Close()
	raw := must.Get(io.ReadAll(res.Body))(w.t)
	return res.StatusCode, string(raw)
}

// get reads what is stored, and ends the test if it is not there.
func (w *world) get(path string) string {
	w.t.Helper()
	status, body := w.do(http.MethodGet, path, "")
	if status != http.StatusOK {
		w.t.Fatalf("%s: %d %s", path, status, body)
	}
	return body
}

// refuses makes a request that must be refused in words that say so.
func (w *world) refuses(status int, says, method, path, body string) {
	w.t.Helper()
	got, answer := w.do(method, path, body)
	must.Be(w.t, got, status, "the status of %s %.200s", path, body)
	must.Have(w.t, answer, says, "the answer to %s %.200s", path, body)
}

// runPath is where the default agent is asked.
const runPath = "/v1/agents/default/run"

// event is an event of the wire.
type event struct {
	Type string
	Raw  json.RawMessage `json:"-"`
}

// run posts a RunAgentInput to the default agent and returns the run's events.
func (w *world) run(body string, headers ...string) []event {
	w.t.Helper()
	status, answer := w.do(http.MethodPost, "/v1/agents/default/run", body, headers...)
	if status != http.StatusOK {
		w.t.Fatalf("run: %d %s", status, answer)
	}
	return events(w.t, answer)
}

// ask posts a question on a thread, with further fields of RunAgentInput as JSON (`"state":{}`).
func (w *world) ask(thread, run, question string, fields ...string) []event {
	w.t.Helper()
	head := fmt.Sprintf(`{"threadId":%q,"runId":%q,"messages":[{"id":"%[2]s-q","role":"user","content":%[3]q}]`, thread, run, question)
	if !strings.Contains(strings.Join(fields, ","), `"tools":`) {
		fields = append(fields, `"tools":[]`)
	}
	if !strings.Contains(strings.Join(fields, ","), `"context":`) {
		fields = append(fields, `"context":[]`)
	}
	return w.run(head + "," + strings.Join(fields, ",") + "}")
}

// events reads a stream that was received whole.
func events(t testing.TB, stream string) (all []event) {
	t.Helper()
	frames := sse.NewReader(strings.NewReader(stream), sse.MaxFrame)
	for {
		f, err := frames.Next()
		if errors.Is(err, io.EOF) {
			return all
		}
		must.Do(t, err)
		e := event{Raw: bytes.Clone(f.Data)}
		must.Do(t, json.Unmarshal(e.Raw, &e))
		all = append(all, e)
	}
}

// named returns the events of a type.
func named(all []event, kind string) (some []event) {
	for _, e := range all {
		if e.Type == kind {
			some = append(some, e)
		}
	}
	return some
}
