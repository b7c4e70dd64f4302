package payload_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/pageside/pageside/payload"
	"github.com/pageside/pageside/test/must"
)

// types are those that the scanner's tests know: P: and PLAN:, and the suggestions.
func types(t testing.TB) []*payload.Type {
	t.Helper()
	r := must.Get(payload.NewRegistry(
		&payload.Type{Name: "p", Source: payload.FromLLM, Marker: "PP:"},
		&payload.Type{Name: "plan", Source: payload.FromLLM},
		&payload.Type{Name: "chart"},
	))(t)
	var list []*payload.Type
	for p := range r.All() {
		list = append(list, p)
	}
	return append(list, payload.SuggestedValues, payload.SuggestedActions)
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

var hardCases = []struct{ name, in, want string }{
	{"plain", "Just text.\nTwo lines.", "Just text.\nTwo lines."},
	{"alone", `PP: {"a":1}`, `⟦p {"a":1}⟧`},
	{"between", "A\n\nPP: {\"a\":1}\nB", "A\n\n⟦p {\"a\":1}⟧B"},
	{"no blank", `PP:{"a":1}`, `⟦p {"a":1}⟧`},
	{"text behind", `PP: {"a":1} and so on`, `⟦p {"a":1}⟧ and so on`},
	{"one line end is swallowed", "PP: {}\n\nB", "⟦p {}⟧\nB"},
	{"CRLF", "A\r\nPP: {}\r\nB", "A\r\n⟦p {}⟧B"},
	{"after words", `Write PP: {"a":1} like this`, `Write ⟦p {"a":1}⟧ like this`},
	{"bullets", "- PP: {}\n* PP: {}\n> PP: {}\n  - > PP: {}\n- item", "⟦p {}⟧⟦p {}⟧⟦p {}⟧⟦p {}⟧- item"},
	{"bold", "**PP:** {\"a\":1}\n**Bold** text", "⟦p {\"a\":1}⟧**Bold** text"},
	{"far in", strings.Repeat(" ", 17) + "PP: {}", strings.Repeat(" ", 17) + "⟦p {}⟧"},
	{"line end behind the marker", "PP:\n\n{\"a\":1}", `⟦p {"a":1}⟧`},
	{"no JSON", "PP: nothing here\nPLAN: also not", "PP: nothing here\nPLAN: also not"},
	{"no JSON, then a payload", "PP:\nPLAN: {}", "PP:\n⟦plan {}⟧"},
	{"marker cut off", "text\nPLA", "text\nPLA"},
	{"marker at the end", "PLAN:", "PLAN:"},
	{"marker and blanks at the end", "PLAN: \n", "PLAN: \n"},
	{"look-alike", "PLANS: {}\nPLAN {}\nplans: {}\nPP {}", "PLANS: {}\nPLAN {}\nplans: {}\nPP {}"},
	{"too much before the JSON", "PP:" + strings.Repeat(" ", 70) + "{}", "PP:" + strings.Repeat(" ", 70) + "{}"},
	{"brackets in strings", `PP: {"a":"}]{\"}","b":["]"]}x`, `⟦p {"a":"}]{\"}","b":["]"]}⟧x`},
	{"line ends in strings", "PP: {\"a\":\"1\nPP: {}\n2\"}x", "⟦p {\"a\":\"1\nPP: {}\n2\"}⟧x"},
	{"escaped backslash", `PP: {"a":"\\"}x`, `⟦p {"a":"\\"}⟧x`},
	{"pretty printed", "PP: {\n  \"a\": [\n    1\n  ]\n}\nx", "⟦p {\n  \"a\": [\n    1\n  ]\n}⟧x"},
	{"array", "SUGGESTED_VALUES: [\"a\"]", `⟦suggested_values ["a"]⟧`},
	{"fence behind the marker", "PP:\n```json\n{\"a\":1}\n```\nB", "⟦p {\"a\":1}⟧B"},
	{"fence behind the marker, same line", "PP: ```{\"a\":1}```\nB", "⟦p {\"a\":1}⟧B"},
	{"fence behind the marker, text behind it", "PP: ```json {\"a\":1}``` B", "⟦p {\"a\":1}⟧ B"},
	{"fence before the marker", "A\n```\nPP: {\"a\":1}\n```\nB", "A\n⟦p {\"a\":1}⟧B"},
	{"fence before the marker, with a name", "```json\n\nPP: {\"a\":1}\n```", `⟦p {"a":1}⟧`},
	{"fence with tildes", "~~~\nPP: {}\n~~~\nB", "⟦p {}⟧B"},
	{"longer fence", "````\nPP: {}\n```\nB\n````\nC", "⟦p {}⟧```\nB\n````\nC"},
	{"two in a fence", "```\nPP: {}\nPLAN: {}\n```\nB", "⟦p {}⟧⟦plan {}⟧B"},
	{"text behind it in the fence", "```\nPP: {}\nmore\n```\nB", "⟦p {}⟧more\nB"},
	{"text before it in the fence", "```\nlike so:\nPP: {}\n```\nPP: {}", "```\nlike so:\nPP: {}\n```\n⟦p {}⟧"},
	{"empty fence", "```\n```\nPP: {}", "```\n```\n⟦p {}⟧"},
	{"fence in a fence", "````\n```\nPP: {}\n```\n````\nPP: {}", "````\n```\nPP: {}\n```\n````\n⟦p {}⟧"},
	{"fence never closed", "```sql\nselect 1\nPP: {}", "```sql\nselect 1\nPP: {}"},
	{"code in the line", "```PP: {}``` is code\nPP: {}", "```PP: {}``` is code\n⟦p {}⟧"},
	{"quoted in backticks", "`PP: {}` is how\n`PP: {}`", "`PP: {}` is how\n`PP: {}`"},
	{"long name of a fence", "```" + strings.Repeat("x", 40) + "\nPP: {}\n```\nPP: {}", "```" + strings.Repeat("x", 40) + "\nPP: {}\n```\n⟦p {}⟧"},
	{"fence ends with many blanks", "```\nx\n```" + strings.Repeat(" ", 40) + "\nPP: {}\n```\nPP: {}", "```\nx\n```" + strings.Repeat(" ", 40) + "\nPP: {}\n```\n⟦p {}⟧"},
	{"indented fence", "- x\n    ```sql\n    PP: 1\n    ```\nPP: {}", "- x\n    ```sql\n    PP: 1\n    ```\n⟦p {}⟧"},
	{"three", "a\nPP: {}\nb\nPLAN: {}\nc\nPP: [1]", "a\n⟦p {}⟧b\n⟦plan {}⟧c\n⟦p [1]⟧"},
	{"one behind the other", "PP: {}PLAN: {}", "⟦p {}⟧⟦plan {}⟧"},
	{"cut off", `A` + "\n" + `PP: {"a": "b`, "A\n⟦p {\"a\": \"b: it ends in the middle⟧"},
	{"cut off at once", `PP: {`, "⟦p {: it ends in the middle⟧"},
	{"UTF-8", "Grüße 👋\nPP: {\"ä\":\"👋\"}\n… ü", "Grüße 👋\n⟦p {\"ä\":\"👋\"}⟧… ü"},
	{"invalid UTF-8", "\xff\nPP: {\"a\":\"\xc3\"}\n\xc3", "\xff\n⟦p {\"a\":\"\xc3\"}⟧\xc3"},
	{"blanks at the end", "PP: {}   ", "⟦p {}⟧"},
	{"many blanks behind", "PP: {}" + strings.Repeat(" ", 20) + "\nB", "⟦p {}⟧" + strings.Repeat(" ", 20) + "\nB"},
	{"a rule and a list", "---\n***\n- a\n  - b\n> c\n* * *\n", "---\n***\n- a\n  - b\n> c\n* * *\n"},
	{"suggestions", "Done.\n\nSUGGESTED_VALUES: [{\"label\":\"x\"}]\nSUGGESTED_ACTIONS: []\n", "Done.\n\n⟦suggested_values [{\"label\":\"x\"}]⟧⟦suggested_actions []⟧"},
	{"type that tools make", "CHART: {}", "CHART: {}"},
	{"unknown", "A\nSCHEMA_X: {\"a\":1}\nB", "A\n⟦pageside_block {\"a\":1}⟧B"},
	{"unknown without an underscore", "- **NOPE:** {\"a\":1}", "⟦pageside_block {\"a\":1}⟧"},
	{"unknown array", "NOPE: [ {\"a\":1}]", "⟦pageside_block [ {\"a\":1}]⟧"},
	{"unknown, fenced", "NOPE_X:\n```json\n{\"a\":1}\n```\nB", "⟦pageside_block {\"a\":1}⟧B"},
	{"unknown in a fence", "```json\nNOPE_X: {\"a\":1}\n```\nB", "⟦pageside_block {\"a\":1}⟧B"},
	{"a heading above JSON that was asked for", "EXAMPLE:\n```json\n{\"a\":1}\n```\nB", "EXAMPLE:\n```json\n{\"a\":1}\n```\nB"},
	{"type that tools make, with data", "CHART: {\"a\":1}", "⟦pageside_block {\"a\":1}⟧"},
	{"capitals", "NOTE: [link](x)\nTODO: []\nA: {\"a\":1}\nHTTP 404\nUSA\nX2: y\nIn_: {\"a\":1}", "NOTE: [link](x)\nTODO: []\nA: {\"a\":1}\nHTTP 404\nUSA\nX2: y\nIn_: {\"a\":1}"},
	{"unknown, too long a name", strings.Repeat("X", 65) + ": {\"a\":1}", strings.Repeat("X", 65) + ": {\"a\":1}"},
	{"unknown, much before the JSON", "NOPE: [" + strings.Repeat(" ", 70) + "{\"a\":1}]", "NOPE: [" + strings.Repeat(" ", 70) + "{\"a\":1}]"},
	{"unknown, cut off", "NOPE: {\"a", "⟦pageside_block {\"a: it ends in the middle⟧"},
	{"unknown, hardly begun", "NOPE: {", "NOPE: {"},
	{"fence of another kind is not its end", "PP:\n```\n{}\n~~~\nx\nPP: {}\n~~~\n", "⟦p {}⟧~~~\nx\nPP: {}\n~~~\n"},
	{"an item is not its end", "PP: ```json\n{} x\n1. ```\nB", "⟦p {}⟧ x\n1. ```\nB"},
	{"bold type after bold type that ended", "**PP:** {}**B**", "⟦p {}⟧**B**"},
	{"no fence in a heading", "# ```\nPP: {}", "# ```\n⟦p {}⟧"},
	{"a number does not end a fence", "```\nx\n1. ```\nPP: {}", "```\nx\n1. ```\nPP: {}"},
	{"fence owed, blanks behind its end", "```\nPP: {}\n```  ", "⟦p {}⟧"},
	{"fence owed, many blanks behind JSON", "PP: ```{}```" + strings.Repeat(" ", 17) + "\nB", "⟦p {}⟧" + strings.Repeat(" ", 17) + "\nB"},
}

// Whatever way an answer is cut into two, three or single bytes: the same text, the same payloads.
func TestScannerHardCases(t *testing.T) {
	list := types(t)
	for _, tt := range hardCases {
		t.Run(tt.name, func(t *testing.T) {
			s := payload.NewScanner(list) // used again and again: Close makes it as new
			if got := scan(t, s, tt.in); got != tt.want {
				t.Fatalf("\n got %q\nwant %q", got, tt.want)
			}
			for i := range len(tt.in) {
				for j := i; j <= len(tt.in); j++ {
					if got := scan(t, s, tt.in[:i], tt.in[i:j], tt.in[j:]); got != tt.want {
						t.Fatalf("cut at %d and %d:\n got %q\nwant %q", i, j, got, tt.want)
					}
				}
			}
			if got := scan(t, s, strings.Split(tt.in, "")...); !strings.Contains(tt.name, "invalid") && got != tt.want {
				t.Errorf("one by one: %q", got)
			}
		})
	}
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
	for _, tt := range hardCases {
		f.Add(tt.in, 3, 7)
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
		var single []string
		for i := range len(text) {
			single = append(single, text[i:i+1])
		}
		if got := scan(t, payload.NewScanner(list), single...); got != whole {
			t.Fatalf("%q byte by byte\n%q\n%q", text, got, whole)
		}
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
		var cut []string
		for text := "PP: " + big + "\nB"; text != ""; {
			n := min(size, len(text))
			cut, text = append(cut, text[:n]), text[n:]
		}
		must.Be(t, scan(t, payload.NewScanner(types(t)), cut...), want, "%d", size)
	}
	broken := "PP: {\"a\":\"x}\n\n" + strings.Repeat("The rest of it. ", payload.MaxBytes/16) + "The end."
	for _, size := range []int{len(broken), 1000} {
		var got strings.Builder
		s := payload.NewScanner(types(t))
		for i := 0; i < len(broken); i += size {
			_ = s.Feed(broken[i:min(i+size, len(broken))], func(e payload.Event) error { got.WriteString(e.Text + "|"); return nil })
		}
		if text := strings.ReplaceAll(got.String(), "|", ""); !strings.HasSuffix(text, "The end.") || strings.Contains(text, "too large") {
			t.Errorf("in pieces of %d, the rest of a broken card waits for more than a card may hold: %.80q", size, text)
		}
	}
	must.Be(t, scan(t, payload.NewScanner(types(t)), "PP: "+big[:len(big)-1]), want[:len(want)-1], "cut off")
	fits := `{"a":"` + strings.Repeat("x", payload.MaxBytes-8) + `"}`
	if got := scan(t, payload.NewScanner(types(t)), "PP: "+fits); got != "⟦p "+fits+"⟧" {
		t.Errorf("%.80q", got)
	}
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
		if err := s.Feed(step.in, emit); err != nil || got != step.out {
			t.Errorf("%q brought %q, want %q (%v)", step.in, got, step.out, err)
		}
	}
}

