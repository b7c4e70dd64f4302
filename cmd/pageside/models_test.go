package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
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
	url := serves(t, llmtest.Strict(llmtest.Chat, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		delta := `{"content":"pageside"}`
		switch asked := string(body); {
		case strings.Contains(asked, "17 degrees"):
			delta = `{"content":"17"}`
		case strings.Contains(asked, "Ask the tool"):
			const call = `{"name":"get_weather","arguments":"{\"city\":\"Paris\"}"}`
			delta = `{"tool_calls":[{"index":0,"id":"c","type":"function","function":` + call + `}]}`
		case strings.Contains(asked, "Which colour") && !blind:
			delta = `{"content":"red"}`
		}
		speaks(w, `"delta":`+delta+`,"finish_reason":"stop"`)
		const cached = `"prompt_tokens_details":{"cached_tokens":4096}`
		fmt.Fprint(w, `data: {"choices":[],"usage":{"prompt_tokens":5000,"completion_tokens":1,`+cached+"}}\n\n"+done)
	})).ServeHTTP)
	file := fileOf(t, "pageside.yaml", "models: {mine: {use: azure/deployment, like: gpt-4o, key: env:SECRET, baseUrl: "+
		url+"}}\nagents: [{id: default, model: mine}]\n")
	probe := func() (string, error) {
		return models(t, map[string]string{"SECRET": "k"}, "--probe", "mine", "--config", file)
	}
	has(t, must.Get(probe())(t), "azure/deployment: window 128000 tokens",
		"text           works", "tool call      works", "image          works")
	blind = true
	out, err := probe()
	has(t, out, "image          fails")
	must.Fail(t, err, "failed", "error")
}

// TestProbeOfOllama: its model is loaded to learn the window, and is not asked for tools that it
// does not take.
func TestProbeOfOllama(t *testing.T) {
	loaded := false
	url := serves(t, func(w http.ResponseWriter, r *http.Request) {
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
			speaks(w, `"delta":{"content":"pageside"},"finish_reason":"stop"`)
			fmt.Fprint(w, done)
		}
	})
	out, _ := models(t, map[string]string{"OLLAMA_HOST": url}, "--probe", "ollama/gemma2")
	has(t, out, "ollama/gemma2: window 8192 tokens\n", "text           works", "tool call      skipped")
}

// TestProbeReports: as JSON, with what to do about each failure, and within a time.
func TestProbeReports(t *testing.T) {
	status := http.StatusUnauthorized
	url := serves(t, func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body) // else the server does not notice that the client leaves
		if status == 0 {
			<-r.Context().Done()
			return
		}
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(status)
		fmt.Fprint(w, `{"error":{"message":"Incorrect API key"}}`)
	})
	t.Chdir(t.TempDir()) // no pageside.yaml
	env := map[string]string{"GROQ_API_KEY": "secret", "GROQ_BASE_URL": url, "OLLAMA_HOST": url}
	const model = "groq/llama-3.3-70b-versatile"
	out, err := models(t, env, "--probe", model, "--json")
	must.Fail(t, err, "1 of 3 questions failed", "error")
	report := must.JSON[struct {
		Model   string
		Works   *bool
		Answers []struct{ Question, Status, Detail, Advice string }
	}](t, out)
	must.Be(t, report.Model, model, "the model of the report")
	if report.Works == nil || *report.Works || len(report.Answers) != 1 {
		t.Fatalf("%+v", report)
	}
	a := report.Answers[0]
	must.Be(t, a.Status, "fails", "the answer")
	has(t, a.Detail, "Incorrect API key")
	has(t, a.Advice, "GROQ_API_KEY, or key in pageside.yaml")
	for _, c := range []struct {
		status int // 0: it does not answer
		model  string
		advice string
	}{
		{http.StatusNotFound, "ollama/qwen3", "→ ollama pull qwen3\n"},
		{http.StatusTooManyRequests, "ollama/qwen3", "→ ask again in a minute"},
		{0, model, "no answer within 20ms"},
	} {
		status = c.status
		timeout := map[bool]string{true: "20ms", false: "1m"}[status == 0]
		out, err := models(t, env, "--probe", c.model, "--timeout", timeout)
		must.Fail(t, err, "failed", "error with status %d", c.status)
		has(t, out, c.advice)
	}
	ctx, interrupt := context.WithCancel(t.Context())
	interrupt()
	err = run(ctx, []string{"models", "--probe", model}, environment(env), io.Discard, io.Discard)
	must.Be(t, err.Error(), "interrupted after 0 of 3 questions", "interrupted, it ends with")
}

// received is what a provider was sent.
type received struct{ body, team string }

// refusing is the environment of providers that refuse everything. sent asks a model of theirs, and
// returns what they were sent.
func refusing(t *testing.T) (env map[string]string, sent func(llm.Model, *llm.Request) received) {
	t.Helper()
	var last received
	url := serves(t, func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		last = received{string(body), r.Header.Get("X-Team")}
		w.WriteHeader(http.StatusForbidden)
	})
	env = map[string]string{
		"VLLM_BASE_URL": url, "ANTHROPIC_BASE_URL": url, "ANTHROPIC_API_KEY": "k", "GEMINI_BASE_URL": url,
		"GEMINI_API_KEY": "k", "AWS_ENDPOINT_URL_BEDROCK_RUNTIME": url, "AWS_REGION": "us-east-1", "TEAM": "search",
	}
	return env, func(m llm.Model, req *llm.Request) received {
		for range m.Stream(t.Context(), req) {
		}
		return last
	}
}

// TestModelsAsJSON: the lists are data too.
func TestModelsAsJSON(t *testing.T) {
	listed := func(args ...string) string {
		out := must.Get(models(t, map[string]string{"GROQ_API_KEY": "secret"}, append(args, "--json")...))(t)
		must.Be(t, json.Valid([]byte(out)), true, "whether this is JSON:\n%s", out)
		return out
	}
	has(t, listed(), `"example": "groq/`, `"keySet": true`, "!secret")
	has(t, listed("vertex"), `"prefix": "gemini-2.5-pro"`, `"prefix": "claude-sonnet-4-5"`)
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
