package openai

import (
	"cmp"
	"fmt"
	"net"
	"net/http"
	"strings"

	"github.com/pageside/pageside/llm/catalog"
	"github.com/pageside/pageside/llm/httpmodel"
)

// Providers are the names Resolve knows.
func Providers() (names []string) {
	for _, p := range catalog.Providers() {
		if p.API == catalog.OpenAI {
			names = append(names, p.Name)
		}
	}
	return names
}

// Resolve returns the model of a name such as "openai/gpt-5-mini". The catalog says under which
// names env, such as os.Getenv, knows its provider's key and address: OPENAI_API_KEY and
// OPENAI_BASE_URL, GROQ_API_KEY and GROQ_BASE_URL, OLLAMA_HOST. A key is needed unless the address
// is set or the provider is local.
//
// OpenAI's own reasoning models use the Responses API under "openai" too: with Chat Completions
// they forget their thoughts between steps, and the newer ones refuse tools. With OPENAI_BASE_URL
// set, "openai" means Chat Completions, which other servers speak.
func Resolve(name string, env func(string) string) (*Model, error) {
	cfg, err := ConfigOf(name, env)
	if err != nil {
		return nil, err
	}
	return New(cfg), nil
}

// ConfigOf returns the configuration that Resolve makes a model of.
func ConfigOf(name string, env func(string) string) (Config, error) {
	provider, model, _ := strings.Cut(name, "/")
	p, known := catalog.ProviderOf(provider)
	cfg := Config{Provider: provider, Model: model, APIKey: env(p.Key)}
	var err error
	switch {
	case !known || p.API != catalog.OpenAI:
		err = fmt.Errorf("unknown provider %q; known are %s", provider, strings.Join(Providers(), ", "))
	case model == "":
		err = fmt.Errorf("no model named: write %s/NAME", provider)
	default:
		err = cfg.locate(p, env(p.Address))
	}
	if err != nil {
		return Config{}, fmt.Errorf("model %q: %w", name, err)
	}
	return cfg, nil
}

// locate sets what depends on where the provider is: address is what the environment says, or "".
func (cfg *Config) locate(p catalog.Provider, address string) error {
	if !p.Local && (address == "" || p.NeedsAddress) {
		if err := httpmodel.NeedKey(cfg.APIKey, p.Key); err != nil {
			return err
		}
	}
	family, _ := familyOf(cfg.Model)
	switch p.Name {
	case "openai", "openai-responses":
		cfg.Responses = p.Name == "openai-responses" || address == "" && family.Thinking != ""
	case "ollama":
		address = OllamaURL(address)
	case "openrouter":
		cfg.Headers = http.Header{"X-Title": {"Pageside"}}
	}
	if address == "" && p.NeedsAddress {
		return fmt.Errorf("%s needs an address: set %s", p.Title, p.Address)
	}
	cfg.BaseURL = cmp.Or(address, p.BaseURL)
	if p.Path != "" {
		cfg.BaseURL = strings.TrimSuffix(strings.TrimRight(cfg.BaseURL, "/"), p.Path) + p.Path
	}
	return httpmodel.CheckURL(cfg.BaseURL)
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
