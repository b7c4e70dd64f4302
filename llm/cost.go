package llm

import "cmp"

// Cost returns the cost of a call in the currency of the prices. Tokens read from or written to a
// cache are part of Input and are counted once, at their own price if known. It returns false if a
// needed count or price is unknown; the amount is then a lower bound.
func Cost(u Usage, p Prices) (amount float64, known bool) {
	known = u.Input != nil && u.Output != nil
	read, write := tokens(u.CacheRead), tokens(u.CacheWrite)
	fresh := max(0, tokens(u.Input)-read-write)
	for _, part := range [...]struct {
		tokens int64
		price  float64
	}{
		{fresh, p.Input},
		{read, cmp.Or(p.CacheRead, p.Input)},
		{write, cmp.Or(p.CacheWrite, p.Input)},
		{tokens(u.Output), p.Output},
	} {
		amount += float64(part.tokens) * part.price / 1e6
		known = known && (part.tokens == 0 || part.price > 0)
	}
	return amount, known
}

func tokens(n *int64) int64 {
	if n == nil {
		return 0
	}
	return max(0, *n)
}
