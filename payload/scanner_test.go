package payload_test

import (
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/pageside/pageside/payload"
	"github.com/pageside/pageside/test/must"
	"github.com/pageside/pageside/test/talk"
)

// types are those that the scanner's tests know, and the suggestions.
func types(t testing.TB) []*payload.Type {
	t.Helper()
	r := must.Get(payload.NewRegistry(
		&payload.Type{Name: "p", Source: payload.FromLLM, Marker: "PP:"},
		&payload.Type{Name: "plan", Source: payload.FromLLM},
		&payload.Type{Name: "schema_proposal", Source: payload.FromLLM},
		&payload.Type{Name: "boxed", Source: payload.FromLLM, Marker: "@@BOX"},
		&payload.Type{Name: "chart"},
	))(t)
	return append(slices.Collect(r.All()), payload.SuggestedValues, payload.SuggestedActions)
}

// scan feeds the pieces and writes down what comes out: text as it is, payloads in ⟦ ⟧. Grown
// pieces must add up.
func scan(t testing.TB, s *payload.Scanner, pieces ...string) string {
	t.Helper()
	var out, grown strings.Builder
	emit := func(e payload.Event) error {
		switch e.Kind {
		case payload.Text:
			if e.Text == "" {
				t.Error("empty text")
			}
			out.WriteString(e.Text)
		case payload.Started:
			grown.Reset()
			out.WriteString("⟦" + e.Type.Name)
		case payload.Grew:
			grown.WriteString(e.Text)
		case payload.Complete:
			if grown.String() != e.Text {
				t.Errorf("the pieces %q do not make %q", grown.String(), e.Text)
			}
			out.WriteString(" " + e.Text + "⟧")
		case payload.Bad:
			fmt.Fprintf(&out, " %s: %s⟧", e.Text, e.Err)
		}
		return nil
	}
	for _, p := range pieces {
		must.Do(t, s.Feed(p, emit))
	}
	must.Do(t, s.Close(emit))
	return out.String()
}

var (
	readable   = strings.NewReplacer("\n", "⏎", "\r", "␍")
	unreadable = strings.NewReplacer("⏎", "\n", "␍", "\r", "·", " ", "<U+00A0>", "\u00a0", "<U+200B>", "\u200b",
		"<U+3000>", "\u3000", "<U+FEFF>", "\ufeff")
)

// caseOf returns the name and the text of a line of cards.txtar that has a case.
func caseOf(line string) (name, text string, ok bool) {
	name, text, ok = strings.Cut(line, " | ")
	return name, unreadable.Replace(text), ok && !strings.HasPrefix(line, "\t")
}

// examples are the texts of cards.txtar.
func examples(t testing.TB) (list []string) {
	t.Helper()
	for line := range strings.Lines(string(must.Get(os.ReadFile("testdata/cards.txtar"))(t))) {
		if _, text, ok := caseOf(strings.TrimSuffix(line, "\n")); ok {
			list = append(list, text)
		}
	}
	return list
}

// Whatever way an answer is cut into two, three or single bytes: the same text, the same payloads.
func TestCards(t *testing.T) {
	s := payload.NewScanner(types(t)) // used again and again: Close makes it as new
	talk.Lines(t, "testdata/cards.txtar", func(t *testing.T, _, line string) []string {
		name, text, _ := caseOf(line)
		whole := scan(t, s, text)
		checkCuts(t, s, name, text, whole)
		if whole == text {
			return []string{"as it is"}
		}
		told := readable.Replace(whole)
		inner := strings.TrimLeft(told, " ")
		told = strings.Repeat("·", len(told)-len(inner)) + inner
		return []string{strings.ReplaceAll(told, "\u00a0", "<U+00A0>")}
	})
	invalid := "\xff\nPP: {\"a\":\"\xc3\"}\n\xc3"
	checkCuts(t, s, "invalid UTF-8", invalid, "\xff\n⟦p {\"a\":\"\xc3\"}⟧\xc3")
}

// checkCuts scans a text whole, cut into two and three pieces, and byte by byte.
func checkCuts(t *testing.T, s *payload.Scanner, name, text, want string) {
	t.Helper()
	for i := range len(text) {
		for j := i; j <= len(text); j++ {
			if got := scan(t, s, text[:i], text[i:j], text[j:]); got != want {
				t.Fatalf("%s, cut at %d and %d:\n got %q\nwant %q", name, i, j, got, want)
			}
		}
	}
	must.Be(t, scan(t, s, inPieces(text, 1)...), want, "%s, byte by byte", name)
}

// inPieces cuts a text into pieces of a size.
func inPieces(text string, size int) (cut []string) {
	for piece := range slices.Chunk([]byte(text), size) {
		cut = append(cut, string(piece))
	}
	return cut
}

// pieces cuts a text at random.
func pieces(t *rapid.T, text string) []string {
	var list []string
	for text != "" {
		n := rapid.IntRange(1, min(len(text), 12)).Draw(t, "piece")
		list = append(list, text[:n])
		text = text[n:]
	}
	return list
}

