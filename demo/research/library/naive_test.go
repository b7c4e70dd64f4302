package library

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/pageside/pageside/demo/research/pubmed"
	_ "github.com/pageside/pageside/test/chance"
	"github.com/pageside/pageside/test/must"
)

// vocabulary is small, so that searches find something, and has marks, capitals and prefixes of one
// another.
var vocabulary = []string{"leukemia", "leukemic", "Leuk", "FLT3", "BCL-2", "résistance", "resistance", "venetoclax", "acute", "Müller", "x1"}

func madeUpArticles(n int) []Article {
	r := rand.New(rand.NewPCG(7, 7))
	text := func(max int) string {
		words := make([]string, 1+r.IntN(max))
		for i := range words {
			words[i] = pick(r, vocabulary)
		}
		return strings.Join(words, " ")
	}
	list := make([]Article, n)
	for i := range list {
		list[i] = Article{
			Brief: Brief{PMID: fmt.Sprint(100 + i), Title: text(4), Journal: pick(r, []string{"Blood", "Blood advances", "The Lancet"}),
				Authors: []string{pick(r, []string{"Müller Anna", "Muller Anton B", "Smith John"})}, Types: []string{pick(r, []string{"Review", "Letter", "Clinical Trial, Phase II"})},
				Date: pick(r, []string{"2019", "2020-05", "2020-05-17", "2021-12-31", ""})},
			MeSH: []string{pick(r, []string{"Leukemia", "Leukemia, Myeloid", "Leukemia, Myeloid, Acute", "Humans"})}, Abstract: text(8),
		}
	}
	return list
}

func writeLines(t *testing.T, articles []Article) string {
	t.Helper()
	var b strings.Builder
	for _, a := range articles {
		line := must.Get(json.Marshal(a))(t)
		b.Write(append(line, '\n'))
	}
	file := filepath.Join(t.TempDir(), "articles.jsonl")
	must.Do(t, os.WriteFile(file, []byte(b.String()), 0o600))
	return file
}

// expr is a search as the test makes it: how it is written, and what it means.
type expr struct {
	text string
	test func(*Article) bool
}

// plainWords splits as the index does, written anew: letters and digits in small letters without
// marks.
func plainWords(s string) []string {
	s = strings.NewReplacer("é", "e", "ü", "u").Replace(strings.ToLower(s))
	return strings.FieldsFunc(s, func(r rune) bool { return (r < 'a' || r > 'z') && (r < '0' || r > '9') })
}

// hasPhrase reports whether the words stand one after another, the last one perhaps as the
// beginning of a longer one.
func hasPhrase(text, phrase string, prefix bool) bool {
	words, wanted := plainWords(text), plainWords(phrase)
	for i := 0; i+len(wanted) <= len(words); i++ {
		here := slices.Clone(words[i : i+len(wanted)])
		if last := len(here) - 1; prefix && strings.HasPrefix(here[last], wanted[last]) {
			here[last] = wanted[last]
		}
		if slices.Equal(here, wanted) {
			return true
		}
	}
	return false
}

func anyText(a *Article) []string {
	return []string{a.Title, a.Abstract, a.Journal, strings.Join(a.MeSH, " "), strings.Join(a.Authors, " "), strings.Join(a.Types, " "), a.PMID}
}

