package library

import (
	"cmp"
	"context"
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

// finds returns what says of a trial whether it has the words and dates of the form.
func (f *TrialForm) finds() func(*trial) bool {
	from, until := span(f.StartFrom, f.StartTo)
	type wanted struct {
		phrase  string
		columns []string
	}
	var words []wanted
	add := func(text string, columns ...string) {
		for word := range strings.FieldsSeq(text) { // those joined by a hyphen stay together
			words = append(words, wanted{pubmed.Spaced(word), columns})
		}
	}
	add(f.Condition, "conditions", "title")
	add(f.Intervention, "interventions", "title")
	add(f.Sponsor, "sponsor")
	add(f.Text)
	return func(t *trial) bool {
		missing := func(w wanted) bool { return w.phrase != "" && t.texts.Count(w.phrase, w.columns...) == 0 }
		return from <= t.start && t.start <= until && !slices.ContainsFunc(words, missing)
	}
}

// SearchTrials returns the trials that a query finds.
func (l *Library) SearchTrials(ctx context.Context, q TrialQuery) (*TrialHits, error) {
	positions, err := positionsOf(ctx, l.trials, q.finds())
	if err != nil {
		return nil, err
	}
	phases, statuses := map[string]int{}, map[string]int{}
	var found []*trial
	for _, at := range positions {
		t := &l.trials[at]
		ofPhase := len(q.Phases) == 0 || intersect(t.Phases, q.Phases)
		ofStatus := len(q.Statuses) == 0 || slices.Contains(q.Statuses, t.Status)
		if ofStatus {
			for _, p := range t.Phases { // a trial of two counts for both
				phases[p]++
			}
		}
		if ofPhase {
			statuses[t.Status]++
		}
		if ofPhase && ofStatus {
			found = append(found, t)
		}
	}
	hits := &TrialHits{Total: len(found), Trials: []Trial{}, Phases: []Count{}, Statuses: Ranked(statuses)}
	for _, p := range Phases { // in their order
		if p.Count = phases[p.Value]; p.Count > 0 {
			hits.Phases = append(hits.Phases, p)
		}
	}
	for i := range hits.Statuses {
		hits.Statuses[i].Label = StatusLabel(hits.Statuses[i].Value)
	}
	slices.SortStableFunc(found, q.order)
	for _, t := range part(found, q.Offset, q.Limit) {
		hits.Trials = append(hits.Trials, t.Trial)
	}
	return hits, nil
}

// order compares trials by what the query sorts by, then the newest first.
func (q *TrialQuery) order(a, b *trial) int {
	order := a.start - b.start
	switch q.Sort {
	case "title":
		order = strings.Compare(strings.ToLower(a.Title), strings.ToLower(b.Title))
	case "status":
		order = strings.Compare(a.Status, b.Status)
	case "phase":
		order = a.rank - b.rank
	}
	if !q.Ascending {
		order = -order
	}
	return cmp.Or(order, b.start-a.start)
}
