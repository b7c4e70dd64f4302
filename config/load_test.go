package config_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/pageside/pageside/config"
	"github.com/pageside/pageside/test/must"
)

func parse(t *testing.T, text string) (*config.Source, error) {
	t.Helper()
	return config.Parse("pageside.yaml", []byte(text))
}

func TestAFileIsRead(t *testing.T) {
	s := must.Get(parse(t, `
listen: 127.0.0.1:9000
models:
  fast: {use: openai/gpt-5-mini, key: env:OPENAI_API_KEY, prices: {input: 0.25, output: 2}}
agents:
  - id: default
    model: fast
    approvals: {expiry: 1h}
pages:
  - name: discover
    tools: []
    tabs:
      - name: logs
        suggestions: [{label: Why, value: "Why so few?"}]
`))(t)
	if s.Listen != "127.0.0.1:9000" || s.Models["fast"].Prices.Output != 2 || s.Agents[0].Approvals.Expiry != config.Duration(3600e9) || s.Pages[0].Tabs[0].Suggestions[0].Label != "Why" {
		t.Errorf("read %+v", s.File)
	}
}

func TestAnEmptyFileIsValid(t *testing.T) { must.Do(t, must.Err(parse(t, ""))) }

// What comes of tabs is not among the others: in those files they are what is said.
func TestTabsAreNamed(t *testing.T) {
	for text, want := range map[string]string{
		"agents:\n  - id: a\n\tmodel: b": "pageside.yaml:2: found a tab character that violates indentation",
		"agents:\n\tmodel: b":            "pageside.yaml:2: found character that cannot start any token: indent with spaces",
	} {
		must.Fail(t, must.Err(parse(t, text)), want, "%q", text)
	}
}

func TestTheSchemaTakesTheExampleAndRefusesWhatTheReaderRefuses(t *testing.T) {
	schema := compiled(t)
	for name, text := range map[string]string{
		"valid":   `{"listen":"127.0.0.1:1","agents":[{"id":"a","model":"script/x"}],"pages":[{"name":"p","title":"P","tools":["t"],"tabs":[{"name":"x","subtabs":[{"name":"y"}]}]}],"runs":{"queue":"30s"},"payloads":[{"name":"p","schema":{"type":"object"}}]}`,
		"missing": `{"agents":[{"model":"script/x"}]}`, "verb": `{"permissions":[{"verbs":["eat"],"agents":["*"],"then":"allow"}]}`,
		"effect of one tool": `{"mcp":{"a":{"command":"x","effects":{"t":"odd"}}}}`,
		"unknown":            `{"listn":"x"}`, "type": `{"listen":7}`, "choice": `{"runs":{"whenBusy":"x"}}`, "duration": `{"runs":{"queue":"long"}}`,
	} {
		doc := must.Get(jsonschema.UnmarshalJSON(strings.NewReader(text)))(t)
		if err := schema.Validate(doc); (err == nil) != (name == "valid") {
			t.Errorf("%s: the schema says %v", name, err)
		}
		if _, err := parse(t, text); (err == nil) != (name == "valid") {
			t.Errorf("%s: the reader says %v", name, err)
		}
	}
}

func compiled(t *testing.T) *jsonschema.Schema {
	t.Helper()
	raw := must.Get(config.Schema())(t)
	doc := must.Get(jsonschema.UnmarshalJSON(strings.NewReader(string(raw))))(t)
	c := jsonschema.NewCompiler()
	must.Do(t, c.AddResource("pageside.schema.json", doc))
	return must.Get(c.Compile("pageside.schema.json"))(t)
}

// The schema that editors are pointed at is the one of this version. UPDATE=1 writes it.
func TestThePublishedSchemaIsThisOne(t *testing.T) {
	raw := must.Get(config.Schema())(t)
	path := filepath.Join("..", "docs", "reference", "pageside.schema.json")
	if os.Getenv("UPDATE") != "" {
		must.Do(t, os.WriteFile(path, append(raw, '\n'), 0o644))
	}
	published, err := os.ReadFile(path)
	if err != nil || string(published) != string(raw)+"\n" {
		t.Errorf("%s is not what Schema returns (%v): run UPDATE=1 go test ./config", path, err)
	}
}

func FuzzParse(f *testing.F) {
	f.Add("listen: x\nagents:\n  - {id: a, model: b/c}\n")
	f.Add("a: &a [*a]")
	f.Add("? [a]\n: b")
	f.Fuzz(func(t *testing.T, text string) {
		if _, err := parse(t, text); err != nil && err.Error() == "" {
			t.Error("an error without words")
		}
	})
}
