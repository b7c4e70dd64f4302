package hostile

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"text/template"
	"time"

	"github.com/aws/aws-sdk-go-v2/credentials"
	"go.yaml.in/yaml/v3"

	"github.com/pageside/pageside/agent"
	"github.com/pageside/pageside/agui"
	"github.com/pageside/pageside/llm"
	"github.com/pageside/pageside/llm/anthropic"
	"github.com/pageside/pageside/llm/bedrock"
	"github.com/pageside/pageside/llm/gemini"
	"github.com/pageside/pageside/llm/httpmodel"
	"github.com/pageside/pageside/llm/llmtest"
	"github.com/pageside/pageside/llm/openai"
	"github.com/pageside/pageside/page"
	"github.com/pageside/pageside/payload"
	"github.com/pageside/pageside/policy"
	"github.com/pageside/pageside/store/storetest/temp"
	"github.com/pageside/pageside/test/must"
	"github.com/pageside/pageside/tool"
)

// modelAnswer is one of testdata/answers: what a provider sends, and what becomes of it.
type modelAnswer struct {
	Name   string
	Events []string          // in the vendor's words or short for them; see vendors
	Raw    string            // in place of Events
	Status int               // 0 is 200
	Type   string            // of the content, instead of the vendor's
	Header map[string]string // further ones
	Repeat bool              // every request of the run is answered so, not only the first
	Stalls bool              // nothing follows, not even an end

	Says       string // what the user must be able to read, among other things
	Ends       string // the code of RUN_ERROR; "" is any end
	Interrupts bool   // the run must end with a question to the user
	Idle       bool   // no tool may run: none is called, or not to the end
}

// impatience is how long a model that stalls is waited for.
const impatience = 500 * time.Millisecond

// raw stands in what a provider says that is not for the user.
const raw = "RAW"

// vendor is a provider's API: the models that speak it, the words it answers with, and what is
// short for them in testdata.
type vendor struct {
	file    string
	dialect llmtest.Dialect
	model   func(url string, patience httpmodel.Limits) llm.Model
	words   llmtest.Words // see testdata/answers/words
	frames  bool          // Amazon's binary frames, not server-sent events
	good    []string      // the answer of a model that behaves
}

const goodAnswer = "All is well again."

var vendors = []vendor{
	{file: "chat", dialect: llmtest.Chat, good: []string{"T " + goodAnswer, "F stop", "[DONE]"}, model: func(url string, patience httpmodel.Limits) llm.Model {
		return openai.New(openai.Config{BaseURL: url + "/v1", Model: "gpt-4o", Limits: patience})
	}},
	{file: "chat", dialect: llmtest.Mistral, good: []string{"T " + goodAnswer, "F stop", "[DONE]"}, model: func(url string, patience httpmodel.Limits) llm.Model {
		return openai.New(openai.Config{Provider: "vllm", BaseURL: url + "/v1", Model: "mistralai/Devstral-Small", Limits: patience})
	}},
	{file: "responses", dialect: llmtest.Responses, good: []string{"S", "T " + goodAnswer, "F"}, model: func(url string, patience httpmodel.Limits) llm.Model {
		return openai.New(openai.Config{BaseURL: url + "/v1", Model: "gpt-5-mini", Responses: true, Limits: patience})
	}},
	{file: "anthropic", dialect: llmtest.Anthropic, good: []string{"S", "T " + goodAnswer, "F end_turn"}, model: func(url string, patience httpmodel.Limits) llm.Model {
		return anthropic.New(anthropic.Config{BaseURL: url, Model: "claude-sonnet-4-5", Limits: patience})
	}},
	{file: "gemini", dialect: llmtest.Gemini, good: []string{"T " + goodAnswer, "F STOP"}, model: func(url string, patience httpmodel.Limits) llm.Model {
		return gemini.New(gemini.Config{BaseURL: url, Model: "gemini-3-flash", Limits: patience})
	}},
	{file: "bedrock", dialect: llmtest.Bedrock, frames: true, good: []string{"S", "T " + goodAnswer, "F end_turn"}, model: func(url string, patience httpmodel.Limits) llm.Model {
		keys := credentials.NewStaticCredentialsProvider("AKIDEXAMPLE", "secret", "")
		return bedrock.New(bedrock.Config{BaseURL: url, Model: "us.anthropic.claude-sonnet-4-5-20250929-v1:0", Region: "us-east-1", Credentials: keys, Limits: patience})
	}},
}

