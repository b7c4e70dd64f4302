package gemini_test

import (
	"fmt"
	"testing"

	"github.com/pageside/pageside/llm"
	"github.com/pageside/pageside/llm/gemini"
	"github.com/pageside/pageside/llm/llmtest"
)

func TestResolve(t *testing.T) {
	llmtest.Resolves(t, []llmtest.Name{
		{"gemini/gemini-2.5-flash", "GEMINI_API_KEY=k", "https://generativelanguage.googleapis.com/v1beta k"},
		{"gemini/gemini-2.5-flash", "GOOGLE_API_KEY= k\n", "https://generativelanguage.googleapis.com/v1beta k"},
		{"gemini/local", "GEMINI_BASE_URL=http://127.0.0.1:1/", "http://127.0.0.1:1/v1beta "},
		{"gemini/gemini-2.5-flash", "", `model "gemini/gemini-2.5-flash": GEMINI_API_KEY is not set`},
		{"gemini/", "GEMINI_API_KEY=k", `model "gemini/": no model named: write gemini/NAME`},
		{"gemini", "GEMINI_API_KEY=k", `model "gemini": no model named: write gemini/NAME`},
		{"acme/x", "GEMINI_API_KEY=k", `model "acme/x": unknown provider "acme"; known is gemini`},
		{"gemini/x", "GEMINI_BASE_URL=ftp://x", `model "gemini/x": "ftp://x" is not an http or https address`},
	}, func(name string, env func(string) string) (llm.Model, string, error) {
		m, err := gemini.Resolve(name, env)
		if err != nil {
			return m, "", err
		}
		return m, gemini.AddressOf(m.(*gemini.Model)), nil
	})
}

func TestInfo(t *testing.T) {
	for model, want := range map[string]string{
		"gemini-1.5-pro":         "2097152 false",
		"gemini-2.0-flash":       "1048576 false",
		"gemini-2.5-pro":         "1048576 true",
		"models/gemini-2.5-pro":  "1048576 true",
		"gemini-3-pro-preview":   "1048576 true",
		"gemini-flash-latest":    "1048576 true",
		"gemma-3-27b-it":         "0 false",
		"gemini-2.5-flash-image": "32768 false",
	} {
		i := gemini.New(gemini.Config{Model: model}).Info()
		if got := fmt.Sprint(i.ContextWindow, i.Reasoning); got != want || !i.Tools || !i.ParallelTools || !i.Images || i.Provider != "gemini" || i.Model != model {
			t.Errorf("%s: %s, want %s: %+v", model, got, want, i)
		}
	}
	no := new(false)
	can := llm.Profile{
		ContextWindow: new(7), Images: no, Reasoning: no, ParallelTools: no,
		Payloads: new(llm.PayloadTool), Prices: &llm.Prices{Input: 3},
	}
	got := gemini.New(gemini.Config{Provider: "house", Model: "gemini-3-flash", Abilities: can}).Info()
	want := llm.Info{Provider: "house", Model: "gemini-3-flash", Host: "generativelanguage.googleapis.com", ContextWindow: 7, Tools: true, PDF: true, Audio: true, Video: true, Payloads: llm.PayloadTool, Prices: llm.Prices{Input: 3}}
	if got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
}

func ExampleResolve() {
	env := map[string]string{"GEMINI_API_KEY": "AIza…"}
	model, err := gemini.Resolve("gemini/gemini-2.5-flash", func(name string) string { return env[name] })
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(model.Info().Name(), model.Info().ContextWindow)
	// Output: gemini/gemini-2.5-flash 1048576
}
