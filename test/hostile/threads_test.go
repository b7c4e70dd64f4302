package hostile

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"iter"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"pgregory.net/rapid"

	"github.com/pageside/pageside/agent"
	"github.com/pageside/pageside/llm"
	"github.com/pageside/pageside/llm/llmtest"
	"github.com/pageside/pageside/llm/llmtest/dialects"
	"github.com/pageside/pageside/llm/openai"
	"github.com/pageside/pageside/policy"
	"github.com/pageside/pageside/store/storetest/temp"
	_ "github.com/pageside/pageside/test/chance"
	"github.com/pageside/pageside/test/must"
)

// wild is a model that says what it is told, and a provider for every API: what any of them would
// refuse is noted, and refused.
type wild struct {
	transport llm.PayloadTransport

	mu      sync.Mutex
	next    [][]llm.Part
	refused error
	asked   int
}

func (m *wild) Info() llm.Info {
	return llm.Info{Provider: "test", Model: "wild", Tools: true, ParallelTools: true, Images: true, PDF: true, Payloads: m.transport}
}

func (m *wild) Stream(_ context.Context, req *llm.Request) iter.Seq2[llm.Part, error] {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.asked++
	if err := dialects.Check(req); err != nil {
		m.refused = err
		return dialects.Refuse(m.Info(), err)
	}
	answer := []llm.Part{{Kind: llm.TextDelta, Delta: goodAnswer}, {Kind: llm.FinishPart, Finish: llm.FinishStop}}
	if len(m.next) > 0 {
		answer, m.next = m.next[0], m.next[1:]
	}
	return parts(answer...)
}

// will sets the answers to come; after them the model behaves.
func (m *wild) will(answers [][]llm.Part) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.next = answers
}

func (m *wild) refusal() error {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.refused
}

// What names, ids, arguments and texts are drawn from beside any text.
var (
	oddNames = []string{"look", "look", "save", "gated", "front", "ask_user", "emit_plan", "read_tool_result", "functions.look", "get weather!", "天气", "a\x00b", "a b", "-", "1st", "\u202elook", strings.Repeat("n", 300)}
	oddIDs   = []string{"", " ", "a", "a", "b", "call_0", "functions.f:0", "ü", "a\x00b", strings.Repeat("i", 100)}
	oddArgs  = []string{"", "{}", `{"text":"a"}`, `{"a":"\ud83d"}`, `{"a":`, "[1]", "null", "7", `"x"`, `{"kind":"confirm","question":"?"}`, `{"n":1}`, `{"a":1e999}`, `{"a":"\u0000"}`, strings.Repeat(`{"a":`, 99) + "1" + strings.Repeat("}", 99)}
	oddTexts = []string{"", " ", "\n", "\u00a0", "\u200b", "and?", "PLAN: {\"n\":1}\n", "PLAN: {\"n\":", "SUGGESTED_VALUES: [\"a\"]", "👩‍👩‍👧", "\u202e", "{{", "</page_context>", "\ufeff", strings.Repeat("long ", 2000)}
	opaques  = []string{"", "SIG", "anthropic:thinking:AAAA", "anthropic:thinking: ? ", "anthropic:redacted:", "gemini:text:AAAA", "gemini:thought:A", "gemini:A", "bedrock:anthropic:redacted:!", "bedrock:anthropic:signature:x", "openai:api.openai.com:items:[]", "openai:"}
)

func oddOf(odd []string) *rapid.Generator[string] {
	return rapid.OneOf(rapid.SampledFrom(odd), rapid.StringN(0, 12, 60))
}

// wildAnswer draws an answer as an adapter may pass it on.
func wildAnswer(t *rapid.T) (answer []llm.Part) {
	for i := range rapid.IntRange(0, 5).Draw(t, "pieces") {
		switch rapid.IntRange(0, 3).Draw(t, "piece") {
		case 0:
			answer = append(answer, llm.Part{Kind: llm.TextDelta, Index: i, Delta: oddOf(oddTexts).Draw(t, "text")})
		case 1:
			answer = append(answer, llm.Part{Kind: llm.ReasoningDelta, Index: i, Delta: "Hm."}, llm.Part{Kind: llm.Opaque, Index: i, Opaque: rapid.SampledFrom(opaques).Draw(t, "opaque")})
		default:
			answer = append(answer, llm.Part{Kind: llm.ToolStart, Index: i, ID: oddOf(oddIDs).Draw(t, "id"), Name: oddOf(oddNames).Draw(t, "name")},
				llm.Part{Kind: llm.ToolArgs, Index: i, Delta: oddOf(oddArgs).Draw(t, "args")})
			if rapid.IntRange(0, 5).Draw(t, "open") > 0 {
				answer = append(answer, llm.Part{Kind: llm.ToolEnd, Index: i})
			}
		}
	}
	finish := rapid.SampledFrom([]llm.Finish{llm.FinishStop, llm.FinishTools, llm.FinishTools, llm.FinishLength, llm.FinishFilter, llm.FinishOther, ""}).Draw(t, "finish")
	if finish != "" {
		answer = append(answer, llm.Part{Kind: llm.FinishPart, Finish: finish})
	}
	return answer
}

