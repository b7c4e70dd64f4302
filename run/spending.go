package run

import (
	"encoding/json"
	"fmt"

	"github.com/pageside/pageside/agent"
	"github.com/pageside/pageside/agent/usage"
	"github.com/pageside/pageside/agui"
	"github.com/pageside/pageside/store"
)

// spent is what a run has used so far, split by what used it. It is stored with the events, so that
// a crash loses only the usage of the calls under way.
type spent struct {
	before  usage.Spending // by the processes that had the run before
	answer  usage.Spending
	title   usage.Spending
	changed bool // since news
}

func (s *spent) total() (sum usage.Spending) {
	sum.Add(s.before)
	sum.Add(s.answer)
	sum.Add(s.title)
	return sum
}

// news returns the stored form of what was used, or nil if that has not changed.
func (s *spent) news() json.RawMessage {
	if !s.changed {
		return nil
	}
	s.changed = false
	stored, err := s.total().Marshal()
	if err != nil { // the end of the run says why
		return nil
	}
	return stored
}

// spendAnswer records what the answer has used so far.
func (w *writer) spendAnswer(used usage.Spending) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.spent.answer, w.spent.changed = used, true
}

// spendTitle records what naming the thread has used.
func (w *writer) spendTitle(used usage.Spending) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.spent.title, w.spent.changed = used, true
}

// spending returns what the run has used. An outcome that says what the answer used is right: an
// agent need not have told it before.
func (w *writer) spending(outcome agent.Outcome) usage.Spending {
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(outcome.Usage) > 0 {
		w.spent.answer = outcome.Spending
	}
	return w.spent.total()
}

// costOf returns the cost for a terminal event, which only has fields for usage:
// metadata.pageside.cost, in US dollars.
func costOf(s usage.Spending) (b agui.Base) {
	if s.Cost != nil {
		b.Metadata = agui.RunMark{Cost: s.Cost}.JSON()
	}
	return b
}

// Spent returns what a stored run used and cost.
func Spent(row store.Run) (usage.Spending, error) {
	s, err := usage.Unmarshal(row.Usage)
	if err != nil {
		return s, fmt.Errorf("read the usage of run %q: %w", row.ID, err)
	}
	return s, nil
}
