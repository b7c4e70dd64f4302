package config_test

import (
	"slices"
	"testing"

	"github.com/pageside/pageside/test/must"
)

// TestChoices: an agent may offer several models, the first of which is its own.
func TestChoices(t *testing.T) {
	build := func(agent string) *folder {
		f := newFolder(t, map[string]string{"pageside.yaml": "models:\n  main: {use: openai/gpt-5-mini, key: env:KEY, fallback: [anthropic/claude-haiku-4-5]}\nagents:\n  - id: default\n" + agent})
		f.env["KEY"] = "k"
		return f
	}
	site, err := build("    choices:\n      - model: main\n      - {model: openai/gpt-5, label: Thorough, efforts: [low, high]}\n").build()
	must.Do(t, err)
	a := site.Agents[0]
	if len(a.Choices) != 2 || a.Model != a.Choices[0].Model || a.Choices[0].ID != "main" || a.Choices[1].Label != "Thorough" || !slices.Equal(a.Choices[1].Efforts, []string{"low", "high"}) {
		t.Errorf("the choices are %+v", a.Choices)
	}
	for agent, want := range map[string]string{
		"    model: main\n    choices: [{model: main}]\n":            "agents[0].model: has no effect beside choices",
		"    choices: [{label: X}]\n":                                "agents[0].choices[0].model",
		"    choices: [{model: nothing}]\n":                          "agents[0].choices[0].model",
		"    choices: [{model: main}, {model: main}]\n":              `choices[1]: "main" is offered twice`,
		"    choices: [{model: main, efforts: [huge]}]\n":            "choices[0].efforts[0]",
		"    url: https://a.example\n    page: home\n":               "agents[0].page: has no effect on an agent with a url",
		"    url: https://a.example\n    choices: [{model: main}]\n": "agents[0].choices: has no effect on an agent with a url",
		"    choices: [{model: main, effort: [low]}]\n":              "efforts",
		"    models: [{model: main}]\n":                              "choices",
	} {
		build(agent).says(want)
	}
}