var leaf = rapid.Custom(func(t *rapid.T) expr {
	switch rapid.IntRange(0, 7).Draw(t, "kind") {
	case 0: // a bare word, in any field
		w := rapid.SampledFrom(vocabulary).Draw(t, "word")
		return expr{w, func(a *Article) bool {
			return slices.ContainsFunc(anyText(a), func(s string) bool { return hasPhrase(s, w, false) })
		}}
	case 1: // a phrase with a tag
		p := strings.Join(rapid.SliceOfN(rapid.SampledFrom(vocabulary), 1, 2).Draw(t, "words"), " ")
		if rapid.Bool().Draw(t, "title") {
			return expr{fmt.Sprintf("%q[ti]", p), func(a *Article) bool { return hasPhrase(a.Title, p, false) }}
		}
		return expr{p + "[TIAB]", func(a *Article) bool { return hasPhrase(a.Title, p, false) || hasPhrase(a.Abstract, p, false) }}
	case 2: // the beginning of a word
		w := rapid.SampledFrom([]string{"leuk", "leukem", "resist", "vene"}).Draw(t, "stem")
		return expr{w + "*[ti]", func(a *Article) bool { return hasPhrase(a.Title, w, true) }}
	case 3: // a heading and those below
		h := rapid.SampledFrom([]string{"Leukemia", "Leukemia, Myeloid", "Leukemia, Myeloid, Acute", "humans"}).Draw(t, "heading")
		return expr{fmt.Sprintf("%q[mh]", h), func(a *Article) bool {
			return slices.ContainsFunc(a.MeSH, func(m string) bool { return strings.HasPrefix(strings.ToLower(m)+", ", strings.ToLower(h)+", ") })
		}}
	case 4:
		j := rapid.SampledFrom([]string{"Blood", "blood advances", "Lancet", "nature"}).Draw(t, "journal")
		return expr{j + "[ta]", func(a *Article) bool {
			return strings.TrimPrefix(strings.ToLower(a.Journal), "the ") == strings.ToLower(j)
		}}
	case 5: // an author by last name and perhaps initials
		n := rapid.SampledFrom([]string{"muller", "Müller A", "muller ab", "smith j", "smith k"}).Draw(t, "author")
		return expr{n + "[au]", func(a *Article) bool {
			own, wanted := plainWords(a.Authors[0]), plainWords(n)
			initials := ""
			for _, w := range own[1:] {
				initials += w[:1]
			}
			return own[0] == wanted[0] && (len(wanted) == 1 || strings.HasPrefix(initials, wanted[1]))
		}}
	case 6:
		from := rapid.IntRange(2018, 2022).Draw(t, "from")
		to := rapid.IntRange(from, 2022).Draw(t, "to")
		return expr{fmt.Sprintf("%d:%d[dp]", from, to), func(a *Article) bool {
			return a.Date != "" && a.Date[:4] >= fmt.Sprint(from) && a.Date[:4] <= fmt.Sprint(to)
		}}
	}
	ty := rapid.SampledFrom([]string{"Review", "Clinical Trial", "Clinical Trial, Phase II"}).Draw(t, "type")
	return expr{fmt.Sprintf("%q[pt]", ty), func(a *Article) bool { return strings.HasPrefix(a.Types[0]+",", ty+",") || a.Types[0] == ty }}
})

// search joins leaves from left to right, some of them searches of their own in parentheses.
func search(t *rapid.T, depth int) expr {
	operand := func() expr {
		if depth > 0 && rapid.IntRange(0, 2).Draw(t, "nest") == 0 {
			e := search(t, depth-1)
			return expr{"(" + e.text + ")", e.test}
		}
		return leaf.Draw(t, "leaf")
	}
	e := operand()
	for range rapid.IntRange(0, 3).Draw(t, "more") {
		left, right := e, operand()
		switch rapid.SampledFrom([]string{"AND", "OR", "NOT"}).Draw(t, "op") {
		case "AND":
			e = expr{left.text + " AND " + right.text, func(a *Article) bool { return left.test(a) && right.test(a) }}
		case "OR":
			e = expr{left.text + " OR " + right.text, func(a *Article) bool { return left.test(a) || right.test(a) }}
		case "NOT":
			e = expr{left.text + " NOT " + right.text, func(a *Article) bool { return left.test(a) && !right.test(a) }}
		}
	}
	return e
}

// TestSearchFindsWhatItSays compares the index with a reading of the same search by hand, over
// made-up articles.
func TestSearchFindsWhatItSays(t *testing.T) {
	articles := madeUpArticles(120)
	l := must.Get(Open(Files{Articles: writeLines(t, articles), Trials: oneTrial(t)}))(t)
	rapid.Check(t, func(rt *rapid.T) {
		e := search(rt, 2)
		q, err := pubmed.Parse(e.text)
		if err != nil {
			rt.Fatalf("%s: %v", e.text, err)
		}
		var want []string
		for i := range articles {
			if e.test(&articles[i]) {
				want = append(want, articles[i].PMID)
			}
		}
		relevance := rapid.Bool().Draw(rt, "relevance")
		found, total, err := l.Search(t.Context(), ArticleQuery{Text: q, Limit: 200, Relevance: relevance})
		if err != nil {
			rt.Fatalf("%s: %v", e.text, err)
		}
		var got []string
		for i := range found {
			got = append(got, found[i].PMID)
		}
		slices.Sort(got)
		if !slices.Equal(got, want) || total != len(want) {
			rt.Fatalf("%s (read as %s)\nfinds %v (%d)\nwant  %v", e.text, q, got, total, want)
		}
	})
}

func pick[T any](r *rand.Rand, list []T) T { return list[r.IntN(len(list))] }
