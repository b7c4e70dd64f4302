package openai_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/pageside/pageside/llm"
	"github.com/pageside/pageside/llm/llmtest"
	"github.com/pageside/pageside/llm/openai"
	"github.com/pageside/pageside/test/must"
)

// sent returns the body a request becomes.
func sent(t testing.TB, cfg openai.Config, req *llm.Request) string {
	t.Helper()
	create := func(client *http.Client) llm.Model { cfg.HTTPClient = client; return openai.New(cfg) }
	answer := vendor.Over
	if cfg.Responses {
		answer = responsesVendor.Over
	}
	return llmtest.Sent(t, create, answer, req)
}

// asked returns the request that a model makes.
func asked(t *testing.T, cfg openai.Config) *http.Request {
	t.Helper()
	create := func(client *http.Client) llm.Model { cfg.HTTPClient = client; return openai.New(cfg) }
	return llmtest.Asked(t, create, vendor.Over)
}

func TestHeaders(t *testing.T) {
	lower := "x-title"
	got := asked(t, openai.Config{
		BaseURL: "https://host/v1/", Model: "m", APIKey: " key\n", Headers: http.Header{lower: {"T"}, "Authorization": {"no"}},
	})
	must.Be(t, got.Method+" "+got.URL.String(), "POST https://host/v1/chat/completions", "the request")
	llmtest.HasHeaders(t, got, map[string]string{
		"Authorization": "Bearer key", "X-Title": "T", "Content-Type": "application/json", "Accept-Encoding": "identity",
	})
	if _, set := got.Header[lower]; set {
		t.Error("a header name is not in its canonical form")
	}
}

// TestAzure: the key goes into a header of its own, the path is added once, and the deployment's
// model is told apart from its name.
func TestAzure(t *testing.T) {
	for _, endpoint := range []string{"https://x.openai.azure.com", "https://x.openai.azure.com/openai/v1/"} {
		env := map[string]string{"AZURE_OPENAI_API_KEY": "secret", "AZURE_OPENAI_ENDPOINT": endpoint}
		cfg := must.Get(openai.ConfigOf("azure/mine", func(name string) string { return env[name] }))(t)
		cfg.Like = "gpt-5-mini"
		got := asked(t, cfg)
		must.Be(t, got.URL.String(), "https://x.openai.azure.com/openai/v1/chat/completions", "the address")
		llmtest.HasHeaders(t, got, map[string]string{"Api-Key": "secret", "Authorization": ""})
		if info := openai.New(cfg).Info(); info.ContextWindow != 400_000 || !info.Reasoning || info.Name() != "azure/mine" {
			t.Errorf("%+v", info)
		}
	}
}

func TestResolve(t *testing.T) {
	llmtest.Resolves(t, []llmtest.Name{
		{"openai/gpt-5-mini", "OPENAI_API_KEY=k", "https://api.openai.com/v1 Bearer k"},
		{"openai-responses/gpt-4o", "OPENAI_API_KEY=k", "https://api.openai.com/v1 Bearer k"},
		{"deepseek/deepseek-chat", "DEEPSEEK_API_KEY=d", "https://api.deepseek.com/v1 Bearer d"},
		{"openai/local", "OPENAI_BASE_URL=http://127.0.0.1:1/v1/", "http://127.0.0.1:1/v1 "},
		{"ollama/llama3.2", "", "http://127.0.0.1:11434/v1 "},
		{"ollama/llama3.2", "OLLAMA_HOST=0.0.0.0", "http://127.0.0.1:11434/v1 "},
		{"ollama/llama3.2", "OLLAMA_HOST=:9999", "http://127.0.0.1:9999/v1 "},
		{"ollama/llama3.2", "OLLAMA_HOST=box:1234", "http://box:1234/v1 "},
		{"ollama/llama3.2", "OLLAMA_HOST=https://box/sub/", "https://box:443/sub/v1 "},
		{"ollama/llama3.2", "OLLAMA_HOST=http://[::1]:7/v1", "http://[::1]:7/v1 "},
		{"vllm/Qwen/Qwen3-8B", "", "http://127.0.0.1:8000/v1 "},
		{"openrouter/qwen/qwen3-coder", "OPENROUTER_API_KEY=r", "https://openrouter.ai/api/v1 Bearer r"},
		{"groq/openai/gpt-oss-20b", "GROQ_API_KEY=g", "https://api.groq.com/openai/v1 Bearer g"},
		{"mistral/mistral-small", "MISTRAL_API_KEY=m", "https://api.mistral.ai/v1 Bearer m"},
		{"lmstudio/qwen3-8b", "", "http://127.0.0.1:1234/v1 "},
		{"llamacpp/default", "LLAMACPP_BASE_URL=http://box:1/v1", "http://box:1/v1 "},
		{"azure/mine", "AZURE_OPENAI_API_KEY=a", `model "azure/mine": Azure OpenAI needs an address: set AZURE_OPENAI_ENDPOINT`},
		{"azure/mine", "AZURE_OPENAI_ENDPOINT=https://x.openai.azure.com", `model "azure/mine": AZURE_OPENAI_API_KEY is not set`},
		{"openai/gpt-5-mini", "", `model "openai/gpt-5-mini": OPENAI_API_KEY is not set`},
		{"openrouter/x", "", `model "openrouter/x": OPENROUTER_API_KEY is not set`},
		{"openai/", "OPENAI_API_KEY=k", `model "openai/": no model named: write openai/NAME`},
		{"ollama", "", `model "ollama": no model named: write ollama/NAME`},
		{"acme/x", "", `model "acme/x": unknown provider "acme"; known are ` + strings.Join(openai.Providers(), ", ")},
		{"vllm/x", "VLLM_BASE_URL=ftp://x", `model "vllm/x": "ftp://x" is not an http or https address`},
	}, func(name string, env func(string) string) (llm.Model, string, error) {
		m, err := openai.Resolve(name, env)
		if err != nil {
			return nil, "", err
		}
		return m, openai.AddressOf(m), nil
	})
}
