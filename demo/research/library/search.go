package library

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/pageside/pageside/demo/refuse"
	"github.com/pageside/pageside/demo/research/pubmed"
)

// Filters narrow a search. Values of one list are alternatives; From and To are dates, both
// included.
type Filters struct {
	From     string   `json:"from,omitempty"`
	To       string   `json:"to,omitempty"`
	Types    []string `json:"types,omitempty" jsonschema:"publication types"`
	MeSH     []string `json:"mesh,omitempty" jsonschema:"MeSH headings"`
	Journals []string `json:"journals,omitempty"`
}

// ArticleQuery is what to look for.
type ArticleQuery struct {
	Text      pubmed.Query
	Filters   Filters
	Relevance bool // order by how well the words fit, else by date
	Ascending bool // the oldest, or the least relevant, first
	Offset    int
	Limit     int // 0 only counts
}

// lets returns what says of an article whether the filters let it through.
func (f *Filters) lets() func(*pubmed.Doc) bool {
	from, until := span(f.From, f.To)
	var wanted []func(*pubmed.Doc) bool
	for kind, values := range map[string][]string{"pt": f.Types, "mh": f.MeSH, "ta": f.Journals} {
		if len(values) == 0 {
			continue
		}
		var names []string
		for _, v := range values {
			names = append(names, exactName(kind, v))
		}
		wanted = append(wanted, func(d *pubmed.Doc) bool { return intersect(d.Names[kind], names) })
	}
	return func(d *pubmed.Doc) bool {
		return from <= d.Day && d.Day <= until && !slices.ContainsFunc(wanted, func(has func(*pubmed.Doc) bool) bool { return !has(d) })
	}
}

// span is the first and the last day of a range of dates, which may be open. A day that is not
// known, 0, is only in one that is open at both ends.
func span(from, to string) (first, last int) {
	if first, last = pubmed.Day(from), pubmed.LastDay(to); last > 0 {
		return max(first, 1), last
	}
	return first, 99991231
}

func intersect(list, other []string) bool {
	return slices.ContainsFunc(list, func(v string) bool { return slices.Contains(other, v) })
}

// exactName is the name of a value as it is, not one of the others that find it.
func exactName(kind, value string) string {
	if kind == "ta" {
		return strings.Join(pubmed.Tokens(value), " ")
	}
	return pubmed.Heading(value)
}

// Search returns the articles that a query finds, and how many there are in all.
func (l *Library) Search(ctx context.Context, q ArticleQuery) (found []Article, total int, err error) {
	lets := q.Filters.lets()
	positions, err := positionsOf(ctx, l.articles, func(a *article) bool { return lets(&a.doc) && q.Text.Finds(&a.doc) })
	if err != nil || q.Limit <= 0 || len(positions) == 0 {
		return []Article{}, len(positions), err
	}
	scores := make([]float64, len(l.articles)) // all the same where only the date counts
	if q.Relevance {
		docs := make([]*pubmed.Doc, len(l.articles))
		for i := range l.articles {
			docs[i] = &l.articles[i].doc
		}
		scores = q.Text.Relevance(docs)
	}
	slices.SortStableFunc(positions, func(a, b int) int {
		order := cmp.Or(cmp.Compare(scores[b], scores[a]), l.articles[b].doc.Day-l.articles[a].doc.Day)
		if q.Ascending {
			return -order
		}
		return order
	})
	for _, at := range part(positions, q.Offset, q.Limit) {
		found = append(found, l.articles[at].Article)
	}
	return found, len(positions), nil
}

// positionsOf returns where in a list what is wanted stands, unless ctx ends before.
func positionsOf[T any](ctx context.Context, list []T, wanted func(*T) bool) (positions []int, err error) {
	for i := range list {
		if ctx.Err() != nil {
			return nil, fmt.Errorf("search the library: %w", context.Cause(ctx))
		}
		if wanted(&list[i]) {
			positions = append(positions, i)
		}
	}
	return positions, nil
}

// part is a page of a list.
func part[T any](list []T, offset, limit int) []T {
	offset = min(offset, len(list))
	return list[offset:min(offset+limit, len(list))]
}

// Article returns one article.
func (l *Library) Article(pmid string) (Article, error) {
	for i := range l.articles {
		if l.articles[i].PMID == pmid {
			return l.articles[i].Article, nil
		}
	}
	return Article{}, refuse.NotFound("article %s: not found", pmid)
}

// Trial returns one trial.
func (l *Library) Trial(nct string) (Trial, error) {
	for i := range l.trials {
		if l.trials[i].NCT == strings.ToUpper(nct) {
			return l.trials[i].Trial, nil
		}
	}
	return Trial{}, refuse.NotFound("trial %s: not found", nct)
}

// ArticlesOf returns the articles about a trial, the newest first.
func (l *Library) ArticlesOf(nct string) (list []Article) {
	for _, a := range l.articles {
		if a.NCT == nct {
			list = append(list, a.Article)
		}
	}
	slices.SortStableFunc(list, func(a, b Article) int { return pubmed.Day(b.Date) - pubmed.Day(a.Date) })
	return list
}