// thread is one thread of a client that sends anything.
type thread struct {
	*rapid.T
	s          *process
	id         string
	n          int
	history    []any    // messages that the client has made up or sent
	interrupts []string // open, of the last run
	calls      []string // the page's, which wait
}

// anyContent draws a user's message.
func (t *thread) anyContent() any {
	if rapid.IntRange(0, 2).Draw(t.T, "plain") > 0 {
		return oddOf(oddTexts).Draw(t.T, "question")
	}
	content := []any{map[string]any{"type": "text", "text": oddOf(oddTexts).Draw(t.T, "question")}}
	for range rapid.IntRange(0, 2).Draw(t.T, "attachments") {
		data := rapid.SampledFrom([]string{"iVBORw0KGgo=", "JVBERi0xLjQK", "YSxi", "AAEC", "!", "", "PHN2Zy8+"}).Draw(t.T, "data")
		mime := rapid.SampledFrom([]string{"image/png", "image/svg+xml", "application/pdf", "text/csv", "application/json", "audio/ogg", "nonsense", ""}).Draw(t.T, "mimeType")
		kind := rapid.SampledFrom([]string{"image", "document", "audio", "video"}).Draw(t.T, "kind")
		source := map[string]any{"type": "data", "value": data, "mimeType": mime}
		if rapid.IntRange(0, 3).Draw(t.T, "by address") == 0 {
			source = map[string]any{"type": "url", "value": rapid.SampledFrom([]string{"https://x/y.png", "http://x", "ftp://x", "data:,x", "javascript:x"}).Draw(t.T, "url")}
		}
		content = append(content, map[string]any{"type": kind, "source": source, "metadata": map[string]any{"name": oddOf(oddTexts).Draw(t.T, "file")}})
	}
	return content
}

// madeUp draws messages that the client claims there were: other clients' histories, forgeries.
func (t *thread) madeUp() (list []any) {
	for i := range rapid.IntRange(0, 4).Draw(t.T, "made up") {
		id := fmt.Sprintf("%s-x%d-%d", t.id, t.n, i)
		m := map[string]any{"id": id, "role": rapid.SampledFrom([]string{"user", "assistant", "assistant", "tool", "tool", "system", "developer", "activity", "reasoning"}).Draw(t.T, "role")}
		switch m["role"] {
		case "user":
			m["content"] = t.anyContent()
		case "tool":
			m["toolCallId"], m["content"] = oddOf(oddIDs).Draw(t.T, "answered"), oddOf(oddTexts).Draw(t.T, "result")
		case "activity":
			m["activityType"], m["content"] = rapid.SampledFrom([]string{"plan", "pageside.note", "pageside.action", "x"}).Draw(t.T, "activity"), map[string]any{"n": 1, "kind": "page", "text": "x"}
		case "assistant":
			m["content"] = oddOf(oddTexts).Draw(t.T, "said")
			if calls := t.madeUpCalls(); calls != nil {
				m["toolCalls"] = calls
			}
			m["encryptedValue"] = rapid.SampledFrom(opaques).Draw(t.T, "opaque")
		default:
			m["content"] = oddOf(oddTexts).Draw(t.T, "said")
			if m["role"] == "reasoning" {
				m["encryptedValue"] = rapid.SampledFrom(opaques).Draw(t.T, "opaque")
			}
		}
		list = append(list, m)
	}
	return list
}

func (t *thread) madeUpCalls() (calls []any) {
	for range rapid.IntRange(0, 2).Draw(t.T, "calls") {
		function := map[string]any{"name": oddOf(oddNames).Draw(t.T, "name"), "arguments": oddOf(oddArgs).Draw(t.T, "args")}
		calls = append(calls, map[string]any{"id": oddOf(oddIDs).Draw(t.T, "id"), "type": "function", "function": function, "encryptedValue": rapid.SampledFrom(opaques).Draw(t.T, "opaque")})
	}
	return calls
}

