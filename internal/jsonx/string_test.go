package jsonx

import (
	"encoding/json"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/pageside/pageside/test/must"
)

func TestAnyStringSurvivesQuoting(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := string(rapid.SliceOf(rapid.Byte()).Draw(t, "bytes"))
		if rapid.Bool().Draw(t, "text") {
			s = rapid.String().Draw(t, "text")
		}
		quoted := AppendString([]byte("x"), s)[1:]
		if !Valid(quoted) {
			t.Fatalf("%q quoted is not valid: %s", s, quoted)
		}
		want := strings.ReplaceAll(strings.Join(strings.Split(string([]rune(s)), "\x00"), "\uFFFD"), "\x00", "\uFFFD")
		if got, err := Unquote(quoted); err != nil || got != want {
			t.Fatalf("%q came back as %q, %v", s, got, err)
		}
		var std string
		if err := json.Unmarshal(quoted, &std); err != nil || std != want {
			t.Fatalf("encoding/json reads %s as %q, %v", quoted, std, err)
		}
		if got, err := Unquote(must.Get(json.Marshal(s))(t)); err != nil || strings.ReplaceAll(got, "\x00", "\uFFFD") != want {
			t.Fatalf("what encoding/json writes for %q we read as %q, %v", s, got, err)
		}
	})
}

func TestUnquote(t *testing.T) {
	for raw, want := range map[string]string{
		`""`: "", `"a\/b"`: "a/b", `"\b\f\n\r\t\"\\"`: "\b\f\n\r\t\"\\", `"\u00E9\ud83d\udc4b"`: "é👋", `"\ud83d"`: "\uFFFD", `"\ud83dx"`: "\uFFFDx",
	} {
		must.Be(t, must.Get(Unquote([]byte(raw)))(t), want, "%s", raw)
	}
	for _, raw := range []string{``, `"`, `a`, `"a`, `a"`, `"\"`, `"\x"`, `"\u12"`, `"a"b"`, "\"\n\"", `"\n` + "\n" + `"`} {
		must.Fail(t, must.Err(Unquote([]byte(raw))), "", "%s", raw)
	}
}

func TestParseInt(t *testing.T) {
	for raw, want := range map[string]int64{"0": 0, "-1": -1, "1.0": 1, "1e3": 1000, "9007199254740991": 1<<53 - 1, "-9007199254740991": -(1<<53 - 1)} {
		if got, ok := ParseInt([]byte(raw)); !ok || got != want {
			t.Errorf("%s: got %d, %v", raw, got, ok)
		}
	}
	for _, raw := range []string{"1.5", "9007199254740992", "-9007199254740992", "1e300", "1e400", "9223372036854775808"} {
		if got, ok := ParseInt([]byte(raw)); ok {
			t.Errorf("%s: got %d, want none", raw, got)
		}
	}
}

func TestPaths(t *testing.T) {
	for want, got := range map[string]string{
		"a.b": Join("a", "b"), "b": Join("", "b"), "a": Join("a", ""), "a[3].c": Join("a", Join(Index(3), "c")),
		`a["b c"]`: Join("a", KeyPath("b c")), `[""]`: KeyPath(""), `a["x\ny"].z`: Join(Join("a", KeyPath("x\ny")), "z"),
	} {
		must.Be(t, got, want, "a path")
	}
}

// TestSkip compares the functions that look at eight bytes at once with ones that look at one.
func TestSkip(t *testing.T) {
	special := func(c byte) bool { return c == '"' || c == '\\' || c < 0x20 }
	rapid.Check(t, func(t *rapid.T) {
		data := rapid.SliceOfN(rapid.SampledFrom([]byte("ab \"\\\x00\x1f\x20\x7f\x80\xa2\xdc\xff!#[]")), 0, 40).Draw(t, "data")
		i := rapid.IntRange(0, len(data)).Draw(t, "from")
		text, plain := i, i
		for text < len(data) && !special(data[text]) {
			text++
		}
		for plain < len(data) && !special(data[plain]) && data[plain] < 0x80 {
			plain++
		}
		must.Be(t, skipText(data, i), text, "text of %q from %d", data, i)
		must.Be(t, skipPlain(data, i), plain, "plain text of %q from %d", data, i)
		must.Be(t, skipPlain(string(data), i), plain, "plain text of the string %q from %d", data, i)
	})
}
