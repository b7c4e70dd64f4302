package anthropic_test

import (
	"fmt"
	"testing"

	"github.com/pageside/pageside/llm"
	"github.com/pageside/pageside/llm/anthropic"
	"github.com/pageside/pageside/llm/llmtest"
)

func TestResolve(t *testing.T) {
	llmtest.Resolves(t, []llmtest.Name{
		{"anthropic/claude-sonnet-4-6", "ANTHROPIC_API_KEY=k", "https://api.anthropic.com k"},
		{"anthropic/claude-sonnet-4-6", "ANTHROPIC_API_KEY= k\n", "https://api.anthropic.com k"},
		{"anthropic/local", "ANTHROPIC_BASE_URL=http://127.0.0.1:1/v1/", "http://127.0.0.1:1 "},
		{"anthropic/local", "ANTHROPIC_BASE_URL=http://127.0.0.1:1/sub", "http://127.0.0.1:1/sub "},
		{"anthropic/claude-sonnet-4-6", "", `model "anthropic/claude-sonnet-4-6": ANTHROPIC_API_KEY is not set`},
		{"anthropic/", "ANTHROPIC_API_KEY=k", `model "anthropic/": no model named: write anthropic/NAME`},
		{"anthropic", "ANTHROPIC_API_KEY=k", `model "anthropic": no model named: write anthropic/NAME`},
		{"acme/x", "ANTHROPIC_API_KEY=k", `model "acme/x": unknown provider "acme"; known is anthropic`},
		{"anthropic/x", "ANTHROPIC_BASE_URL=ftp://x", `model "anthropic/x": "ftp://x" is not an http or https address`},
	}, func(name string, env func(string) string) (llm.Model, string, error) {
		m, err := anthropic.Resolve(name, env)
		if err != nil {
			return m, "", err
		}
		return m, anthropic.AddressOf(m.(*anthropic.Model)), nil
	})
}

func TestInfo(t *testing.T) {
	for model, want := range map[string]string{
		"claude-3-haiku-20240307":                      "200000 false false",
		"claude-3-5-sonnet-latest":                     "200000 false false",
		"claude-3-7-sonnet-latest":                     "200000 true false",
		"claude-sonnet-4-20250514":                     "200000 true false",
		"claude-opus-4-1-20250805":                     "200000 true true",
		"claude-sonnet-4-5":                            "200000 true true",
		"claude-haiku-4-5-20251001":                    "200000 true true",
		"claude-opus-4-6":                              "1000000 true true",
		"claude-sonnet-4-6":                            "1000000 true true",
		"claude-opus-4-8":                              "1000000 true true",
		"claude-sonnet-5":                              "1000000 true true",
		"anthropic/claude-sonnet-4.5":                  "200000 true true",
		"us.anthropic.claude-sonnet-4-5-20250929-v1:0": "200000 true true",
		"deepseek-chat":                                "0 false false",
	} {
		i := anthropic.New(anthropic.Config{Model: model}).Info()
		if got := fmt.Sprint(i.ContextWindow, i.Reasoning, i.StrictTools); got != want || !i.Tools || !i.ParallelTools || !i.Images || i.Provider != "anthropic" || i.Model != model {
			t.Errorf("%s: %s, want %s: %+v", model, got, want, i)
		}
	}
	no := new(false)
	can := llm.Profile{
		ContextWindow: new(7), Images: no, Reasoning: no, ParallelTools: no, StrictTools: no,
		Payloads: new(llm.PayloadTool), Prices: &llm.Prices{Input: 3},
	}
	got := anthropic.New(anthropic.Config{Provider: "house", Model: "claude-sonnet-4-6", Abilities: can}).Info()
	want := llm.Info{Provider: "house", Model: "claude-sonnet-4-6", Host: "api.anthropic.com", ContextWindow: 7, Tools: true, PDF: true, Payloads: llm.PayloadTool, Prices: llm.Prices{Input: 3}}
	if got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
}

func ExampleResolve() {
	env := map[string]string{"ANTHROPIC_API_KEY": "sk-ant-…"}
	model, err := anthropic.Resolve("anthropic/claude-sonnet-4-6", func(name string) string { return env[name] })
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(model.Info().Name(), model.Info().ContextWindow)
	// Output: anthropic/claude-sonnet-4-6 1000000
}
