package openai

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/pageside/pageside/internal/lazy"
)

// assumedWindow is Ollama's window, in tokens, until it says another. It cuts what is longer from
// the beginning of a request, silently. Source: its FAQ.
const assumedWindow = 4096

// askTimeout is for one question about the model, unless that loads it.
const askTimeout = 2 * time.Second

// local is what Ollama says of a model that it serves. Requests cannot set the window, so it is
// asked. Safe for concurrent use.
type local struct {
	window atomic.Int64 // in tokens; 0 means unknown
	sure   atomic.Bool  // said of the model as it is loaded
	shown  atomic.Bool  // what can be said of the model's file was
	sees   atomic.Bool
}

// asksWindow reports whether the window is the server's to say.
func (cfg *Config) asksWindow() bool {
	return cfg.Provider == "ollama" && cfg.Abilities.ContextWindow == nil
}

// Learn implements llm.Learner: only a loaded model's window is known, so the model is loaded.
func (m *Model) Learn(ctx context.Context) {
	if !m.cfg.asksWindow() || m.local.sure.Load() {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, m.client.Limits.HeaderTimeout)
	defer cancel()
	m.askOllama(ctx, http.MethodPost, "/api/generate", m.named(), nil)
	m.learn(ctx)
}

// learn asks for what is not known yet: the window of the model as it is loaded, or otherwise that
// of its file, and what the model is able to. Best effort.
func (m *Model) learn(ctx context.Context) {
	if m.cfg.Provider != "ollama" {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, 2*askTimeout)
	defer cancel()
	if m.cfg.asksWindow() && !m.local.sure.Load() {
		if n := m.loadedWindow(ctx); n > 0 {
			m.local.window.Store(n)
			m.local.sure.Store(true)
		}
	}
	if !m.local.shown.Load() {
		m.show(ctx)
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

var numCtx = lazy.Regexp(`(?m)^num_ctx\s+(\d{1,9})\s*$`)

// show asks for the window that the model's file sets, and for what the model is able to. Older
// servers do not say the latter.
func (m *Model) show(ctx context.Context) {
	var shown struct {
		Parameters   string   `json:"parameters"`
		Capabilities []string `json:"capabilities"`
	}
	if !m.askOllama(ctx, http.MethodPost, "/api/show", m.named(), &shown) {
		return
	}
	if found := numCtx().FindStringSubmatch(shown.Parameters); found != nil && !m.local.sure.Load() {
		n, _ := strconv.ParseInt(found[1], 10, 64) // digits that fit
		m.local.window.Store(n)
	}
	if can := shown.Capabilities; len(can) > 0 {
		m.local.sees.Store(slices.Contains(can, "vision"))
		if !slices.Contains(can, "tools") {
			m.unwilling.Or(uint32(wishTools))
		}
		if !slices.Contains(can, "thinking") {
			m.unwilling.Or(uint32(wishEffort))
		}
	}
	m.local.shown.Store(true)
}

// named is the body of a question about the model.
func (m *Model) named() []byte {
	body, _ := json.Marshal(map[string]string{"model": m.cfg.Model}) // a string: cannot fail
	return body
}

// askOllama reads a document of Ollama's own API, and reports whether it could. Best effort: to,
// which may be nil, stays as it is on failure.
func (m *Model) askOllama(ctx context.Context, method, path string, body []byte, to any) bool {
	req, err := http.NewRequestWithContext(ctx, method, strings.TrimSuffix(m.cfg.BaseURL, "/v1")+path,
		bytes.NewReader(body))
	if err != nil {
		return false
	}
	req.Header.Set("Content-Type", "application/json")
	if key := strings.TrimSpace(m.cfg.APIKey); key != "" {
		req.Header.Set("Authorization", "Bearer "+key)
	}
	resp, err := m.client.HTTPClient.Do(req)
	if err != nil {
		return false
	}
	defer resp.Body.Close()
	answer := io.LimitReader(resp.Body, 4<<20)
	if resp.StatusCode != http.StatusOK || to == nil {
		_, _ = io.Copy(io.Discard, answer) // a model is loaded once the answer has ended
		return resp.StatusCode == http.StatusOK
	}
	return json.NewDecoder(answer).Decode(to) == nil
}
