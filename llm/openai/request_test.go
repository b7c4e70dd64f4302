package openai_test

import (
	"encoding/json"
	"errors"
	"io"
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

func TestRequest(t *testing.T) {
	temperature := 0.2
	req := &llm.Request{
		System: []llm.Block{{Text: "Be \"brief\"."}, {Text: "Second\nblock.", Cache: true}},
		Tools: []llm.ToolDecl{
			{Name: "f", Description: "does f", Parameters: json.RawMessage(`{"type":"object","properties":{"n":{"const":1.0}}}`), Strict: true},
			{Name: "g"},
		},
		Messages: []llm.Message{
			{Role: llm.RoleUser, Content: []llm.Content{llm.Text{Text: "context"}, llm.Text{Quoted: json.RawMessage(`"que\u0073tion\n"`)}}},
			{Role: llm.RoleAssistant, Content: []llm.Content{
				llm.Reasoning{Text: "hm"}, llm.Text{Text: "Let me."},
				llm.ToolCall{ID: "a", Name: "f", Args: `{"n": 1.0}`}, llm.ToolCall{ID: "b", Name: "g"},
			}},
			{Role: llm.RoleTool, Content: []llm.Content{llm.ToolResult{ID: "a", Content: llm.Text{Text: "one"}}, llm.ToolResult{ID: "b", Content: llm.Text{Quoted: json.RawMessage(`"two"`)}, IsError: true}}},
			{Role: llm.RoleAssistant, Content: []llm.Content{llm.ToolCall{ID: "c", Name: "g", Args: "{}"}}},
			{Role: llm.RoleTool, Content: []llm.Content{llm.ToolResult{ID: "c"}}},
			{Role: llm.RoleUser, Content: []llm.Content{llm.Text{Text: "see"}, llm.Media{Kind: "image", MimeType: "image/png", Data: "iVBORw0KGgo="}, llm.Media{Kind: "image", URL: "https://x/y"}}},
		},
		Choice: llm.ChoiceRequired, MaxTokens: 50, Temperature: &temperature, Effort: "low",
		Extra: map[string]json.RawMessage{"seed": json.RawMessage(`7`), "model": json.RawMessage(`"evil"`), "temperature": json.RawMessage(`1`)},
	}
	llmtest.SameJSON(t, sent(t, openai.Config{Model: "m", Abilities: llm.Profile{Reasoning: new(true)}}, req), `{
		"model":"m","stream":true,"stream_options":{"include_usage":true},"max_completion_tokens":50,"reasoning_effort":"low","temperature":1,"seed":7,
		"tools":[
			{"type":"function","function":{"name":"f","description":"does f","parameters":{"type":"object","properties":{"n":{"const":1.0}}},"strict":true}},
			{"type":"function","function":{"name":"g","parameters":{"type":"object","properties":{}}}}],
		"tool_choice":"required",
		"messages":[
			{"role":"system","content":"Be \"brief\".\n\nSecond\nblock."},
			{"role":"user","content":"context\n\nquestion\n"},
			{"role":"assistant","content":"Let me.","tool_calls":[
				{"id":"a","type":"function","function":{"name":"f","arguments":"{\"n\": 1.0}"}},{"id":"b","type":"function","function":{"name":"g","arguments":"{}"}}]},
			{"role":"tool","tool_call_id":"a","content":"one"},
			{"role":"tool","tool_call_id":"b","content":"two"},
			{"role":"assistant","content":null,"tool_calls":[{"id":"c","type":"function","function":{"name":"g","arguments":"{}"}}]},
			{"role":"tool","tool_call_id":"c","content":""},
			{"role":"user","content":[{"type":"text","text":"see"},{"type":"image_url","image_url":{"url":"data:image/png;base64,iVBORw0KGgo="}},{"type":"image_url","image_url":{"url":"https://x/y"}}]}
		]}`)
}

func TestRequestByProvider(t *testing.T) {
	req := &llm.Request{MaxTokens: 9, Effort: "high", Messages: []llm.Message{{Role: llm.RoleAssistant, Content: []llm.Content{
		llm.ToolCall{ID: "a", Name: "f", Args: `{"x":`}, llm.ToolCall{ID: "b", Name: "f", Args: `[1]`}, llm.ToolCall{ID: "c", Name: "f", Args: `{"x":1}`},
	}}}}
	calls := func(a, b string) string {
		return `"messages":[{"role":"assistant","content":null,"tool_calls":[{"id":"a","type":"function","function":{"name":"f","arguments":` + a + `}},
			{"id":"b","type":"function","function":{"name":"f","arguments":` + b + `}},{"id":"c","type":"function","function":{"name":"f","arguments":"{\"x\":1}"}}]}]`
	}
	const stream = `"model":"m","stream":true,"stream_options":{"include_usage":true},`
	wrapped := calls(`"{\"invalid_arguments\":\"{\\\"x\\\":\"}"`, `"{\"invalid_arguments\":\"[1]\"}"`)
	for provider, want := range map[string]string{
		"openai":     `{` + stream + `"max_completion_tokens":9,"reasoning_effort":"high",` + calls(`"{\"x\":"`, `"[1]"`) + `}`,
		"ollama":     `{` + stream + `"max_tokens":9,"reasoning_effort":"high",` + wrapped + `}`,
		"openrouter": `{` + stream + `"max_tokens":9,"reasoning":{"effort":"high"},` + wrapped + `}`,
	} {
		t.Run(provider, func(t *testing.T) {
			can := llm.Profile{ContextWindow: new(8192), Reasoning: new(provider != "openrouter")}
			llmtest.SameJSON(t, sent(t, openai.Config{Provider: provider, Model: "m", Abilities: can}, req), want)
		})
	}
}

func TestHeaders(t *testing.T) {
	var got *http.Request
	lower := "x-title"
	cfg := openai.Config{
		BaseURL: "https://host/v1/", Model: "m", APIKey: " key\n", Headers: http.Header{lower: {"T"}, "Authorization": {"no"}},
		HTTPClient: &http.Client{Transport: llmtest.Transport(func(r *http.Request) (*http.Response, error) {
			got = r
			return &http.Response{StatusCode: 200, Body: io.NopCloser(strings.NewReader(llmtest.SSE(finish("stop")))), Request: r}, nil
		})},
	}
	if a := llmtest.Ask(t, t.Context(), openai.New(cfg), llmtest.Hello); a.Err != nil {
		t.Fatal(a.Err)
	}
	if got.URL.String() != "https://host/v1/chat/completions" || got.Method != "POST" || got.Header.Get("Authorization") != "Bearer key" ||
		got.Header.Get("X-Title") != "T" || got.Header.Get("Content-Type") != "application/json" || got.Header.Get("Accept-Encoding") != "identity" {
		t.Errorf("%s %s %v", got.Method, got.URL, got.Header)
	}
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
		var got *http.Request
		cfg.Like = "gpt-5-mini"
		cfg.HTTPClient = &http.Client{Transport: llmtest.Transport(func(r *http.Request) (*http.Response, error) {
			got = r
			return nil, errors.New("enough")
		})}
		m := openai.New(cfg)
		for range m.Stream(t.Context(), llmtest.Hello) {
		}
		if got.URL.String() != "https://x.openai.azure.com/openai/v1/chat/completions" || got.Header.Get("Api-Key") != "secret" || got.Header.Get("Authorization") != "" {
			t.Errorf("%s %v", got.URL, got.Header)
		}
		if info := m.Info(); info.ContextWindow != 400_000 || !info.Reasoning || info.Name() != "azure/mine" {
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