var fragments = []string{
	"NOPE:", "NOPE_X: {\"a\":1}", "N", "_", ":", "X9",
	"PP:", "PLAN:", "SUGGESTED_VALUES:", " ", "  ", "\n", "\n\n", "\r\n", "**", "- ", "> ", "```", "````", "~~~", "`", "json", "{", "}", "[", "]",
	`{"a":1}`, `"`, `\`, "text", "P", "ü", "\xff", "PP: {}", "```\nPP: {}\n```\n", "x\n", strings.Repeat(" ", 15), strings.Repeat("y", 31), "```\n",
}

// The same for texts put together from what matters, cut at random.
func TestScannerAnyText(t *testing.T) {
	list := types(t)
	rapid.Check(t, func(rt *rapid.T) {
		text := strings.Join(rapid.SliceOfN(rapid.SampledFrom(fragments), 0, 25).Draw(rt, "text"), "")
		whole := scan(t, payload.NewScanner(list), text)
		if got := scan(t, payload.NewScanner(list), pieces(rt, text)...); got != whole {
			rt.Fatalf("%q\nin pieces %q\n    whole %q", text, got, whole)
		}
	})
}

func FuzzScanner(f *testing.F) {
	list := types(f)
	for _, text := range examples(f) {
		f.Add(text, 3, 7)
	}
	f.Fuzz(func(t *testing.T, text string, a, b int) {
		whole := scan(t, payload.NewScanner(list), text)
		if len(text) == 0 {
			return
		}
		a, b = int(uint(a)%uint(len(text)+1)), int(uint(b)%uint(len(text)+1))
		a, b = min(a, b), max(a, b)
		if got := scan(t, payload.NewScanner(list), text[:a], text[a:b], text[b:]); got != whole {
			t.Fatalf("%q cut at %d and %d\n%q\n%q", text, a, b, got, whole)
		}
		must.Be(t, scan(t, payload.NewScanner(list), inPieces(text, 1)...), whole, "%q byte by byte", text)
		if !strings.Contains(whole, "⟦") && !strings.Contains(text, "⟦") && whole != text {
			t.Fatalf("%q became %q", text, whole)
		}
	})
}

// A payload that is too large is Bad at once, its JSON is skipped to the end, and what follows is
// text.
func TestScannerTooLarge(t *testing.T) {
	big := `{"a":"` + strings.Repeat("x", payload.MaxBytes) + `"}`
	want := "⟦p : it is too large: at most 256 KiB⟧B"
	for _, size := range []int{len(big) + 10, 4096, 100_000} {
		cut := inPieces("PP: "+big+"\nB", size)
		must.Be(t, scan(t, payload.NewScanner(types(t)), cut...), want, "%d", size)
	}
	broken := "PP: {\"a\":\"x}\n\n" + strings.Repeat("The rest of it. ", payload.MaxBytes/16) + "The end."
	for _, size := range []int{len(broken), 1000} {
		var got strings.Builder
		s := payload.NewScanner(types(t))
		for _, piece := range inPieces(broken, size) {
			_ = s.Feed(piece, func(e payload.Event) error { got.WriteString(e.Text + "|"); return nil })
		}
		if text := strings.ReplaceAll(got.String(), "|", ""); !strings.HasSuffix(text, "The end.") || strings.Contains(text, "too large") {
			t.Errorf("in pieces of %d, the rest of a broken card waits for more than a card may hold: %.80q", size, text)
		}
	}
	must.Be(t, scan(t, payload.NewScanner(types(t)), "PP: "+big[:len(big)-1]), want[:len(want)-1], "cut off")
	fits := `{"a":"` + strings.Repeat("x", payload.MaxBytes-8) + `"}`
	must.Be(t, scan(t, payload.NewScanner(types(t)), "PP: "+fits), "⟦p "+fits+"⟧", "what just fits")
}

// Ordinary text comes out in the call that brings it; only what may become a marker waits, and no
// longer than it may.
func TestScannerHoldsNothingBack(t *testing.T) {
	s := payload.NewScanner(types(t))
	var got string
	emit := func(e payload.Event) error { got += e.Text; return nil }
	for _, step := range []struct{ in, out string }{
		{"Hello", "Hello"}, {" world", " world"}, {"\n", "\n"}, {"P", ""}, {"astry", "Pastry"}, {"\nPLA", "\n"}, {"NT", ""}, {"s grow", "PLANTs grow"}, {"\n- ", "\n"}, {"item", "- item"}, {" P", " "}, {"P is", "PP is"}, {" *", " "}, {"bold", "*bold"}, {"* `", "* "}, {"code", "`code"}, {"` PP: {", "` "}, {"a", "PP: {a"}, {"\n1", "\n"}, {"0 of them", "10 of them"},
	} {
		got = ""
		must.Be(t, s.Feed(step.in, emit), nil, "%q brought", step.in)
		must.Be(t, got, step.out, "%q brought", step.in)
	}
}

