package tool_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/pageside/pageside/test/must"
	"github.com/pageside/pageside/test/talk"
	"github.com/pageside/pageside/tool"
)

func TestParseArgs(t *testing.T) {
	s := must.Get(tool.CompileSchema(json.RawMessage(`{"type":"object","properties":{"a":{"type":"integer"},"t":{"type":"string"}}}`)))(t)
	talk.Lines(t, "testdata/args.txtar", func(t *testing.T, _, raw string) []string {
		got, err := tool.ParseArgs(raw, s)
		if err == nil {
			return []string{string(got)}
		}
		e, ok := err.(*tool.Error)
		if !ok || e.Code != tool.CodeInvalidArgs || !e.Retryable {
			t.Errorf("%s: got %#v", raw, err)
		}
		return []string{err.Error()}
	})
	for raw, want := range map[string]string{
		"": "{}", " \n": "{}", " {\"a\": 1} ": `{"a": 1}`, "```json\n{\"a\":1}\n```": `{"a":1}`, "{\"t\":\"\xff\"}": "{\"t\":\"\uFFFD\"}",
	} {
		must.Be(t, strings.TrimSpace(string(must.Get(tool.ParseArgs(raw, s))(t))), want, "%q", raw)
	}
	for raw, problem := range map[string]string{
		strings.Repeat(`{"a":`, 100) + "1" + strings.Repeat("}", 100): "deeper than 64",
		strings.Repeat("[", 100_000):                                  "not valid JSON",
		`{"t":"` + strings.Repeat("x", 300<<10) + `"}`:                "at most 262144",
	} {
		start := time.Now()
		must.Fail(t, must.Err(tool.ParseArgs(raw, s)), problem, "%.40q", raw)
		// what grows faster than its input takes for ever
		if took := time.Since(start); took > time.Minute {
			t.Errorf("%.40q took %v", raw, took)
		}
	}
}

// FuzzParseArgs: whatever a model writes, what comes back is a JSON object that the schema takes,
// and nothing panics.
func FuzzParseArgs(f *testing.F) {
	s := must.Get(tool.CompileSchema(json.RawMessage(`{"type":"object","properties":{"a":{"type":"integer","minimum":0},"b":{"type":"array","uniqueItems":true,"items":{"type":"string"}}}}`)))(f)
	for _, seed := range []string{``, `{}`, `{"a":1}`, `{a:1`, `{"b":["x","x"]}`, "```json\n{}```", `{"a":1e400}`, `{"a":'x`, "{\"\xc3\":1}", `[[[`, `{"a":1}}}`, `// x
{}`, `NaN`, `{"a":-}`} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, raw string) {
		args, err := tool.ParseArgs(raw, s)
		if err != nil {
			return
		}
		if must.JSON[map[string]any](t, args) == nil {
			t.Errorf("%q became %s", raw, args)
		}
		must.Be(t, s.Validate(args), nil, "%q became %s", raw, args)
	})
}
