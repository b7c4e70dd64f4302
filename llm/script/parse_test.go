package script_test

import (
	"strings"
	"testing"

	"github.com/pageside/pageside/llm"
	"github.com/pageside/pageside/llm/script"
	"github.com/pageside/pageside/test/must"
)

func TestParseErrors(t *testing.T) {
	for _, tc := range []struct{ in, want string }{
		{"", "r.yaml: is empty"},
		{"a: [", "r.yaml: line 1"},
		{"[]", "r.yaml:1: must be a mapping, not a list"},
		{"name: x", "r.yaml:1: rules: at least one rule is needed"},
		{"name: x\ncolour: red\nrules: []", "r.yaml:2: colour: unknown field; known are limitText, name, pace, report, rules"},
		{"name: x\nname: y", "r.yaml:2: name: appears twice"},
		{"rules: 5", `r.yaml:1: rules: must be a list, not "5"`},
		{"rules:\n  - steps: [{text: a}]", "r.yaml:2: rules[0]: needs match, when or fallback: true"},
		{"rules:\n  - match: a", "r.yaml:2: rules[0].steps: at least one step is needed"},
		{"rules:\n  - match: '('\n    steps: [{}]", "r.yaml:2: rules[0].match: error parsing regexp"},
		{"rules:\n  - match: a\n    steps:\n      - text: '{{ nope }}'", `r.yaml:4: rules[0].steps[0].text: template: rules[0].steps[0].text:1: function "nope" not defined`},
		{"rules:\n  - match: a\n    steps:\n      - txt: b", "r.yaml:4: rules[0].steps[0].txt: unknown field"},
		{"rules:\n  - match: a\n    steps: [{text: [b]}]", "r.yaml:3: rules[0].steps[0].text: must be a single value, not a list"},
		{"rules:\n  - {match: a, steps: [{calls: [{tool: t, args: {a: {b: '{{'}}}]}]}", "r.yaml:2: rules[0].steps[0].calls[0].args.a.b: template"},
		{"rules:\n  - {match: a, steps: [{calls: [{tool: t, args: {a: !num '1'}}]}]}", "unknown tag !num; known is !json"},
		{"rules:\n  - {match: a, steps: [{calls: [{tool: t, args: {a: .nan}}]}]}", `".nan" cannot be written as JSON`},
		{"rules:\n  - {match: a, steps: [{calls: [{tool: t, args: {}, rawArgs: x}]}]}", "has both args and rawArgs"},
		{"rules:\n  - {match: a, steps: [{repeat: true}, {}]}", "rules[0].steps[0].repeat: only the last step may repeat"},
		{"rules:\n  - {match: a, steps: [{finish: done}]}", `rules[0].steps[0].finish: "done" is none of [stop tools length filter other]`},
		{"rules:\n  - {match: a, steps: [{error: {code: own, status: 500}}]}", `rules[0].steps[0].error: code stands in place of kind, status and retryAfter`},
		{"rules:\n  - {match: a, steps: [{error: {code: llm_own}}]}", `rules[0].steps[0].error: the code "llm_own": codes that begin with llm_ are of an llm.Error`},
		{"rules:\n  - {match: a, steps: [{error: {kind: bad}}]}", `rules[0].steps[0].error.kind: "bad" is none of [auth`},
		{"rules:\n  - {fallback: true, words: a, steps: [{}]}", "rules[0]: words needs match"},
		{"rules:\n  - {match: a, words: ' ', steps: [{}]}", "rules[0].words: must name at least one word"},
		{"rules:\n  - {match: a, steps: [{delay: 5}]}", `rules[0].steps[0].delay: "5" is not a duration such as 12ms or 1.5s`},
		{"rules:\n  - {match: a, steps: [{chunk: 0}]}", "rules[0].steps[0].chunk: must be at least 1"},
		{"rules:\n  - {match: a, steps: [{usage: {input: many}}]}", `rules[0].steps[0].usage.input: "many" is not a valid int64`},
		{"rules:\n  - {fallback: true, steps: [{}]}\n  - {match: a, steps: [{}]}", "rules[0]: the fallback must be the last rule"},
		{"rules:\n  - {fallback: true, match: a, steps: [{}]}", "rules[0]: a fallback has neither match nor when"},
		{"rules: [{match: a, steps: [{}]}]\n---\nname: b", "r.yaml: must hold one YAML document"},
		{"rules:\n  - {match: a, steps: [{calls: [{tool: t, args: &x [*x]}]}]}", "is nested too deeply"},
	} {
		_, err := script.Parse("r.yaml", []byte(tc.in))
		must.Fail(t, err, tc.want, "%q", tc.in)
	}
	_, err := script.Parse("r.yaml", []byte("a: 1\nb: 2\n"))
	if err == nil || strings.Count(err.Error(), "\n") != 1 {
		t.Errorf("not every error is listed: %v", err)
	}
	must.Fail(t, must.Err(script.Load("testdata/none.yaml")), "none.yaml", "a missing file")
}

