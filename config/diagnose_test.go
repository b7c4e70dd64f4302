package config_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/pageside/pageside/config"
	"github.com/pageside/pageside/llm"
	"github.com/pageside/pageside/llm/script"
	"github.com/pageside/pageside/test/must"
)

// wrong has one mistake of each kind: in the spelling of keys, in types, in values, in what it
// refers to, and in what only building shows.
const wrong = `
modles:
  main: {use: openai/gpt-5-mini, apiKey: sk-1}
agents:
  - {id: a, model: mian, instrctions: Be brief.}
  - {id: b, model: script/missing.yaml, maxSteps: many}
suggestions: {model: main, burst: [1]}
tools:
  - {name: look up, description: d, url: 'https://a.test', global: true}
  - {name: find, description: d, url: 'http://127.0.0.1:9/', global: true}
mcpServers:
  files: {command: [npx, -y], effect: reed}
pages:
  - {name: p, tools: [fnd, files__read], instructions: file:missing.md}
`

func TestDiagnoseFindsEverythingAtOnce(t *testing.T) {
	file := newFolder(t, map[string]string{"pageside.yaml": wrong}).file()
	opened := func(spec config.ModelSpec) (llm.Model, error) { return script.Load(spec.Name) }
	problems, ok := errors.AsType[config.Errors](config.Diagnose(file, config.Options{OpenModel: opened}))
	if !ok {
		t.Fatal("no problems")
	}
	want := []string{
		`2: modles: unknown key; did you mean models?`,
		`3: models.main.apiKey: unknown key; did you mean key?`,
		`3: models.main.key: looks like a secret`,
		`5: agents[0].instrctions: unknown key; did you mean instructions?`,
		`5: agents[0].model: model "mian" is not defined; did you mean "main"?`,
		`6: agents[1].maxSteps: must be a whole number`,
		`6: agents[1].model: `,
		`7: suggestions.burst: must be a whole number`,
		`9: tools[0].name: HTTP tool "look up": name: a name is 1 to 64 letters`,
		`10: tools[1]: HTTP tool "find": egress: egress to "127.0.0.1" is not allowed: a loopback address; to allow it, add 127.0.0.1 to egress.private`,
		`11: mcpServers: unknown key; did you mean mcp?`,
		`12: mcp.files.command: must be a string: the program alone; its arguments go in args: [...]`,
		`12: mcp.files.effect: must be one of`,
		`14: pages[0].instructions: `,
		`14: pages[0].tools[0]: tool "fnd" is not defined; did you mean "find"?`,
	}
	for i, p := range problems {
		if i >= len(want) || !strings.HasPrefix(p.Error(), file+":"+want[i]) {
			t.Errorf("%d: %s", i, strings.TrimPrefix(p.Error(), file+":"))
		}
	}
	must.Be(t, len(problems), len(want), "problems")
	if _, err := config.Load(file); err == nil {
		t.Error("Load takes it")
	}
}

func TestDiagnoseOfWhatIsRight(t *testing.T) {
	f := newFolder(t, map[string]string{"pageside.yaml": "agents: [{id: a, model: x/y}]"})
	must.Do(t, config.Diagnose(f.file(), f.options()))
}
