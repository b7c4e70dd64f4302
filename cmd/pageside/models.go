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
	"github.com/pageside/pageside/llm/catalog"
	"github.com/pageside/pageside/llm/gemini"
	"github.com/pageside/pageside/llm/openai"
	"github.com/pageside/pageside/llm/script"
	"github.com/pageside/pageside/llm/vertex"
)

// openModel opens the model for a name such as openai/gpt-5-mini or script/FILE.
func openModel(name string, env func(string) string) (llm.Model, error) {
	provider, rest, ok := strings.Cut(name, "/")
	if !ok || rest == "" {
		return nil, fmt.Errorf("%q must be provider/name, such as openai/gpt-5-mini", name)
	}
	return describedModel(config.ModelSpec{Provider: provider, Name: rest}, env)
}

// describedModel opens a model of the configuration, whose key and address override the
// environment.
func describedModel(spec config.ModelSpec, env func(string) string) (llm.Model, error) {
	if spec.Provider == "script" {
		return script.Load(spec.Name)
	}
	if spec.Responses {
		if spec.Provider != "openai" {
			return nil, fmt.Errorf("responses: only openai has this API, not %s", spec.Provider)
		}
		spec.Provider = "openai-responses"
	}
	provider, known := catalog.ProviderOf(spec.Provider)
	switch {
	case !known:
		return nil, fmt.Errorf("unknown provider %q%s; 'pageside models' lists the providers", spec.Provider,
			didYouMean(spec.Provider, providerNames()))
	case spec.Key != "" && provider.Key == "":
		return nil, fmt.Errorf("key: %s takes none", spec.Provider)
	case spec.BaseURL != "" && provider.Address == "":
		return nil, fmt.Errorf("baseUrl: %s takes none", spec.Provider)
	case spec.Like != "" && !isKnown(provider, spec.Like):
		return nil, fmt.Errorf("like: nothing is known of %q; 'pageside models %s' lists what is", spec.Like,
			spec.Provider)
	}
	return adapters[provider.API](provider.Name+"/"+spec.Name, spec, func(name string) string {
		switch {
		case name == provider.Key && spec.Key != "":
			return spec.Key
		case name == provider.Address && spec.BaseURL != "":
			return spec.BaseURL
		}
		return env(name)
	})
}

// adapter opens a model by its name. Of the spec it takes what no environment says.
type adapter func(name string, spec config.ModelSpec, env func(string) string) (llm.Model, error)

// described are the fields of an adapter's configuration that the file sets.
type described struct {
	like      *string
	abilities *llm.Profile

	headers                            *http.Header
	headerTimeout, firstContentTimeout *time.Duration
}

// adapters are those of the APIs.
var adapters = map[catalog.API]adapter{
	catalog.OpenAI: adapterOf(openai.ConfigOf, openai.New, func(c *openai.Config) described {
		return described{&c.Like, &c.Abilities, &c.Headers, &c.HeaderTimeout, &c.FirstContentTimeout}
	}),
	catalog.Anthropic: adapterOf(anthropic.ConfigOf, anthropic.New, func(c *anthropic.Config) described {
		return described{&c.Like, &c.Abilities, &c.Headers, &c.HeaderTimeout, &c.FirstContentTimeout}
	}),
	catalog.Gemini: adapterOf(gemini.ConfigOf, gemini.New, func(c *gemini.Config) described {
		return described{&c.Like, &c.Abilities, &c.Headers, &c.HeaderTimeout, &c.FirstContentTimeout}
	}),
	catalog.Bedrock: adapterOf(bedrock.ConfigOf, bedrock.New, func(c *bedrock.Config) described {
		return described{&c.Like, &c.Abilities, &c.Headers, &c.HeaderTimeout, &c.FirstContentTimeout}
	}),
	catalog.Vertex: adapterOf(vertex.ConfigOf, vertex.New, func(c *vertex.Config) described {
		return described{&c.Like, &c.Abilities, &c.Headers, &c.HeaderTimeout, &c.FirstContentTimeout}
	}),
}

// adapterOf returns an adapter that reads the configuration of a model and opens it.
func adapterOf[C any, M llm.Model](
	configOf func(string, func(string) string) (C, error), open func(C) M, fields func(*C) described,
) adapter {
	return func(name string, spec config.ModelSpec, env func(string) string) (llm.Model, error) {
		cfg, err := configOf(name, env)
		if err != nil {
			return nil, err
		}
		fields(&cfg).set(&spec)
		return open(cfg), nil
	}
}

// set sets what the spec says.
func (d described) set(spec *config.ModelSpec) {
	*d.like, *d.abilities = spec.Like, spec.Abilities
	if spec.Timeout != 0 {
		*d.headerTimeout, *d.firstContentTimeout = spec.Timeout, spec.Timeout
	}
	if len(spec.Headers) > 0 && *d.headers == nil {
		*d.headers = http.Header{}
	}
	for name, value := range spec.Headers {
		d.headers.Set(name, value)
	}
}

// apis are those whose models a provider may have.
func apis(p catalog.Provider) []catalog.API {
	if p.API == catalog.Vertex {
		return []catalog.API{catalog.Gemini, catalog.Anthropic}
	}
	return []catalog.API{p.API}
}

// isKnown reports whether the catalog knows a model that the provider may have.
func isKnown(p catalog.Provider, model string) bool {
	return slices.ContainsFunc(apis(p), func(api catalog.API) bool {
		_, found := catalog.Find(api, model)
		return found
	})
}

// providerNames are those of all providers.
func providerNames() (names []string) {
	for _, p := range catalog.Providers() {
		names = append(names, p.Name)
	}
	return append(names, "script")
}

// modelsOf returns a function that opens the models of a configuration.
func modelsOf(env func(string) string) func(config.ModelSpec) (llm.Model, error) {
	return func(spec config.ModelSpec) (llm.Model, error) { return describedModel(spec, env) }
}

// found are the models the demo picks by itself, by the key that is set, with the names of their
// providers.
var found = []struct{ key, model, label string }{
	{"OPENAI_API_KEY", "openai/gpt-5-mini", "OpenAI"},
	{"ANTHROPIC_API_KEY", "anthropic/claude-haiku-4-5", "Anthropic"},
	{"GEMINI_API_KEY", "gemini/gemini-2.5-flash", "Google Gemini"},
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
	ctx, stop := context.WithTimeout(ctx, time.Second)
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
