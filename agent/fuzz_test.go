package agent

import (
	"encoding/json"
	"testing"
)

// Whatever the answer to a question: what becomes the result is JSON that fits, or the question
// stays open.
func FuzzAnswer(f *testing.F) {
	schema := (&question{Kind: askSelect, Options: []string{"a", "b"}}).schema()
	for _, s := range []string{`{"answer":"a"}`, `"b"`, `{"answer":"c"}`, `7`, ``, `{"answer":"a","answer":"b"}`, `"a"} `, `"a","x":1`} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, payload string) {
		answer, err := checkAnswer(schema, json.RawMessage(payload))
		if err != nil {
			return
		}
		var s string
		if !json.Valid([]byte(payload)) {
			t.Errorf("%q is no JSON and was taken", payload)
		}
		if json.Unmarshal(answer, &s) != nil || s != "a" && s != "b" {
			t.Errorf("%q was taken as %s", payload, answer)
		}
	})
}
