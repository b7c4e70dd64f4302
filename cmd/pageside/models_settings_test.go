package main

import (
	"io"
	"net/http"
	"testing"

	"github.com/pageside/pageside/config"
	"github.com/pageside/pageside/llm"
	"github.com/pageside/pageside/llm/llmtest"
	"github.com/pageside/pageside/test/must"
)

// TestModelSettings: what the file asks of a model's answers is in its requests, in the terms of
// each API, unless the request asks for something else.
func TestModelSettings(t *testing.T) {
	for _, tt := range []struct {
		use, effort string
		req         llm.Request
		want        []string
	}{
		{"vllm/gpt-5", "xhigh", llm.Request{}, []string{`"reasoning_effort":"xhigh"`, `:300`, `"seed":7`}},
		{"vllm/gpt-5", "xhigh", llm.Request{Effort: "low", MaxTokens: 99}, []string{`"reasoning_effort":"low"`, `:99`, `"seed":7`}},
		{"vllm/mistral-small", "low", llm.Request{}, []string{`"temperature":0.5`, `"max_tokens":300`, `"seed":7`}},
		{"anthropic/claude-opus-4-6", "max", llm.Request{}, []string{`"effort":"high"`, `"max_tokens":300`, `"seed":7`}},
		{"gemini/gemini-2.5-flash", "minimal", llm.Request{}, []string{`"temperature":0.5`, `"maxOutputTokens":300`, `"seed":7`}},
	} {
		env, ask := refusing(t)
		m := modelOf(t, env, "{use: "+tt.use+", effort: "+tt.effort+", temperature: 0.5, maxTokens: 300, headers: {X-Team: '${env:TEAM}'}, extra: {seed: 7}}")
		tt.req.Messages = []llm.Message{llmtest.Hello.Messages[0]}
		sent := ask(m, &tt.req)
		has(t, sent.body, tt.want...)
		must.Be(t, sent.team, "search", "%s: the header", tt.use)
	}
}

// TestModelTimeout: a model that says nothing ends after what the file says, also where Amazon's
// SDK makes the requests.
func TestModelTimeout(t *testing.T) {
	t.Setenv("AWS_ACCESS_KEY_ID", "id")
	t.Setenv("AWS_SECRET_ACCESS_KEY", "secret")
	header := make(chan string, 1)
	url := serves(t, func(_ http.ResponseWriter, r *http.Request) {
		_, _ = io.ReadAll(r.Body)
		header <- r.Header.Get("X-Team")
		<-r.Context().Done()
	})
	env := map[string]string{
		"VLLM_BASE_URL": url, "AWS_REGION": "us-east-1", "AWS_ENDPOINT_URL_BEDROCK_RUNTIME": url, "TEAM": "search",
	}
	for use, timeout := range map[string]string{"vllm/x": "20ms", "bedrock/us.amazon.nova-pro-v1:0": "1s"} {
		m := modelOf(t, env, "{use: "+use+", timeout: "+timeout+", headers: {X-Team: '${env:TEAM}'}}")
		var failed error
		for _, err := range m.Stream(t.Context(), &llm.Request{Messages: []llm.Message{llmtest.Hello.Messages[0]}}) {
			failed = err
		}
		must.Fail(t, failed, "within "+timeout, "%s ends with", use)
		must.Be(t, <-header, "search", "the header of %s", use)
	}
}

// modelOf returns the model of a configuration.
func modelOf(t *testing.T, env map[string]string, described string) llm.Model {
	t.Helper()
	file := fileOf(t, "pageside.yaml", "models: {mine: "+described+"}\nagents: [{id: default, model: mine}]\n")
	get := func(name string) string { return env[name] }
	options := config.Options{Env: get, OpenModel: modelsOf(get)}
	source := must.Get(load(file, options))(t)
	site := must.Get(config.Build(t.Context(), source, options))(t)
	t.Cleanup(func() { site.Close() })
	return site.Agents[0].Model
}