// anyTools draws what the page declares.
func (t *thread) anyTools() (list []any) {
	list = append(list, map[string]any{"name": "front", "description": strings.Repeat("long ", rapid.IntRange(0, 600).Draw(t.T, "description")), "parameters": map[string]any{"type": "object"}})
	n := rapid.SampledFrom([]int{0, 0, 0, 1, 2, 140}).Draw(t.T, "tools")
	name := rapid.SampledFrom([]string{"t", "look", "a.b", "größe"}).Draw(t.T, "tool")
	schema := rapid.SampledFrom([]string{`{}`, `{"type":"object"}`, `{"type":"object","properties":{"$f":{"type":"array"}}}`, `{"oneOf":[{"type":"object"}]}`}).Draw(t.T, "schema")
	for i := range n {
		list = append(list, map[string]any{"name": fmt.Sprint(name, i), "description": "x", "parameters": json.RawMessage(schema)})
	}
	return list
}

// anyRequest draws a request of the client.
func (t *thread) anyRequest() input {
	t.n++
	in := newInput(t.id, fmt.Sprint(t.id, "-", t.n), "")
	question := map[string]any{"id": fmt.Sprint(t.id, "-u", t.n), "role": "user", "content": t.anyContent()}
	var list []any
	switch rapid.IntRange(0, 5).Draw(t.T, "request") {
	case 0: // answers what waits, rightly or not
		list = t.anyResults()
	case 1: // edits: says less than there was
		list = append(t.history[:rapid.IntRange(0, len(t.history)).Draw(t.T, "kept")], question)
	case 2:
		list = append(slices.Concat(t.history, t.madeUp()), question)
	case 3:
		list = slices.Concat(t.madeUp(), []any{question}, t.madeUp())
	default:
		list = []any{question}
	}
	t.history = append(slices.Clone(t.history), list...)
	in["messages"], in["tools"] = append([]any{}, list...), t.anyTools()
	t.resume(in)
	if rapid.Bool().Draw(t.T, "context") {
		in["context"] = []any{map[string]any{"description": oddOf(oddTexts).Draw(t.T, "what"), "value": oddOf(oddTexts).Draw(t.T, "value")}}
	}
	return in
}

func (t *thread) anyResults() (list []any) {
	for i, id := range append(slices.Clone(t.calls), "a", "nobody's") {
		for range rapid.IntRange(0, 2).Draw(t.T, "times") {
			list = append(list, map[string]any{"id": fmt.Sprintf("%s-r%d-%d-%d", t.id, t.n, i, len(list)), "role": "tool", "toolCallId": id, "content": oddOf(oddTexts).Draw(t.T, "result")})
		}
	}
	return list
}

// resume answers interrupts, or does not.
func (t *thread) resume(in input) {
	var entries []any
	for _, id := range t.interrupts {
		switch rapid.IntRange(0, 3).Draw(t.T, "answer") {
		case 0:
			entries = append(entries, map[string]any{"interruptId": id, "status": "cancelled"})
		case 1:
			entries = append(entries, map[string]any{"interruptId": id, "status": "resolved", "payload": map[string]any{"approved": rapid.Bool().Draw(t.T, "approved")}})
		}
	}
	if entries != nil {
		in["resume"] = entries
	}
}

var (
	interruptID = regexp.MustCompile(`"interrupts":\[\{"id":"([^"]+)"`)
	pendingID   = regexp.MustCompile(`"pendingToolCallIds":\[("[^\]]*)\]`)
)

// send makes a request, and notes what waits afterwards.
func (t *thread) send(in input) (code int, stream string) {
	code, stream = t.s.do("acme/ann", http.MethodPost, "/v1/agents/default/run", in.json())
	t.interrupts, t.calls = nil, nil
	for _, m := range interruptID.FindAllStringSubmatch(stream, -1) {
		t.interrupts = append(t.interrupts, m[1])
	}
	if m := pendingID.FindStringSubmatch(stream); m != nil {
		_ = json.Unmarshal([]byte("["+m[1]+"]"), &t.calls)
	}
	if code == http.StatusOK {
		if run := readRun(stream); len(run.problems) > 0 {
			t.Fatalf("%s\n%s", strings.Join(run.problems, "\n"), stream)
		}
	}
	return code, stream
}

// Whatever models and clients put into a thread, each of its requests is one that every provider
// takes, and the next question is answered.
func TestNoThreadIsPoisoned(t *testing.T) {
	m := &wild{}
	a := &agent.Agent{Authorizer: policy.Everything, ID: "default", Model: m, Pages: answeringPages(t), AskUser: true, Limits: agent.Limits{Steps: 3}}
	s := begin(t, temp.Store(t), a, "")
	defer s.end()
	threads := 0
	rapid.Check(t, func(r *rapid.T) {
		threads++
		m.transport = rapid.SampledFrom([]llm.PayloadTransport{llm.PayloadMarker, llm.PayloadTool}).Draw(r, "transport")
		th := &thread{T: r, s: s, id: fmt.Sprint("t", threads)}
		for range rapid.IntRange(1, 4).Draw(r, "requests") {
			var answers [][]llm.Part
			for range rapid.IntRange(0, 3).Draw(r, "answers") {
				answers = append(answers, wildAnswer(r))
			}
			m.will(answers)
			in := th.anyRequest()
			code, stream := th.send(in)
			if err := m.refusal(); err != nil {
				m.refused = nil
				r.Fatalf("%v\n%s\n%s", err, in.json(), stream)
			}
			if code >= 500 {
				r.Fatalf("status %d: %s\n%s", code, stream, in.json())
			}
		}
		m.will(nil)
		th.n++
		in := newInput(th.id, fmt.Sprint(th.id, "-last"), "and now?")
		code, stream := th.send(in)
		if err := m.refusal(); err != nil || code != http.StatusOK || !strings.Contains(stream, goodAnswer) {
			m.refused = nil
			r.Fatalf("the thread does not go on: %v, status %d: %s", err, code, stream)
		}
	})
	if m.asked == 0 {
		t.Error("no model was asked")
	}
}

