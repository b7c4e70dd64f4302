package gemini_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/pageside/pageside/llm"
	"github.com/pageside/pageside/llm/gemini"
	"github.com/pageside/pageside/llm/llmtest"
	"github.com/pageside/pageside/test/must"
)

// sent returns the body a request becomes.
func sent(t testing.TB, cfg gemini.Config, req *llm.Request) string {
	t.Helper()
	create := func(client *http.Client) llm.Model { cfg.HTTPClient = client; return gemini.New(cfg) }
	return llmtest.Sent(t, create, vendor.Over, req)
}

func TestSchemas(t *testing.T) {
	llmtest.Schemas(t, func(_, schema string) string { return string(gemini.CutSchema(json.RawMessage(schema))) })
	deep := strings.Repeat(`{"type":"object","properties":{"a":`, 2000) + `{}` + strings.Repeat(`}}`, 2000)
	if got := gemini.CutSchema(json.RawMessage(deep)); !json.Valid(got) || len(got) > 10_000 {
		t.Errorf("a deep schema: %d bytes", len(got))
	}
}

func TestHeaders(t *testing.T) {
	for base, want := range map[string]string{
		"":                          "https://generativelanguage.googleapis.com/v1beta/models/gemini-2.5-flash:streamGenerateContent?alt=sse",
		"https://host/":             "https://host/v1beta/models/gemini-2.5-flash:streamGenerateContent?alt=sse",
		"https://host/sub/v1alpha/": "https://host/sub/v1alpha/models/gemini-2.5-flash:streamGenerateContent?alt=sse",
	} {
		cfg := gemini.Config{
			BaseURL: base, Model: "models/gemini-2.5-flash", APIKey: " key\n", Headers: http.Header{"x-extra": {"a"}, "X-Goog-Api-Key": {"no"}},
		}
		create := func(client *http.Client) llm.Model { cfg.HTTPClient = client; return gemini.New(cfg) }
		got := llmtest.Asked(t, create, vendor.Over)
		must.Be(t, got.Method+" "+got.URL.String(), "POST "+want, "the request")
		llmtest.HasHeaders(t, got, map[string]string{"X-Goog-Api-Key": "key", "X-Extra": "a", "Accept-Encoding": "identity"})
	}
}
