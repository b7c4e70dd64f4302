package config_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/pageside/pageside/config"
)

func parse(t *testing.T, text string) (*config.Source, error) {
	t.Helper()
	return config.Parse("pageside.yaml", []byte(text))
}

func TestAFileIsRead(t *testing.T) {
	s, err := parse(t, `
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
`)
	if err != nil {
		t.Fatal(err)
	}
	if s.Listen != "127.0.0.1:9000" || s.Models["fast"].Prices.Output != 2 || s.Agents[0].Approvals.Expiry != config.Duration(3600e9) || s.Pages[0].Tabs[0].Suggestions[0].Label != "Why" {
		t.Errorf("read %+v", s.File)
	}
}

func TestAnEmptyFileIsValid(t *testing.T) {
	for _, text := range []string{"", "# nothing\n", "{}"} {
		if _, err := parse(t, text); err != nil {
			t.Errorf("%q: %v", text, err)
		}
	}
}

func TestWhatIsWrongIsNamedWithItsLine(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"listen: [", "pageside.yaml:1: did not find expected node content"},
		{"agents:\n  - id: a\n\tmodel: b", "pageside.yaml:2: found a tab character that violates indentation"},
		{"listn: x", `pageside.yaml:1: listn: is not known`},
		{"\nlisten: 7", `pageside.yaml:2: listen: must be a string`},
		{"listen: a\nstore: b\nlisten: c", `pageside.yaml:3: listen: stands here twice`},
		{"a: 1\n---\nb: 2", `pageside.yaml:2: there must be one document in the file`},
		{"runs:\n  queue: 30", `pageside.yaml:2: runs.queue: must be a duration such as 30s, 10m or 24h`},
		{"runs:\n  whenBusy: wait", `pageside.yaml:2: runs.whenBusy: must be one of queue, reject, supersede, not "wait"`},
		{"base: &b {id: a}\nagents:\n  - <<: *b", `pageside.yaml:3: agents[0]: merge keys (<<) cannot be used`},
		{"models:\n  fast: {use: gpt-5}", `pageside.yaml:2: models.fast.use: must be provider/name, such as openai/gpt-5-mini`},
		{"models:\n  fast:\n    use: openai/gpt-5\n    key: sk-123", `pageside.yaml:4: models.fast.key: a key must not stand in this file: write env:NAME or file:PATH`},
		{"models:\n  fast: {use: openai/gpt-5}\nagents:\n  - id: a\n    model: fats", `pageside.yaml:5: agents[0].model: model "fats" is not defined; did you mean "fast"?`},
		{"agents:\n  - {id: a, model: script/x}\n  - {id: a, model: script/x}", `pageside.yaml:3: agents[1].id: agent "a" is defined twice`},
		{"agents:\n  - model: script/x", `pageside.yaml:2: agents[0].id: must not be empty`},
		{"tools:\n  - {name: t, description: d, url: 'https://a', headers: {Authorization: Bearer abc}}", `pageside.yaml:2: tools[0].headers.Authorization: looks like a secret`},
		{"mcp:\n  files: {}", `pageside.yaml:2: mcp.files: needs a command or a url`},
		{"mcp:\n  files: {command: a, url: b}", `pageside.yaml:2: mcp.files: has a command and a url`},
		{"payloads:\n  - {name: p, marker: 'P:'}", `pageside.yaml:2: payloads[0]: has a marker or instructions, which are for source: llm`},
		{"pages:\n  - name: p\n    tabs:\n      - {name: t, colour: red}", `pageside.yaml:4: pages[0].tabs[0].colour: is not known`},
		{"agents: {}", `pageside.yaml:1: agents: must be an array`},
		{"\nlisten: 0.0.0.0:80", `pageside.yaml:2: listen: without authentication only loopback addresses such as 127.0.0.1 are allowed`},
		{"\norigins: [https://ok.example.com, https://shop.example.com/]", `pageside.yaml:2: origins[1]: "https://shop.example.com/" is not an origin`},
		{"listen: localhost", `pageside.yaml:1: listen: address localhost: missing port`},
		{"store: mysql://x", `pageside.yaml:1: store: must be sqlite:FILE`},
		{"limits:\n  body: -1", `pageside.yaml:2: limits.body: must not be negative`},
		{"suggestions:\n  model: script/x\n  burst: -1", `pageside.yaml:3: suggestions.burst: must not be negative`},
		{"models:\n  a:\n    use: b/c\n    prices: {input: -0.5}", `pageside.yaml:4: models.a.prices.input: must not be negative`},
		{"agents:\n  - {id: a/b, model: script/x}", `pageside.yaml:2: agents[0].id: must be 1 to 64 letters, digits`},
		{"7", `pageside.yaml: must be an object`},
	} {
		_, err := parse(t, c.text)
		if err == nil || !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("%q:\n got %v\nwant %s", c.text, err, c.want)
		}
		if _, ok := errors.AsType[config.Errors](err); !ok {
			t.Errorf("%q: %T, want config.Errors", c.text, err)
		}
	}
}

func TestEverythingThatIsWrongIsSaid(t *testing.T) {
	_, err := parse(t, "runs: {whenBusy: x}\nmodels:\n  a: {use: b}\nagents:\n  - {id: '', model: c}\n")
	problems, _ := errors.AsType[config.Errors](err)
	if len(problems) != 4 {
		t.Errorf("%d problems, want 4:\n%v", len(problems), err)
	}
}

func TestTheSchemaTakesTheExampleAndRefusesWhatTheReaderRefuses(t *testing.T) {
	schema := compiled(t)
	for name, text := range map[string]string{
		"valid":   `{"listen":"127.0.0.1:1","agents":[{"id":"a","model":"script/x"}],"pages":[{"name":"p","title":"P","tools":["t"],"tabs":[{"name":"x","subtabs":[{"name":"y"}]}]}],"runs":{"queue":"30s"},"payloads":[{"name":"p","schema":{"type":"object"}}]}`,
		"unknown": `{"listn":"x"}`, "type": `{"listen":7}`, "choice": `{"runs":{"whenBusy":"x"}}`, "duration": `{"runs":{"queue":"long"}}`,
	} {
		doc, err := jsonschema.UnmarshalJSON(strings.NewReader(text))
		if err != nil {
			t.Fatal(err)
		}
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
	raw, err := config.Schema()
	if err != nil {
		t.Fatal(err)
	}
	doc, err := jsonschema.UnmarshalJSON(strings.NewReader(string(raw)))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource("pageside.schema.json", doc); err != nil {
		t.Fatal(err)
	}
	s, err := c.Compile("pageside.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// The schema that editors are pointed at is the one of this version. UPDATE=1 writes it.
func TestThePublishedSchemaIsThisOne(t *testing.T) {
	raw, err := config.Schema()
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join("..", "docs", "reference", "pageside.schema.json")
	if os.Getenv("UPDATE") != "" {
		if err := os.WriteFile(path, append(raw, '\n'), 0o644); err != nil {
			t.Fatal(err)
		}
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