// An error of the receiver comes back at once.
func TestScannerReturnsErrors(t *testing.T) {
	failure := fmt.Errorf("no")
	for _, text := range []string{"text", "PP: {}", "- x"} {
		err := payload.NewScanner(types(t)).Feed(text, func(payload.Event) error { return failure })
		if err != failure {
			t.Errorf("%q: %v", text, err)
		}
	}
}

const prose = "The access log shows 404s for old product pages: most of them come from one crawler, which follows links " +
	"that were removed in March. Here is what stands out.\n\nA redirect would help; so would a rule in robots.txt.\n"

func BenchmarkScannerPlain(b *testing.B) {
	s := payload.NewScanner(types(b))
	n := 0
	emit := func(e payload.Event) error { n += len(e.Text); return nil }
	b.SetBytes(int64(len(prose)))
	b.ReportAllocs()
	for b.Loop() {
		for i := 0; i < len(prose); i += 4 {
			_ = s.Feed(prose[i:min(i+4, len(prose))], emit)
		}
	}
	if n%len(prose) != 0 {
		b.Fatal(n)
	}
}

func BenchmarkScannerPayload(b *testing.B) {
	s := payload.NewScanner(types(b))
	data, _ := json.Marshal(map[string]any{"rows": strings.Split(prose, " ")})
	text := "Look:\nPLAN: " + string(data) + "\n" + prose
	emit := func(payload.Event) error { return nil }
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		for i := 0; i < len(text); i += 4 {
			_ = s.Feed(text[i:min(i+4, len(text))], emit)
		}
	}
}

