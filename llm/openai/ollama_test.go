package openai_test

import (
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/pageside/pageside/llm"
	"github.com/pageside/pageside/llm/llmtest"
	"github.com/pageside/pageside/llm/openai"
	"github.com/pageside/pageside/test/must"
)

// ollama is a server that loads its model with the first chat, behind a proxy that wants a key.
type ollama struct {
	*httptest.Server
	mu     sync.Mutex
	loaded bool
	asked  []string // paths
	bodies []string // of the chats
	shown  string   // parameters of the model's file
	can    string   // its capabilities; "": an older server, which does not say
	refuse string   // a field of chats that the model does not take
	window int      // of the model once it is loaded; 0: an older server, which does not say
}

func newOllama(t *testing.T) *ollama {
	t.Helper()
	o := &ollama{}
	o.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		o.mu.Lock()
		defer o.mu.Unlock()
		o.asked = append(o.asked, r.URL.Path)
		if r.Header.Get("Authorization") != "Bearer proxy" {
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		switch r.URL.Path {
		case "/api/ps":
			models := ""
			if o.loaded && o.window > 0 {
				models = fmt.Sprintf(`{"name":"other:latest","context_length":1},{"name":"qwen3:latest","context_length":%d}`, o.window)
			}
			fmt.Fprintf(w, `{"models":[%s]}`, models)
		case "/api/show":
			body, _ := io.ReadAll(r.Body)
			if string(body) != `{"model":"qwen3"}` {
				http.NotFound(w, r)
				return
			}
			fmt.Fprintf(w, `{"parameters":%q%s}`, o.shown, o.can)
		case "/api/generate":
			body, _ := io.ReadAll(r.Body)
			o.loaded = o.loaded || string(body) == `{"model":"qwen3"}`
			_, _ = io.WriteString(w, `{"model":"qwen3","done":true,"done_reason":"load"}`)
		case "/v1/chat/completions":
			body, _ := io.ReadAll(r.Body)
			o.loaded = true
			o.bodies = append(o.bodies, string(body))
			if o.refuse != "" && strings.Contains(string(body), `"`+o.refuse+`"`) {
				what := map[string]string{"tools": "tools", "reasoning_effort": "thinking"}[o.refuse]
				w.WriteHeader(http.StatusBadRequest)
				fmt.Fprintf(w, `{"error":{"message":"registry.ollama.ai/library/qwen3:latest does not support %s","type":"invalid_request_error","param":null,"code":null}}`, what)
				return
			}
			w.Header().Set("Content-Type", "text/event-stream")
			_, _ = io.WriteString(w, "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"a\"},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n")
		default:
			http.NotFound(w, r)
		}
	}))
	t.Cleanup(o.Close)
	return o
}

func (o *ollama) model(cfg openai.Config) llm.Model {
	cfg.Provider, cfg.BaseURL, cfg.Model, cfg.APIKey = "ollama", o.URL+"/v1", "qwen3", "proxy"
	return openai.New(cfg)
}

// TestOllamasWindow: it is assumed, then what the model's file says, then what the loaded model
// has; it is asked no more once that is known, and a profile sees it.
func TestOllamasWindow(t *testing.T) {
	for _, tc := range []struct {
		shown         string
		window        int
		first, second int // before and after the first call
	}{
		{"", 32768, 4096, 32768},
		{"temperature 1\nnum_ctx                        16384\nstop \"x\"", 0, 4096, 16384},
		{"", 0, 4096, 4096},
	} {
		o := newOllama(t)
		o.shown, o.window = tc.shown, tc.window
		m := llm.WithProfile(o.model(openai.Config{}), llm.Profile{Tools: new(true)})
		must.Be(t, m.Info().ContextWindow, tc.first, "%+v: assumed", tc)
		for range 2 {
			llmtest.Ask(t, t.Context(), m, llmtest.Hello)
			must.Be(t, m.Info().ContextWindow, tc.second, "%+v", tc)
		}
		o.mu.Lock()
		if questions := strings.Count(strings.Join(o.asked, " "), "/api/"); tc.window > 0 && questions != 3 {
			t.Errorf("%+v: asked %q", tc, o.asked)
		}
		o.mu.Unlock()
	}
}

