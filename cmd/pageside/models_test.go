package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/pageside/pageside/config"
	"github.com/pageside/pageside/llm"
	"github.com/pageside/pageside/llm/llmtest"
	"github.com/pageside/pageside/test/must"
)

// models runs `pageside models` and returns what it prints.
func models(t *testing.T, env map[string]string, args ...string) (string, error) {
	t.Helper()
	return answered(t, env, append([]string{"models"}, args...)...)
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
	yaml := "models: {mine: {use: azure/deployment, like: gpt-4o, key: env:SECRET, baseUrl: " + ts.URL + "}}\nagents: [{id: default, model: mine}]\n"
	file := fileOf(t, "pageside.yaml", yaml)
	env := map[string]string{"SECRET": "k"}
	out, err := models(t, env, "--probe", "mine", "--config", file)
	must.Do(t, err)
	has(t, out, "azure/deployment: window 128000 tokens", "text           works", "tool call      works", "image          works")
	blind = true
	if out, err = models(t, env, "--probe", "mine", "--config", file); err == nil || !strings.Contains(out, "image          fails") {
		t.Errorf("%s%v", out, err)
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
	out, _ := models(t, map[string]string{"OLLAMA_HOST": ts.URL}, "--probe", "ollama/gemma2")
	has(t, out, "ollama/gemma2: window 8192 tokens\n", "text           works", "tool call      skipped")
}

// TestProbeReports: as JSON, with what to do about each failure, and within a time.
func TestProbeReports(t *testing.T) {
	status := http.StatusUnauthorized
	ts := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body) // else the server does not notice that the client leaves
		if status == 0 {
			<-r.Context().Done()
			return
		}
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(status)
		fmt.Fprint(w, `{"error":{"message":"Incorrect API key"}}`)
	}))
	t.Cleanup(ts.Close)
	t.Chdir(t.TempDir()) // no pageside.yaml
	env := map[string]string{"GROQ_API_KEY": "secret", "GROQ_BASE_URL": ts.URL, "OLLAMA_HOST": ts.URL}
	out, err := models(t, env, "--probe", "groq/llama-3.3-70b-versatile", "--json")
	var report struct {
		Model   string
		Works   *bool
		Answers []struct{ Question, Status, Detail, Advice string }
	}
	must.Fail(t, err, "1 of 3 questions failed", "error")
	if err := json.Unmarshal([]byte(out), &report); err != nil {
		t.Fatalf("%v in %s", err, out)
	}
	if report.Model != "groq/llama-3.3-70b-versatile" || report.Works == nil || *report.Works || len(report.Answers) != 1 {
		t.Fatalf("%+v", report)
	}
	if a := report.Answers[0]; a.Status != "fails" || !strings.Contains(a.Detail, "Incorrect API key") || !strings.Contains(a.Advice, "GROQ_API_KEY, or key in pageside.yaml") {
		t.Errorf("%+v", a)
	}
	for want, code := range map[string]int{"→ ollama pull qwen3\n": http.StatusNotFound, "→ ask again in a minute": http.StatusTooManyRequests} {
		status = code
		if out, err = models(t, env, "--probe", "ollama/qwen3"); err == nil || !strings.Contains(out, want) {
			t.Errorf("status %d: %v\n%s", code, err, out)
		}
	}
	status = 0
	if out, err = models(t, env, "--probe", "groq/llama-3.3-70b-versatile", "--timeout", "20ms"); err == nil || !strings.Contains(out, "no answer within 20ms") {
		t.Errorf("%v\n%s", err, out)
	}
	ctx, interrupt := context.WithCancel(t.Context())
	interrupt()
	err = run(ctx, []string{"models", "--probe", "groq/llama-3.3-70b-versatile"}, func(name string) string { return env[name] }, io.Discard, io.Discard)
	if err == nil || err.Error() != "interrupted after 0 of 3 questions" {
		t.Errorf("interrupted, it ends with %v", err)
	}
}

// received is what a provider was sent.
type received struct{ body, team string }

// refusing is the environment of providers that refuse everything. sent asks a model of theirs, and
// returns what they were sent.
func refusing(t *testing.T) (env map[string]string, sent func(llm.Model, *llm.Request) received) {
	t.Helper()
	var last received
	ts := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		last = received{string(body), r.Header.Get("X-Team")}
		w.WriteHeader(http.StatusForbidden)
	}))
	t.Cleanup(ts.Close)
	env = map[string]string{
		"VLLM_BASE_URL": ts.URL, "ANTHROPIC_BASE_URL": ts.URL, "ANTHROPIC_API_KEY": "k", "GEMINI_BASE_URL": ts.URL,
		"GEMINI_API_KEY": "k", "AWS_ENDPOINT_URL_BEDROCK_RUNTIME": ts.URL, "AWS_REGION": "us-east-1", "TEAM": "search",
	}
	return env, func(m llm.Model, req *llm.Request) received {
		for range m.Stream(t.Context(), req) {
		}
		return last
	}
}

