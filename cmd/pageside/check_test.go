package main

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pageside/pageside/test/must"
)

// check runs the command from the root of the repository, where the example's paths begin.
func check(t *testing.T, args ...string) (string, error) {
	t.Helper()
	t.Chdir(filepath.Join("..", ".."))
	return printed(t, nil, append([]string{"check"}, args...)...)
}

// unaligned has one blank where a table has several.
func unaligned(table string) string {
	return strings.Join(strings.FieldsFunc(table, func(r rune) bool { return r == ' ' }), " ")
}

const exampleConfig = "examples/config/pageside.yaml"

func TestCheckPrintsWhatEachPlaceResolvesTo(t *testing.T) {
	out := must.Get(check(t, "--config", exampleConfig))(t)
	has(t, unaligned(out),
		exampleConfig+" is valid.\n", "\nAgent default, answered by script/example\n", "\n (anywhere else): about ",
		"\n edit_research_stream/semantic: about ", "\n payload schema_proposal from llm SCHEMA_PROPOSAL:\n",
		"\n tool compare_reports read, approval policy ", "\n edit_research_stream/execute/workbench: about ",
		"\n action open_report client\n", "\n suggestion Improve the schema\n")
}

func TestCheckPrintsJSON(t *testing.T) {
	report := must.JSON[checkReport](t, must.Get(check(t, "--config", exampleConfig, "--json"))(t))
	semantic := report.Agents[0].Places[2]
	if semantic.Place != "edit_research_stream/semantic" || semantic.Tokens < 100 || len(semantic.Tools) == 0 || len(semantic.Sections) < 3 {
		t.Errorf("the third place is %+v", semantic)
	}
}

func TestCheckPrintsTheSchema(t *testing.T) {
	out := must.Get(check(t, "--schema"))(t)
	must.Be(t, out == contents(t, "docs/reference/pageside.schema.json"), true, "whether it is the published one")
}

func TestServeTakesAConfiguration(t *testing.T) {
	t.Chdir(filepath.Join("..", ".."))
	s := serving(t, "serve", "--config", exampleConfig, "--store", newStore(t))
	const asked = `{"protocolVersion":"1.0","threadId":"t","runId":"r","messages":[{"id":"u","role":"user",
		"content":"What about the schema?"}],"tools":[],"context":[],"state":{},
		"forwardedProps":{"pageside":{"page":"edit_research_stream","tab":"semantic"}}}`
	s.wants(person{}, "POST", "/v1/agents/default/run", asked, 200,
		`"activityType":"schema_proposal"`, "!SCHEMA_PROPOSAL", "Improve the schema")
	s.ends()
}

// TestHelpOfACommand: both ways of asking print the same, and so does the program alone.
func TestHelpOfACommand(t *testing.T) {
	help := func(args ...string) string { return fmt.Sprint(answered(t, nil, args...)) }
	must.Be(t, help(), help("help"), "the program alone prints")
	for _, command := range commands {
		said := help("help", command.name)
		must.Be(t, said, help(command.name, "--help"), "%s --help prints", command.name)
		must.Have(t, said, "Usage", "help %s prints", command.name)
		must.Be(t, strings.Contains(said, "default 0s"), false, "whether a time of 0 is a default")
	}
}