// filled fills in [[…]]; n counts the requests.
func filled(text string, n int) (string, error) {
	if !strings.Contains(text, "[[") {
		return text, nil
	}
	t, err := template.New("").Delims("[[", "]]").Funcs(template.FuncMap{
		"n":      func() int { return n },
		"repeat": func(n int, s string) string { return strings.Repeat(s, n) },
		"hex": func(s string) (string, error) {
			b, err := hex.DecodeString(strings.ReplaceAll(s, " ", ""))
			return string(b), err
		},
		"seq": func(n int) (all []int) {
			for i := range n {
				all = append(all, i)
			}
			return all
		},
		"gzip": func(s string) string {
			var b bytes.Buffer
			z := gzip.NewWriter(&b)
			_, _ = io.WriteString(z, s)
			_ = z.Close()
			return b.String()
		},
	}).Parse(text)
	if err != nil {
		return "", err
	}
	var out strings.Builder
	err = t.Execute(&out, nil)
	return out.String(), err
}

// body returns an answer as the vendor sends it.
func (v *vendor) body(a *modelAnswer, n int) (string, error) {
	if a.Events == nil {
		return filled(a.Raw, n)
	}
	var out bytes.Buffer
	for _, event := range a.Events {
		event, err := filled(event, n)
		if err != nil {
			return "", err
		}
		for _, doc := range strings.Split(strings.Trim(event, "⏎"), "⏎") {
			for _, doc := range v.words.Spell(doc) {
				if err := v.write(&out, doc); err != nil {
					return "", err
				}
			}
		}
	}
	return out.String(), nil
}

func (v *vendor) write(out *bytes.Buffer, doc string) error {
	if v.frames {
		frame, err := llmtest.Frame(doc)
		out.WriteString(frame)
		return err
	}
	var typed struct{ Type string }
	if v.file != "chat" && json.Unmarshal([]byte(doc), &typed) == nil && typed.Type != "" {
		fmt.Fprintf(out, "event: %s\n", typed.Type)
	}
	fmt.Fprintf(out, "data: %s\n\n", doc)
	return nil
}

// provider answers as it is told, and refuses what the real one would.
type provider struct {
	vendor *vendor
	*httptest.Server

	mu      sync.Mutex
	now     *modelAnswer // of the next request
	n       int          // requests since now was set
	refused []string
	broken  []error // mistakes of the test itself
}

func newProvider(t *testing.T, v *vendor) *provider {
	v.words = llmtest.ReadWords(t, filepath.Join("testdata", "answers", "words", v.file+".txt"))
	p := &provider{vendor: v}
	strict := llmtest.Strict(v.dialect, http.HandlerFunc(p.answer))
	p.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodPost { // a redirect that was followed
			http.NotFound(w, r)
			return
		}
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return
		}
		if err := llmtest.Check(v.dialect, body); err != nil {
			p.mu.Lock()
			p.refused = append(p.refused, fmt.Sprintf("%v\n%.3000s", err, body))
			p.mu.Unlock()
		}
		r.Body = io.NopCloser(bytes.NewReader(body))
		strict.ServeHTTP(w, r)
	}))
	t.Cleanup(p.Close)
	return p
}

// will has the next requests answered with a, or well if it is nil.
func (p *provider) will(a *modelAnswer) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.now, p.n = a, 0
}

func (p *provider) next() (a *modelAnswer, n int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.n++
	if p.now == nil || p.n > 1 && !p.now.Repeat {
		return &modelAnswer{Events: p.vendor.good}, p.n
	}
	return p.now, p.n
}

