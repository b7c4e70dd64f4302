package catalog_test

import (
	"net/url"
	"strings"
	"testing"

	"github.com/pageside/pageside/llm"
	"github.com/pageside/pageside/llm/catalog"
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
		}
	}
	if len(seen) < 90 {
		t.Errorf("%d models", len(seen))
	}
}
