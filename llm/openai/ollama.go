package openai

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"sync/atomic"
	"time"
)

// assumedWindow is Ollama's window, in tokens, until it says another. It cuts what is longer from
// the beginning of a request, silently. Source: its FAQ.
const assumedWindow = 4096

// askTimeout is for one question about the window.
const askTimeout = 2 * time.Second

// localWindow is the context window of a model that Ollama serves: requests cannot set it, so it is
// asked. Safe for concurrent use.
type localWindow struct {
	tokens atomic.Int64 // 0 means unknown
	sure   atomic.Bool  // said of the model as it is loaded
}

// asksWindow reports whether the window is the server's to say.
func (cfg *Config) asksWindow() bool {
	return cfg.Provider == "ollama" && cfg.ContextWindow == 0 && cfg.Info.ContextWindow == 0
}

// learnWindow asks for the window unless it is known: that of the model as it is loaded, else what
// the model's file says. Best effort.
func (m *Model) learnWindow(ctx context.Context) {
	if !m.cfg.asksWindow() || m.window.sure.Load() {
		return
	}
	if n := m.loadedWindow(ctx); n > 0 {
		m.window.tokens.Store(n)
		m.window.sure.Store(true)
	} else if m.window.tokens.Load() == 0 {
		m.window.tokens.Store(m.configuredWindow(ctx))
	}
}

// loadedWindow is the window of the model as it is loaded, 0 if it is not.
func (m *Model) loadedWindow(ctx context.Context) int64 {
	var running struct {
		Models []struct {
			Name          string `json:"name"`
			ContextLength int64  `json:"context_length"`
		} `json:"models"`
	}
	m.askOllama(ctx, http.MethodGet, "/api/ps", nil, &running)
	for _, r := range running.Models {
		if sameModel(r.Name, m.cfg.Model) {
			return max(0, r.ContextLength)
		}
	}
	return 0
}

// sameModel compares names as Ollama does, for which no tag is the tag latest.
func sameModel(a, b string) bool {
	return strings.TrimSuffix(a, ":latest") == strings.TrimSuffix(b, ":latest")
}

var numCtx = regexp.MustCompile(`(?m)^num_ctx\s+(\d{1,9})\s*$`)

// configuredWindow is the window that the model's file asks for, 0 if it does not.
func (m *Model) configuredWindow(ctx context.Context) int64 {
	body, err := json.Marshal(map[string]string{"model": m.cfg.Model})
	if err != nil {
		return 0
	}
	var shown struct {
		Parameters string `json:"parameters"`
	}
	m.askOllama(ctx, http.MethodPost, "/api/show", body, &shown)
	if found := numCtx.FindStringSubmatch(shown.Parameters); found != nil {
		n, _ := strconv.ParseInt(found[1], 10, 64) // digits that fit
		return n
	}
	return 0
}

// askOllama reads a document of Ollama's own API. Best effort: to stays as it is on failure.
func (m *Model) askOllama(ctx context.Context, method, path string, body []byte, to any) {
	ctx, cancel := context.WithTimeout(ctx, askTimeout)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, method, strings.TrimSuffix(m.cfg.BaseURL, "/v1")+path, bytes.NewReader(body))
	if err != nil {
		return
	}
	req.Header.Set("Content-Type", "application/json")
	if key := strings.TrimSpace(m.cfg.APIKey); key != "" {
		req.Header.Set("Authorization", "Bearer "+key)
	}
	resp, err := m.client.HTTPClient.Do(req)
	if err != nil {
		return
	}
	defer resp.Body.Close()
	if resp.StatusCode == http.StatusOK {
		_ = json.NewDecoder(io.LimitReader(resp.Body, 4<<20)).Decode(to)
	}
}