func (p *provider) answer(w http.ResponseWriter, r *http.Request) {
	a, n := p.next()
	body, err := p.vendor.body(a, n)
	if err != nil {
		p.mu.Lock()
		p.broken = append(p.broken, err)
		p.mu.Unlock()
	}
	w.Header().Set("Content-Type", "text/event-stream")
	if p.vendor.frames {
		w.Header().Set("Content-Type", "application/vnd.amazon.eventstream")
	}
	if a.Type != "" {
		w.Header().Set("Content-Type", a.Type)
	}
	for name, value := range a.Header {
		w.Header().Set(name, value)
	}
	if a.Status > 0 {
		w.WriteHeader(a.Status)
	}
	_, _ = io.WriteString(w, body)
	if a.Stalls {
		_ = http.NewResponseController(w).Flush()
		<-r.Context().Done()
	}
}

// take returns what was refused since the last call.
func (p *provider) take(t *testing.T) []string {
	t.Helper()
	p.mu.Lock()
	defer p.mu.Unlock()
	must.Do(t, errors.Join(p.broken...))
	refused := p.refused
	p.refused = nil
	return refused
}

// answersOf reads the answers of a vendor.
func answersOf(t *testing.T, file string) (all []modelAnswer) {
	t.Helper()
	data := must.Get(os.ReadFile(filepath.Join("testdata", "answers", file+".yaml")))(t)
	dec := yaml.NewDecoder(bytes.NewReader(data))
	dec.KnownFields(true)
	must.Do(t, dec.Decode(&all))
	names := map[string]bool{"": true}
	for _, a := range all {
		must.Be(t, names[a.Name], false, "%s: the name %q stands twice, so that one of them cannot be run", file, a.Name)
		names[a.Name] = true
	}
	if len(all) < 10 {
		t.Errorf("%s has %d answers", file, len(all))
	}
	return all
}

// toolRan is the result of every tool.
const toolRan = "seen"

// answeringTools are what the models may call.
func answeringTools() []*tool.Tool {
	done := func(context.Context, *tool.Call, map[string]any) (tool.Result, error) {
		return tool.Result{Text: toolRan}, nil
	}
	look, save, gated := tool.New("look", "Looks.", done), tool.New("save", "Saves.", done), tool.New("gated", "Asks first.", done)
	save.Effect, gated.Effect = tool.Idempotent, tool.Write
	gated.Policy.Approval = tool.ApprovalAlways
	look.Global, save.Global, gated.Global = true, true, true
	return []*tool.Tool{look, save, gated}
}

func answeringPages(t *testing.T) *page.Registry {
	t.Helper()
	tools := must.Get(tool.NewRegistry(answeringTools()...))(t)
	plan := &payload.Type{Name: "plan", Source: payload.FromLLM, Global: true, Schema: []byte(`{"type":"object","properties":{"n":{"type":"integer"}}}`)}
	payloads := must.Get(payload.NewRegistry(plan))(t)
	return must.Get(page.NewRegistry(tools, payloads))(t)
}

// Whatever a provider sends, the user has something to read in the end, the stream is legal, what
// the provider says of its failures is not shown, and the thread goes on: the next question is sent
// in a form that the provider takes.
func TestAnyAnswerEndsWithSomethingToRead(t *testing.T) {
	total := 0
	for i := range vendors {
		v := &vendors[i]
		t.Run(string(v.dialect), func(t *testing.T) {
			p := newProvider(t, v)
			pages := answeringPages(t)
			for _, idle := range []time.Duration{time.Minute, impatience} {
				patience := httpmodel.Limits{HeaderTimeout: idle, FirstContentTimeout: idle, IdleTimeout: idle}
				a := &agent.Agent{Authorizer: policy.Everything, ID: "default", Model: v.model(p.URL, patience), Pages: pages, AskUser: true, Limits: agent.Limits{Steps: 4, RetryFor: time.Millisecond}}
				s := begin(t, temp.Store(t), a, "")
				for j, ans := range answersOf(t, v.file) {
					if ans.Stalls != (idle == impatience) {
						continue
					}
					total++
					t.Run(ans.Name, func(t *testing.T) { s.suffer(t, p, fmt.Sprint("t", j), &ans) })
				}
				s.end()
			}
		})
	}
	if total < 40 {
		t.Errorf("only %d answers", total)
	}
}

