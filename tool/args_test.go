package tool_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/pageside/pageside/test/must"
	"github.com/pageside/pageside/tool"
)

func TestParseArgs(t *testing.T) {
	s, err := tool.CompileSchema(json.RawMessage(`{"type":"object","properties":{"a":{"type":"integer"},"t":{"type":"string"}}}`))
	must.Do(t, err)
	tests := []struct{ raw, want, problem string }{
		{"", "{}", ""},
		{" \n", "{}", ""},
		{` {"a": 1} `, `{"a": 1}`, ""},
		{`{"a":1,}`, `{"a":1}`, ""},
		{`{a:1, t: "x"`, `{"a":1, "t": "x"}`, ""},
		{`{"t":["x", {"y": null`, "", "$.t: expected string"},
		// What may have gone on is not closed: it would be half of what was meant.
		{`{"t":"/home/anna/old`, "", "ends in the middle"},
		{`{"t":"`, "", "ends in the middle"},
		{`{"t":"x \"`, "", "ends in the middle"},
		{`{"a":1`, "", "ends in the middle"},
		{`{"a":`, "", "ends in the middle"},
		{`{"a":1,`, "", "ends in the middle"},
		{`{'t':'it is`, "", "not valid JSON"},
		{`{'t': 'it is'}`, `{"t": "it is"}`, ""},
		{"```json\n{\"a\":1}\n```", `{"a":1}`, ""},
		{`{"a":"1"}`, "", "$.a: expected integer, got string"},
		{`{"a":1,"a":2}`, "", `the name "a" occurs twice`},
		{`{"__proto__":{}}`, "", "__proto__"},
		{`[]`, "", "must be a JSON object"},
		{`null`, "", "must be a JSON object"},
		{`"text"`, "", "must be a JSON object"},
		{`{"a":1e99999999}`, "", "out of range"},
		{"{\"t\":\"\xff\"}", "{\"t\":\"\uFFFD\"}", ""},
		{strings.Repeat(`{"a":`, 100) + "1" + strings.Repeat("}", 100), "", "deeper than 64"},
		{strings.Repeat("[", 100_000), "", "not valid JSON"},
		{`{"t":"` + strings.Repeat("x", 300<<10) + `"}`, "", "at most 262144"},
	}
	for _, tt := range tests {
		start := time.Now()
		got, err := tool.ParseArgs(tt.raw, s)
		// what grows faster than its input takes for ever
		if took := time.Since(start); took > time.Minute {
			t.Errorf("%.40q took %v", tt.raw, took)
		}
		if tt.problem == "" {
			if err != nil || strings.TrimSpace(string(got)) != tt.want {
				t.Errorf("%.40q: got %s, %v, want %s", tt.raw, got, err, tt.want)
			}
			continue
		}
		e, ok := err.(*tool.Error)
		if !ok || e.Code != tool.CodeInvalidArgs || !e.Retryable || !strings.Contains(e.Message, tt.problem) {
			t.Errorf("%.40q: got %s, %v, want %q", tt.raw, got, err, tt.problem)
		}
	}
}

// FuzzParseArgs: whatever a model writes, what comes back is a JSON object that the schema takes,
// and nothing panics.
func FuzzParseArgs(f *testing.F) {
	s, err := tool.CompileSchema(json.RawMessage(`{"type":"object","properties":{"a":{"type":"integer","minimum":0},"b":{"type":"array","uniqueItems":true,"items":{"type":"string"}}}}`))
	must.Do(f, err)
	for _, seed := range []string{``, `{}`, `{"a":1}`, `{a:1`, `{"b":["x","x"]}`, "```json\n{}```", `{"a":1e400}`, `{"a":'x`, "{\"\xc3\":1}", `[[[`, `{"a":1}}}`, `// x
{}`, `NaN`, `{"a":-}`} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, raw string) {
		args, err := tool.ParseArgs(raw, s)
		if err != nil {
			return
		}
		var object map[string]any
		if err := json.Unmarshal(args, &object); err != nil || object == nil {
			t.Errorf("%q became %s: %v", raw, args, err)
		}
		must.Be(t, s.Validate(args), nil, "%q became %s", raw, args)
	})
}
