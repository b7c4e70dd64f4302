package research

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/pageside/pageside/demo/research/library"
	"github.com/pageside/pageside/demo/research/pubmed"
	"github.com/pageside/pageside/demo/rest"
	"github.com/pageside/pageside/demo/saved"
)

// Report is what a stream found in the two years up to a date.
type Report struct {
	ID       string          `json:"id"`
	StreamID string          `json:"streamId"`
	Name     string          `json:"name"`
	From     string          `json:"from"`
	Date     string          `json:"date"`
	Query    string          `json:"query"`
	Total    int             `json:"total"`
	Articles []library.Brief `json:"articles,omitempty"`

	full []library.Article // without their abstracts: there may be many, and nobody compares those
}

// window is how many years a report looks back.
const window = 2

// maxReports bounds how many there are.
const maxReports = 100

type reports struct {
	mu    sync.Mutex
	list  []*Report // as they were made
	saved *saved.Collection
}

// savedReport is a report as it is saved: briefs are made of its articles.
type savedReport struct {
	Report
	Full []library.Article `json:"full"`
}

func (r *Report) item() saved.Item {
	s := savedReport{*r, r.full}
	s.Articles = nil
	return saved.Item{ID: r.ID, Value: s}
}

// loadReports are the reports that were saved, else those that the application starts with.
func (a *App) loadReports(ctx context.Context) (*reports, error) {
	collection := a.collection("report")
	list, err := saved.All[savedReport](collection)
	if err != nil {
		return nil, err
	}
	if len(list) == 0 {
		first, err := a.firstReports(ctx)
		if err != nil {
			return nil, err
		}
		// all of them or none: a part would be taken for what users left
		var items []saved.Item
		for _, r := range first.list {
			items = append(items, r.item())
		}
		first.saved = collection
		return first, collection.Write(items)
	}
	all := &reports{saved: collection}
	for _, s := range list {
		r := s.Report
		r.full, r.Articles = s.Full, briefs(s.Full, len(s.Full))
		all.list = append(all.list, &r)
	}
	return all, nil
}

// sorted returns the reports, the newest first.
func (r *reports) sorted() []*Report {
	r.mu.Lock()
	defer r.mu.Unlock()
	list := slices.Clone(r.list)
	slices.Reverse(list)
	slices.SortStableFunc(list, func(a, b *Report) int { return strings.Compare(b.Date, a.Date) })
	return list
}

// get returns a report, which nobody changes.
func (r *reports) get(id string) (*Report, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	i := slices.IndexFunc(r.list, func(report *Report) bool { return report.ID == id })
	if i < 0 {
		return nil, fmt.Errorf("report %q: %w", rest.Clip(id, 40), library.ErrNotFound)
	}
	return r.list[i], nil
}

func (r *reports) add(report *Report) (*Report, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.list) >= maxReports {
		return nil, &rest.Error{Status: 409, Code: "too_many", Message: fmt.Sprintf("there are %d reports already", maxReports)}
	}
	report.ID = strconv.Itoa(len(r.list) + 1)
	if err := r.saved.Write([]saved.Item{report.item()}); err != nil {
		return nil, err
	}
	r.list = append(r.list, report)
	return report, nil
}

// report makes a report of what a stream finds in the years up to the end of one.
func (a *App) report(ctx context.Context, s Stream, year int, name string) (*Report, error) {
	r := &Report{StreamID: s.ID, From: fmt.Sprintf("%d-01-01", year-window+1), Date: fmt.Sprintf("%d-12-31", year), Query: s.Retrieval.Query, Name: name}
	retrieval := s.Retrieval
	retrieval.Filters = within(retrieval.Filters, r.From, r.Date)
	found, total, err := a.find(ctx, retrieval, retrieval.MaxResults)
	if err != nil {
		return nil, fmt.Errorf("make a report of stream %s: %w", s.ID, err)
	}
	r.full, r.Total = found, min(total, retrieval.MaxResults)
	for i := range found {
		found[i].Abstract = ""
		r.Articles = append(r.Articles, found[i].Brief())
	}
	return r, nil
}

// within narrows filters to the days between two dates.
func within(f library.Filters, from, to string) library.Filters {
	if pubmed.Day(f.From) < pubmed.Day(from) {
		f.From = from
	}
	if f.To == "" || pubmed.LastDay(f.To) > pubmed.LastDay(to) {
		f.To = to
	}
	return f
}

// lastYear is the year of the newest article.
func (a *App) lastYear() int { return pubmed.Day(a.library.To) / 10000 }

// firstReports are reports of each stream at the ends of the last years.
func (a *App) firstReports(ctx context.Context) (*reports, error) {
	r := &reports{}
	all := a.streams.all()
	slices.Reverse(all) // what is made last stands first
	for year := a.lastYear() - 2; year <= a.lastYear(); year++ {
		for _, s := range all {
			report, err := a.report(ctx, s, year, fmt.Sprintf("%s %d", s.Name, year))
			if err != nil {
				return nil, err
			}
			if _, err := r.add(report); err != nil {
				return nil, err
			}
		}
	}
	return r, nil
}

// newReport makes a report of a stream as it is now.
func (a *App) newReport(ctx context.Context, streamID, name string) (*Report, error) {
	if utf8.RuneCountInString(name) > maxName {
		return nil, rest.BadField("name", "has more than %d characters", maxName)
	}
	s, err := a.streams.get(streamID)
	if err != nil {
		return nil, rest.BadField("streamId", "names no stream")
	}
	if name = strings.TrimSpace(name); name == "" {
		name = fmt.Sprintf("%s, version %d", s.Name, s.Version)
	}
	report, err := a.report(ctx, s, a.lastYear(), name)
	if err != nil {
		return nil, err
	}
	return a.reports.add(report)
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
func compare(left, right *Report) comparison {
	c := comparison{Left: left.head(), Right: right.head(), Types: []typeChange{}}
	added, removed := missingIn(left, right), missingIn(right, left)
	c.AddedTotal, c.RemovedTotal, c.Kept = len(added), len(removed), len(right.full)-len(added)
	c.Added, c.Removed = briefs(added, maxShown), briefs(removed, maxShown)
	before, after := countBy(left.full, typesOf), countBy(right.full, typesOf)
	for _, t := range merged(before, after) {
		if before[t] != after[t] && !slices.Contains(plainTypes, t) && !strings.HasPrefix(t, "Research Support") {
			c.Types = append(c.Types, typeChange{t, before[t], after[t]})
		}
	}
	slices.SortStableFunc(c.Types, func(a, b typeChange) int { return abs(b.Right-b.Left) - abs(a.Right-a.Left) })
	c.Types = c.Types[:min(len(c.Types), 8)]
	c.Journals = top(countBy(added, func(a *library.Article) []string { return []string{a.Journal} }), 5)
	return c
}

// missingIn returns the articles of others that are not in r.
func missingIn(r, others *Report) []library.Article {
	has := map[string]bool{}
	for i := range r.full {
		has[r.full[i].PMID] = true
	}
	var list []library.Article
	for _, a := range others.full {
		if !has[a.PMID] {
			list = append(list, a)
		}
	}
	return list
}

func briefs(articles []library.Article, limit int) []library.Brief {
	list := make([]library.Brief, 0, min(len(articles), limit))
	for i := range articles[:min(len(articles), limit)] {
		list = append(list, articles[i].Brief())
	}
	return list
}

func abs(n int) int { return max(n, -n) }
