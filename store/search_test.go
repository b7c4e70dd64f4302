package store_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"github.com/pageside/pageside/agui"
	"github.com/pageside/pageside/store"
	"github.com/pageside/pageside/test/must"
)

// genText makes texts of all scripts, words and separators mixed.
var genText = rapid.OneOf(rapid.String(), rapid.StringMatching(`([a-zA-Z0-9é\x{301}ßΣς数据库ไ。 ,.\n"*-]){0,60}`))

// TestTextHasItsWords: whatever is typed off a text finds that text, and its last word may be
// unfinished.
func TestTextHasItsWords(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := genText.Draw(t, "text")
		terms := store.ParseTerms(text)
		if !terms.In(text) {
			t.Fatalf("the words %q are not in %q", terms, text)
		}
		if upper := strings.ToUpper(text); strings.EqualFold(upper, text) && !terms.In(upper) {
			t.Fatalf("the words %q are not in %q in capitals", terms, text)
		}
		if len(terms) > 0 {
			_, size := utf8.DecodeLastRuneInString(terms[len(terms)-1])
			last := len(terms) - 1
			if terms[last] = terms[last][:len(terms[last])-size]; !terms.In(text) {
				t.Fatalf("the words %q, the last one unfinished, are not in %q", terms, text)
			}
		}
		for _, term := range terms {
			if strings.ContainsAny(term, "\"*^:(){} \x00\ue000") {
				t.Fatalf("%q is no word", term)
			}
		}
		snippet := store.Terms(terms).Snippet(text)
		if utf8.RuneCountInString(snippet) > store.SnippetSize || strings.ContainsAny(snippet, "\n\t") || !utf8.ValidString(snippet) {
			t.Fatalf("snippet is %q", snippet)
		}
		if p := store.Preview(agui.Message{Role: agui.RoleUser, Content: agui.TextContent(text)}); utf8.RuneCountInString(p) > 120 || strings.Contains(p, "\n") {
			t.Fatalf("preview is %q", p)
		}
	})
}

func TestShorten(t *testing.T) {
	for _, c := range []struct {
		text string
		size int
		want string
	}{{"", 3, ""}, {"abc", 3, "abc"}, {"abcd", 3, "ab…"}, {"éé", 2, "éé"}, {"ééé", 2, "é…"}, {"a bcd", 3, "a…"}} {
		must.Be(t, store.Shorten(c.text, c.size), c.want, "%q in %d characters", c.text, c.size)
	}
}
