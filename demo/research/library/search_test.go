package library

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/pageside/pageside/demo/demotest"
	"github.com/pageside/pageside/demo/research/pubmed"
	"github.com/pageside/pageside/test/must"
)

// TestSearches: what is found, and in which order.
func TestSearches(t *testing.T) {
	l := openFiles(t, Files{Articles: "testdata/articles.jsonl", Trials: "testdata/trials.csv"})
	for _, row := range demotest.Rows(t, "testdata/searches.txt") {
		must.Be(t, searched(t, l, row[0], row[1]), row[2], "%s with %s", row[0], row[1])
	}
}

// searched is what a search finds, as searches.txt writes it.
func searched(t *testing.T, l *Library, query, how string) string {
	t.Helper()
	if query == "trials" {
		q := TrialQuery{Limit: 10}
		must.Do(t, json.Unmarshal([]byte(how), &q))
		hits := must.Get(l.SearchTrials(t.Context(), q))(t)
		var found []string
		for _, trial := range hits.Trials {
			found = append(found, strings.TrimPrefix(trial.NCT, "NCT0000000"))
		}
		return fmt.Sprintf("%s of %d, %v, %v", strings.Join(found, " "), hits.Total, hits.Phases, hits.Statuses)
	}
	q := ArticleQuery{Text: must.Get(pubmed.Parse(query))(t), Limit: 10}
	must.Do(t, json.Unmarshal([]byte(how), &q))
	articles, total, err := l.Search(t.Context(), q)
	must.Do(t, err)
	var found []string
	for _, a := range articles {
		found = append(found, a.PMID)
	}
	return fmt.Sprintf("%s of %d", strings.Join(found, " "), total)
}
