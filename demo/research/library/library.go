package library

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/pageside/pageside/demo/lines"
	"github.com/pageside/pageside/demo/research/pubmed"
)

// Files are what to load. An empty name means the generated library.
type Files struct{ Articles, Trials string }

// Source says what was loaded.
type Source struct {
	lines.Stats
	Generated bool
	Label     string // the file's base name
}

// Count is how many articles or trials have a value.
type Count struct {
	Value string `json:"value"`
	Label string `json:"label,omitempty"`
	Count int    `json:"count"`
}

// Library is a loaded library. It is only read, and safe for concurrent use.
type Library struct {
	Articles, Trials Source
	From, To         string // dates of the oldest and the newest article
	// by kind mh, pt, ta: the values of all articles, the most frequent first
	Top map[string][]Count

	articles []article
	trials   []trial
}

// Open loads the files.
func Open(files Files) (*Library, error) {
	l := &Library{}
	articles, err := load(&l.Articles, files.Articles, "articles", readJSON[Article])
	if err != nil {
		return nil, fmt.Errorf("load the library: articles: %w", err)
	}
	trials, err := load(&l.Trials, files.Trials, "trials", readTrials)
	if err != nil {
		return nil, fmt.Errorf("load the library: trials: %w", err)
	}
	for _, t := range trials {
		l.trials = append(l.trials, indexTrial(t))
	}
	for _, a := range articles {
		l.widen(a.Date)
		l.articles = append(l.articles, indexArticle(a))
	}
	l.Top = map[string][]Count{}
	for _, kind := range []string{"mh", "pt", "ta"} {
		l.Top[kind] = Ranked(CountBy(articles, func(a *Article) []string { return a.values()[kind] }))
	}
	return l, nil
}

// widen widens the time from the oldest to the newest article.
func (l *Library) widen(date string) {
	day := pubmed.Day(date)
	if day > 0 && (l.From == "" || day < pubmed.Day(l.From)) {
		l.From = date
	}
	if day > pubmed.Day(l.To) {
		l.To = date
	}
}

// CountBy counts things by each of their values. Nothing is no value: no sponsor, no date.
func CountBy[T any](list []T, values func(*T) []string) map[string]int {
	counts := map[string]int{}
	for i := range list {
		for _, v := range values(&list[i]) {
			counts[strings.TrimSpace(v)]++
		}
	}
	delete(counts, "")
	return counts
}

// Ranked sorts values by how often they are there, then by name.
func Ranked(counts map[string]int) []Count {
	list := make([]Count, 0, len(counts))
	for value, n := range counts {
		list = append(list, Count{Value: value, Count: n})
	}
	slices.SortFunc(list, func(a, b Count) int { return cmp.Or(b.Count-a.Count, strings.Compare(a.Value, b.Value)) })
	return list
}
