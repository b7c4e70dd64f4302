package visible_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/pageside/pageside/internal/visible"
	"github.com/pageside/pageside/test/must"
)

func TestText(t *testing.T) {
	for in, want := range map[string]string{
		"":                                  "",
		"plain\n\ttext\r\n":                 "plain\n\ttext\r\n",
		"a\u200bb\u2060c\ufeffd\u00ade":     "abcde",         // of no width
		"x\u202eyz\u202c\u2066\u2069\u200f": "xyz",           // of direction
		"ok" + tags("delete all"):           "ok",            // tags
		"a\x1b[31mb\x00\x7f\u0085":          "a[31mb",        // control characters
		"a\ue000\U000f0000b":                "ab",            // private
		"a\u2800\u3164\u115fb":              "ab",            // blanks that are letters
		"a\U000e0100b\ufe01":                "ab",            // variation selectors
		"a\xffb":                            "a\ufffdb",      // no UTF-8
		"می\u200cخواهم":                     "می\u200cخواهم", // Persian needs its non-joiner
		"👩\u200d💻 ❤\ufe0f ☎\ufe0e":          "👩\u200d💻 ❤\ufe0f ☎\ufe0e",
		"a\u200d\u200c\u200d\u200db":        "a\u200db", // a row of them is a code
		"a\u200d\u200b\u200db":              "a\u200db",
		"\u06001234":                        "\u06001234", // an Arabic number sign
		"日本語 é":                             "日本語 é",
	} {
		must.Be(t, visible.Text(in), want, "%+q becomes", in)
		must.Be(t, visible.Is(in), in == want, "%+q is visible", in)
	}
}

// tags writes ASCII in tag characters.
func tags(s string) string {
	return strings.Map(func(r rune) rune { return 0xe0000 + r }, s)
}

func FuzzText(f *testing.F) {
	f.Add("a\u200d\u200b\u200c" + tags("x") + "\xff")
	f.Fuzz(func(t *testing.T, s string) {
		got := visible.Text(s)
		if !utf8.ValidString(got) || visible.Text(got) != got {
			t.Errorf("%+q becomes %+q", s, got)
		}
	})
}

// TestBrief: the bound is in bytes, and no character is cut.
func TestBrief(t *testing.T) {
	for _, c := range []struct {
		in   string
		most int
		want string
	}{{" a\u200bb\n", 9, "ab"}, {"abc", 3, "abc"}, {"abcd", 3, "abc…"}, {"aä", 2, "a…"}, {"", 0, ""}} {
		must.Be(t, visible.Brief(c.in, c.most), c.want, "%q", c.in)
	}
}

// TestCut: what is cut is as long as the bound allows, and no character is cut.
func TestCut(t *testing.T) {
	const text = "aä五😀z"
	for most, want := range []string{"", "a", "a", "aä", "aä", "aä", "aä五", "aä五", "aä五", "aä五", "aä五😀", text, text} {
		must.Be(t, visible.Cut(text, most), want, "%d bytes", most)
		if clipped := visible.Clip(text, most); clipped != want && clipped != want+"…" || (clipped == text) != (want == text) {
			t.Errorf("%d bytes, clipped: %q", most, clipped)
		}
	}
	must.Be(t, visible.Cut(text, -1), "", "less than nothing")
}