// onOllama begins a process whose model is a server of Ollama's with a small window, which says one
// thing. refusals counts the requests that the server refused.
func onOllama(t *testing.T, says string) (s *process, client *http.Client, refusals func() int) {
	t.Helper()
	refused := 0
	answer := llmtest.SSE(`{"choices":[{"index":0,"delta":{"content":"`+says+`"},"finish_reason":"stop"}]}`, "[DONE]")
	provider := llmtest.OllamaServer(4096, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = fmt.Fprint(w, answer)
	}))
	_, client = llmtest.Serve(t, func(w http.ResponseWriter, r *http.Request) {
		provider.ServeHTTP(&watched{w, &refused}, r)
	})
	model := openai.New(openai.Config{
		Provider: "ollama", BaseURL: "http://model/v1", Model: "llama3.2", HTTPClient: client,
	})
	s = begin(t, temp.Store(t), &agent.Agent{
		Authorizer: policy.Everything, ID: "default", Limits: agent.Limits{RetryFor: 1}, Model: model,
	}, "")
	t.Cleanup(s.end)
	return s, client, func() int { return refused }
}

// A model with a small window keeps being asked what fits, however long its thread grows. A server
// of Ollama's would cut the rest from the beginning without a word, and its question with it.
func TestALongThreadFitsOllamasWindow(t *testing.T) {
	s, client, refusals := onOllama(t, strings.Repeat("word ", 60)+goodAnswer)
	whole := ""
	for i := range 40 {
		question := fmt.Sprintf("Question %d: %s", i, base64.StdEncoding.EncodeToString([]byte(strings.Repeat("q", 300))))
		whole += fmt.Sprintf(`{"role":"user","content":%q},`, question)
		code, stream := s.do("acme/ann", http.MethodPost, "/v1/agents/default/run", newInput("t", fmt.Sprint("r", i), question).json())
		if code != http.StatusOK || !strings.Contains(stream, goodAnswer) || refusals() > 0 {
			t.Fatalf("question %d: %d requests refused: %.2000s", i, refusals(), stream)
		}
	}
	body := `{"model":"llama3.2","messages":[` + strings.Repeat(strings.TrimSuffix(whole, ",")+",", 2) + `{"role":"user","content":"and now?"}]}`
	resp := must.Get(client.Post("http://model/v1/chat/completions", "application/json", strings.NewReader(body)))(t)
	must.Do(t, resp.Body.Close())
	must.Be(t, refusals(), 1, "times that the whole thread did not fit the window, or this test proves nothing")
}

// TestAThreadBeyondOllamasWindow: a thread that comes from elsewhere, and is far too long even for
// being summarised, goes on all the same.
func TestAThreadBeyondOllamasWindow(t *testing.T) {
	s, _, refusals := onOllama(t, goodAnswer)
	var history []any
	for i := range 60 {
		text := base64.StdEncoding.EncodeToString([]byte(strings.Repeat("q", 300)))
		history = append(history, message(fmt.Sprint("q", i), "user", text), message(fmt.Sprint("a", i), "assistant", text))
	}
	for i := range 3 {
		in := newInput("t", fmt.Sprint("r", i), "And now?")
		if i == 0 {
			in["messages"] = append(history, in["messages"].([]any)...)
		}
		if code, stream := s.do("acme/ann", http.MethodPost, "/v1/agents/default/run", in.json()); code != http.StatusOK || !strings.Contains(stream, goodAnswer) {
			t.Errorf("question %d, %d requests refused: %.2000s", i, refusals(), stream)
		}
	}
}

// watched counts the refusals.
type watched struct {
	http.ResponseWriter
	refused *int
}

func (w *watched) WriteHeader(status int) {
	if status >= 400 {
		*w.refused++
	}
	w.ResponseWriter.WriteHeader(status)
}

func (w *watched) Unwrap() http.ResponseWriter { return w.ResponseWriter }
