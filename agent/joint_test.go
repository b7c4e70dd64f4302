package agent

import (
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// joined feeds a joint in pieces and returns both texts as one.
func joined(old string, pieces ...string) string {
	j, all := newJoint(old), old
	for _, p := range pieces {
		all += j.take(p)
	}
	return all + j.flush()
}

// What a model repeats of the text that it goes on with is dropped; what only looks alike stays.
func TestJoint(t *testing.T) {
	const old = "There are three ways to do it. The third option is to use a ca"
	for name, tt := range map[string]struct{ old, next, want string }{
		"goes on":            {old, "che, which is fast.", old + "che, which is fast."},
		"repeats the words":  {old, "The third option is to use a cache.", old + "che."},
		"the whole line":     {old, old + "che.", old + "che."},
		"after dots":         {old, "… option is to use a cache.", old + "che."},
		"after blanks":       {old, "\n\noption is to use a cache.", old + "che."},
		"a few letters":      {"It is a ca", "cactus", "It is a cacactus"},
		"one of many":        {"It is used for text", "textures", "It is used for texttextures"},
		"a word":             {"hello wor", "hello world", "hello world"},
		"a period":           {old, ".", old + "."},
		"a dotted end":       {old, "...", old + "..."},
		"nothing new":        {old, "option is to use a ca", old},
		"blanks behind":      {"It ends with a whole line.\n\n", "ends with a whole line.\nNext", "It ends with a whole line.\n\nNext"},
		"blanks, and new":    {"It ends with a whole line.\n\n", "Next", "It ends with a whole line.\n\nNext"},
		"rows that look so":  {"|---|---|", "---|---|\n", "|---|---|---|---|\n"},
		"other letters":      {"第三种方法是使用缓存，因为它更快而且更", "使用缓存，因为它更快而且更便宜。", "第三种方法是使用缓存，因为它更快而且更便宜。"},
		"only blanks":        {old, " \n", old},
		"nothing":            {old, "", old},
		"after a code block": {"```go\nfunc main() {\n}\n```\n", "That is all.", "```go\nfunc main() {\n}\n```\nThat is all."},
	} {
		t.Run(name, func(t *testing.T) {
			if got := joined(tt.old, tt.next); got != tt.want {
				t.Errorf("got  %q\nwant %q", got, tt.want)
			}
			if got := joined(tt.old, strings.Split(tt.next, "")...); got != tt.want {
				t.Errorf("letter by letter it is %q", got)
			}
		})
	}
}

// However the text is cut into pieces, the result is the same, and nothing of it is lost: what is
// dropped stands at the end of the old text.
func TestAnyJoint(t *testing.T) {
	word := rapid.SampledFrom([]string{"the ", "second ", "way", "…", ".", " ", "\n", "ist länger ", "als ", "世界", "a"})
	text := rapid.Custom(func(t *rapid.T) string { return strings.Join(rapid.SliceOfN(word, 0, 14).Draw(t, "words"), "") })
	rapid.Check(t, func(t *rapid.T) {
		old, next := text.Draw(t, "old"), text.Draw(t, "next")
		if rapid.Bool().Draw(t, "repeats") {
			next = old[rapid.SampledFrom(append([]int{0}, starts(old)...)).Draw(t, "from"):] + next
		}
		whole := joined(old, next)
		if got := joined(old, strings.SplitAfter(next, " ")...); got != whole {
			t.Fatalf("%q and %q are %q, word by word %q", old, next, whole, got)
		}
		added, ok := strings.CutPrefix(whole, old)
		if !ok || !strings.HasSuffix(next, added) {
			t.Fatalf("%q and %q are %q", old, next, whole)
		}
		dropped := strings.TrimFunc(next[:len(next)-len(added)], func(r rune) bool { return isBlank(r) || r == '…' || r == '.' })
		if !strings.Contains(old, dropped) {
			t.Fatalf("%q is lost between %q and %q", dropped, old, next)
		}
	})
}

func starts(s string) (at []int) {
	for i := range s {
		at = append(at, i)
	}
	return at
}

func TestLastWords(t *testing.T) {
	for text, want := range map[string]string{
		"":                                    "",
		"one two three":                       "one two three",
		"first line\nsecond li":               "second li",
		"first line\n\n":                      "first line",
		"code:\n```\n":                        "",
		"1 2 3 4 5 6 7 8 nine ten":            "3 4 5 6 7 8 nine ten",
		"| a | b |":                           "| a | b |",
		strings.Repeat("x", 200):              strings.Repeat("x", maxWordBytes),
		strings.Repeat("界", 50):               strings.Repeat("界", 40),
		"short " + strings.Repeat("x", 300):   strings.Repeat("x", maxWordBytes),
		strings.Repeat("long", 25) + " a b c": strings.Repeat("long", 25) + " a b c",
	} {
		if got := lastWords(text); got != want {
			t.Errorf("the last words of %.40q are %q, want %q", text, got, want)
		}
	}
}

// TestBlanksWithoutEnd: what says nothing is not held back for ever.
func TestBlanksWithoutEnd(t *testing.T) {
	const pieces = 10_000
	for _, piece := range []string{" ", "\n", ".", "…"} {
		j := newJoint("And so it ends.")
		held, most, out := 0, 0, 0
		for range pieces {
			text := j.take(piece)
			out += len(text)
			held += len(piece) - len(text)
			most = max(most, held)
		}
		if out != pieces*len(piece) || most > maxHeld {
			t.Errorf("of %d × %q, %d bytes come out, and %d were held back", pieces, piece, out, most)
		}
	}
}
