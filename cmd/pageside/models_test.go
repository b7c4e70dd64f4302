package main

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pageside/pageside/llm/llmtest"
)

// models runs `pageside models` and returns what it prints.
func models(t *testing.T, env map[string]string, args ...string) (string, error) {
	t.Helper()
	var out bytes.Buffer
	err := run(t.Context(), append([]string{"models"}, args...), func(name string) string { return env[name] }, &out, io.Discard)
	return out.String(), err
}

// TestModels lists providers with the state of their keys, and a provider's models.
func TestModels(t *testing.T) {
	out, err := models(t, map[string]string{"GROQ_API_KEY": "secret"})
	for _, want := range []string{"GROQ_API_KEY, set", "azure/DEPLOYMENT", "vertex/gemini-2.5-flash", "OLLAMA_API_KEY, not needed", "script/FILE.yaml"} {
		if err != nil || !strings.Contains(out, want) {
			t.Errorf("%q is not in\n%s%v", want, out, err)
		}
	}
	if strings.Contains(out, "secret") {
		t.Error("a key is printed")
	}
	out, err = models(t, nil, "vertex")
	if err != nil || !strings.Contains(out, "gemini-2.5-pro") || !strings.Contains(out, "claude-sonnet-4-5") || strings.Contains(out, "gpt-5") {
		t.Errorf("%s%v", out, err)
	}
	if _, err := models(t, nil, "goq"); err == nil || !strings.Contains(err.Error(), "did you mean groq?") {
		t.Errorf("%v", err)
	}
}

// TestProbe: a model of the configuration is asked, and what fails makes the command fail.
func TestProbe(t *testing.T) {
	blind := false
	ts := httptest.NewServer(llmtest.Strict(llmtest.Chat, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		delta := `{"content":"pageside"}`
		switch asked := string(body); {
		case strings.Contains(asked, "17 degrees"):
			delta = `{"content":"17"}`
		case strings.Contains(asked, "Ask the tool"):
			delta = `{"tool_calls":[{"index":0,"id":"c","type":"function","function":{"name":"get_weather","arguments":"{\"city\":\"Paris\"}"}}]}`
		case strings.Contains(asked, "Which colour") && !blind:
			delta = `{"content":"red"}`
		}
		w.Header().Set("Content-Type", "text/event-stream")
		fmt.Fprintf(w, "data: {\"choices\":[{\"index\":0,\"delta\":%s,\"finish_reason\":\"stop\"}]}\n\n", delta)
		fmt.Fprint(w, "data: {\"choices\":[],\"usage\":{\"prompt_tokens\":5000,\"completion_tokens\":1,\"prompt_tokens_details\":{\"cached_tokens\":4096}}}\n\ndata: [DONE]\n\n")
	})))
	t.Cleanup(ts.Close)
	file := filepath.Join(t.TempDir(), "pageside.yaml")
	yaml := "models: {mine: {use: azure/deployment, like: gpt-4o, key: env:SECRET, baseUrl: " + ts.URL + ", parallelTools: false}}\nagents: [{id: default, model: mine}]\n"
	if err := os.WriteFile(file, []byte(yaml), 0o600); err != nil {
		t.Fatal(err)
	}
	env := map[string]string{"SECRET": "k"}
	out, err := models(t, env, "--probe", "mine", "--config", file)
	for _, want := range []string{"azure/deployment: window 128000 tokens", "text           works", "tool call      works", "parallel calls skipped", "image          works", "4096 of 5000 tokens from the cache"} {
		if err != nil || !strings.Contains(out, want) {
			t.Errorf("%q is not in\n%s%v", want, out, err)
		}
	}
	blind = true
	if out, err = models(t, env, "--probe", "mine", "--config", file); err == nil || !strings.Contains(out, "image          fails") {
		t.Errorf("%s%v", out, err)
	}
	if _, err = models(t, env, "--probe", "other", "--config", file); err == nil || !strings.Contains(err.Error(), `has no model "other"`) {
		t.Errorf("%v", err)
	}
	if _, err = models(t, env, "--probe", "mine", "azure"); err == nil {
		t.Error("an argument after the flags is accepted")
	}
}

// TestProbeOfOllama: its model is loaded to learn the window, and is not asked for tools that it
// does not take.
func TestProbeOfOllama(t *testing.T) {
	loaded := false
	ts := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/api/generate":
			loaded = true
			fmt.Fprint(w, `{"done":true}`)
		case "/api/ps":
			if loaded {
				fmt.Fprint(w, `{"models":[{"name":"gemma2:latest","context_length":8192}]}`)
			}
		case "/api/show":
			fmt.Fprint(w, `{"capabilities":["completion"]}`)
		default:
			w.Header().Set("Content-Type", "text/event-stream")
			fmt.Fprint(w, "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"pageside\"},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n")
		}
	}))
	t.Cleanup(ts.Close)
	out, err := models(t, map[string]string{"OLLAMA_HOST": ts.URL}, "--probe", "ollama/gemma2")
	for _, want := range []string{"ollama/gemma2: window 8192 tokens\n", "text           works", "tool call      skipped"} {
		if !strings.Contains(out, want) {
			t.Errorf("%q is not in\n%s%v", want, out, err)
		}
	}
}

// TestDescribedModel: what a configuration says of a model that its provider cannot use is refused.
func TestDescribedModel(t *testing.T) {
	for yaml, want := range map[string]string{
		"{use: azure/x, like: gpt-99, baseUrl: http://x, key: env:K}": `like: nothing is known of "gpt-99"; 'pageside models azure' lists what is`,
		"{use: opnai/x}":                        "unknown provider \"opnai\"; did you mean openai?",
		"{use: bedrock/x, key: env:K}":          "key: bedrock takes none",
		"{use: groq/x, responses: true}":        "responses: only openai has this API, not groq",
		"{use: bedrock/x, baseUrl: 'http://x'}": "baseUrl: bedrock takes none",
	} {
		file := filepath.Join(t.TempDir(), "pageside.yaml")
		if err := os.WriteFile(file, []byte("models: {mine: "+yaml+"}\nagents: [{id: default, model: mine}]\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := models(t, map[string]string{"K": "k"}, "--probe", "mine", "--config", file); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", yaml, err)
		}
	}
}
