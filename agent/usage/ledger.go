package usage

import (
	"cmp"
	"strings"

	"github.com/pageside/pageside/agui"
	"github.com/pageside/pageside/limit"
	"github.com/pageside/pageside/llm"
)

// Ledger holds the usage of model calls by model, in order of first appearance. The name "" is the
// agent's own model.
type Ledger struct{ entries []entry }

type entry struct {
	model string
	usage usage
}

func (l *Ledger) of(model string) *usage {
	for i := range l.entries {
		if l.entries[i].model == model {
			return &l.entries[i].usage
		}
	}
	l.entries = append(l.entries, entry{model: model})
	return &l.entries[len(l.entries)-1].usage
}

// Take takes a report of the call.
func (l *Ledger) Take(p *llm.Part) {
	if p.Usage != nil {
		(*llm.Usage)(l.of(p.Model)).Take(p)
	}
}

// Add adds the usage of other calls.
func (l *Ledger) Add(call Ledger) {
	for _, e := range call.entries {
		l.of(e.model).add(e.usage)
	}
}

// Last returns the usage of the model that answered a call: with a fallback, the last one asked.
func (l *Ledger) Last() llm.Usage {
	if len(l.entries) == 0 {
		return llm.Usage{}
	}
	return llm.Usage(l.entries[len(l.entries)-1].usage)
}

// Sum returns the usage of all calls, whichever model answered them.
func (l *Ledger) Sum() llm.Usage {
	var sum usage
	for _, e := range l.entries {
		sum.add(e.usage)
	}
	return llm.Usage(sum)
}

// Answerer returns the name of the model that answered a call, own if no report named one.
func (l *Ledger) Answerer(own string) string {
	if len(l.entries) == 0 {
		return own
	}
	return cmp.Or(l.entries[len(l.entries)-1].model, own)
}

// IsEmpty reports whether no provider has reported anything.
func (l *Ledger) IsEmpty() bool { return len(l.entries) == 0 }

// Total returns the usage and cost of all calls.
func (l *Ledger) Total(model llm.Model) (s Spending) {
	answerers := llm.Answerers(model)
	for _, e := range l.entries {
		info := infoOf(e.model, model.Info(), answerers)
		total, known := e.usage.total(info)
		if !known {
			continue
		}
		part := Spending{Usage: []agui.TokenUsage{total}}
		if amount, known := llm.Cost(llm.Usage(e.usage), info.Prices); known {
			part.Cost = rounded(amount)
		}
		s.Add(part)
	}
	return s
}

// infoOf returns the info of a model named in a report.
func infoOf(name string, own llm.Info, answerers []llm.Info) llm.Info {
	if name == "" {
		name = own.Name()
	}
	for _, info := range answerers {
		if info.Name() == name {
			return info
		}
	}
	provider, model, _ := strings.Cut(name, "/")
	return llm.Info{Provider: provider, Model: model}
}

// usage counts tokens. A nil count is unknown, not zero.
type usage llm.Usage

// add adds the usage of another call.
func (u *usage) add(call usage) {
	if *u != (usage{}) && (u.Total == nil || call.Total == nil) { // see addTokens
		u.Total, call.Total = nil, nil
	}
	for i, from := range call.counts() {
		if *from == nil {
			continue
		}
		to := u.counts()[i]
		sum := **from
		if *to != nil {
			sum += **to
		}
		*to = &sum
	}
}

func (u *usage) counts() [6]**int64 {
	return [...]**int64{&u.Input, &u.Output, &u.Total, &u.Reasoning, &u.CacheRead, &u.CacheWrite}
}

// total returns the usage as AG-UI reports it; known is false if the provider reported none.
func (u *usage) total(model llm.Info) (total agui.TokenUsage, known bool) {
	total = agui.TokenUsage{
		Provider: model.Provider, Model: model.Model,
		InputTokens: u.Input, OutputTokens: u.Output, TotalTokens: u.Total, ReasoningTokens: u.Reasoning,
		CachedInputTokens: u.CacheRead, CacheWriteInputTokens: u.CacheWrite,
	}
	for _, count := range u.counts() {
		known = known || *count != nil
	}
	return total, known
}

// Amount returns what calls used, and the tokens of it. Unknown prices count as zero.
func (l *Ledger) Amount(model llm.Model) (a limit.Amount, input, output int64) {
	answerers := llm.Answerers(model)
	var dollars float64
	for _, e := range l.entries {
		cost, _ := llm.Cost(llm.Usage(e.usage), infoOf(e.model, model.Info(), answerers).Prices)
		dollars += cost
		if e.usage.Input != nil {
			input += max(0, *e.usage.Input)
		}
		if e.usage.Output != nil {
			output += max(0, *e.usage.Output)
		}
	}
	return limit.Amount{Tokens: input + output, MicroDollars: limit.MicroDollars(dollars)}, input, output
}