// TestModelsAsJSON: the lists are data too.
func TestModelsAsJSON(t *testing.T) {
	out, err := models(t, map[string]string{"GROQ_API_KEY": "secret"}, "--json")
	if err != nil || !strings.Contains(out, `"example": "groq/`) || !strings.Contains(out, `"keySet": true`) || strings.Contains(out, "secret") || !json.Valid([]byte(out)) {
		t.Errorf("%v\n%s", err, out)
	}
	out, err = models(t, nil, "vertex", "--json")
	if err != nil || !json.Valid([]byte(out)) || !strings.Contains(out, `"prefix": "gemini-2.5-pro"`) || !strings.Contains(out, `"prefix": "claude-sonnet-4-5"`) {
		t.Errorf("%v\n%s", err, out)
	}
}

// TestAbilities: what a configuration says that a model can do reaches the requests, at every
// provider, also where nothing is known of the model.
func TestAbilities(t *testing.T) {
	const image = "iVBORw0KGgoAAAANSUhEUg=="
	strict := llm.ToolDecl{Name: "f", Strict: true, Parameters: json.RawMessage(`{"type":"object","properties":{},"additionalProperties":false}`)}
	req := &llm.Request{Tools: []llm.ToolDecl{strict}, Messages: []llm.Message{{Role: llm.RoleUser, Content: []llm.Content{llm.Text{Text: "Hi"}, llm.Media{Kind: "image", MimeType: "image/png", Data: image}}}}}
	for use, strictly := range map[string]bool{"vllm/mine": true, "anthropic/claude-3-5-haiku-latest": true, "gemini/gemini-2.5-flash": false, "bedrock/mine.unknown": true} {
		for _, able := range []bool{true, false} {
			env, ask := refusing(t)
			t.Setenv("AWS_ACCESS_KEY_ID", "a")
			t.Setenv("AWS_SECRET_ACCESS_KEY", "b")
			provider, name, _ := strings.Cut(use, "/")
			m := must.Get(describedModel(config.ModelSpec{
				Provider: provider, Name: name, Abilities: llm.Profile{Images: &able, StrictTools: &able},
			}, environment(env)))(t)
			sent := ask(m, req).body
			if got := m.Info(); got.Images != able || got.StrictTools != able {
				t.Errorf("%s, %v: %+v", use, able, got)
			}
			if got := strings.Contains(sent, `"strict":true`); got != (able && strictly) {
				t.Errorf("%s, strict tools %v: %s", use, able, sent)
			}
			if got := strings.Contains(sent, image); able && !got || !able && got && provider != "vllm" {
				t.Errorf("%s, images %v: %s", use, able, sent)
			}
		}
	}
}

// TestListPrices: they hold at the address of whoever asks for them, and are unknown elsewhere.
func TestListPrices(t *testing.T) {
	keys := map[string]string{"OPENAI_API_KEY": "k", "ANTHROPIC_API_KEY": "k", "GEMINI_API_KEY": "k", "DEEPSEEK_API_KEY": "k", "GROQ_API_KEY": "k", "OPENROUTER_API_KEY": "k"}
	for name, want := range map[string]float64{
		"openai/gpt-4o": 2.5, "anthropic/claude-sonnet-4-5": 3, "gemini/gemini-2.5-flash": 0.3, "deepseek/deepseek-v4-flash": 0.14, "groq/openai/gpt-oss-20b": 0.075,
		"openrouter/openai/gpt-4o": 0, "openrouter/openai/gpt-oss-20b": 0, "ollama/gpt-oss-20b": 0, "openai/gpt-oss-20b": 0,
	} {
		m, err := openModel(name, func(name string) string { return keys[name] })
		if err != nil || m.Info().Prices.Input != want {
			t.Errorf("%s: %v, %v", name, m.Info().Prices, err)
		}
	}
	keys["OPENAI_BASE_URL"] = "http://127.0.0.1:1/v1"
	if m, err := openModel("openai/gpt-4o", func(name string) string { return keys[name] }); err != nil || m.Info().Prices != (llm.Prices{}) {
		t.Errorf("elsewhere: %v", err)
	}
}
