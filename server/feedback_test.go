package server

import (
	"encoding/json"
	"testing"
)

func TestARatingLeavesTheRestOfTheMetadata(t *testing.T) {
	for _, c := range []struct{ before, with, without string }{
		{``, `{"pageside":{"feedback":{"rating":-1}}}`, ``},
		{`{"own":{"n":1.50}}`, `{"own":{"n":1.50},"pageside":{"feedback":{"rating":-1}}}`, `{"own":{"n":1.50}}`},
		{`{"pageside":{"status":"open","feedback":{"rating":1}}}`, `{"pageside":{"feedback":{"rating":-1},"status":"open"}}`, `{"pageside":{"status":"open"}}`},
		{`{"pageside":null}`, `{"pageside":{"feedback":{"rating":-1}}}`, ``},
		{`{"pageside":"own"}`, `{"pageside":"own"}`, `{"pageside":"own"}`},
	} {
		with, err := withRating(json.RawMessage(c.before), -1)
		if err != nil {
			t.Fatal(err)
		}
		without, err := withRating(json.RawMessage(c.before), 0)
		if err != nil {
			t.Fatal(err)
		}
		if string(with) != c.with || string(without) != c.without {
			t.Errorf("%s: %s and %s, want %s and %s", c.before, with, without, c.with, c.without)
		}
	}
}
