package anthropic

import (
	"fmt"
	"strings"

	"github.com/pageside/pageside/llm"
	"github.com/pageside/pageside/llm/httpmodel"
)

// Resolve returns the model of a name such as "anthropic/claude-sonnet-4-6", with what env, such as
// os.Getenv, says: ANTHROPIC_API_KEY, needed unless ANTHROPIC_BASE_URL points elsewhere.
func Resolve(name string, env func(string) string) (llm.Model, error) {
	cfg, err := configOf(name, env)
	if err != nil {
		return nil, fmt.Errorf("model %q: %w", name, err)
	}
	return New(cfg), nil
}

func configOf(name string, env func(string) string) (Config, error) {
	provider, model, _ := strings.Cut(name, "/")
	cfg := Config{Provider: provider, Model: model, BaseURL: env("ANTHROPIC_BASE_URL"), APIKey: env("ANTHROPIC_API_KEY")}
	switch {
	case provider != "anthropic":
		return cfg, fmt.Errorf("unknown provider %q; known is anthropic", provider)
	case model == "":
		return cfg, fmt.Errorf("no model named: write anthropic/NAME")
	case cfg.BaseURL == "":
		return cfg, httpmodel.NeedKey(cfg.APIKey, "ANTHROPIC_API_KEY")
	}
	return cfg, httpmodel.CheckURL(cfg.BaseURL)
}