// suffer asks two questions in a thread; the first gets the answer.
func (p *process) suffer(t *testing.T, model *provider, thread string, a *modelAnswer) {
	model.will(a)
	first := p.ask(t, thread, 1)
	if refused := model.take(t); len(refused) > 0 {
		t.Errorf("the provider refuses what follows in the run: %s", refused[0])
	}
	first.check(t, a)
	model.will(nil)
	second := p.ask(t, thread, 2)
	if refused := model.take(t); len(refused) > 0 {
		t.Errorf("the provider refuses the next question: %s", refused[0])
	}
	must.Have(t, second.said, goodAnswer, "the next answer: %.2000s", second.stream)
	must.Be(t, second.failure, "", "the next failure: %.2000s", second.stream)
}

// told is what a client learns of a run.
type told struct {
	stream   string
	said     string // texts, joined
	failure  string // the code of RUN_ERROR
	message  string
	waits    bool // for a person or the page
	cards    int
	ran      bool // a tool did
	problems []string
}

// ask makes a run and reads its stream.
func (p *process) ask(t *testing.T, thread string, n int) *told {
	t.Helper()
	in := newInput(thread, fmt.Sprint(thread, "-", n), "And now?")
	in["tools"] = []any{map[string]any{"name": "front", "description": "The page's.", "parameters": map[string]any{"type": "object"}}}
	code, stream := p.do("acme/ann", http.MethodPost, "/v1/agents/default/run", in.json())
	if code != http.StatusOK {
		t.Fatalf("status %d: %s", code, stream)
	}
	return readRun(stream)
}

// readRun reads the stream of a run, and checks that it is a legal one.
func readRun(stream string) *told {
	out := &told{stream: stream}
	verifier, ended := agui.NewVerifier(), false
	for line := range strings.Lines(stream) {
		data, ok := strings.CutPrefix(strings.TrimRight(line, "\n"), "data: ")
		if !ok {
			continue
		}
		e, err := agui.UnmarshalEvent([]byte(data))
		if err == nil {
			err = verifier.Check(e)
		}
		if broken, ok := errors.AsType[*agui.RuleError](err); ok && broken.Rule == agui.RulePending {
			err = nil // calls of earlier runs may wait too, and the verifier saw only this one
		}
		if err != nil || ended {
			out.problems = append(out.problems, fmt.Sprintf("%.300s: %v, after the end: %t", data, err, ended))
		}
		ended = out.event(e)
	}
	if !ended {
		out.problems = append(out.problems, "it has no end")
	}
	return out
}

// event notes what an event tells, and reports whether it ends the run.
func (r *told) event(e agui.Event) bool {
	switch e := e.(type) {
	case *agui.TextMessageContent:
		r.said += e.Delta
	case *agui.ActivitySnapshot:
		if !strings.HasPrefix(e.ActivityType, agui.ReservedPrefix) {
			r.cards++
		}
	case *agui.ToolCallResult:
		r.ran = r.ran || e.Content.Text() == toolRan
	case *agui.RunError:
		r.failure, r.message = e.Code, e.Message
		return true
	case *agui.RunFinished:
		r.waits = e.Outcome != nil && (len(e.Outcome.Interrupts) > 0 || len(e.Outcome.PendingToolCallIDs) > 0)
		return true
	}
	return false
}

func (r *told) check(t *testing.T, a *modelAnswer) {
	t.Helper()
	for _, problem := range r.problems {
		t.Errorf("the stream is not legal: %s", problem)
	}
	if strings.TrimSpace(r.said) == "" && strings.TrimSpace(r.message) == "" && !r.waits && r.cards == 0 {
		t.Errorf("there is nothing to read: %.3000s", r.stream)
	}
	must.Have(t, r.said, a.Says, "the user reads")
	if a.Ends != "" && r.failure != a.Ends {
		t.Errorf("it ends with %q (%s), want %q", r.failure, r.message, a.Ends)
	}
	if a.Idle && r.ran {
		t.Errorf("a tool ran: %.2000s", r.stream)
	}
	if a.Interrupts && !r.waits {
		t.Errorf("nobody is asked: %.2000s", r.stream)
	}
	must.Lack(t, r.stream, raw, "what the user is shown")
}
