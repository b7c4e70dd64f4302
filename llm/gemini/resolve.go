package gemini

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/pageside/pageside/llm"
	"github.com/pageside/pageside/llm/httpmodel"
)

// Resolve returns the model of a name such as "gemini/gemini-2.5-flash", with what env, such as
// os.Getenv, says: GEMINI_API_KEY or GOOGLE_API_KEY, needed unless GEMINI_BASE_URL points
// elsewhere.
func Resolve(name string, env func(string) string) (llm.Model, error) {
	cfg, err := configOf(name, env)
	if err != nil {
		return nil, fmt.Errorf("model %q: %w", name, err)
	}
	return New(cfg), nil
}

func configOf(name string, env func(string) string) (Config, error) {
	provider, model, _ := strings.Cut(name, "/")
	cfg := Config{Provider: provider, Model: model, BaseURL: env("GEMINI_BASE_URL"), APIKey: cmp.Or(env("GEMINI_API_KEY"), env("GOOGLE_API_KEY"))}
	switch {
	case provider != "gemini":
		return cfg, fmt.Errorf("unknown provider %q; known is gemini", provider)
	case model == "":
		return cfg, fmt.Errorf("no model named: write gemini/NAME")
	case cfg.BaseURL == "":
		return cfg, httpmodel.NeedKey(cfg.APIKey, "GEMINI_API_KEY")
	}
	return cfg, httpmodel.CheckURL(cfg.BaseURL)
}