// The rest after a missing bracket streams: it does not wait for the end of the answer. After a
// missing quote it does as soon as a quote shows that it is no string.
func TestTheRestStreams(t *testing.T) {
	for _, steps := range [][][2]string{
		{{"PLAN: {\"a\":{\"b\":1}\n\n", ""}, {"The", "The"}, {" rest", " rest"}},
		{{"PLAN: {\"a\":1,\n", ""}, {"The", ""}, {" ", ""}, {"rest", "The rest"}, {" of", " of"}},
		{{"PLAN: {\"a\":\"x}\n\n", ""}, {"The ", ""}, {"\"", ""}, {"rest", "\nThe \"rest"}, {"\" of", "\" of"}},
	} {
		s := payload.NewScanner(types(t))
		var got strings.Builder
		for _, step := range steps {
			got.Reset()
			must.Be(t, s.Feed(step[0], func(e payload.Event) error {
				if e.Kind == payload.Text {
					got.WriteString(e.Text)
				}
				return nil
			}), nil, "%q brought", step[0])
			must.Be(t, got.String(), step[1], "%q brought", step[0])
		}
	}
}

// An error of the receiver comes back at once.
func TestScannerReturnsErrors(t *testing.T) {
	failure := fmt.Errorf("no")
	for _, text := range []string{"text", "PP: {}", "- x"} {
		err := payload.NewScanner(types(t)).Feed(text, func(payload.Event) error { return failure })
		must.Be(t, err, failure, "%q", text)
	}
}

const prose = "The access log shows 404s for old product pages: most of them come from one crawler, which follows links " +
	"that were removed in March. Here is what stands out.\n\nA redirect would help; so would a rule in robots.txt.\n"

// What answers are made of, in pieces as providers send them.
func BenchmarkScanner(b *testing.B) {
	rows, _ := json.Marshal(map[string]any{"rows": strings.Split(prose, " ")})
	for name, text := range map[string]string{
		"plain": prose, "payload": "Look:\nPLAN: " + string(rows) + "\n" + prose, "markdown": markdown,
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			s := payload.NewScanner(types(b))
			for b.SetBytes(int64(len(text))); b.Loop(); {
				feed(s, text)
			}
		})
	}
}

// feed gives a text to a scanner in pieces of four bytes.
func feed(s *payload.Scanner, text string) {
	for i := 0; i < len(text); i += 4 {
		_ = s.Feed(text[i:min(i+4, len(text))], func(payload.Event) error { return nil })
	}
}

const markdown = "## What stands out\n\n1. **404s** of old product pages, most from *one* crawler: `GET /shop/old-7` and 311 like it.\n" +
	"2. **Slow pages**: `p95` is 2.4 s; Plan and Price are worst.\n\n| Page | Errors |\n|---|--:|\n| `/shop` | 1,204 |\n| `/plan` | 77 |\n\n" +
	"- PLAN is a word, and so is SUGGESTED.\n- 12 of 40 are *redirects* (see `rules.conf`).\n\n```sql\nselect path, count(*) from log\n```\n"

// A megabyte of what may always be the beginning of a marker takes no more than a multiple of other
// text.
func BenchmarkScannerHostile(b *testing.B) {
	for name, text := range hostile {
		text = strings.Repeat(text, 1<<20/len(text))
		b.Run(name, func(b *testing.B) {
			s := payload.NewScanner(types(b))
			for b.SetBytes(int64(len(text))); b.Loop(); {
				feed(s, text)
				_ = s.Close(func(payload.Event) error { return nil })
			}
		})
	}
}

// However it is cut, it is the same.
func TestScannerHostileText(t *testing.T) {
	list := types(t)
	for name, text := range hostile {
		text = strings.Repeat(text, 2048/len(text))
		whole := scan(t, payload.NewScanner(list), text)
		for _, size := range []int{1, 4, 37} {
			must.Be(t, scan(t, payload.NewScanner(list), inPieces(text, size)...), whole, "%s in pieces of %d", name, size)
		}
	}
}

var hostile = map[string]string{
	"backticks": "`", "blanks": " ", "stars": "*", "numbers": "1. ", "names": "PLAN ", "glued names": "PLAN", "colons": ":", "names and colons": "PLAN: ", "lines": "\n",
	"lines of names": "PLAN:\n", "lines of numbers": "1.\n", "decorated": "**`PLAN`** ", "far colon": "PLAN" + strings.Repeat(" ", 60) + ": ",
	"begun": "PLAN: {", "begun lines": "PLAN: {\n", "broken strings": "PLAN: {\"\n\n", "escaped strings": "PLAN: {\\\"\n\n", "odd strings": "PLAN: {\",\"\n\n",
	"fences": "```\n", "fenced": "PLAN: ```\n{\"\n\n```\n", "cards": "PLAN: {}", "lines in a string": "\n}\n", "words in JSON": "PLAN: {a\n", "ü": "ü", "no-break": "\u00a0",
}

// Plain text costs no memory. (A bullet that is itself cut into pieces costs a few bytes.)
func TestScannerPlainTextAllocatesNothing(t *testing.T) {
	s := payload.NewScanner(types(t))
	must.Be(t, testing.AllocsPerRun(100, func() { feed(s, prose) }), 0, "allocations")
}
