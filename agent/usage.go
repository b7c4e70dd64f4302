package agent

import (
	"github.com/pageside/pageside/agui"
	"github.com/pageside/pageside/llm"
)

// usage counts tokens. A nil count is unknown, which is not zero.
type usage llm.Usage

// merge takes over what one more report of the same call knows. Providers report running totals: the last one counts.
func (u *usage) merge(report *llm.Usage) {
	if report == nil {
		return
	}
	for i, from := range (*usage)(report).counts() {
		if *from != nil {
			*u.counts()[i] = *from
		}
	}
}

// add adds the usage of another call.
func (u *usage) add(call usage) {
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

func (u *usage) counts() [5]**int64 {
	return [...]**int64{&u.Input, &u.Output, &u.Reasoning, &u.CacheRead, &u.CacheWrite}
}

// total is the usage as AG-UI reports it; known is false where the provider said nothing.
func (u *usage) total(model llm.Info) (total agui.TokenUsage, known bool) {
	total = agui.TokenUsage{
		Provider: model.Provider, Model: model.Model,
		InputTokens: u.Input, OutputTokens: u.Output, ReasoningTokens: u.Reasoning,
		CachedInputTokens: u.CacheRead, CacheWriteInputTokens: u.CacheWrite,
	}
	for _, count := range u.counts() {
		known = known || *count != nil
	}
	if u.Input != nil && u.Output != nil {
		total.TotalTokens = new(*u.Input + *u.Output)
	}
	return total, known
}