// TestOllamaIsNotAsked where the configuration says the window.
func TestOllamaIsNotAsked(t *testing.T) {
	o := newOllama(t)
	m := o.model(openai.Config{Abilities: llm.Profile{ContextWindow: new(9999)}})
	llmtest.Ask(t, t.Context(), m, llmtest.Hello)
	if info := m.Info(); info.ContextWindow != 9999 || info.WindowAssumed || slices.Contains(o.asked, "/api/ps") {
		t.Errorf("%+v, asked %q", info, o.asked)
	}
}

// TestOllamaLoadsTheModel: only then is its window known. Until then Info says that it is assumed.
func TestOllamaLoadsTheModel(t *testing.T) {
	o := newOllama(t)
	o.window = 32768
	reserve := must.Get(llm.Fallback(nil, o.model(openai.Config{Abilities: llm.Profile{ContextWindow: new(100_000)}}), o.model(openai.Config{})))(t)
	for _, m := range []llm.Model{o.model(openai.Config{}), llm.WithProfile(o.model(openai.Config{}), llm.Profile{Tools: new(true)}), reserve} {
		o.loaded = false
		if info := m.Info(); info.ContextWindow != 4096 || !info.WindowAssumed {
			t.Errorf("before: %+v", info)
		}
		llm.Learn(t.Context(), m)
		if info := m.Info(); info.ContextWindow != 32768 || info.WindowAssumed || len(o.bodies) > 0 {
			t.Errorf("after: %+v, chats %q", info, o.bodies)
		}
	}
	o.asked = nil
	stated := llm.WithProfile(o.model(openai.Config{}), llm.Profile{ContextWindow: new(2048)})
	if llm.Learn(t.Context(), stated); stated.Info().WindowAssumed || len(o.asked) > 0 {
		t.Errorf("%+v, asked %q", stated.Info(), o.asked)
	}
}

// withTools is a request that may call a tool.
var withTools = &llm.Request{Messages: llmtest.Hello.Messages, Tools: []llm.ToolDecl{{Name: "f"}}, Effort: "low"}

// TestOllamaModelsWithoutTools: they are left out once the server has refused them, or says before
// that the model takes none. The same goes for how hard to think.
func TestOllamaModelsWithoutTools(t *testing.T) {
	for name, tc := range map[string]struct {
		refuse, can string
		chats       int
		tools       bool
	}{
		"tools refused":    {"tools", "", 3, false},
		"thinking refused": {"reasoning_effort", "", 3, true},
		"no tools":         {"tools", `,"capabilities":["completion","thinking"]`, 2, false},
		"no thinking":      {"reasoning_effort", `,"capabilities":["completion","tools"]`, 2, true},
		"all of it":        {"", `,"capabilities":["completion","tools","thinking","vision"]`, 2, true},
	} {
		o := newOllama(t)
		o.refuse, o.can = tc.refuse, tc.can
		// the server knows better than the configuration
		m := llm.WithProfile(o.model(openai.Config{Abilities: llm.Profile{Reasoning: new(true)}}), llm.Profile{Tools: new(true)})
		for range 2 {
			if a := llmtest.Ask(t, t.Context(), m, withTools); a.Err != nil || a.Text != "a" {
				t.Errorf("%s: %+v", name, a)
			}
		}
		last := o.bodies[len(o.bodies)-1]
		if info := m.Info(); len(o.bodies) != tc.chats || info.Tools != tc.tools || info.ToolsRefused == tc.tools || info.Images != strings.Contains(tc.can, "vision") {
			t.Errorf("%s: %d chats, %+v", name, len(o.bodies), info)
		}
		if strings.Contains(last, `"tools"`) != tc.tools || strings.Contains(last, "reasoning_effort") == strings.Contains(name, "thinking") {
			t.Errorf("%s: %s", name, last)
		}
	}
	// a model in reserve does not take the first one's tools away
	o := newOllama(t)
	o.can = `,"capabilities":["completion"]`
	m := o.model(openai.Config{})
	llm.Learn(t.Context(), m)
	first := openai.New(openai.Config{Model: "gpt-4o"})
	if both, err := llm.Fallback(nil, first, m); err != nil || !both.Info().Tools || m.Info().Tools {
		t.Errorf("%v, %v", both.Info(), err)
	}
}

