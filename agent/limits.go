package agent

import (
	"cmp"
	"time"

	"github.com/pageside/pageside/agent/prompt"
	"github.com/pageside/pageside/llm"
	"github.com/pageside/pageside/page"
)

// Limits bounds what an agent's runs use. The zero value of a field means its default.
type Limits struct {
	// Steps is how many model calls a run may make before it must answer; default 12. Runs linked
	// by frontend calls share four times as many.
	Steps int
	// CallsAtOnce is how many tool calls may run concurrently; default 8.
	CallsAtOnce int
	// CallsPerQuestion is how many tool calls one question may make, also across the runs that
	// calls of the page split it into; default 64. read_result and retrieve_items are not counted.
	CallsPerQuestion int
	// ContextTokens is the estimated token budget of the page context; default 1500. Texts and
	// schemas of clients without Pageside's metadata then have 8 % of the model's window for
	// themselves, at most 16,000 tokens, and 8,000 where the window is unknown.
	ContextTokens int
	// RetryFor is how long a step may be retried before it has emitted anything; default 30 s.
	RetryFor time.Duration
	// ResultBytes is how much of a tool result is put into the prompt; the model can read the rest
	// on request. The default is 16 KiB, and the least 1 KiB.
	ResultBytes int
}

const defaultContextTokens = 1500

// effective returns the limits with their defaults, but for ContextTokens: see contextBudget.
func (l Limits) effective() Limits {
	l.Steps = cmp.Or(l.Steps, 12)
	l.CallsAtOnce = cmp.Or(l.CallsAtOnce, 8)
	l.CallsPerQuestion = cmp.Or(l.CallsPerQuestion, 64)
	l.RetryFor = cmp.Or(l.RetryFor, 30*time.Second)
	l.ResultBytes = max(cmp.Or(l.ResultBytes, 16<<10), prompt.LeastResult)
	return l
}

func (l Limits) areNegative() bool {
	return min(l.Steps, l.CallsAtOnce, l.CallsPerQuestion, l.ContextTokens, l.ResultBytes) < 0 || l.RetryFor < 0
}

// What texts and schemas of plain clients may have of a prompt, in tokens.
const (
	wholePercent = 8 // of the model's window
	mostWhole    = 16_000
	usualWhole   = 8_000 // where the window is unknown
)

// contextBudget is the budget of the page context for a model.
func (l Limits) contextBudget(model llm.Info) page.Budget {
	if l.ContextTokens > 0 {
		return page.Budget{Tokens: l.ContextTokens}
	}
	whole := usualWhole
	if model.ContextWindow > 0 {
		whole = min(model.ContextWindow*wholePercent/100, mostWhole)
	}
	if whole <= defaultContextTokens { // a small window has no room for both
		whole = 0
	}
	return page.Budget{Tokens: defaultContextTokens, Whole: whole}
}
