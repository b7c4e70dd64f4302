package library

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/pageside/pageside/demo/research/pubmed"
)

// TrialForm is what to look for among the trials, as the search form has it. All that is given must
// hold; of a list, one value.
type TrialForm struct {
	Condition    string   `json:"condition,omitempty" jsonschema:"words of the condition or title, such as: acute myeloid leukemia"`
	Intervention string   `json:"intervention,omitempty" jsonschema:"words of the intervention or title"`
	Phases       []string `json:"phases,omitempty" jsonschema:"EARLY_PHASE1, PHASE1, PHASE2, PHASE3, PHASE4 or NA; several are alternatives"`
	Statuses     []string `json:"statuses,omitempty" jsonschema:"such as RECRUITING, NOT_YET_RECRUITING, ACTIVE_NOT_RECRUITING, COMPLETED, TERMINATED; several are alternatives"`
	Sponsor      string   `json:"sponsor,omitempty"`
	Text         string   `json:"text,omitempty" jsonschema:"words of anything in the trial"`
	StartFrom    string   `json:"startFrom,omitempty" jsonschema:"earliest start: 2020, 2020-05 or 2020-05-17"`
	StartTo      string   `json:"startTo,omitempty"`
}

// TrialQuery is a search among the trials.
type TrialQuery struct {
	TrialForm
	Sort      string // start, title, status or phase; "" is start
	Ascending bool
	Offset    int
	Limit     int
}

// TrialHits is what a search among the trials found.
type TrialHits struct {
	Total    int
	Trials   []Trial
	Phases   []Count // what there is without the filter by phase
	Statuses []Count // what there is without the filter by status
}

// where is the condition without the filters that are left out.
func (q *TrialQuery) where(without string) condition {
	var c condition
	c.add("TRUE")
	for columns, text := range map[string]string{"{conditions title} : ": q.Condition, "{interventions title} : ": q.Intervention, "{sponsor} : ": q.Sponsor, "": q.Text} {
		if match := allWords(columns, text); match != "" {
			c.add("t.id IN (SELECT rowid FROM trial_fts WHERE trial_fts MATCH ?)", match)
		}
	}
	if without != "phases" && len(q.Phases) > 0 {
		var phases condition
		for _, p := range q.Phases {
			phases.add("instr(t.phases, ?) > 0", "|"+p+"|")
		}
		c.add("("+strings.Join(phases.parts, " OR ")+")", phases.args...)
	}
	if without != "statuses" && len(q.Statuses) > 0 {
		c.oneOf("t.status IN ", q.Statuses)
	}
	if day := pubmed.Day(q.StartFrom); day > 0 {
		c.add("t.start >= ?", day)
	}
	if day := pubmed.LastDay(q.StartTo); day > 0 {
		c.add("t.start BETWEEN 1 AND ?", day)
	}
	return c
}

// allWords is an FTS5 expression for all words of a text; words joined by a hyphen stay together.
func allWords(columns, text string) string {
	var parts []string
	for word := range strings.FieldsSeq(text) {
		if tokens := pubmed.Tokens(word); len(tokens) > 0 {
			parts = append(parts, columns+`"`+strings.Join(tokens, " ")+`"`)
		}
	}
	return strings.Join(parts, " AND ")
}

// SearchTrials returns the trials that a query finds.
func (l *Library) SearchTrials(ctx context.Context, q TrialQuery) (*TrialHits, error) {
	hits := &TrialHits{Trials: []Trial{}, Phases: []Count{}, Statuses: []Count{}}
	where := q.where("")
	if err := l.db.QueryRowContext(ctx, "SELECT count(*) FROM trials t WHERE "+where.String(), where.args...).Scan(&hits.Total); err != nil {
		return nil, fmt.Errorf("count trials: %w", err)
	}
	phases, err := l.facet(ctx, "phases", q.where("phases"))
	if err != nil {
		return nil, err
	}
	for _, p := range Phases { // in their order; a trial of two counts for both
		if p.Count = phases[p.Value]; p.Count > 0 {
			hits.Phases = append(hits.Phases, p)
		}
	}
	statuses, err := l.facet(ctx, "status", q.where("statuses"))
	if err != nil {
		return nil, err
	}
	for _, s := range mostFrequent(statuses) {
		s.Label = StatusLabel(s.Value)
		hits.Statuses = append(hits.Statuses, s)
	}
	if q.Limit > 0 {
		text, args := q.selection(where)
		if hits.Trials, err = docs[Trial](ctx, l.db, text, args...); err != nil {
			return nil, fmt.Errorf("search trials: %w", err)
		}
	}
	return hits, nil
}

// facet counts trials by the values of a column, which may hold several between bars.
func (l *Library) facet(ctx context.Context, column string, where condition) (map[string]int, error) {
	rows, err := l.db.QueryContext(ctx, "SELECT t."+column+", count(*) FROM trials t WHERE "+where.String()+" GROUP BY 1", where.args...)
	if err != nil {
		return nil, fmt.Errorf("count trials by %s: %w", column, err)
	}
	defer rows.Close()
	counts := map[string]int{}
	for rows.Next() {
		var values string
		var n int
		if err := rows.Scan(&values, &n); err != nil {
			return nil, err
		}
		for v := range strings.SplitSeq(strings.Trim(values, "|"), "|") {
			counts[v] += n
		}
	}
	return counts, rows.Err()
}

func (q *TrialQuery) selection(where condition) (string, []any) {
	direction := " DESC"
	if q.Ascending {
		direction = ""
	}
	paging := []any{q.Limit, q.Offset}
	column := map[string]string{"title": "t.title COLLATE NOCASE", "status": "t.status", "phase": "t.phase_rank"}[q.Sort]
	if column == "" {
		column = "t.start"
	}
	return "SELECT t.doc FROM trials t WHERE " + where.String() + " ORDER BY " + column + direction + ", t.start DESC, t.id LIMIT ? OFFSET ?", slices.Concat(where.args, paging)
}
