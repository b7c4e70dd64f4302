package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/pageside/pageside/llm"
	"github.com/pageside/pageside/llm/openai"
	"github.com/pageside/pageside/llm/script"
)

// openModel returns the model a name such as openai/gpt-5-mini or script/FILE stands for.
func openModel(name string, env func(string) string) (llm.Model, error) {
	provider, rest, ok := strings.Cut(name, "/")
	if !ok || rest == "" {
		return nil, fmt.Errorf("--model %q: must be provider/name, such as openai/gpt-5-mini: %w", name, errUsage)
	}
	if provider == "script" {
		m, err := script.Load(rest)
		if err != nil {
			return nil, fmt.Errorf("--model %q: %w", name, err)
		}
		return m, nil
	}
	m, err := openai.Resolve(name, env)
	if err != nil {
		return nil, err // it names the model
	}
	return m, nil
}

// defaultOpenAI answers where there is a key and no other choice.
const defaultOpenAI = "openai/gpt-5-mini"

// findModel names the model the demo uses when nobody chose one: OpenAI with a key, else an Ollama on this machine, else none.
func findModel(ctx context.Context, env func(string) string) string {
	if env("OPENAI_API_KEY") != "" {
		return defaultOpenAI
	}
	if m := ollamaModel(ctx, env); m != "" {
		return "ollama/" + m
	}
	return ""
}

// ollamaModel returns the first chat model of an Ollama on this machine, or nothing.
func ollamaModel(ctx context.Context, env func(string) string) string {
	ctx, stop := context.WithTimeout(ctx, 300*time.Millisecond)
	defer stop()
	var list struct {
		Data []struct {
			ID string `json:"id"`
		} `json:"data"`
	}
	if getJSON(ctx, openai.OllamaURL(env("OLLAMA_HOST"))+"/models", &list) != nil {
		return ""
	}
	for _, m := range list.Data {
		if !strings.Contains(m.ID, "embed") {
			return m.ID
		}
	}
	return ""
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
