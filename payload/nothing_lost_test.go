package payload_test

import (
	"regexp"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/pageside/pageside/payload"
	"github.com/pageside/pageside/test/must"
)

// What is dropped of an answer: a marker with what decorates it, in front of a card, and the end of
// that decoration behind it.
var (
	beforeCard = `(?:(?:[ \t*>+\p{Zs}\p{Cf}-]|\d+[.)])*(?:` + "`" + `{3,}[^\n` + "`" + `]*|~{3,}[^\n]*)\n[\s>*-]*)?` +
		`(?:[ \t*>#+\p{Zs}\p{Cf}-]|\d+[.)])*[*` + "`" + `]*(?:[{\[(<"'_]\s*){0,4}` +
		`(?:@@BOX|(?i:PP|PLAN|SCHEMA[ _-]PROPOSAL|SUGGESTED[ _-]VALUES|SUGGESTED[ _-]ACTIONS)|[A-Z][A-Z0-9_]+)` +
		`[\s*` + "`" + `:：=>"'_)\]\p{Zs}\p{Cf}-]*(?:(?:` + "`+|~{3,}" + `)\w*\s*)?`
	afterCard  = `\s*</\w+>(?:\s*[}\])"'_]){0,4}|(?:\s*[}\])"'_]){1,4}|(?:[*` + "`" + `]{1,3})?(?:[ \t\r]*[` + "`" + `~]{3,})?[ \t\r]*(?:\n|$)|[*` + "`" + `]{1,3}|[ \t\r]*[` + "`" + `~]{3,}[ \t\r]*|[ \t*>-]*[` + "`" + `~]{3,}[ \t\r]*(?:\n|$)`
	firstGap   = regexp.MustCompile(`^` + beforeCard + `$`)
	gapToCard  = regexp.MustCompile(`^(?:` + afterCard + `)*(?:[\s}\])]*,\s*)?` + beforeCard + `$`)
	gapToText  = regexp.MustCompile(`^(?:` + afterCard + `)*$`)
	maxDropped = 200
)

// shown is one thing a user gets: text, or a card with its JSON as written.
type shown struct {
	card bool
	text string
}

func scanShown(t testing.TB, list []*payload.Type, pieces ...string) (all []shown) {
	t.Helper()
	emit := func(e payload.Event) error {
		switch e.Kind {
		case payload.Text:
			all = append(all, shown{text: e.Text})
		case payload.Complete, payload.Bad:
			all = append(all, shown{true, e.Text})
		}
		return nil
	}
	s := payload.NewScanner(list)
	for _, p := range pieces {
		must.Do(t, s.Feed(p, emit))
	}
	must.Do(t, s.Close(emit))
	return all
}

// explains reports whether text is what was shown with nothing but decoration between.
type explains struct {
	text  string
	shown []shown
	tried map[[2]int]bool
}

func (x *explains) from(pos, k int, cards bool) bool {
	if x.tried[[2]int{pos, k}] {
		return false
	}
	x.tried[[2]int{pos, k}] = true
	if k == len(x.shown) {
		rest := x.text[pos:]
		return rest == "" || cards && gapToText.MatchString(rest)
	}
	for gap := 0; gap <= min(maxDropped, len(x.text)-pos); gap++ {
		dropped, rest := x.text[pos:pos+gap], x.text[pos+gap:]
		if next := x.shown[k]; strings.HasPrefix(rest, next.text) && mayDrop(dropped, next.card, cards) &&
			x.from(pos+gap+len(next.text), k+1, cards || next.card) {
			return true
		}
	}
	return false
}

func mayDrop(dropped string, toCard, cards bool) bool {
	switch {
	case toCard && cards:
		return gapToCard.MatchString(dropped)
	case toCard:
		return firstGap.MatchString(dropped)
	}
	return dropped == "" || cards && gapToText.MatchString(dropped)
}

// nothingLost checks that the user gets all that the model wrote: as text, or in a card.
func nothingLost(t interface{ Fatalf(string, ...any) }, text string, all []shown) {
	x := explains{text, all, map[[2]int]bool{}}
	if !x.from(0, 0, false) {
		t.Fatalf("%q\nwas shown as %+v", text, all)
	}
}

var lostFragments = append([]string{
	"{\"PP\": {\"a\":1}}", ", \"PP\": {\"b\":2}}", "[{\"PP\": {}}, ", ", ", "{\"PP\": ", "[PP]: ", "(PP", ")", "<PP>", "</PP>", "_PP:_ ", "PP = ", "PP =", "> ", "PP {\"a\":1}", "'", "_",
	"**", "### ", "1. ", "`", "``", "：", "\u00a0", "\u200b", "plan:", "PLAN", " : ", "PLAN : {\"a\":1}", "`PP`: {}", "**PLAN**: ", "**PP: {}**", "PP: `{}`", "PP: {} PLAN: {}", "see PP: {}",
	"PLAN: {\"a\":\"x", "x}\n\n", "The rest. ", "\"quoted\" ", "PLAN: {\"a\":[1,2}", "PLAN: {\"a\":{\"b\":1} ", "\n\n1. ", "a: ", "true,", "// ", "~~~\n", "| ", "<p>", "PP:\n```json\n{\"a\":\"x}\n```\n",
}, fragments...)

// No byte of an answer is swallowed, whatever the model writes and however it is cut, and the user
// gets the same for every cut.
func TestNothingIsLost(t *testing.T) {
	list := types(t)
	rapid.Check(t, func(rt *rapid.T) {
		text := strings.Join(rapid.SliceOfN(rapid.SampledFrom(lostFragments), 0, 20).Draw(rt, "text"), "")
		whole := scan(t, payload.NewScanner(list), text)
		cut := pieces(rt, text)
		if got := scan(t, payload.NewScanner(list), cut...); got != whole {
			rt.Fatalf("%q\nin pieces %q\n    whole %q", text, got, whole)
		}
		nothingLost(rt, text, scanShown(t, list, cut...))
	})
}

// The same for the cases that are written down.
func TestNothingIsLostOfTheCases(t *testing.T) {
	for _, text := range examples(t) {
		nothingLost(t, text, scanShown(t, types(t), text))
	}
}

func FuzzNothingIsLost(f *testing.F) {
	list := types(f)
	for _, text := range examples(f) {
		f.Add(text, 5)
	}
	f.Fuzz(func(t *testing.T, text string, size int) {
		if size = 1 + int(uint(size)%64); len(text) > 400 {
			return
		}
		whole := scan(t, payload.NewScanner(list), text)
		must.Be(t, scan(t, payload.NewScanner(list), inPieces(text, size)...), whole, "%q in pieces of %d", text, size)
		nothingLost(t, text, scanShown(t, list, text))
	})
}
