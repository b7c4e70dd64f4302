package research

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/pageside/pageside/demo/define"
	"github.com/pageside/pageside/demo/refuse"
	"github.com/pageside/pageside/demo/research/library"
	"github.com/pageside/pageside/internal/visible"
	"github.com/pageside/pageside/tool"
)

type analysisInput struct {
	Stream  string           `json:"stream,omitempty" jsonschema:"id of a stream whose articles are analysed"`
	Report  string           `json:"report,omitempty" jsonschema:"id of a report whose articles are analysed"`
	Query   string           `json:"query,omitempty" jsonschema:"a search in PubMed's syntax, where neither stream nor report is given"`
	Filters *library.Filters `json:"filters,omitempty"`
	By      string           `json:"by,omitempty" jsonschema:"what the chart shows: year, type, mesh or journal; year where it is not given"`
}

// Chart is the data of a chart, of all applications of the demo.
type Chart struct {
	Type  string       `json:"type"` // bar or line
	Title string       `json:"title"`
	Data  []ChartPoint `json:"data"`
	Unit  string       `json:"unit,omitempty"`
	Note  string       `json:"note,omitempty"` // what is left out
}

// ChartPoint is a value of a chart.
type ChartPoint struct {
	Label string  `json:"label"`
	Value float64 `json:"value"`
}

const maxPoints = 60

// stagePace is how long a stage stands at least, so that people can follow what is done.
const stagePace = 150 * time.Millisecond

func (a *App) runAnalysis(ctx context.Context, call *tool.Call, in analysisInput) (any, error) {
	if err := refuse.OneOf("by", in.By, "year", "type", "mesh", "journal"); err != nil {
		return nil, err
	}
	if err := stage(ctx, call, "collect", "Collecting the articles", 0.1); err != nil {
		return nil, err
	}
	name, articles, total, err := a.toAnalyse(ctx, in)
	if err != nil {
		return nil, err
	}
	return analyse(ctx, call, in.By, name, articles, total)
}

// toAnalyse returns the articles that are meant, the newest where there are too many, and how many
// there are.
func (a *App) toAnalyse(ctx context.Context, in analysisInput) (name string, articles []library.Article, total int, err error) {
	switch {
	case in.Report != "":
		r, err := a.reports.Get(in.Report)
		return r.Name, r.Full, len(r.Full), err
	case in.Stream != "":
		s, err := a.streams.Get(in.Stream)
		if err != nil {
			return "", nil, 0, err
		}
		articles, total, err = a.find(ctx, s.Retrieval, s.Retrieval.MaxResults)
		return s.Name, articles, total, err
	}
	_, articles, total, err = a.search(ctx, in.Query, library.ArticleQuery{Filters: or(in.Filters), Limit: maxResults})
	return orAll(in.Query), articles, total, err
}

// stage tells what is done next, and lets it stand for a moment.
func stage(ctx context.Context, call *tool.Call, name, message string, fraction float64) error {
	call.Progress(name, message, fraction)
	select {
	case <-time.After(stagePace):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// stages are what an analysis counts, and what its chart is called.
var stages = []struct {
	name, message, title string
	values               func(*library.Article) []string
}{
	{"year", "Counting %d articles by year", "year", yearOf},
	{"type", "Counting the publication types of %d articles", "publication type", typesOf},
	{"mesh", "Counting the MeSH headings of %d articles", "MeSH heading", headingsOf},
	{"journal", "Counting the journals of %d articles", "journal", journalOf},
	{"pairs", "Looking for headings that come together in %d articles", "", pairsOf},
}

func analyse(ctx context.Context, call *tool.Call, by, name string, articles []library.Article, total int) (any, error) {
	n := len(articles)
	counts := map[string]map[string]int{}
	c := Chart{Type: "bar", Data: []ChartPoint{}, Unit: "articles"}
	for i, s := range stages {
		if err := stage(ctx, call, s.name, fmt.Sprintf(s.message, n), 0.2+0.15*float64(i)); err != nil {
			return nil, err
		}
		counts[s.name] = library.CountBy(articles, s.values)
		if s.name == by || i == 0 {
			c.Title = fmt.Sprintf("%s by %s", visible.Clip(name, 80), s.title)
		}
	}
	years := top(counts["year"], len(counts["year"]))
	slices.SortFunc(years, func(a, b library.Count) int { return strings.Compare(a.Value, b.Value) })
	values := years[max(0, len(years)-maxPoints):]
	if by != "" && by != "year" {
		values = top(counts[by], 10)
	}
	for _, v := range values {
		c.Data = append(c.Data, ChartPoint{visible.Clip(v.Value, 80), float64(v.Count)})
	}
	data := map[string]any{
		"name": name, "articles": n, "years": years, "types": top(counts["type"], 8), "mesh": top(counts["mesh"], 10),
		"journals": top(counts["journal"], 8), "pairs": top(counts["pairs"], 5),
	}
	if total > n {
		c.Note = fmt.Sprintf("The newest %d of %d articles.", n, total)
		data["total"], data["note"] = total, c.Note+" The older ones are not counted."
	}
	return define.Told(data, c)
}

// pairsOf are an article's headings two by two.
func pairsOf(a *library.Article) (pairs []string) {
	headings := slices.Sorted(slices.Values(headingsOf(a)))
	for i, first := range headings {
		for _, second := range headings[i+1:] {
			pairs = append(pairs, first+" + "+second)
		}
	}
	return pairs
}
