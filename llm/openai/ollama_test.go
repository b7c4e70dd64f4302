package openai_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/pageside/pageside/llm"
	"github.com/pageside/pageside/llm/llmtest"
	"github.com/pageside/pageside/llm/openai"
)

// ollama is a server that loads its model with the first chat.
type ollama struct {
	*httptest.Server
	mu     sync.Mutex
	loaded bool
	asked  []string // paths
	shown  string   // parameters of the model's file
	window int      // of the model once it is loaded; 0: an older server, which does not say
}

func newOllama(t *testing.T) *ollama {
	t.Helper()
	o := &ollama{}
	o.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		o.mu.Lock()
		defer o.mu.Unlock()
		o.asked = append(o.asked, r.URL.Path)
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
			fmt.Fprintf(w, `{"parameters":%q}`, o.shown)
		case "/v1/chat/completions":
			o.loaded = true
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
	cfg.Provider, cfg.BaseURL, cfg.Model = "ollama", o.URL+"/v1", "qwen3"
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
		if got := m.Info().ContextWindow; got != tc.first {
			t.Errorf("%+v: assumed %d", tc, got)
		}
		for range 2 {
			llmtest.Ask(t, t.Context(), m, llmtest.Hello)
			if got := m.Info().ContextWindow; got != tc.second {
				t.Errorf("%+v: %d", tc, got)
			}
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
	m := o.model(openai.Config{ContextWindow: 9999})
	llmtest.Ask(t, t.Context(), m, llmtest.Hello)
	if got := m.Info().ContextWindow; got != 9999 || len(o.asked) != 1 {
		t.Errorf("%d, asked %q", got, o.asked)
	}
}
