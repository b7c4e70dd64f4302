package usage

import (
	"context"
	"math"
	"sync/atomic"

	"github.com/pageside/pageside/limit"
	"github.com/pageside/pageside/llm"
)

// Meter measures the calls of a model for a budget. Without a budget it does nothing.
type Meter struct {
	Budget    limit.Budget // may be nil
	Model     llm.Model
	Estimates *Estimates
}

// Hold sets aside what a call with a prompt of input tokens will use.
func (m *Meter) Hold(ctx context.Context, input int) error {
	if m.Budget == nil {
		return nil
	}
	return m.Budget.Hold(ctx, m.price(int64(input), m.Estimates.Output()))
}

// Settle records what a call used, of which heard bytes were read: what the provider counted, or an
// estimate if it counts nothing or the call was cut off before it did. Otherwise users could avoid
// their quota by stopping each run.
func (m *Meter) Settle(ctx context.Context, input int, used Ledger, heard int, err error) {
	if m.Budget == nil {
		return
	}
	amount, in, out := used.Amount(m.Model)
	switch {
	case err == nil && !used.IsEmpty():
		m.Estimates.learnOutput(out)
	case err == nil || heard > 0 || ctx.Err() != nil:
		if in > 0 {
			input = 0 // reported at the beginning
		}
		missing := m.price(int64(input), max(0, int64(m.Estimates.Tokens(heard))-out))
		amount.Tokens += missing.Tokens
		amount.MicroDollars += missing.MicroDollars
	}
	m.Budget.Settle(ctx, amount)
}

// price returns the amount of a call that the model itself answers.
func (m *Meter) price(input, output int64) limit.Amount {
	dollars, _ := llm.Cost(llm.Usage{Input: &input, Output: &output}, m.Model.Info().Prices)
	return limit.Amount{Tokens: input + output, MicroDollars: limit.MicroDollars(dollars)}
}

// Estimates is what an agent has learned of its model from what providers count: how many bytes of
// a prompt are a token, and how many tokens a call usually writes. The zero value has rough values.
// Safe for concurrent use.
type Estimates struct {
	perToken atomic.Uint32 // bytes, the bits of a float32
	output   atomic.Int64  // tokens
}

// BytesPerToken is assumed until the first count.
const BytesPerToken = 4

const (
	leastCounted  = 200  // tokens of a prompt that teaches something
	outputAtFirst = 1000 // tokens
)

// Tokens estimates the tokens of a text.
func (e *Estimates) Tokens(bytes int) int {
	per := math.Float32frombits(e.perToken.Load())
	if per == 0 {
		per = BytesPerToken
	}
	return int(float32(bytes) / per)
}

// Learn takes the count of a prompt. It ignores short prompts and absurd counts.
func (e *Estimates) Learn(bytes, tokens int) {
	per := float32(bytes) / float32(tokens)
	if tokens < leastCounted || per < 1 || per > 16 {
		return
	}
	if old := math.Float32frombits(e.perToken.Load()); old != 0 {
		per = (3*old + per) / 4
	}
	e.perToken.Store(math.Float32bits(per))
}

// Output estimates the tokens that a call writes.
func (e *Estimates) Output() int64 {
	if n := e.output.Load(); n > 0 {
		return n
	}
	return outputAtFirst
}

// learnOutput takes the tokens that a call has written. The estimate grows at once and shrinks
// slowly: one that is too low lets parallel runs exceed their quota.
func (e *Estimates) learnOutput(tokens int64) {
	if tokens <= 0 {
		return
	}
	if old := e.output.Load(); tokens < old {
		tokens = old - (old-tokens+7)/8
	}
	e.output.Store(tokens)
}
