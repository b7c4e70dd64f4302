package agent

import (
	"context"

	"github.com/pageside/pageside/limit"
	"github.com/pageside/pageside/llm"
)

// meter measures model calls for a run's budget. Without a budget it does nothing.
type meter struct {
	budget limit.Budget // may be nil
	model  llm.Model
	usual  *usual
	scale  *scale
}

// hold sets aside what a call with a prompt of input tokens will use.
func (m *meter) hold(ctx context.Context, input int) error {
	if m.budget == nil {
		return nil
	}
	return m.budget.Hold(ctx, m.price(int64(input), m.usual.output()))
}

// settle records what a call used: what the provider counted, or an estimate if a call was cut off
// before the provider reported. Otherwise users could avoid their quota by stopping each run.
func (m *meter) settle(ctx context.Context, input int, used ledger, heard int, err error) {
	if m.budget == nil {
		return
	}
	amount, in, out := used.amount(m.model)
	switch {
	case err == nil:
		m.usual.learn(out)
	case heard > 0 || ctx.Err() != nil:
		if in > 0 {
			input = 0 // reported at the beginning
		}
		missing := m.price(int64(input), max(0, int64(m.scale.tokens(heard))-out))
		amount.Tokens += missing.Tokens
		amount.MicroDollars += missing.MicroDollars
	}
	m.budget.Settle(ctx, amount)
}

// price returns the amount of a call of the agent's own model.
func (m *meter) price(input, output int64) limit.Amount {
	dollars, _ := llm.Cost(llm.Usage{Input: &input, Output: &output}, m.model.Info().Prices)
	return limit.Amount{Tokens: input + output, MicroDollars: microDollars(dollars)}
}
