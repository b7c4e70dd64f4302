package limit

import (
	"context"
	"math"
)

// Amount is what model calls use: tokens, and their cost in millionths of a US dollar, rounded up.
type Amount struct{ Tokens, MicroDollars int64 }

// MicroDollars rounds dollars up to what an Amount counts, but for what calculating adds.
func MicroDollars(dollars float64) int64 { return int64(math.Ceil(dollars*1e6 - 1e-6)) }

// Plus adds two amounts that are not negative. Sums stay within their type.
func (a Amount) Plus(b Amount) Amount {
	return Amount{capped(a.Tokens, b.Tokens), capped(a.MicroDollars, b.MicroDollars)}
}

func capped(a, b int64) int64 {
	if a > math.MaxInt64-b {
		return math.MaxInt64
	}
	return a + b
}

// Budget bounds what model calls use. Its methods are called in turn: Hold before each call, and
// Settle after it.
type Budget interface {
	// Hold sets aside what a call will use, by an estimate. With an error the call is not made.
	Hold(ctx context.Context, estimate Amount) error
	// Settle records what the call used. ctx may have ended.
	Settle(ctx context.Context, used Amount)
}
