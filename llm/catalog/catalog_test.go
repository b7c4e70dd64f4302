package catalog_test

import (
	"cmp"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/pageside/pageside/llm"
	"github.com/pageside/pageside/llm/catalog"
	"github.com/pageside/pageside/test/must"
)

// TestFind: the longest prefix counts, another word that begins alike does not, and a price is of
// the very model.
func TestFind(t *testing.T) {
	for _, tc := range []struct {
		api          catalog.API
		name, prefix string
		priced       bool
	}{
		{catalog.OpenAI, "gpt-5-mini", "gpt-5-mini", true},
		{catalog.OpenAI, "GPT-5-mini-2025-08-07", "gpt-5-mini", true},
		{catalog.OpenAI, "gpt-5-pro", "gpt-5", false},
		{catalog.OpenAI, "gpt-5.2", "gpt-5", false},
		{catalog.OpenAI, "gpt-4o", "gpt-4o", true},
		{catalog.OpenAI, "gpt-4o-audio-preview", "gpt-4o", false},
		{catalog.OpenAI, "gpt-4x", "", false},
		{catalog.OpenAI, "o1x", "", false},
		{catalog.Anthropic, "claude-sonnet-4-5-20250929", "claude-sonnet-4-5", true},
		{catalog.Anthropic, "claude-opus-4-9", "claude-", false},
		{catalog.Gemini, "gemini-2.5-flash-image", "gemini-2.5-flash-image", false},
		{catalog.Gemini, "gemini-2.5-flash", "gemini-2.5-flash", true},
		{catalog.Bedrock, "amazon.nova-2-lite-v1:0", "amazon.nova-2", false},
		{catalog.Bedrock, "gemini-2.5-flash", "", false},
	} {
		m, found := catalog.Find(tc.api, tc.name)
		if m.Prefix != tc.prefix || found != (tc.prefix != "") || (m.Prices != llm.Prices{}) != tc.priced {
			t.Errorf("%s: %+v, %v", tc.name, m, found)
		}
	}
}

// TestCatalog: the data is whole, and every entry can be found.
func TestMeant(t *testing.T) {
	for name, want := range map[string]string{
		"gpt5-mini": "gpt-5-mini", "gpt-5-mnii": "", "gpt-5-mini": "", "gpt-5-mini-2025-08-07": "", "my-own-model": "", "": "",
	} {
		must.Be(t, catalog.Meant(catalog.OpenAI, name), want, "%q means", name)
	}
}

func TestCatalog(t *testing.T) {
	names := map[string]bool{}
	for _, p := range catalog.Providers() {
		if got, ok := catalog.ProviderOf(p.Name); !ok || got != p || names[p.Name] {
			t.Errorf("provider %q is not found, or is there twice", p.Name)
		}
		names[p.Name] = true
		u, err := url.Parse(p.BaseURL)
		if usual := err == nil && u.Host != ""; usual == p.NeedsAddress && p.API == catalog.OpenAI || p.Title == "" || p.Example == "" {
			t.Errorf("provider %+v", p)
		}
	}
	seen := map[string]bool{}
	for _, api := range []catalog.API{catalog.OpenAI, catalog.Anthropic, catalog.Gemini, catalog.Bedrock} {
		for _, m := range catalog.Models(api) {
			key := string(m.API) + " " + m.Prefix
			found, _ := catalog.Find(api, m.Prefix)
			if found.Prefix != m.Prefix || seen[key] || m.Window < 8000 || strings.ToLower(m.Prefix) != m.Prefix {
				t.Errorf("model %+v", m)
			}
			seen[key] = true
			checkFields(t, m)
		}
	}
	if len(seen) < 90 {
		t.Errorf("%d models", len(seen))
	}
}

// checkFields: a model has only fields that its adapter reads, and prices that hold somewhere.
func checkFields(t *testing.T, m catalog.Model) {
	t.Helper()
	in := func(apis ...catalog.API) bool { return slices.Contains(apis, m.API) }
	for field, wrong := range map[string]bool{
		"output":   m.Output != 0 && !in(catalog.Anthropic),
		"levels":   m.Levels != nil && !in(catalog.Gemini),
		"single":   m.Single && !in(catalog.OpenAI),
		"phases":   m.Phases && !in(catalog.OpenAI),
		"noTools":  m.NoTools && !in(catalog.Bedrock),
		"cache":    m.Cache && !in(catalog.Bedrock),
		"strict":   m.Strict && !in(catalog.Anthropic, catalog.Bedrock),
		"at":       m.At != "" && m.Prices == llm.Prices{},
		"thinking": m.Thinking != "" && !slices.Contains(ways[m.API], m.Thinking),
	} {
		if wrong {
			t.Errorf("%s %s: nothing reads %s", m.API, m.Prefix, field)
		}
	}
	if m.Prices == (llm.Prices{}) {
		return
	}
	at, ok := catalog.ProviderOf(cmp.Or(m.At, string(m.API)))
	if !ok || m.PricesAt(at.BaseURL) != m.Prices || m.PricesAt("http://other") != (llm.Prices{}) || m.PricesAt("") != (llm.Prices{}) {
		t.Errorf("%s: its prices hold nowhere, or everywhere", m.Prefix)
	}
	if p := m.Prices; p.Input <= 0 || p.Output < p.Input || p.CacheRead <= 0 || p.CacheRead >= p.Input || p.CacheWrite != 0 && p.CacheWrite <= p.Input || (p.CacheWrite != 0) != in(catalog.Anthropic) {
		t.Errorf("%s: prices %+v", m.Prefix, p)
	}
}

// ways are how the models of an API are asked to think.
var ways = map[catalog.API][]catalog.Thinking{
	catalog.OpenAI:    {catalog.Effort},
	catalog.Anthropic: {catalog.Budget, catalog.Adaptive, catalog.AdaptiveOnly},
	catalog.Gemini:    {catalog.Budget, catalog.Level},
	catalog.Bedrock:   {catalog.Budget, catalog.Adaptive, catalog.AdaptiveOnly, catalog.Nova, catalog.Effort},
}
