package pubmed

import (
	"math"
	"slices"
	"strings"
)

// Texts are a document's words by column, as Spaced writes them.
type Texts map[string]string

// Count says how often a phrase stands in some columns; where none is named, in all of them.
func (t Texts) Count(phrase string, columns ...string) (n int) {
	for column, text := range t {
		if len(columns) == 0 || slices.Contains(columns, column) {
			n += strings.Count(text, phrase)
		}
	}
	return n
}

// Doc is an article as searches see it. Its columns are title, abstract, mesh, journal, authors,
// types and ids.
type Doc struct {
	Texts
	Names map[string][]string // by kind (mh, pt, au, ta), as Names makes them
	Day   int                 // as Day makes it
}

// Finds reports whether the search finds an article.
func (q Query) Finds(d *Doc) bool { return q.root == nil || q.root.finds(d) }

func (n *node) finds(d *Doc) bool {
	switch {
	case n.op == "OR":
		return n.left.finds(d) || n.right.finds(d)
	case n.op != "":
		return n.left.finds(d) && n.right.finds(d) == (n.op == "AND")
	case n.field.dates:
		return n.from <= d.Day && d.Day <= n.to
	case n.field.kind != "":
		return slices.ContainsFunc(d.Names[n.field.kind], n.isNamed)
	}
	return d.Count(n.phrase, n.field.columns...) > 0
}

// isNamed reports whether a name is that of the term, or below it.
func (n *node) isNamed(name string) bool {
	return name == n.name || n.below != "" && strings.HasPrefix(name, n.below) ||
		n.field.kind == "pt" && slices.Contains(narrowerTypes[n.name], name)
}

// lookUp sets which names a term finds: its own, and what those below it begin with.
func (n *node) lookUp() {
	n.name = plain(n.text)
	switch n.field.kind {
	case "mh", "pt":
		n.name = Heading(n.text)
		if n.field.explode {
			n.below = n.name + ", "
		}
	case "au":
		n.below = n.name + " "
	}
	if n.prefix {
		n.below = n.name
	}
}

var clinicalTrials = []string{
	"adaptive clinical trial", "controlled clinical trial", "randomized controlled trial", "equivalence trial",
	"pragmatic clinical trial", "clinical trial, phase i", "clinical trial, phase ii", "clinical trial, phase iii",
	"clinical trial, phase iv",
}

// narrowerTypes are publication types below another that do not carry its name.
var narrowerTypes = map[string][]string{
	"clinical trial":            clinicalTrials,
	"controlled clinical trial": {"randomized controlled trial"},
	"clinical study":            append([]string{"clinical trial", "observational study", "clinical trial protocol"}, clinicalTrials...),
	"review":                    {"systematic review"},
}

// weights are how much a word in a column counts for relevance.
var weights = map[string]float64{"title": 10, "abstract": 4, "mesh": 5, "journal": 1, "authors": 2, "types": 1, "ids": 1}

// Relevance says how well each of all articles fits the words of the search, but for those that it
// excludes: BM25 with the weights of the columns. It is 0 where an article has none of them.
func (q Query) Relevance(all []*Doc) []float64 {
	const saturation, lengthShare = 1.2, 0.75
	sizes, total := make([]float64, len(all)), 0.0
	for i, d := range all {
		sizes[i] = float64(d.Count(" ") / 2) // words
		total += sizes[i]
	}
	scores := make([]float64, len(all))
	for _, term := range q.root.wanted() {
		counts, having := make([]float64, len(all)), 0.0
		for i, d := range all {
			for column, weight := range weights {
				if len(term.field.columns) == 0 || slices.Contains(term.field.columns, column) {
					counts[i] += weight * float64(strings.Count(d.Texts[column], term.phrase))
				}
			}
			having += min(1, counts[i])
		}
		rarity := max(1e-6, math.Log((float64(len(all))-having+0.5)/(having+0.5)))
		for i, n := range counts {
			length := sizes[i] * float64(len(all)) / total
			scores[i] += rarity * n * (saturation + 1) / (n + saturation*(1-lengthShare+lengthShare*length))
		}
	}
	return scores
}

// wanted are the terms of words that a search does not exclude.
func (n *node) wanted() []*node {
	switch {
	case n == nil || n.op == "" && n.field.dates:
		return nil
	case n.op == "":
		return []*node{n}
	case n.op == "NOT":
		return n.left.wanted()
	}
	return append(n.left.wanted(), n.right.wanted()...)
}
