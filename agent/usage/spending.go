// Package usage counts what model calls use and cost: a Ledger takes the providers' reports, a
// Spending is what they amount to, as it is told and stored, and a Meter sets aside and settles the
// amounts that a budget allows.
package usage

import (
	"cmp"
	"encoding/json"
	"math"
	"slices"

	"github.com/pageside/pageside/agui"
	"github.com/pageside/pageside/internal/jsonx"
	"github.com/pageside/pageside/limit"
)

// Spending is what model calls used and cost. It does not include calls without a report from the
// provider, such as one that was cut off.
type Spending struct {
	Usage []agui.TokenUsage // one entry per provider and model
	Cost  *float64          // by the models' prices; nil if a needed price is unknown
	// Effort is the reasoning effort that the user has chosen for the answer's calls; "" for none.
	Effort string
}

// Add adds what other calls used.
func (s *Spending) Add(other Spending) {
	switch {
	case len(other.Usage) == 0:
		return
	case len(s.Usage) == 0:
		s.Cost = other.Cost
	case s.Cost != nil && other.Cost != nil:
		s.Cost = rounded(*s.Cost + *other.Cost)
	default:
		s.Cost = nil
	}
	s.Usage, s.Effort = slices.Clone(s.Usage), cmp.Or(s.Effort, other.Effort)
	for _, u := range other.Usage {
		i := slices.IndexFunc(s.Usage, func(known agui.TokenUsage) bool {
			return known.Provider == u.Provider && known.Model == u.Model
		})
		if i < 0 {
			s.Usage = append(s.Usage, u)
			continue
		}
		addTokens(&s.Usage[i], u)
	}
}

// rounded removes the noise of adding binary fractions: amounts are shown to people.
func rounded(amount float64) *float64 { return new(math.Round(amount*1e12) / 1e12) }

// addTokens adds counts. A count known to only one of the two is kept, except for the total, which
// would be less than what is known of its parts.
func addTokens(to *agui.TokenUsage, u agui.TokenUsage) {
	if to.TotalTokens == nil || u.TotalTokens == nil {
		to.TotalTokens, u.TotalTokens = nil, nil
	}
	for _, count := range [...]struct {
		to    **int64
		other *int64
	}{
		{&to.InputTokens, u.InputTokens}, {&to.OutputTokens, u.OutputTokens}, {&to.TotalTokens, u.TotalTokens},
		{&to.ReasoningTokens, u.ReasoningTokens}, {&to.CachedInputTokens, u.CachedInputTokens},
		{&to.CacheWriteInputTokens, u.CacheWriteInputTokens},
	} {
		switch {
		case count.other == nil:
		case *count.to == nil:
			*count.to = count.other
		default:
			*count.to = new(**count.to + *count.other)
		}
	}
}

// Amount returns what was spent. Calls of unknown price cost nothing.
func (s Spending) Amount() (a limit.Amount) {
	for _, u := range s.Usage {
		for _, count := range []*int64{u.InputTokens, u.OutputTokens} {
			if count != nil {
				a.Tokens += max(0, *count)
			}
		}
	}
	if s.Cost != nil {
		a.MicroDollars = limit.MicroDollars(*s.Cost)
	}
	return a
}

// kept is the stored form of a Spending.
type kept struct {
	Usage  json.RawMessage `json:"usage"`
	Cost   *float64        `json:"cost,omitzero"`
	Effort string          `json:"effort,omitzero"`
}

// Marshal returns the stored form, {"usage": [...], "cost": 0.01, "effort": "high"}, or nil if
// nothing is known.
func (s Spending) Marshal() (json.RawMessage, error) {
	if len(s.Usage) == 0 {
		return nil, nil
	}
	usage, err := agui.MarshalUsage(s.Usage)
	if err != nil {
		return nil, err
	}
	return jsonx.Marshal(kept{usage, s.Cost, s.Effort}), nil
}

// Unmarshal reads the stored form; nil is nothing.
func Unmarshal(stored json.RawMessage) (s Spending, err error) {
	var k kept
	if len(stored) > 0 {
		err = json.Unmarshal(stored, &k)
	}
	if err != nil || len(k.Usage) == 0 {
		return Spending{}, err
	}
	s.Cost, s.Effort = k.Cost, k.Effort
	s.Usage, err = agui.UnmarshalUsage(k.Usage)
	return s, err
}
