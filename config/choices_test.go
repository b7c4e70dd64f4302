package config_test

import (
	"slices"
	"testing"

	"github.com/pageside/pageside/test/must"
)

// TestChoices: an agent may offer several models, the first of which is its own.
func TestChoices(t *testing.T) {
	f := newFolder(t, map[string]string{"pageside.yaml": `
models:
  main: {use: openai/gpt-5-mini, key: env:KEY, fallback: [anthropic/claude-haiku-4-5]}
agents:
  - id: default
    choices:
      - model: main
      - {model: openai/gpt-5, label: Thorough, efforts: [low, high]}
`})
	f.env["KEY"] = "k"
	site := must.Get(f.build())(t)
	a := site.Agents[0]
	if len(a.Choices) != 2 || a.Model != a.Choices[0].Model || a.Choices[0].ID != "main" || a.Choices[1].Label != "Thorough" || !slices.Equal(a.Choices[1].Efforts, []string{"low", "high"}) {
		t.Errorf("the choices are %+v", a.Choices)
	}
}
