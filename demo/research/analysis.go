package research

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/pageside/pageside/demo/research/library"
	"github.com/pageside/pageside/demo/research/pubmed"
	"github.com/pageside/pageside/demo/rest"
	"github.com/pageside/pageside/tool"
)

type analysisInput struct {
	Stream  string           `json:"stream,omitempty" jsonschema:"id of a stream whose articles are analysed"`
	Report  string           `json:"report,omitempty" jsonschema:"id of a report whose articles are analysed"`
	Query   string           `json:"query,omitempty" jsonschema:"a search in PubMed's syntax, where neither stream nor report is given"`
	Filters *library.Filters `json:"filters,omitempty"`
	By      string           `json:"by,omitempty" jsonschema:"what the chart shows: year, type, mesh or journal; year where it is not given"`
}

// chart is the data of a chart.
type chart struct {
	Type  string       `json:"type"` // bar
	Title string       `json:"title"`
	Data  []chartPoint `json:"data"` // at most maxPoints
	Unit  string       `json:"unit"`
	Note  string       `json:"note,omitempty"` // what is left out
}

type chartPoint struct {
	Label string `json:"label"`
	Value int    `json:"value"`
}

const maxPoints = 60

// stagePace is how long a stage stands at least, so that people can follow what is done.
const stagePace = 150 * time.Millisecond

func (a *App) runAnalysis() *tool.Tool {
	t := readTool("run_analysis", "Analyses the articles of a stream, a report or a search: by year, publication type, MeSH heading and journal, and which headings come together. Shows a chart.",
		func(ctx context.Context, call *tool.Call, in analysisInput) (tool.Result, error) {
			if err := oneOf("by", in.By, "year", "type", "mesh", "journal"); err != nil {
				return tool.Result{}, err
			}
			r := &analysis{ctx: ctx, call: call, by: in.By}
			if err := r.stage("collect", "Collecting the articles", 0.1); err != nil {
				return tool.Result{}, err
			}
			var err error
			if r.name, r.articles, r.total, err = a.toAnalyse(ctx, in); err != nil {
				return tool.Result{}, err
			}
			return r.run()
		})
	t.PayloadType = "chart"
	t.Policy.Timeout = time.Minute
	return t
}

// toAnalyse returns the articles that are meant, the newest where there are too many, and how many
// there are.
func (a *App) toAnalyse(ctx context.Context, in analysisInput) (name string, articles []library.Article, total int, err error) {
	switch {
	case in.Report != "":
		r, err := a.reports.get(in.Report)
		if err != nil {
			return "", nil, 0, err
		}
		return r.Name, r.full, len(r.full), nil
	case in.Stream != "":
		s, err := a.streams.get(in.Stream)
		if err != nil {
			return "", nil, 0, err
		}
		articles, total, err = a.find(ctx, s.Retrieval, s.Retrieval.MaxResults)
		return s.Name, articles, total, err
	}
	q, err := pubmed.Parse(in.Query)
	if err = errors.Join(err, checkFilters("filters", filtersOf(in.Filters))); err != nil {
		return "", nil, 0, err
	}
	articles, total, err = a.library.Search(ctx, library.ArticleQuery{Text: q, Filters: filtersOf(in.Filters), Limit: maxResults})
	return orAll(in.Query), articles, total, err
}

type analysis struct {
	ctx      context.Context
	call     *tool.Call
	by       string
	name     string
	articles []library.Article
	total    int
}

// stage tells what is done next, and lets it stand for a moment.
func (r *analysis) stage(stage, message string, fraction float64) error {
	r.call.Progress(stage, message, fraction)
	select {
	case <-time.After(stagePace):
		return nil
	case <-r.ctx.Done():
		return r.ctx.Err()
	}
}

func (r *analysis) run() (tool.Result, error) {
	n := len(r.articles)
	counts := map[string]map[string]int{}
	for i, by := range []struct {
		name, message string
		values        func(*library.Article) []string
	}{
		{"year", "Counting %d articles by year", yearOf}, {"type", "Counting the publication types of %d articles", typesOf},
		{"mesh", "Counting the MeSH headings of %d articles", headingsOf}, {"journal", "Counting the journals of %d articles", func(a *library.Article) []string { return []string{a.Journal} }},
	} {
		if err := r.stage(by.name, fmt.Sprintf(by.message, n), 0.2+0.15*float64(i)); err != nil {
			return tool.Result{}, err
		}
		counts[by.name] = countBy(r.articles, by.values)
	}
	if err := r.stage("pairs", "Looking for headings that come together", 0.85); err != nil {
		return tool.Result{}, err
	}
	pairs := top(countBy(r.articles, pairsOf), 5)
	years := top(counts["year"], len(counts["year"]))
	slices.SortFunc(years, func(a, b library.Count) int { return strings.Compare(a.Value, b.Value) })
	data := map[string]any{"name": r.name, "articles": n, "years": years, "types": top(counts["type"], 8), "mesh": top(counts["mesh"], 10), "journals": top(counts["journal"], 8), "pairs": pairs}
	c := r.chart(years, counts)
	if r.total > n {
		c.Note = fmt.Sprintf("The newest %d of %d articles.", n, r.total)
		data["total"], data["note"] = r.total, c.Note+" The older ones are not counted."
	}
	return jsonResult(data, c)
}

// pairsOf are an article's headings two by two.
func pairsOf(a *library.Article) []string {
	headings := headingsOf(a)
	slices.Sort(headings)
	var pairs []string
	for i, first := range headings {
		for _, second := range headings[i+1:] {
			pairs = append(pairs, first+" + "+second)
		}
	}
	return pairs
}

func (r *analysis) chart(years []library.Count, counts map[string]map[string]int) chart {
	by, values := "year", years[max(0, len(years)-maxPoints):]
	if title, ok := map[string]string{"type": "publication type", "mesh": "MeSH heading", "journal": "journal"}[r.by]; ok {
		by, values = title, top(counts[r.by], 10)
	}
	c := chart{Type: "bar", Title: fmt.Sprintf("%s by %s", rest.Clip(r.name, 80), by), Data: []chartPoint{}, Unit: "articles"}
	for _, v := range values {
		c.Data = append(c.Data, chartPoint{rest.Clip(v.Value, 80), v.Count})
	}
	return c
}
