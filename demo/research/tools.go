package research

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/pageside/pageside/demo/define"
	"github.com/pageside/pageside/demo/refuse"
	"github.com/pageside/pageside/demo/research/library"
	"github.com/pageside/pageside/demo/research/pubmed"
	"github.com/pageside/pageside/tool"
)

const (
	defaultHits = 10
	maxHits     = 50
)

type pubmedInput struct {
	Query      string           `json:"query" jsonschema:"in PubMed's syntax: [mh] [tiab] [ti] [au] [ta] [dp] [pt], AND OR NOT, quotes, parentheses, *; empty is everything"`
	Filters    *library.Filters `json:"filters,omitempty"`
	MaxResults int              `json:"max_results,omitempty" jsonschema:"0 to 50, default 10; the total is always counted"`
	CountOnly  bool             `json:"count_only,omitempty" jsonschema:"only count: shows no card"`
	Sort       string           `json:"sort,omitempty" jsonschema:"date or relevance"`
}

// searchResult is what the model is told of a search; its payload has the articles in full.
type searchResult struct {
	Query       string          `json:"query"`
	Interpreted string          `json:"interpreted"`
	Source      string          `json:"source"` // library
	Total       int             `json:"total"`
	Articles    []library.Brief `json:"articles"`
}

func (a *App) searchPubMed(ctx context.Context, _ *tool.Call, in pubmedInput) (any, error) {
	r, err := a.answerSearch(ctx, in)
	if err != nil || in.CountOnly {
		return r, err
	}
	told := *r
	told.Articles = slices.Clone(r.Articles)
	for i := range told.Articles {
		told.Articles[i].Authors = told.Articles[i].Authors[:min(len(told.Articles[i].Authors), 3)]
	}
	result, err := define.Told(told, r)
	result.Sources = sourcesOf(r.Articles)
	return result, err
}

// sourcesOf are articles as sources of an answer, which lead to their pages.
func sourcesOf(articles []library.Brief) []tool.CitableSource {
	sources := make([]tool.CitableSource, len(articles))
	for i, a := range articles {
		sources[i] = tool.CitableSource{Title: a.Title, URL: "/research/articles/" + a.PMID, Snippet: strings.Trim(a.Journal+", "+a.Date, ", ")}
	}
	return sources
}

func (a *App) answerSearch(ctx context.Context, in pubmedInput) (*searchResult, error) {
	if in.MaxResults < 0 || in.MaxResults > maxHits {
		return nil, refuse.BadField("max_results", "must be 0 to %d", maxHits)
	}
	limit := cmp.Or(in.MaxResults, defaultHits)
	if in.CountOnly {
		limit = 0
	}
	if err := refuse.OneOf("sort", in.Sort, "date", "relevance"); err != nil {
		return nil, err
	}
	read, found, total, err := a.search(ctx, in.Query, library.ArticleQuery{Filters: or(in.Filters), Relevance: in.Sort == "relevance", Limit: limit})
	return &searchResult{in.Query, read, "library", total, briefs(found, limit)}, err
}

// search checks a search for articles and runs it. It also says how the query is read.
func (a *App) search(ctx context.Context, query string, q library.ArticleQuery) (read string, found []library.Article, total int, err error) {
	q.Text, err = pubmed.Parse(query)
	if err = errors.Join(err, checkFilters("filters", q.Filters)); err != nil {
		return "", nil, 0, err
	}
	found, total, err = a.library.Search(ctx, q)
	return q.Text.String(), found, total, err
}

// trialSorts are what trials can be sorted by.
var trialSorts = []string{"start", "title", "status", "phase"}

// searchForm checks a search for trials and runs it.
func (a *App) searchForm(ctx context.Context, q library.TrialQuery) (*library.TrialHits, error) {
	if err := errors.Join(checkForm(q.TrialForm), refuse.OneOf("sort", q.Sort, trialSorts...)); err != nil {
		return nil, err
	}
	return a.library.SearchTrials(ctx, q)
}

type fetchInput struct {
	PMID string `json:"pmid" jsonschema:"the article's PMID"`
}

func (a *App) fetchArticle(_ context.Context, _ *tool.Call, in fetchInput) (any, error) {
	return a.library.Article(strings.TrimSpace(in.PMID))
}

type trialsInput struct {
	library.TrialForm
	MaxResults int    `json:"max_results,omitempty" jsonschema:"1 to 50, default 10"`
	Sort       string `json:"sort,omitempty" jsonschema:"start, title, status or phase"`
}

func (a *App) searchTrials(ctx context.Context, _ *tool.Call, in trialsInput) (any, error) {
	if in.MaxResults < 0 || in.MaxResults > maxHits {
		return nil, refuse.BadField("max_results", "must be 1 to %d", maxHits)
	}
	hits, err := a.searchForm(ctx, library.TrialQuery{TrialForm: in.TrialForm, Sort: in.Sort, Limit: cmp.Or(in.MaxResults, defaultHits)})
	if err != nil {
		return nil, err
	}
	return map[string]any{"form": in.TrialForm, "total": hits.Total, "phases": hits.Phases, "statuses": hits.Statuses, "trials": trialBriefs(hits.Trials)}, nil
}

type streamInput struct {
	Stream string `json:"stream" jsonschema:"the stream's id, as the page's context has it"`
}

func (a *App) validateStream(ctx context.Context, _ *tool.Call, in streamInput) (any, error) {
	s, err := a.streams.Get(in.Stream)
	if err != nil {
		return nil, err
	}
	v, err := a.validate(ctx, s)
	if err != nil {
		return nil, err
	}
	return define.Told(v, v)
}

type compareInput struct {
	Left  string `json:"left" jsonschema:"id of the older report"`
	Right string `json:"right" jsonschema:"id of the newer report"`
}

func (a *App) compareReports(_ context.Context, _ *tool.Call, in compareInput) (any, error) {
	left, err := a.reports.Get(in.Left)
	if err != nil {
		return nil, err
	}
	right, err := a.reports.Get(in.Right)
	if err != nil {
		return nil, err
	}
	if left.ID == right.ID {
		return nil, refuse.BadField("right", "is the same report as left")
	}
	c := compare(left, right)
	told := c
	told.Added, told.Removed = c.Added[:min(len(c.Added), 5)], c.Removed[:min(len(c.Removed), 5)]
	return define.Told(told, c)
}
