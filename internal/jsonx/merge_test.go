package jsonx

import (
	"encoding/json"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/pageside/pageside/test/must"
	"github.com/pageside/pageside/test/talk"
)

func TestMerge(t *testing.T) {
	talk.Lines(t, "testdata/merge.txtar", func(t *testing.T, _, line string) []string {
		c := strings.Split(strings.ReplaceAll(line, "nothing", ""), " | ")
		got := Merge(raw(c[0]), raw(c[1]), raw(c[2]))
		must.Be(t, Valid(got), true, "%s is valid", got)
		return []string{string(got)}
	})
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
