package research

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/pageside/pageside/demo/refuse"
	"github.com/pageside/pageside/demo/research/library"
	"github.com/pageside/pageside/demo/research/pubmed"
)

// Report is what a stream found in the two years up to a date.
type Report struct {
	ID       string `json:"id"`
	StreamID string `json:"streamId"`
	Name     string `json:"name"`
	From     string `json:"from"`
	Date     string `json:"date"`
	Query    string `json:"query"`
	Total    int    `json:"total"`
	// without their abstracts: there may be many, and nobody compares those
	Full []library.Article `json:"full,omitempty"`
}

func reportID(r *Report) *string { return &r.ID }

// window is how many years a report looks back; maxReports bounds how many there are.
const (
	window     = 2
	maxReports = 100
)

// sortedReports returns the reports, the newest first.
func (a *App) sortedReports() []Report {
	list := a.reports.All()
	slices.Reverse(list)
	slices.SortStableFunc(list, func(a, b Report) int { return strings.Compare(b.Date, a.Date) })
	return list
}

// reportOf makes a report of what a stream finds in the years up to the end of one.
func (a *App) reportOf(ctx context.Context, s Stream, year int, name string) (Report, error) {
	r := Report{StreamID: s.ID, From: fmt.Sprintf("%d-01-01", year-window+1), Date: fmt.Sprintf("%d-12-31", year), Query: s.Retrieval.Query, Name: name}
	retrieval := s.Retrieval
	f := &retrieval.Filters
	if pubmed.Day(f.From) < pubmed.Day(r.From) {
		f.From = r.From
	}
	if f.To == "" || pubmed.LastDay(f.To) > pubmed.LastDay(r.Date) {
		f.To = r.Date
	}
	found, total, err := a.find(ctx, retrieval, retrieval.MaxResults)
	if err != nil {
		return r, fmt.Errorf("make a report of stream %s: %w", s.ID, err)
	}
	r.Full, r.Total = found, min(total, retrieval.MaxResults)
	for i := range found {
		found[i].Abstract = ""
	}
	return r, nil
}

// lastYear is the year of the newest article.
func (a *App) lastYear() int { return pubmed.Day(a.library.To) / 10000 }

// firstReports are reports of each stream at the ends of the last years.
func (a *App) firstReports(ctx context.Context) (list []Report, err error) {
	streams := a.streams.All()
	slices.Reverse(streams) // what is made last stands first
	for year := a.lastYear() - 2; year <= a.lastYear(); year++ {
		for _, s := range streams {
			r, err := a.reportOf(ctx, s, year, fmt.Sprintf("%s %d", s.Name, year))
			if err != nil {
				return nil, err
			}
			list = append(list, r)
		}
	}
	return list, nil
}

// newReport makes a report of a stream as it is now.
func (a *App) newReport(ctx context.Context, streamID, name string) (Report, error) {
	if err := refuse.Length("name", name, 0, maxName); err != nil {
		return Report{}, err
	}
	s, err := a.streams.Get(streamID)
	if err != nil {
		return Report{}, refuse.BadField("streamId", "names no stream")
	}
	if name = strings.TrimSpace(name); name == "" {
		name = fmt.Sprintf("%s, version %d", s.Name, s.Version)
	}
	r, err := a.reportOf(ctx, s, a.lastYear(), name)
	if err != nil {
		return r, err
	}
	return a.reports.Update(func(list []Report, next string) (Report, []string, error) {
		if len(list) >= maxReports {
			return r, nil, tooMany("reports", maxReports)
		}
		r.ID = next
		return r, nil, nil
	})
}

// comparison is the data of a report_comparison.
type comparison struct {
	Left         reportHead      `json:"left"`
	Right        reportHead      `json:"right"`
	Kept         int             `json:"kept"`
	Added        []library.Brief `json:"added"` // at most maxShown
	Removed      []library.Brief `json:"removed"`
	AddedTotal   int             `json:"addedTotal"`
	RemovedTotal int             `json:"removedTotal"`
	// publication types whose number changed, the most first
	Types    []typeChange    `json:"types"`
	Journals []library.Count `json:"journals"` // of what is new
}

type reportHead struct {
	ID    string `json:"id"`
	Name  string `json:"name"`
	Date  string `json:"date"`
	Total int    `json:"total"`
}

type typeChange struct {
	Value string `json:"value"`
	Left  int    `json:"left"`
	Right int    `json:"right"`
}

const maxShown = 25

// plainTypes say nothing about what kind of article it is.
var plainTypes = []string{"Journal Article", "English Abstract", "Comment"}

func (r *Report) head() reportHead { return reportHead{r.ID, r.Name, r.Date, r.Total} }

// compare says what is in right and not in left, and the other way round.
func compare(left, right Report) comparison {
	c := comparison{Left: left.head(), Right: right.head(), Types: []typeChange{}}
	added, removed := missingIn(left.Full, right.Full), missingIn(right.Full, left.Full)
	c.AddedTotal, c.RemovedTotal, c.Kept = len(added), len(removed), len(right.Full)-len(added)
	c.Added, c.Removed = briefs(added, maxShown), briefs(removed, maxShown)
	before, after := library.CountBy(left.Full, typesOf), library.CountBy(right.Full, typesOf)
	both := maps.Clone(before)
	maps.Copy(both, after)
	for _, t := range slices.Sorted(maps.Keys(both)) {
		if before[t] != after[t] && !slices.Contains(plainTypes, t) && !strings.HasPrefix(t, "Research Support") {
			c.Types = append(c.Types, typeChange{t, before[t], after[t]})
		}
	}
	changed := func(t typeChange) int { return max(t.Right-t.Left, t.Left-t.Right) }
	slices.SortStableFunc(c.Types, func(a, b typeChange) int { return changed(b) - changed(a) })
	c.Types = c.Types[:min(len(c.Types), 8)]
	c.Journals = top(library.CountBy(added, journalOf), 5)
	return c
}

// missingIn returns the articles of others that are not in a list.
func missingIn(list, others []library.Article) []library.Article {
	has := map[string]bool{}
	for i := range list {
		has[list[i].PMID] = true
	}
	return slices.DeleteFunc(slices.Clone(others), func(a library.Article) bool { return has[a.PMID] })
}

func briefs(articles []library.Article, limit int) []library.Brief {
	list := make([]library.Brief, 0, min(len(articles), limit))
	for i := range articles[:min(len(articles), limit)] {
		list = append(list, articles[i].Brief)
	}
	return list
}