// TestForbiddenToolsAreNotDeclared to servers that do not know how to forbid them: those of the
// catalog, and others once a model has called one all the same.
func TestForbiddenToolsAreNotDeclared(t *testing.T) {
	must := &llm.Request{Messages: llmtest.Hello.Messages, Tools: withTools.Tools, Choice: llm.ChoiceNone}
	called := llmtest.SSE(piece(`{"index":0,"id":"a","function":{"name":"f","arguments":"{}"}}`), finish("tool_calls"), "[DONE]")
	for _, tc := range []struct {
		cfg      openai.Config
		answer   string
		declared []bool
	}{
		{openai.Config{Provider: "ollama", BaseURL: "http://x/v1", Abilities: llm.Profile{ContextWindow: new(8192)}}, called, []bool{false, false}},
		{openai.Config{Provider: "llamacpp", BaseURL: "http://x/v1"}, called, []bool{false, false}},
		{openai.Config{Provider: "lmstudio", BaseURL: "http://x/v1"}, called, []bool{false, false}},
		{openai.Config{Provider: "vllm", BaseURL: "http://x/v1"}, called, []bool{true, false}},
		{openai.Config{Provider: "vllm", BaseURL: "http://x/v1"}, llmtest.SSE(delta(`"content":"a"`), finish("stop"), "[DONE]"), []bool{true, true}},
	} {
		var bodies []string
		tc.cfg.Model = "m"
		tc.cfg.HTTPClient = &http.Client{Transport: llmtest.Transport(func(r *http.Request) (*http.Response, error) {
			body, err := io.ReadAll(r.Body)
			if err != nil || !strings.HasSuffix(r.URL.Path, "/chat/completions") {
				return nil, errors.New("nothing there")
			}
			bodies = append(bodies, string(body))
			return llmtest.Respond(http.StatusOK, llmtest.EventStream, strings.NewReader(tc.answer))(r)
		})}
		m := openai.New(tc.cfg)
		for i, declared := range tc.declared {
			llmtest.Ask(t, t.Context(), m, must)
			if got := strings.Contains(bodies[i], `"tools"`); got != declared || strings.Contains(bodies[i], `"tool_choice":"none"`) != declared {
				t.Errorf("%s: request %d is %s", tc.cfg.Provider, i, bodies[i])
			}
		}
		if llmtest.Ask(t, t.Context(), m, withTools); !strings.Contains(bodies[len(bodies)-1], `"tools"`) {
			t.Errorf("%s: tools that may be called are not declared: %s", tc.cfg.Provider, bodies[len(bodies)-1])
		}
	}
}

// TestALearnedWindowCounts when a model in reserve is chosen for a request that was too long.
func TestALearnedWindowCounts(t *testing.T) {
	full := `{"error":{"message":"too long","code":"context_length_exceeded"}}`
	first := openai.New(openai.Config{Model: "m", Abilities: llm.Profile{ContextWindow: new(8192)}, HTTPClient: &http.Client{Transport: llmtest.Transport(func(r *http.Request) (*http.Response, error) {
		return llmtest.Respond(http.StatusBadRequest, llmtest.JSONBody, strings.NewReader(full))(r)
	})}})
	o := newOllama(t)
	o.window = 32768
	m := must.Get(llm.Fallback(slog.New(slog.DiscardHandler), first, o.model(openai.Config{})))(t)
	if a := llmtest.Ask(t, t.Context(), m, llmtest.Hello); a.Err == nil || a.Err.Kind != llm.KindContextFull {
		t.Errorf("a window of 4096 was asked: %+v", a)
	}
	llm.Learn(t.Context(), m)
	if a := llmtest.Ask(t, t.Context(), m, llmtest.Hello); a.Err != nil || a.Text != "a" {
		t.Errorf("a window of 32768 was not asked: %+v", a)
	}
}