func TestFunctions(t *testing.T) {
	const items = `[{"description":"d","value":{"rows":[{"p":"a","n":3},{"p":"b","n":4.5}],"when":1709287200,"ms":1709287200000,"s":"x,y","none":null}}]`
	for in, want := range map[string]string{
		`{{ json (get (context "d") "rows.0") }}`:                             `{"n":3,"p":"a"}`,
		`{{ num 1234567 }} {{ num 999 }} {{ num -1234.5 }} {{ num "1000" }}`:  "1,234,567 999 -1,234.5 1,000",
		`{{ pct 1 8 }} {{ pct 1 3 }} {{ pct 1 0 }}`:                           "12.5% 33.3% 0%",
		`{{ join ", " (pluck "p" (context "d").rows) }}`:                      "a, b",
		`{{ sum (pluck "n" (context "d").rows) }} {{ sum (list 1 2) }}`:       "7.5 3",
		`{{ (first (context "d").rows).p }}{{ (last (context "d").rows).p }}`: "ab",
		`{{ add 1 2 }} {{ sub 1 0.5 }} {{ mul 3 "4" }} {{ div 9 3 }}`:         "3 0.5 12 3",
		`{{ round 1 3.14159 }} {{ round 0 2.5 }} {{ mul 1000000 1000000 }}`:   "3.1 3 1000000000000",
		`{{ date "2006-01-02 15:04" (context "d").when }}`:                    "2024-03-01 10:00",
		`{{ date "15:04" (context "d").ms }} {{ date "Jan 2" "2024-03-01" }}`: "10:00 Mar 1",
		`{{ gt 4.5 4 }} {{ le 3 "3" }} {{ lt "a" "b" }} {{ ge 1 2.5 }}`:       "true true true false",
		`{{ get (context "d") "rows.7.p" | default "-" }}`:                    "-",
		`{{ has (context "d") "rows.1.n" }} {{ has (context "d") "x" }}`:      "true false",
		`{{ with context "nope" }}x{{ else }}y{{ end }}{{ called "t" }}`:      "yfalse",
		`{{ join "+" (split "," (context "d").s) }}{{ upper "a" | lower }}`:   "x+ya",
		`{{ replace "a" "b" "aa" }}{{ contains "b" "abc" }}{{ trim " c " }}`:  "bbtruec",
		`{{ len .Context }}{{ (index .Context 0).Description }}{{ .Step }}`:   "1d0",
		`{{ .User }} {{ len .Tools }} {{ .ToolOffered "t" }}`:                 "q 0 false",
	} {
		m, err := script.Parse("r", []byte("rules: [{fallback: true, steps: [{text: '"+strings.ReplaceAll(in, "'", "''")+"'}]}]"))
		if err != nil {
			t.Errorf("%s: %v", in, err)
			continue
		}
		if a := ask(t.Context(), m, &llm.Request{Messages: []llm.Message{user(page(items), "q")}}); a.err != nil || a.text != want {
			t.Errorf("%s: got %q, %v; want %q", in, a.text, a.err, want)
		}
	}
	for _, in := range []string{
		`{{ num "x" }}`, `{{ div 1 0 }}`, `{{ first 5 }}`, `{{ last (list) }}`, `{{ date "15" "x" }}`, `{{ gt (list) 1 }}`,
		`{{ sum (list "x") }}`, `{{ join "," 5 }}`, `{{ pluck "a" 5 }}`, `{{ (context "nope").x }}`, `{{ add 1 "x" }}`, `{{ pct "x" 1 }}`,
	} {
		m := must.Get(script.Parse("r", []byte("rules: [{fallback: true, steps: [{text: '"+in+"'}]}]")))(t)
		if a := ask(t.Context(), m, &llm.Request{Messages: []llm.Message{user("q")}}); a.err == nil {
			t.Errorf("%s: no error but %q", in, a.text)
		}
	}
}
