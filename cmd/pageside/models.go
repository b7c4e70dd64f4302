package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/pageside/pageside/config"
	"github.com/pageside/pageside/llm"
	"github.com/pageside/pageside/llm/anthropic"
	"github.com/pageside/pageside/llm/bedrock"
	"github.com/pageside/pageside/llm/gemini"
	"github.com/pageside/pageside/llm/openai"
	"github.com/pageside/pageside/llm/script"
)

// openModel opens the model for a name such as openai/gpt-5-mini or script/FILE.
func openModel(name string, env func(string) string) (llm.Model, error) {
	provider, rest, ok := strings.Cut(name, "/")
	if !ok || rest == "" {
		return nil, fmt.Errorf("%q must be provider/name, such as openai/gpt-5-mini", name)
	}
	switch provider {
	case "script":
		return script.Load(rest)
	case "anthropic":
		return anthropic.Resolve(name, env)
	case "gemini":
		return gemini.Resolve(name, env)
	case "bedrock":
		return bedrock.Resolve(name, env)
	}
	if slices.Contains(openai.Providers, provider) {
		return openai.Resolve(name, env)
	}
	return nil, fmt.Errorf("unknown provider %q; the providers are %s, anthropic, gemini, bedrock and script", provider, strings.Join(openai.Providers, ", "))
}

// settings are the environment variables for each provider's key and address.
var settings = map[string]struct{ key, address string }{
	"openai":           {"OPENAI_API_KEY", "OPENAI_BASE_URL"},
	"openai-responses": {"OPENAI_API_KEY", "OPENAI_BASE_URL"},
	"ollama":           {"OLLAMA_API_KEY", "OLLAMA_HOST"},
	"vllm":             {"VLLM_API_KEY", "VLLM_BASE_URL"},
	"openrouter":       {"OPENROUTER_API_KEY", "OPENROUTER_BASE_URL"},
	"deepseek":         {"DEEPSEEK_API_KEY", ""},
	"anthropic":        {"ANTHROPIC_API_KEY", "ANTHROPIC_BASE_URL"},
	"gemini":           {"GEMINI_API_KEY", "GEMINI_BASE_URL"},
}

// describedModel opens a model of the configuration, whose key and address override the
// environment.
func describedModel(spec config.ModelSpec, env func(string) string) (llm.Model, error) {
	provider := spec.Provider
	if spec.Responses {
		if provider != "openai" {
			return nil, fmt.Errorf("responses: only openai has this API, not %s", provider)
		}
		provider = "openai-responses"
	}
	vars := settings[provider]
	switch {
	case spec.Key != "" && vars.key == "":
		return nil, fmt.Errorf("key: %s takes none", provider)
	case spec.BaseURL != "" && vars.address == "":
		return nil, fmt.Errorf("baseUrl: %s takes none", provider)
	}
	return openModel(provider+"/"+spec.Name, func(name string) string {
		switch {
		case name == vars.key && spec.Key != "":
			return spec.Key
		case name == vars.address && spec.BaseURL != "":
			return spec.BaseURL
		}
		return env(name)
	})
}

// modelsOf returns a function that opens the models of a configuration.
func modelsOf(env func(string) string) func(config.ModelSpec) (llm.Model, error) {
	return func(spec config.ModelSpec) (llm.Model, error) { return describedModel(spec, env) }
}

// found are the models the demo picks by itself, by the key that is set.
var found = []struct{ key, model, label string }{
	{"OPENAI_API_KEY", "openai/gpt-5-mini", "OpenAI GPT-5 mini"},
	{"ANTHROPIC_API_KEY", "anthropic/claude-haiku-4-5", "Claude Haiku 4.5"},
	{"GEMINI_API_KEY", "gemini/gemini-2.5-flash", "Gemini 2.5 Flash"},
}

// scriptedDemo is the name of the demo's own script.
const scriptedDemo = "script/demo"

// findModel picks a model for the demo: that of the first key set, else the first of a local
// Ollama, else "".
func findModel(ctx context.Context, env func(string) string) string {
	for _, f := range found {
		if env(f.key) != "" {
			return f.model
		}
	}
	if local := ollamaModels(ctx, env); len(local) > 0 {
		return "ollama/" + local[0]
	}
	return ""
}

// ollamaModels lists the chat models of a local Ollama.
func ollamaModels(ctx context.Context, env func(string) string) (names []string) {
	ctx, stop := context.WithTimeout(ctx, 300*time.Millisecond)
	defer stop()
	var list struct {
		Data []struct {
			ID string `json:"id"`
		} `json:"data"`
	}
	if getJSON(ctx, openai.OllamaURL(env("OLLAMA_HOST"))+"/models", &list) != nil {
		return nil
	}
	for _, m := range list.Data {
		if !strings.Contains(m.ID, "embed") {
			names = append(names, m.ID)
		}
	}
	return names
}

// getJSON reads a small JSON document.
func getJSON(ctx context.Context, url string, to any) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return err
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return fmt.Errorf("GET %s: %s", url, resp.Status)
	}
	return json.NewDecoder(io.LimitReader(resp.Body, 1<<20)).Decode(to)
}
