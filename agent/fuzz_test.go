package agent

import (
	"encoding/json"
	"testing"
	"unicode/utf8"
)

// Whatever a client sends as its answer to an approval: it approves only where every reader of it
// would say so.
func FuzzDecision(f *testing.F) {
	for _, s := range []string{`{"approved":true}`, `{"approved":true,"args":{"a":1}}`, `{"approved":false,"reason":"no"}`, `{"approved":false,"approved":true}`, `true`, `null`, ``, `{"approved":"true"}`, "{\"approved\":true,\"\xff\":1}"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, payload string) {
		d := parseDecision(json.RawMessage(payload))
		if len(d.reason) > maxReason || !utf8.ValidString(d.reason) {
			t.Errorf("reason %q", d.reason)
		}
		if !d.approved {
			return
		}
		var plain struct{ Approved any }
		if err := json.Unmarshal([]byte(payload), &plain); err != nil || plain.Approved != true && !foldedTwin(payload) {
			t.Errorf("%q approves, and reads as %v, %v", payload, plain.Approved, err)
		}
	})
}

// foldedTwin reports whether a payload has another member whose name differs in case only: the
// standard decoder mixes those up.
func foldedTwin(payload string) bool {
	var members map[string]json.RawMessage
	return json.Unmarshal([]byte(payload), &members) == nil && string(members["approved"]) == "true"
}

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
