package server_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/pageside/pageside/agent"
	"github.com/pageside/pageside/llm/llmtest"
	"github.com/pageside/pageside/llm/openai"
	"github.com/pageside/pageside/test/must"
)

// provider is a model's API that takes no more than the real one. It keeps what it was sent.
type provider struct {
	// says returns the pieces of an answer to the last message
	says func(role, words string) []string

	mu   sync.Mutex
	sent []string
}

// newProvider serves a provider, and returns its address.
func newProvider(t *testing.T, dialect llmtest.Dialect, p http.Handler) (url string) {
	t.Helper()
	ts := httptest.NewServer(llmtest.Strict(dialect, p))
	t.Cleanup(ts.Close)
	return ts.URL
}

func (p *provider) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	raw, _ := io.ReadAll(r.Body)
	p.mu.Lock()
	p.sent = append(p.sent, string(raw))
	p.mu.Unlock()
	var in struct {
		Messages []struct {
			Role    string
			Content json.RawMessage
		}
	}
	_ = json.Unmarshal(raw, &in)
	last := in.Messages[len(in.Messages)-1]
	var words string
	_ = json.Unmarshal(last.Content, &words)
	w.Header().Set("Content-Type", "text/event-stream")
	for _, piece := range p.says(last.Role, words) {
		fmt.Fprintf(w, "data: {\"choices\":[{\"index\":0,%s}]}\n\n", piece)
	}
	io.WriteString(w, "data: [DONE]\n\n")
}

func (p *provider) last() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.sent[len(p.sent)-1]
}

func quoted(s string) string { raw, _ := json.Marshal(s); return string(raw) }

// obeys answers a question that names a call with that call, one for a cut answer with half of one,
// and everything else with a word.
func obeys(role, question string) []string {
	name, id, calls := strings.Cut(strings.TrimPrefix(question, "call "), "|")
	switch {
	case calls && role == "user":
		const call = `"delta":{"tool_calls":[{"index":0,"id":%s,"function":{"name":%s,"arguments":"{}"}}]},"finish_reason":"tool_calls"`
		return []string{fmt.Sprintf(call, quoted(id), quoted(name))}
	case question == "be cut":
		return []string{`"delta":{"content":"It is half "},"finish_reason":"length"`}
	}
	return []string{`"delta":{"content":"done"},"finish_reason":"stop"`}
}

func newProviderSite(t *testing.T, dialect llmtest.Dialect) (*site, *provider) {
	t.Helper()
	p := &provider{says: obeys}
	url := newProvider(t, dialect, p)
	return newSite(t, withAgent(t, func(a *agent.Agent) {
		a.Model = openai.New(openai.Config{Provider: string(dialect), BaseURL: url, Model: "gpt-4o"})
	})), p
}

// A provider that takes no more than the real ones keeps taking the thread, whatever the model has
// called and the user attached.
func TestAThreadGoesOnWhateverIsInIt(t *testing.T) {
	s, p := newProviderSite(t, llmtest.Chat)
	questions := []string{
		"call functions.get weather!|call_1", "call " + strings.Repeat("n", 300) + "|call_2", "call clock|" + strings.Repeat("i", 70), "call clock|   ", "call clock|",
		"call wetter für Köln|functions.f:0", "call clock|functions.f:0", "and now?",
	}
	for i, question := range questions {
		stream := s.read(s.post(input("t1", fmt.Sprint("r", i), question)), http.StatusOK)
		if !strings.Contains(stream, `"RUN_FINISHED"`) || !strings.Contains(stream, "done") || strings.Contains(stream, "RUN_ERROR") {
			t.Fatalf("%.60s: %s", question, stream)
		}
		if i == 0 && !strings.Contains(stream, `"toolCallName":"functions.get weather!"`) {
			t.Errorf("the client is told of another tool: %s", stream)
		}
	}
	const attached = `{"protocolVersion":"1.0","threadId":"t1","runId":"r%d","messages":[{"id":"u%d","role":"user","content":[{"type":"text","text":"see"},
		{"type":"document","source":{"type":"data","value":%q,"mimeType":%q},"metadata":{"name":%q}}]}],"tools":[],"context":[],"state":{},"forwardedProps":{}}`
	for i, file := range [][3]string{{"YSxiCjEsMgo=", "text/csv", "rows.csv"}, {"JVBERi0xLjQK", "application/pdf", "paper.pdf"}, {"T2dnUwAC", "audio/ogg", "x.ogg"}} {
		n := 100 + i
		for _, body := range []string{fmt.Sprintf(attached, n, n, file[0], file[1], file[2]), input("t1", fmt.Sprint("again", i), "and now?")} {
			if stream := s.read(s.post(body), http.StatusOK); !strings.Contains(stream, `"RUN_FINISHED"`) || !strings.Contains(stream, "done") {
				t.Fatalf("%s: %s", file[2], stream)
			}
		}
		if !strings.Contains(p.last(), file[2]) {
			t.Errorf("the model is not told of %s: %s", file[2], p.last())
		}
	}
	must.Have(t, p.last(), `a,b\n1,2\n`, "the prompt")
}

