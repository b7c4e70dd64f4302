package openai

import (
	"net/url"
	"strings"

	"github.com/pageside/pageside/llm"
)

// official is the address of OpenAI's own API.
const official = "https://api.openai.com/v1"

// family describes models with a common name prefix.
type family struct {
	prefix string
	window int  // tokens of context
	text   bool // no images
	// thinks before it answers: no temperature, and by Responses alone what it thought can be kept
	reasoning bool
	single    bool // one tool call a step
	phases    bool // tells preambles from answers, and wants to be told again
}

// families are the known ones; the longest prefix counts. Windows are those of the providers' model
// pages, September 2026.
var families = []family{
	{prefix: "gpt-3.5-turbo", window: 16_385, text: true},
	{prefix: "gpt-4", window: 8_192, text: true},
	{prefix: "gpt-4-0125", window: 128_000, text: true},
	{prefix: "gpt-4-1106", window: 128_000, text: true},
	{prefix: "gpt-4.5", window: 128_000},
	{prefix: "gpt-4-turbo", window: 128_000},
	{prefix: "gpt-4o", window: 128_000},
	{prefix: "gpt-4.1", window: 1_047_576},
	{prefix: "chatgpt-4o", window: 128_000},
	{prefix: "o1", window: 200_000, reasoning: true, single: true},
	{prefix: "o1-mini", window: 128_000, reasoning: true, single: true, text: true},
	{prefix: "o3", window: 200_000, reasoning: true, single: true},
	{prefix: "o3-mini", window: 200_000, reasoning: true, single: true, text: true},
	{prefix: "o4-mini", window: 200_000, reasoning: true, single: true},
	{prefix: "codex-mini", window: 200_000, reasoning: true, single: true},
	{prefix: "gpt-5", window: 400_000, reasoning: true},
	{prefix: "gpt-5-chat", window: 128_000},
	{prefix: "gpt-5.1-chat", window: 128_000},
	{prefix: "gpt-5.2-chat", window: 128_000},
	{prefix: "gpt-5.3-chat", window: 128_000},
	{prefix: "gpt-5.3-codex", window: 400_000, reasoning: true, phases: true},
	{prefix: "gpt-5.4", window: 1_050_000, reasoning: true, phases: true},
	{prefix: "gpt-5.4-mini", window: 400_000, reasoning: true, phases: true},
	{prefix: "gpt-5.4-nano", window: 400_000, reasoning: true, phases: true},
	{prefix: "gpt-5.5", window: 1_050_000, reasoning: true, phases: true},
	// the smallest of the three sizes
	{prefix: "gpt-5.6", window: 400_000, reasoning: true, phases: true},
	{prefix: "gpt-oss", window: 131_072, reasoning: true, text: true},
	{prefix: "deepseek", window: 128_000, text: true},
	{prefix: "deepseek-reasoner", window: 128_000, text: true, reasoning: true},
	{prefix: "deepseek-v4", window: 1_000_000, text: true, reasoning: true},
	{prefix: "kimi-k2", window: 256_000, text: true},
}

// familyOf finds a model by its name, which routers prefix with the maker: openai/gpt-5-mini.
func familyOf(model string) (best family, known bool) {
	name := strings.ToLower(model[strings.LastIndexByte(model, '/')+1:])
	name = strings.TrimPrefix(name, "ft:")
	for _, f := range families {
		rest, found := strings.CutPrefix(name, f.prefix)
		if found && len(f.prefix) > len(best.prefix) && (rest == "" || strings.IndexByte("-:.@", rest[0]) >= 0) {
			best, known = f, true
		}
	}
	return best, known
}

// info returns what is known about the model, before the configuration.
func (cfg *Config) info(f family, known bool) llm.Info {
	atOpenAI := cfg.BaseURL == official
	strict := atOpenAI || cfg.Provider == "openrouter" && strings.HasPrefix(cfg.Model, "openai/")
	info := llm.Info{
		Provider: cfg.Provider, Model: cfg.Model, ContextWindow: f.window,
		Tools: true, ParallelTools: !f.single,
		Images: known && !f.text, Reasoning: f.reasoning, StrictTools: strict,
	}
	switch cfg.Provider {
	case "ollama", "vllm": // how they serve a model is theirs to say
		info.ContextWindow, info.Images = 0, false
	}
	info.PDF = cfg.Provider == "openrouter" || atOpenAI && info.Images
	info.Audio = !cfg.Responses && cfg.Provider != "ollama" && hears.MatchString(cfg.Model)
	return info.With(llm.Info{ContextWindow: cfg.ContextWindow, Images: cfg.Images, Reasoning: cfg.Reasoning}).With(cfg.Info)
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
	host := hostOf(cfg.BaseURL)
	for _, domain := range []string{"deepseek.com", "moonshot.ai", "moonshot.cn"} {
		if host == domain || strings.HasSuffix(host, "."+domain) {
			return "reasoning_content"
		}
	}
	return NoField
}

func hostOf(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return ""
	}
	return strings.ToLower(u.Host)
}
