package calls

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
		d := ParseDecision(json.RawMessage(payload))
		if len(d.Reason) > maxReason || !utf8.ValidString(d.Reason) {
			t.Errorf("reason %q", d.Reason)
		}
		if !d.Approved {
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
