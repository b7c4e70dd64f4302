package main

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"os"
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

const exampleConfig = "examples/config/pageside.yaml"

func TestCheckPrintsWhatEachPlaceResolvesTo(t *testing.T) {
	out := must.Get(check(t, "--config", exampleConfig))(t)
	out = strings.Join(strings.FieldsFunc(out, func(r rune) bool { return r == ' ' }), " ")
	has(t, out,
		exampleConfig+" is valid.\n", "\nAgent default, answered by script/example\n", "\n (anywhere else): about ", "\n edit_research_stream/semantic: about ",
		"\n payload schema_proposal from llm SCHEMA_PROPOSAL:\n", "\n tool compare_reports read, approval policy ", "\n edit_research_stream/execute/workbench: about ",
		"\n action open_report client\n", "\n suggestion Improve the schema\n")
}

// TestCheckKnowsAgentsElsewhere: it says where they are, and calls nobody.
func TestCheckKnowsAgentsElsewhere(t *testing.T) {
	file := fileOf(t, "pageside.yaml", "agents: [{id: far, url: 'https://agents.example.com/far'}]\n")
	out, err := check(t, "--config", file)
	if err != nil || !strings.HasSuffix(strings.TrimSpace(out), "Agent far, answered by the agent at agents.example.com") {
		t.Errorf("%v: %s", err, out)
	}
}

func TestCheckPrintsJSON(t *testing.T) {
	out, err := check(t, "--config", exampleConfig, "--json")
	var report checkReport
	if err != nil || json.Unmarshal([]byte(out), &report) != nil {
		t.Fatalf("%v: %s", err, out)
	}
	semantic := report.Agents[0].Places[2]
	if semantic.Place != "edit_research_stream/semantic" || semantic.Tokens < 100 || len(semantic.Tools) == 0 || len(semantic.Sections) < 3 {
		t.Errorf("the third place is %+v", semantic)
	}
}

func TestCheckSaysWhichPermissionsApply(t *testing.T) {
	agents := "agents: [{id: default, model: script/" + rulesFile(t) + "}]\n"
	for rules, want := range map[string]string{
		"permissions: [{agents: [default], then: allow}]\n": "Permissions: one rule; what is not allowed by any is denied, except tools whose effect is read, and those of the page that declare no more.\n",
		"permissions: []\n": "Permissions: 0 rules, and none allows an agent: nobody can use the assistant.\n",
		"permissions: [{agents: [default], then: allow, when: scope.stream == 42}]\n": "permissions[0].when: column 14: ",
	} {
		out, err := printed(t, nil, "check", "--config", fileOf(t, "pageside.yaml", rules+agents))
		has(t, fmt.Sprint(out, err), want)
	}
}

func TestCheckSaysWhatIsWrongAndWhere(t *testing.T) {
	raw := must.Get(os.ReadFile(filepath.Join("..", "..", exampleConfig)))(t)
	bad := fileOf(t, "bad.yaml", string(bytes.Replace(raw, []byte("tools: [compare_reports]\n    actions"), []byte("tools: [compare_report]\n    actions"), 1)))
	_, err := check(t, "--config", bad)
	must.Fail(t, err, `bad.yaml:80: pages[1].tools[0]: tool "compare_report" is not defined; did you mean "compare_reports"?`, "error")
}

func TestCheckPrintsTheSchema(t *testing.T) {
	out, err := check(t, "--schema")
	published, readErr := os.ReadFile("docs/reference/pageside.schema.json")
	if err != nil || readErr != nil || out != string(published) {
		t.Errorf("the schema differs from the published one: %v, %v", err, readErr)
	}
}

func TestServeTakesAConfiguration(t *testing.T) {
	t.Chdir(filepath.Join("..", ".."))
	s := serving(t, "serve", "--config", exampleConfig, "--store", newStore(t))
	status, text := s.do("POST", "/v1/agents/default/run", `{"protocolVersion":"1.0","threadId":"t","runId":"r","messages":[{"id":"u","role":"user","content":"What about the schema?"}],"tools":[],"context":[],"state":{},"forwardedProps":{"pageside":{"page":"edit_research_stream","tab":"semantic"}}}`)
	if status != 200 || !strings.Contains(text, `"activityType":"schema_proposal"`) || strings.Contains(text, "SCHEMA_PROPOSAL") || !strings.Contains(text, "Improve the schema") {
		t.Errorf("the run is %d %s", status, text)
	}
	s.ends()
}

// TestCheckSaysWhatIsAssumed of a model whose server alone knows its window.
func TestCheckSaysWhatIsAssumed(t *testing.T) {
	for model, want := range map[string]bool{"{use: ollama/qwen3}": true, "{use: ollama/qwen3, contextWindow: 16384}": false} {
		file := fileOf(t, "pageside.yaml", "models: {mine: "+model+"}\nagents: [{id: default, model: mine}]\n")
		out, err := check(t, "--config", file)
		if err != nil || strings.Contains(out, "window of 4096 tokens assumed") != want {
			t.Errorf("%s: %v: %s", model, err, out)
		}
	}
}

// TestCheckNamesTheModelThatWasMeant: providers answer a wrong name only when they are asked.
func TestCheckNamesTheModelThatWasMeant(t *testing.T) {
	for model, want := range map[string]string{"openai/gpt5-mini": "did you mean gpt-5-mini?", "openai/gpt-5-mini": "", "openai/a-tuned-one": ""} {
		file := fileOf(t, "pageside.yaml", "agents: [{id: default, model: "+model+"}]")
		got := must.Get(answered(t, map[string]string{"OPENAI_API_KEY": "k"}, "check", "--config", file))(t)
		if !strings.Contains(got, cmp.Or(want, "is valid")) || strings.Contains(got, "did you mean") != (want != "") {
			t.Errorf("%s: %s", model, got)
		}
	}
}

// TestHelpOfACommand: both ways of asking print the same.
func TestHelpOfACommand(t *testing.T) {
	for _, command := range commands {
		var help, flag strings.Builder
		_ = run(t.Context(), []string{"help", command.name}, os.Getenv, &help, io.Discard)
		_ = run(t.Context(), []string{command.name, "--help"}, os.Getenv, &flag, io.Discard)
		if help.String() != flag.String() || !strings.Contains(help.String(), "Usage") {
			t.Errorf("help %s prints %q", command.name, help.String())
		}
	}
}
