package research

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/pageside/pageside/demo/research/library"
	"github.com/pageside/pageside/demo/research/pubmed"
)

// Match says where to look for which words.
type Match struct {
	Field string   `json:"field"`
	Any   []string `json:"any"`
}

var matchFields = []string{"title", "abstract", "mesh", "types", "journal", "authors", "date", "summary", "phases", "status", "conditions", "interventions", "outcomes", "sponsor", "any"}

func (m Match) check(where string) error {
	if !slices.Contains(matchFields, m.Field) {
		return badField(where+".field", "must be one of %s", strings.Join(matchFields, ", "))
	}
	if len(m.Any) == 0 || len(m.Any) > maxListValues {
		return badField(where+".any", "must have 1 to %d values", maxListValues)
	}
	for i, text := range m.Any {
		if len(pubmed.Tokens(text)) == 0 || len(text) > maxText {
			return badField(fmt.Sprintf("%s.any[%d]", where, i), "must have a letter or digit, and at most %d characters", maxText)
		}
	}
	return nil
}

// record is a row's texts by field.
type record map[string][]string

func recordOf(a *library.Article) record {
	return record{"title": {a.Title}, "abstract": {a.Abstract}, "mesh": a.MeSH, "types": a.Types, "journal": {a.Journal}, "authors": a.Authors, "date": {a.Date}}
}

func recordOfTrial(t *library.Trial) record {
	return record{"title": {t.Title}, "summary": {t.Summary}, "abstract": {t.Summary}, "phases": t.Phases, "types": {t.StudyType}, "status": {t.Status}, "conditions": t.Conditions,
		"interventions": t.Interventions, "outcomes": t.PrimaryMeasures, "sponsor": {t.Sponsor}, "date": {t.Start}}
}

// value is what a column of a type shows for a row.
func (m Match) value(kind string, r record) any {
	var texts []string
	for _, field := range matchFields {
		if m.Field == field || m.Field == "any" {
			texts = append(texts, r[field]...)
		}
	}
	counts := make([]int, len(m.Any))
	total, where := 0, -1
	for i, text := range texts {
		for j, words := range m.Any {
			counts[j] += occurrences(text, words)
			total += occurrences(text, words)
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
	return sentence(texts[where], m.Any)
}

// occurrences counts words in a text: whole words, ignoring case and marks.
func occurrences(text, words string) int {
	return strings.Count(spaced(text), spaced(words))
}

// spaced writes words with two blanks between them, so that matches that share one are both found.
func spaced(text string) string { return " " + strings.Join(pubmed.Tokens(text), "  ") + " " }

var sentenceEnd = regexp.MustCompile(`[.!?]\s+`)

// sentence is the first sentence of a text in which one of the words is.
func sentence(text string, words []string) string {
	for _, s := range sentenceEnd.Split(text, -1) {
		if slices.ContainsFunc(words, func(w string) bool { return occurrences(s, w) > 0 }) {
			return clip(strings.TrimSpace(s), 400)
		}
	}
	return clip(text, 400)
}
