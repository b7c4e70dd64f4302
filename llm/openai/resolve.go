package openai

import (
	"cmp"
	"fmt"
	"net"
	"net/http"
	"strings"

	"github.com/pageside/pageside/llm/httpmodel"
)

// Providers are the names Resolve knows.
var Providers = []string{"openai", "openai-responses", "ollama", "vllm", "openrouter", "deepseek"}

// Resolve returns the model of a name such as "openai/gpt-5-mini", with what env, such as
// os.Getenv, says of its provider:
//
//	openai            OPENAI_API_KEY, needed unless OPENAI_BASE_URL points elsewhere
//	openai-responses  the same, by the Responses API
//	ollama            OLLAMA_HOST, default http://127.0.0.1:11434; OLLAMA_API_KEY
//	vllm              VLLM_BASE_URL, default http://127.0.0.1:8000/v1; VLLM_API_KEY
//	openrouter        OPENROUTER_API_KEY, needed; OPENROUTER_BASE_URL
//	deepseek          DEEPSEEK_API_KEY, needed
//
// OpenAI's own reasoning models use the Responses API under "openai" too: with Chat Completions
// they forget their thoughts between steps, and the newer ones refuse tools. With OPENAI_BASE_URL
// set, "openai" means Chat Completions, which other servers speak.
func Resolve(name string, env func(string) string) (*Model, error) {
	provider, model, _ := strings.Cut(name, "/")
	cfg := Config{Provider: provider, Model: model}
	var err error
	switch provider {
	case "openai", "openai-responses":
		cfg.BaseURL, cfg.APIKey = env("OPENAI_BASE_URL"), env("OPENAI_API_KEY")
		if cfg.BaseURL == "" {
			err = httpmodel.NeedKey(cfg.APIKey, "OPENAI_API_KEY")
		}
		family, _ := familyOf(model)
		cfg.Responses = provider == "openai-responses" || cfg.BaseURL == "" && family.Thinking != ""
	case "ollama":
		cfg.BaseURL, cfg.APIKey = OllamaURL(env("OLLAMA_HOST")), env("OLLAMA_API_KEY")
	case "vllm":
		cfg.BaseURL, cfg.APIKey = cmp.Or(env("VLLM_BASE_URL"), "http://127.0.0.1:8000/v1"), env("VLLM_API_KEY")
	case "openrouter":
		cfg.BaseURL, cfg.APIKey = cmp.Or(env("OPENROUTER_BASE_URL"), "https://openrouter.ai/api/v1"), env("OPENROUTER_API_KEY")
		cfg.Headers = http.Header{"X-Title": {"Pageside"}}
		err = httpmodel.NeedKey(cfg.APIKey, "OPENROUTER_API_KEY")
	case "deepseek":
		cfg.BaseURL, cfg.APIKey = "https://api.deepseek.com/v1", env("DEEPSEEK_API_KEY")
		err = httpmodel.NeedKey(cfg.APIKey, "DEEPSEEK_API_KEY")
	default:
		err = fmt.Errorf("unknown provider %q; known are %s", provider, strings.Join(Providers, ", "))
	}
	if err == nil && model == "" {
		err = fmt.Errorf("no model named: write %s/NAME", provider)
	}
	if err == nil && cfg.BaseURL != "" {
		err = httpmodel.CheckURL(cfg.BaseURL)
	}
	if err != nil {
		return nil, fmt.Errorf("model %q: %w", name, err)
	}
	return New(cfg), nil
}

// OllamaURL returns the base URL that OLLAMA_HOST stands for, as Ollama's own client reads it:
// scheme and port may be missing, and the address that means "all interfaces" to the server means
// this machine to a client.
func OllamaURL(host string) string {
	scheme, rest, found := strings.Cut(strings.TrimSpace(host), "://")
	if !found {
		scheme, rest = "http", scheme
	}
	rest, path, _ := strings.Cut(rest, "/")
	name, port, err := net.SplitHostPort(rest)
	if err != nil {
		name, port = strings.Trim(rest, "[]"), map[string]string{"http": "11434", "https": "443"}[scheme]
	}
	if name == "" || name == "0.0.0.0" || name == "::" {
		name = "127.0.0.1"
	}
	path = strings.Trim(strings.TrimSuffix(strings.Trim(path, "/"), "v1"), "/")
	if path != "" {
		path = "/" + path
	}
	return scheme + "://" + net.JoinHostPort(name, port) + path + "/v1"
}
