package openai

import (
	"strings"

	"github.com/pageside/pageside/llm"
	"github.com/pageside/pageside/llm/catalog"
	"github.com/pageside/pageside/llm/httpmodel"
)

// official is the address of OpenAI's own API.
const official = "https://api.openai.com/v1"

// familyOf finds a model by its name, which routers prefix with the maker: openai/gpt-5-mini.
func familyOf(model string) (catalog.Model, bool) {
	name := strings.ToLower(model[strings.LastIndexByte(model, '/')+1:])
	return catalog.Find(catalog.OpenAI, strings.TrimPrefix(name, "ft:"))
}

// info returns what is known about the model, and over it what the configuration says.
func (cfg *Config) info(f catalog.Model) llm.Info {
	atOpenAI := cfg.BaseURL == official
	strict := atOpenAI || cfg.Provider == "openrouter" && strings.HasPrefix(cfg.Model, "openai/")
	info := llm.Info{
		Provider: cfg.Provider, Model: cfg.Model, Host: httpmodel.HostOf(cfg.BaseURL), ContextWindow: f.Window,
		Tools: true, ParallelTools: !f.Single,
		Images: f.Images, Reasoning: f.Thinking != "", StrictTools: strict,
	}
	if cfg.Local { // how it serves a model is its own to say
		info.ContextWindow, info.Images = 0, false
	}
	info.Prices = f.PricesAt(cfg.BaseURL)
	info.PDF = cfg.Provider == "openrouter" || atOpenAI && info.Images
	info.Audio = !cfg.Responses && cfg.Provider != "ollama" && hears().MatchString(cfg.Model)
	return cfg.Abilities.Apply(info)
}

// Values of Config.ReturnReasoning other than a field's name.
const (
	// reasoning_content for the providers known to need it: DeepSeek and Moonshot
	AutoField = ""
	NoField   = "none" // reasoning is not sent back
)

// returnField returns the field in which the provider expects the reasoning of earlier steps.
func (cfg *Config) returnField() string {
	if cfg.ReturnReasoning != AutoField {
		return cfg.ReturnReasoning
	}
	host := httpmodel.HostOf(cfg.BaseURL)
	for _, domain := range []string{"deepseek.com", "moonshot.ai", "moonshot.cn"} {
		if host == domain || strings.HasSuffix(host, "."+domain) {
			return "reasoning_content"
		}
	}
	return NoField
}
