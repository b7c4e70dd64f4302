package run

import (
	"encoding/json"
	"fmt"

	"github.com/pageside/pageside/agent"
	"github.com/pageside/pageside/agui"
	"github.com/pageside/pageside/internal/jsonx"
	"github.com/pageside/pageside/store"
)

// spent is what a run has used so far, split by what used it. It is stored with the events, so that
// a crash loses only the usage of the calls under way.
type spent struct {
	before  agent.Spending // by the processes that had the run before
	answer  agent.Spending
	title   agent.Spending
	changed bool // since news
}

func (s *spent) total() (sum agent.Spending) {
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
	stored, err := marshalSpending(s.total())
	if err != nil { // the end of the run says why
		return nil
	}
	return stored
}

// spendAnswer records what the answer has used so far.
func (w *writer) spendAnswer(used agent.Spending) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.spent.answer, w.spent.changed = used, true
}

// spendTitle records what naming the thread has used.
func (w *writer) spendTitle(used agent.Spending) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.spent.title, w.spent.changed = used, true
}

// spending returns what the run has used. An outcome that says what the answer used is right: an
// agent need not have told it before.
func (w *writer) spending(outcome agent.Outcome) agent.Spending {
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(outcome.Usage) > 0 {
		w.spent.answer = outcome.Spending
	}
	return w.spent.total()
}

// costOf returns the cost for a terminal event, which only has fields for usage:
// metadata.pageside.cost, in US dollars.
func costOf(s agent.Spending) (b agui.Base) {
	if s.Cost != nil {
		b.Metadata = agui.RunMark{Cost: s.Cost}.JSON()
	}
	return b
}

// marshalSpending returns the stored form, {"usage": [...], "cost": 0.01, "effort": "high"}, or nil
// if nothing is known.
func marshalSpending(s agent.Spending) (json.RawMessage, error) {
	if len(s.Usage) == 0 {
		return nil, nil
	}
	usage, err := agui.MarshalUsage(s.Usage)
	if err != nil {
		return nil, err
	}
	return jsonx.Marshal(struct {
		Usage  json.RawMessage `json:"usage"`
		Cost   *float64        `json:"cost,omitzero"`
		Effort string          `json:"effort,omitzero"`
	}{usage, s.Cost, s.Effort}), nil
}

// Spent returns what a stored run used and cost.
func Spent(row store.Run) (s agent.Spending, err error) {
	var kept struct {
		Usage  json.RawMessage
		Cost   *float64
		Effort string
	}
	if len(row.Usage) > 0 {
		err = json.Unmarshal(row.Usage, &kept)
	}
	if err == nil && len(kept.Usage) > 0 {
		s.Cost, s.Effort = kept.Cost, kept.Effort
		s.Usage, err = agui.UnmarshalUsage(kept.Usage)
	}
	if err != nil {
		return agent.Spending{}, fmt.Errorf("read the usage of run %q: %w", row.ID, err)
	}
	return s, nil
}
