package research

import (
	"context"
	"fmt"
	"strings"

	"github.com/pageside/pageside/demo/research/library"
)

// validation is the data of a validation_results.
type validation struct {
	StreamID string     `json:"streamId"`
	Name     string     `json:"name"`
	Version  int        `json:"version"`
	Valid    bool       `json:"valid"`    // no check is an error
	Articles int        `json:"articles"` // what the search finds
	Checks   []check    `json:"checks"`
	Coverage []coverage `json:"coverage"` // of how many articles that are found something is known
}

type check struct {
	ID      string `json:"id"`
	Status  string `json:"status"` // ok, warning or error
	Label   string `json:"label"`
	Message string `json:"message"`
}

type coverage struct {
	Name   string `json:"name"`
	Filled int    `json:"filled"`
	Total  int    `json:"total"`
}

func (v *validation) add(id, status, label, format string, args ...any) {
	v.Checks = append(v.Checks, check{id, status, label, fmt.Sprintf(format, args...)})
	v.Valid = v.Valid && status != "error"
}

// validate tries a saved stream on the library.
func (a *App) validate(ctx context.Context, s Stream) (validation, error) {
	v := validation{StreamID: s.ID, Name: s.Name, Version: s.Version, Valid: true, Coverage: []coverage{}}
	v.checkSchema(&s)
	read, found, total, err := a.search(ctx, s.Retrieval.Query, library.ArticleQuery{Filters: s.Retrieval.Filters, Limit: maxResults})
	if err != nil {
		return v, err
	}
	v.add("query", "ok", "Search", "It is read as %s.", orAll(read))
	v.Articles = total
	switch limit := s.Retrieval.MaxResults; {
	case total == 0:
		v.add("results", "error", "Results", "The search finds no article.")
		return v, nil
	case limit > 0 && total > limit:
		v.add("results", "warning", "Results", "It finds %d articles and keeps the newest %d.", total, limit)
	case total < 5:
		v.add("results", "warning", "Results", "It finds only %d.", total)
	default:
		v.add("results", "ok", "Results", "It finds %d articles.", total)
	}
	v.cover(&s, found, a.judge)
	_, _, without, err := a.search(ctx, s.Retrieval.Query, library.ArticleQuery{})
	if without > total {
		status := map[bool]string{true: "warning", false: "ok"}[total*4 < without]
		v.add("filters", status, "Filters", "They keep out %d of the %d articles that the search alone finds.", without-total, without)
	}
	return v, err
}

func orAll(query string) string {
	if query == "" {
		return "everything"
	}
	return query
}

func (v *validation) checkSchema(s *Stream) {
	if len(s.Schema.Fields) == 0 {
		v.add("schema", "warning", "Schema", "There is no field: nothing is extracted from the articles.")
		return
	}
	v.add("schema", "ok", "Schema", "%d fields.", len(s.Schema.Fields))
	var undescribed, unlisted []string
	for _, f := range s.Schema.Fields {
		if strings.TrimSpace(f.Description) == "" {
			undescribed = append(undescribed, f.Label)
		}
		if f.Type == "category" && len(f.Options) < 2 {
			unlisted = append(unlisted, f.Label)
		}
	}
	if undescribed != nil {
		v.add("descriptions", "warning", "Descriptions", "Nothing says what these fields hold: %s.", strings.Join(undescribed, ", "))
	}
	if unlisted != nil {
		v.add("options", "warning", "Options", "A category needs at least two options: %s.", strings.Join(unlisted, ", "))
	}
}

// cover counts of how many articles there is something to extract from. Of a column it counts what
// was judged so far: checking a stream asks no model.
func (v *validation) cover(s *Stream, found []library.Article, columns *judge) {
	abstracts, headings, trials := coverage{"Abstract", 0, len(found)}, coverage{"MeSH headings", 0, len(found)}, coverage{"Linked trial", 0, len(found)}
	ids := make([]string, len(found))
	for i, a := range found {
		ids[i] = a.PMID
		abstracts.Filled += min(len(a.Abstract), 1)
		headings.Filled += min(len(a.MeSH), 1)
		trials.Filled += min(len(a.NCT), 1)
	}
	v.Coverage = append(v.Coverage, abstracts, headings, trials)
	for _, c := range s.Columns {
		if filled, judged := columns.count(c.criterion, ids); judged > 0 {
			v.Coverage = append(v.Coverage, coverage{Name: c.Name, Filled: filled, Total: judged})
		}
	}
}
