package research

import (
	"context"
	"slices"
	"strings"

	"github.com/pageside/pageside/demo/refuse"
	"github.com/pageside/pageside/demo/research/library"
	"github.com/pageside/pageside/internal/visible"
	"github.com/pageside/pageside/tool"
)

// top are the n most frequent values.
func top(counts map[string]int, n int) []library.Count {
	list := library.Ranked(counts)
	return list[:min(len(list), n)]
}

func typesOf(a *library.Article) []string { return a.Types }

func journalOf(a *library.Article) []string { return []string{a.Journal} }

func headingsOf(a *library.Article) []string {
	return slices.DeleteFunc(slices.Clone(a.MeSH), func(h string) bool { return slices.Contains(checkTags, h) })
}

func yearOf(a *library.Article) []string { return []string{year(a.Date)} }

func year(date string) string { return date[:min(len(date), 4)] }

// articleFields are the values that articles are counted by, trialFields those of trials.
var (
	articleFields = map[string]func(*library.Article) []string{
		"year": yearOf, "journal": journalOf, "type": typesOf, "mesh": headingsOf,
		"author": func(a *library.Article) []string { return distinct(a.Authors) },
	}
	trialFields = map[string]func(*library.Trial) []string{
		"year":     func(t *library.Trial) []string { return []string{year(t.Start)} },
		"phase":    func(t *library.Trial) []string { return []string{t.Phase} },
		"status":   func(t *library.Trial) []string { return []string{t.StatusLabel} },
		"sponsor":  func(t *library.Trial) []string { return []string{t.Sponsor} },
		"drug":     drugsOf,
		"endpoint": func(t *library.Trial) []string { return distinct(t.PrimaryOutcomes) },
	}
)

// drugsOf are the interventions that are drugs: "DRUG: Venetoclax", but not "PROCEDURE: Biopsy".
func drugsOf(t *library.Trial) (drugs []string) {
	for _, i := range t.Interventions {
		kind, name, typed := strings.Cut(i, ": ")
		if !typed {
			name = i
		}
		if !typed || kind == "DRUG" || kind == "BIOLOGICAL" || kind == "COMBINATION_PRODUCT" {
			drugs = append(drugs, name)
		}
	}
	return distinct(drugs)
}

func distinct(values []string) []string {
	return slices.Compact(slices.Sorted(slices.Values(values)))
}

type countInput struct {
	What    string             `json:"what" jsonschema:"articles or trials"`
	By      string             `json:"by,omitempty" jsonschema:"of articles: year, journal, author, type or mesh; of trials: year, phase, status, sponsor, drug or endpoint"`
	Query   string             `json:"query,omitempty" jsonschema:"of articles: in PubMed's syntax; empty is everything"`
	Filters *library.Filters   `json:"filters,omitempty"`
	Form    *library.TrialForm `json:"form,omitempty" jsonschema:"of trials: what must hold"`
	Oldest  bool               `json:"oldest,omitempty" jsonschema:"the examples are the oldest, not the newest"`
	Rarest  bool               `json:"rarest,omitempty" jsonschema:"the groups begin with the rarest"`
}

// maxGroups bounds the groups, and maxExamples the articles or trials, that a count returns.
const (
	maxGroups   = 60
	maxExamples = 20
)

// counted is what a count returns. A group's value is how people write it.
type counted struct {
	Total    int             `json:"total"`
	Distinct int             `json:"distinct,omitempty"` // groups, those left out included
	Groups   []library.Count `json:"groups,omitempty"`
	Articles []library.Brief `json:"articles,omitempty"`
	Trials   []countedTrial  `json:"trials,omitempty"`
}

type countedTrial struct {
	NCT    string `json:"nct"`
	Title  string `json:"title"`
	Phase  string `json:"phase"`
	Status string `json:"status"`
	Start  string `json:"start"`
}

func (a *App) countLibrary(ctx context.Context, _ *tool.Call, in countInput) (any, error) {
	switch in.What {
	case "articles":
		return a.countArticles(ctx, in)
	case "trials":
		return a.countTrials(ctx, in)
	}
	return nil, refuse.BadField("what", "must be articles or trials")
}

func (a *App) countArticles(ctx context.Context, in countInput) (*counted, error) {
	if err := refuse.OneOf("by", in.By, "year", "journal", "author", "type", "mesh"); err != nil {
		return nil, err
	}
	limit := a.library.Articles.Count
	if in.By == "" {
		limit = maxExamples
	}
	_, found, total, err := a.search(ctx, in.Query, library.ArticleQuery{Filters: or(in.Filters), Limit: limit, Ascending: in.Oldest})
	if err != nil {
		return nil, err
	}
	c := &counted{Total: total}
	if in.By == "" {
		c.Articles = briefs(found, maxExamples)
	} else {
		c.group(library.CountBy(found, articleFields[in.By]), in.Rarest)
	}
	return c, nil
}

func (a *App) countTrials(ctx context.Context, in countInput) (*counted, error) {
	if err := refuse.OneOf("by", in.By, "year", "phase", "status", "sponsor", "drug", "endpoint"); err != nil {
		return nil, err
	}
	limit := a.library.Trials.Count
	if in.By == "" {
		limit = maxExamples
	}
	hits, err := a.searchForm(ctx, library.TrialQuery{TrialForm: or(in.Form), Limit: limit, Ascending: in.Oldest})
	if err != nil {
		return nil, err
	}
	c := &counted{Total: hits.Total}
	if in.By != "" {
		c.group(library.CountBy(hits.Trials, trialFields[in.By]), in.Rarest)
		return c, nil
	}
	for _, t := range hits.Trials {
		c.Trials = append(c.Trials, countedTrial{t.NCT, t.Title, t.Phase, t.StatusLabel, t.Start})
	}
	return c, nil
}

// group keeps the most frequent values, or the rarest.
func (c *counted) group(counts map[string]int, rarest bool) {
	c.Distinct, c.Groups = len(counts), top(counts, len(counts))
	if rarest {
		slices.Reverse(c.Groups)
	}
	c.Groups = c.Groups[:min(len(c.Groups), maxGroups)]
	for i := range c.Groups {
		c.Groups[i].Value = visible.Clip(c.Groups[i].Value, 200)
	}
}

// or is what an argument of a tool is, or nothing where it was left out.
func or[T any](v *T) T {
	if v == nil {
		v = new(T)
	}
	return *v
}