const markdown = "## What stands out\n\n1. **404s** of old product pages, most from *one* crawler: `GET /shop/old-7` and 311 like it.\n" +
	"2. **Slow pages**: `p95` is 2.4 s; Plan and Price are worst.\n\n| Page | Errors |\n|---|--:|\n| `/shop` | 1,204 |\n| `/plan` | 77 |\n\n" +
	"- PLAN is a word, and so is SUGGESTED.\n- 12 of 40 are *redirects* (see `rules.conf`).\n\n```sql\nselect path, count(*) from log\n```\n"

// What answers are made of, in pieces as providers send them.
func BenchmarkScannerMarkdown(b *testing.B) {
	s := payload.NewScanner(types(b))
	emit := func(payload.Event) error { return nil }
	b.SetBytes(int64(len(markdown)))
	b.ReportAllocs()
	for b.Loop() {
		for i := 0; i < len(markdown); i += 4 {
			_ = s.Feed(markdown[i:min(i+4, len(markdown))], emit)
		}
	}
}

// A megabyte of what may always be the beginning of a marker takes no more than a multiple of other
// text.
func BenchmarkScannerHostile(b *testing.B) {
	list := types(b)
	emit := func(payload.Event) error { return nil }
	for name, text := range hostile {
		text = strings.Repeat(text, 1<<20/len(text))
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				s := payload.NewScanner(list)
				for i := 0; i < len(text); i += 4 {
					_ = s.Feed(text[i:min(i+4, len(text))], emit)
				}
				_ = s.Close(emit)
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
			var cut []string
			for i := 0; i < len(text); i += size {
				cut = append(cut, text[i:min(i+size, len(text))])
			}
			must.Be(t, scan(t, payload.NewScanner(list), cut...), whole, "%s in pieces of %d", name, size)
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
	emit := func(payload.Event) error { return nil }
	if n := testing.AllocsPerRun(100, func() {
		for i := 0; i < len(prose); i += 4 {
			_ = s.Feed(prose[i:min(i+4, len(prose))], emit)
		}
	}); n > 0 {
		t.Errorf("%v allocations", n)
	}
}
