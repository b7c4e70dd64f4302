package agent

import (
	"math"
	"sync/atomic"

	"github.com/pageside/pageside/limit"
	"github.com/pageside/pageside/llm"
)

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
