package research

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/pageside/pageside/demo/research/library"
	"github.com/pageside/pageside/demo/research/pubmed"
	"github.com/pageside/pageside/demo/rest"
)

// Match says where to look for which words.
type Match struct {
	Field string   `json:"field"`
	Any   []string `json:"any"`
}

var matchFields = []string{"title", "abstract", "mesh", "types", "journal", "authors", "date", "summary", "phases", "status", "conditions", "interventions", "outcomes", "sponsor", "any"}

func (m Match) check(where string) error {
	if !slices.Contains(matchFields, m.Field) {
		return rest.BadField(where+".field", "must be one of %s", strings.Join(matchFields, ", "))
	}
	if len(m.Any) == 0 || len(m.Any) > maxListValues {
		return rest.BadField(where+".any", "must have 1 to %d values", maxListValues)
	}
	for i, text := range m.Any {
		if len(pubmed.Tokens(text)) == 0 || len(text) > maxText {
			return rest.BadField(fmt.Sprintf("%s.any[%d]", where, i), "must have a letter or digit, and at most %d characters", maxText)
		}
	}
	return nil
}

// record is a row's texts by field.
type record map[string][]text

// text is a text, and its words as they are compared: to take it apart is what costs.
type text struct{ plain, words string }

func texts(list ...string) []text {
	out := make([]text, len(list))
	for i, s := range list {
		out[i] = text{s, spaced(s)}
	}
	return out
}

func recordOf(a *library.Article) record {
	return record{"title": texts(a.Title), "abstract": texts(a.Abstract), "mesh": texts(a.MeSH...), "types": texts(a.Types...), "journal": texts(a.Journal), "authors": texts(a.Authors...), "date": texts(a.Date)}
}

func recordOfTrial(t *library.Trial) record {
	return record{"title": texts(t.Title), "summary": texts(t.Summary), "abstract": texts(t.Summary), "phases": texts(t.Phases...), "types": texts(t.StudyType), "status": texts(t.Status),
		"conditions": texts(t.Conditions...), "interventions": texts(t.Interventions...), "outcomes": texts(t.PrimaryMeasures...), "sponsor": texts(t.Sponsor), "date": texts(t.Start)}
}

// matcher is a Match, ready to be tried on many rows.
type matcher struct {
	Match
	words []string // of each of Any
}

func (m Match) matcher() matcher {
	ready := matcher{m, make([]string, len(m.Any))}
	for i, words := range m.Any {
		ready.words[i] = spaced(words)
	}
	return ready
}

// value is what a column of a type shows for a row.
func (m matcher) value(kind string, r record) any {
	var all []text
	for _, field := range matchFields {
		if m.Field == field || m.Field == "any" {
			all = append(all, r[field]...)
		}
	}
	counts := make([]int, len(m.Any))
	total, where := 0, -1
	for i, text := range all {
		for j, words := range m.words {
			n := strings.Count(text.words, words)
			counts[j] += n
			total += n
		}
		if total > 0 && where < 0 {
			where = i
		}
	}
	switch {
	case kind == "number":
		return total
	case kind == "yes_no" || kind == "":
		return total > 0
	case total == 0:
		return nil
	case kind == "category":
		return m.Any[slices.IndexFunc(counts, func(n int) bool { return n > 0 })]
	}
	return m.sentence(all[where].plain)
}

// spaced writes words with two blanks between them, so that matches that share one are both found.
func spaced(text string) string { return " " + strings.Join(pubmed.Tokens(text), "  ") + " " }

var sentenceEnd = regexp.MustCompile(`[.!?]\s+`)

// sentence is the first sentence of a text in which one of the words is.
func (m matcher) sentence(text string) string {
	for _, s := range sentenceEnd.Split(text, -1) {
		here := spaced(s)
		if slices.ContainsFunc(m.words, func(w string) bool { return strings.Contains(here, w) }) {
			return rest.Clip(strings.TrimSpace(s), 400)
		}
	}
	return rest.Clip(text, 400)
}
