package config_test

import (
	"errors"
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

func TestAnEmptyFileIsValid(t *testing.T) {
	for _, text := range []string{"", "# nothing\n", "{}"} {
		must.Be(t, must.Err(parse(t, text)), nil, "%q", text)
	}
}

func TestWhatIsWrongIsNamedWithItsLine(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"listen: [", "pageside.yaml:1: did not find expected node content: check brackets and quotes that are not closed"},
		{"agents:\n  - id: a\n\tmodel: b", "pageside.yaml:2: found a tab character that violates indentation"},
		{"agents:\n\tmodel: b", "pageside.yaml:2: found character that cannot start any token: indent with spaces, not tabs"},
		{"agents:\n  - id: a\n    instructions: Note: be brief", "pageside.yaml:3: mapping values are not allowed in this context: a text with a colon and a space needs quotes"},
		{"mcp: {files: {command: npx -y some-server /srv}}", "pageside.yaml:1: mcp.files.command: must be the program alone: command: npx, args: [-y, some-server, /srv]"},
		{"tools: [{name: a, description: d, url: 'https://a', input: {id: {type: string}, type: {type: string}}}]", "pageside.yaml:1: tools[0].input: must be a JSON Schema: {type: object, properties: {id: …, type: …}}"},
		{"listn: localhost:80", `pageside.yaml:1: listn: unknown key; did you mean listen?`},
		{"\nlisten: 7", `pageside.yaml:2: listen: must be a string`},
		{"listen: a\nstore: b\nlisten: c", `pageside.yaml:3: listen: appears twice`},
		{"a: 1\n---\nb: 2", `pageside.yaml:2: there must be one document in the file`},
		{"runs:\n  queue: 30", `pageside.yaml:2: runs.queue: must be a duration such as 30s, 10m or 24h`},
		{"runs:\n  whenBusy: wait", `pageside.yaml:2: runs.whenBusy: must be one of auto, queue, reject, supersede, not "wait"`},
		{"base: &b {id: a}\nagents:\n  - <<: *b", `pageside.yaml:3: agents[0]: merge keys (<<) cannot be used`},
		{"models:\n  fast: {use: gpt-5}", `pageside.yaml:2: models.fast.use: must be provider/name, such as openai/gpt-5-mini`},
		{"models:\n  fast:\n    use: openai/gpt-5\n    key: sk-123", `pageside.yaml:4: models.fast.key: looks like a secret`},
		{"models:\n  fast: {use: openai/gpt-5}\nagents:\n  - id: a\n    model: fats", `pageside.yaml:5: agents[0].model: model "fats" is not defined; did you mean "fast"?`},
		{"agents:\n  - {id: a, model: script/x}\n  - {id: a, model: script/x}", `pageside.yaml:3: agents[1].id: "a" is there twice`},
		{"agents:\n  - model: script/x", `pageside.yaml:2: agents[0].id: must not be empty`},
		{"tools:\n  - {name: t, description: d, url: 'https://a', headers: {Authorization: Bearer abc}}", `pageside.yaml:2: tools[0].headers.Authorization: looks like a secret`},
		{"models:\n  m: {use: a/b, headers: {X.Auth: abc, X-A: b}}", `pageside.yaml:2: models.m.headers["X.Auth"]: looks like a secret`},
		{"tools:\n  - {name: t, url: 'https://a', sign: {secret: abc}}", `pageside.yaml:2: tools[0].sign.secret: looks like a secret`},
		{"pageTools:\n  - {name: a b}", `pageside.yaml:2: pageTools[0].name: a name is 1 to 64 letters`},
		{"pageTools:\n  - {name: a}\n  - {name: a}", `pageside.yaml:3: pageTools[1].name: "a" is there twice`},
		{"pageTools:\n  - {name: a, effect: none}", `pageside.yaml:2: pageTools[0].effect: must be one of page, write, read`},
		{"tools:\n  - {name: t, description: d, url: 'https://a'}\npageTools:\n  - {name: t}", `pageside.yaml:4: pageTools[0].name: "t" is a tool of the server`},
		{"mcp:\n  files: {}", `pageside.yaml:2: mcp.files: needs a command or a url`},
		{"mcp:\n  files: {command: a, url: b}", `pageside.yaml:2: mcp.files: has a command and a url`},
		{"payloads:\n  - {name: p, marker: 'P:'}", `pageside.yaml:2: payloads[0]: has a marker or instructions, which are for source: llm`},
		{"pages:\n  - name: p\n    tabs:\n      - {name: t, colour: red}", `pageside.yaml:4: pages[0].tabs[0].colour: unknown key; the keys here are actions, instructions, name, payloads, subtabs, suggestions, tools`},
		{"payloads:\n  - {type: p}", `pageside.yaml:2: payloads[0].type: unknown key; did you mean name?`},
		{"payloads:\n  - {name: p, type: q}", `pageside.yaml:2: payloads[0].type: unknown key; its name is the type that cards have on the wire`},
		{"agents:\n  - {id: a, model: script/x, tools: [t]}", `pageside.yaml:2: agents[0].tools: unknown key; tools are offered where a page names them, and everywhere with global: true`},
		{"mcp:\n  files: {command: a, alwaysAllow: [b]}", `pageside.yaml:2: mcp.files.alwaysAllow: unknown key; approval: never lets its calls run unasked, and effect: read those`},
		{"agents: {}", `pageside.yaml:1: agents: must be an array`},
		{"\nlisten: 0.0.0.0:80", `pageside.yaml:2: listen: without authentication only loopback addresses such as 127.0.0.1 are allowed`},
		{"\norigins: [https://ok.example.com, https://shop.example.com/]", `pageside.yaml:2: origins[1]: "https://shop.example.com/" is not an origin`},
		{"listen: localhost", `pageside.yaml:1: listen: address localhost: missing port`},
		{"store: mysql://x", `pageside.yaml:1: store: must be sqlite:FILE`},
		{"store: x.db", `pageside.yaml:1: store: must be sqlite:FILE: write sqlite:x.db`},
		{"limits:\n  body: -1", `pageside.yaml:2: limits.body: must not be negative`},
		{"suggestions:\n  model: script/x\n  burst: -1", `pageside.yaml:3: suggestions.burst: must not be negative`},
		{"models:\n  a:\n    use: b/c\n    prices: {input: -0.5}", `pageside.yaml:4: models.a.prices.input: must not be negative`},
		{"agents:\n  - {id: a/b, model: script/x}", `pageside.yaml:2: agents[0].id: must be 1 to 64 letters, digits`},
		{"agents:\n  - {id: a, url: 'https://a.test', model: script/x}", `pageside.yaml:2: agents[0].model: has no effect on an agent with a url`},
		{"agents:\n  - {id: a, url: 'https://a.test', state: {model: write}}", `pageside.yaml:2: agents[0].state.model: has no effect on an agent with a url`},
		{"agents:\n  - {id: a, model: script/x, headers: {X-A: b}}", `pageside.yaml:2: agents[0].headers: is for an agent with a url`},
		{"agents:\n  - {id: a, url: 'https://a.test', headers: {Authorization: Bearer x}}", `pageside.yaml:2: agents[0].headers.Authorization: looks like a secret`},
		{"agents:\n  - {id: a, url: 'https://a.test', protocol: '2.0'}", `pageside.yaml:2: agents[0].protocol: must be one of 1.0, 0.x`},
		{"agents:\n  - {id: a, url: 'https://a.test', timeout: 3s}", `pageside.yaml:2: agents[0].timeout: unknown key; did you mean silence?`},
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

func TestUnknownKeysAreAllSaidAndWhatWasMeant(t *testing.T) {
	_, err := parse(t, `
modles: {}
models:
  fast: {use: openai/gpt-5-mini, baseURL: http://x, api_key: env:K, topP: 0.5, max_tokens: 9}
agents:
  - {id: default, model: fast, system_prompt: hi, askUsr: true, approvals: {expires: 1h}}
tools:
  - {name: t, url: 'https://a', paramters: {}, parameters: {type: object}}
mcpServers: {}
mcp:
  files: {command: [npx, -y, files], cwd: /tmp, startuptimeout: 5s}
pages:
  - id: p
    tabs: [{name: t, subtab: [], subtabs: [{nam: x}], actions: [{nmae: a}], suggestions: [{text: a}]}]
payloads: [{name: p, schemas: {}}]
suggestions: {model: fast, evry: 1s}
egress: {allow: [a]}
runs: {onBusy: queue}
limits: {maxBody: 1}
auth: {type: none}
wholly: other
`)
	want := []string{
		"2: modles: unknown key; did you mean models?",
		"4: models.fast.api_key: unknown key; did you mean key?",
		"4: models.fast.baseURL: unknown key; did you mean baseUrl?",
		"4: models.fast.max_tokens: unknown key; did you mean maxTokens?",
		"4: models.fast.topP: unknown key; the keys here are baseUrl, contextWindow, ",
		"6: agents[0].approvals.expires: unknown key; did you mean expiry?",
		"6: agents[0].askUsr: unknown key; did you mean askUser?",
		"6: agents[0].system_prompt: unknown key; did you mean instructions?",
		"8: tools[0].parameters: unknown key; did you mean input?",
		"8: tools[0].paramters: unknown key; did you mean input?",
		"9: mcpServers: unknown key; did you mean mcp?",
		"11: mcp.files.command: must be a string: the program alone; its arguments go in args: [...]",
		"11: mcp.files.cwd: unknown key; did you mean dir?",
		"11: mcp.files.startuptimeout: unknown key; did you mean startTimeout?",
		"13: pages[0].id: unknown key; did you mean name?",
		"14: pages[0].tabs[0].actions[0].nmae: unknown key; did you mean name?",
		"14: pages[0].tabs[0].subtab: unknown key; did you mean subtabs?",
		"14: pages[0].tabs[0].subtabs[0].nam: unknown key; did you mean name?",
		"14: pages[0].tabs[0].suggestions[0].text: unknown key; did you mean label?",
		"14: pages[0].tabs[0].suggestions[0].value: must not be empty: the message it sends",
		"15: payloads[0].schemas: unknown key; did you mean schema?",
		"16: suggestions.evry: unknown key; did you mean every?",
		"17: egress.allow: unknown key; did you mean hosts?",
		"18: runs.onBusy: unknown key; did you mean whenBusy?",
		"19: limits.maxBody: unknown key; did you mean body?",
		"20: auth.type: unknown key; did you mean mode?",
		"21: wholly: unknown key; the keys here are a2a, agents, askInWords, audit, auth, ",
	}
	got := strings.Split(err.Error(), "\n")
	if len(got) != len(want) {
		t.Errorf("%d problems, want %d:\n%v", len(got), len(want), err)
	}
	for i := range min(len(got), len(want)) {
		if !strings.HasPrefix(got[i], "pageside.yaml:"+want[i]) {
			t.Errorf("got  %s\nwant pageside.yaml:%s", got[i], want[i])
		}
	}
}

func TestAWrongValueSaysHowItIsWritten(t *testing.T) {
	for text, want := range map[string]string{
		"listen: 7":                                                  "listen: must be a string: put it in quotes",
		"mcp: {a: {command: x, args: -y}}":                           "mcp.a.args: must be an array: [a, b], or lines that begin with -",
		"mcp: {a: {command: x, env: [A=b]}}":                         "mcp.a.env: must be an object: lines of key: value",
		"mcp: {a: {command: x, startTimeout: 60}}":                   "mcp.a.startTimeout: must be a duration such as 30s, 10m or 24h",
		"mcp: {a: {command: x, startTimeout: 11m}}":                  "mcp.a.startTimeout: must be at most 10m",
		"mcp: {a: {command: x, startTimeout: 0s}}":                   "mcp.a.startTimeout: must be more than 0",
		"tools: [{name: t, url: 'https://a.test', approval: true}]":  "tools[0].approval: must be a string: never, always or policy",
		"tools: [{name: t, url: 'https://a.test', body: {room: 1}}]": "tools[0].body: must be a string: a template, such as '{\"room\": {{ .room }}}'",
		"models: [{use: a/b}]":                                       "models: must be an object: lines of key: value",
		"models: {main: openai/gpt-5-mini}":                          "models.main: must be an object: {use: provider/name}",
		"pages: [{name: p, suggestions: [Hello]}]":                   "pages[0].suggestions[0]: must be an object: {label: what the button says, value: what it sends}",
	} {
		if _, err := parse(t, text); err == nil || err.Error() != "pageside.yaml:1: "+want {
			t.Errorf("%s:\n got %v\nwant %s", text, err, want)
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
