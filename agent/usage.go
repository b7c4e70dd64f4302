package agent

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/pageside/pageside/agui"
	"github.com/pageside/pageside/limit"
	"github.com/pageside/pageside/llm"
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

// ledger holds the usage of model calls by model, in order of first appearance. The name "" is the
// agent's own model.
type ledger struct{ entries []ledgerEntry }

type ledgerEntry struct {
	model string
	usage usage
}

func (l *ledger) of(model string) *usage {
	for i := range l.entries {
		if l.entries[i].model == model {
			return &l.entries[i].usage
		}
	}
	l.entries = append(l.entries, ledgerEntry{model: model})
	return &l.entries[len(l.entries)-1].usage
}

// take takes a report of the call.
func (l *ledger) take(p *llm.Part) {
	if p.Usage != nil {
		(*llm.Usage)(l.of(p.Model)).Take(p)
	}
}

// add adds the usage of another call.
func (l *ledger) add(call ledger) {
	for _, e := range call.entries {
		l.of(e.model).add(e.usage)
	}
}

// last returns the usage of the model that answered a call: with a fallback, the last one asked.
func (l *ledger) last() usage {
	if len(l.entries) == 0 {
		return usage{}
	}
	return l.entries[len(l.entries)-1].usage
}

// total returns the usage and cost of all calls.
func (l *ledger) total(model llm.Model) (s Spending) {
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

// scale is the bytes per token in an agent's prompts. It learns from every prompt that the provider
// counts.
type scale struct{ bits uint32 } // of a float32, read and written atomically

const (
	bytesPerToken = 4 // until the first count
	leastCounted  = 200
)

func (s *scale) tokens(bytes int) int {
	per := math.Float32frombits(atomic.LoadUint32(&s.bits))
	if per == 0 {
		per = bytesPerToken
	}
	return int(float32(bytes) / per)
}

// learn moves the scale towards a counted prompt. It ignores short prompts and absurd counts.
func (s *scale) learn(bytes, tokens int) {
	per := float32(bytes) / float32(tokens)
	if tokens < leastCounted || per < 1 || per > 16 {
		return
	}
	if old := math.Float32frombits(atomic.LoadUint32(&s.bits)); old != 0 {
		per = (3*old + per) / 4
	}
	atomic.StoreUint32(&s.bits, math.Float32bits(per))
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
		a.MicroDollars = microDollars(*s.Cost)
	}
	return a
}

func microDollars(dollars float64) int64 { return int64(math.Ceil(dollars*1e6 - 1e-6)) }

// amount returns what calls used, and the tokens of it. Unknown prices count as zero.
func (l *ledger) amount(model llm.Model) (a limit.Amount, input, output int64) {
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
	return limit.Amount{Tokens: input + output, MicroDollars: microDollars(dollars)}, input, output
}

// usual is how many tokens an agent's model usually writes in a call. It grows at once and shrinks
// slowly: an estimate that is too low lets parallel runs exceed their quota.
type usual struct{ tokens atomic.Int64 }

const usualAtFirst = 1000

func (u *usual) output() int64 {
	if n := u.tokens.Load(); n > 0 {
		return n
	}
	return usualAtFirst
}

func (u *usual) learn(output int64) {
	if output <= 0 {
		return
	}
	if old := u.tokens.Load(); output < old {
		output = old - (old-output+7)/8
	}
	u.tokens.Store(output)
}
