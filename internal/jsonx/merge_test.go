package jsonx

import (
	"encoding/json"
	"testing"

	"pgregory.net/rapid"
)

func TestMerge(t *testing.T) {
	for _, c := range []struct{ base, theirs, ours, want string }{
		{``, `{"a":1}`, ``, `{"a":1}`},
		{``, `{"a":1}`, `{"b":2}`, `{"b":2,"a":1}`},
		{``, `{"a":{"x":1}}`, `{"a":{"y":2}}`, `{"a":{"y":2,"x":1}}`},
		{`{"a":1}`, `{"a":1}`, `{"a":2}`, `{"a":2}`},
		{`{"a":1}`, `{"a":3}`, `{"a":2}`, `{"a":3}`},
		{`{"a":1}`, `{}`, `{"a":2,"b":1}`, `{"b":1}`},
		{`{"a":1,"b":1}`, `{"a":1,"b":1}`, `{"a":1}`, `{"a":1}`},
		{`{"a":1}`, `{"a":2}`, `{}`, `{"a":2}`},
		{`{"a":[1,2]}`, `{"a":[1]}`, `{"a":[1,2,3]}`, `{"a":[1]}`},
		{`{"a":{"x":1}}`, `{"a":5}`, `{"a":{"x":2}}`, `{"a":5}`},
		{`5`, `{"a":1}`, `{"b":1}`, `{"a":1}`},
		{`{"a":1.0,"b":null}`, `{"b":null,"a":1}`, `{"c":[]}`, `{"c":[]}`},
		{`null`, `null`, `{"a":1}`, `{"a":1}`},
		{`{"k\u00e9":1}`, `{"ké":2}`, `{"ké":1}`, `{"ké":2}`},
	} {
		got := Merge(raw(c.base), raw(c.theirs), raw(c.ours))
		if string(got) != c.want || !Valid(got) {
			t.Errorf("%s → %s, and %s: got %s, want %s", c.base, c.theirs, c.ours, got, c.want)
		}
	}
}

func raw(s string) json.RawMessage {
	if s == "" {
		return nil
	}
	return json.RawMessage(s)
}

var genValue = rapid.Custom(func(t *rapid.T) string {
	return rapid.SampledFrom([]string{`1`, `"x"`, `null`, `[1]`, `{}`, `{"a":1}`, `{"a":2,"b":{"a":1}}`, `{"b":{"a":2,"c":[]}}`, `{"c":{"a":1,"b":1},"a":0}`}).Draw(t, "value")
})

// Whoever changes nothing loses nothing to the other, and what both have is not touched.
func TestMergeLaws(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		base, theirs, ours := raw(genValue.Draw(t, "base")), raw(genValue.Draw(t, "theirs")), raw(genValue.Draw(t, "ours"))
		for what, pair := range map[string][2]json.RawMessage{
			"only ours":   {Merge(base, base, ours), ours},
			"only theirs": {Merge(base, theirs, base), theirs},
			"both alike":  {Merge(base, theirs, theirs), theirs},
		} {
			if !Equal(pair[0], pair[1]) {
				t.Fatalf("%s: base %s, theirs %s, ours %s: got %s", what, base, theirs, ours, pair[0])
			}
		}
		if again := Merge(theirs, theirs, Merge(base, theirs, ours)); !Valid(again) {
			t.Fatalf("not valid: %s", again)
		}
	})
}