// A cut answer goes on with every provider: none takes a prompt that ends with the assistant's
// words.
func TestCutAnswerContinuesEverywhere(t *testing.T) {
	for _, dialect := range []llmtest.Dialect{llmtest.Chat, llmtest.Mistral, llmtest.Ollama} {
		s, p := newProviderSite(t, dialect)
		stream := s.read(s.post(input("t1", "r1", "be cut")), http.StatusOK)
		_, id, _ := strings.Cut(stream, `"TEXT_MESSAGE_START","messageId":"`)
		id, _, _ = strings.Cut(id, `"`)
		continuing := fmt.Sprintf(`{"protocolVersion":"1.0","threadId":"t1","runId":"r2","messages":[],"tools":[],"context":[],"state":{},"forwardedProps":{"pageside":{"continues":%q}}}`, id)
		stream = s.read(s.post(continuing), http.StatusOK)
		if !strings.Contains(stream, `"messageId":"`+id+`","delta":"done"`) || !strings.Contains(stream, `"RUN_FINISHED"`) {
			t.Errorf("%s: %s", dialect, stream)
		}
		must.Have(t, p.last(), "Go on exactly where it stops", "%s is asked", dialect)
	}
}

// A provider that refuses an attachment for what it holds does not keep the thread from going on.
func TestAThreadGoesOnAfterARefusedImage(t *testing.T) {
	p, refused := &provider{says: obeys}, 0
	url := newProvider(t, llmtest.Chat, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		raw, _ := io.ReadAll(r.Body)
		if strings.Contains(string(raw), "image_url") {
			refused++
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(http.StatusBadRequest)
			_, _ = io.WriteString(w, `{"error":{"message":"You uploaded an unsupported image.","type":"invalid_request_error","param":null,"code":"image_parse_error"}}`)
			return
		}
		r.Body = io.NopCloser(strings.NewReader(string(raw)))
		p.ServeHTTP(w, r)
	}))
	s := newSite(t, withAgent(t, func(a *agent.Agent) {
		a.Model = openai.New(openai.Config{BaseURL: url, Model: "gpt-4o", APIKey: "k"})
	}))
	const image = `{"protocolVersion":"1.0","threadId":"t1","runId":"r1","messages":[{"id":"u1","role":"user","content":[{"type":"text","text":"see"},
		{"type":"image","source":{"type":"data","value":"iVBORw0KGgo=","mimeType":"image/png"},"metadata":{"name":"locked.png"}}]}],"tools":[],"context":[],"state":{},"forwardedProps":{}}`
	for i, body := range []string{image, input("t1", "r2", "and now?")} {
		if stream := s.read(s.post(body), http.StatusOK); !strings.Contains(stream, `"RUN_FINISHED"`) || !strings.Contains(stream, "done") {
			t.Fatalf("question %d: %s", i+1, stream)
		}
		if refused != i+1 || !strings.Contains(p.last(), "“locked.png” (image/png) that you cannot be shown, since the provider refused") {
			t.Errorf("question %d: refused %d times, at last sent %s", i+1, refused, p.last())
		}
	}
}

// A client learns what the model can be shown.
func TestCapabilitiesNameTheMedia(t *testing.T) {
	s := newSite(t, withAgent(t, func(a *agent.Agent) {
		a.Model = openai.New(openai.Config{Model: "gpt-4o", APIKey: "k"})
	}))
	const input = `"input":{"image":true,"audio":false,"video":false,"pdf":true,"file":true}`
	s.do("", "GET", "/v1/agents/default/capabilities", "", http.StatusOK, input)
}
