package tool

import (
	"fmt"
	"math"
	"time"

	"github.com/pageside/pageside/auth"
	"github.com/pageside/pageside/limit"
)

// Limiter counts how often each user has a tool called. nil is no limit. Safe for concurrent use.
type Limiter struct {
	rate  limit.Rate
	calls *limit.Buckets[caller]
}

// caller is who has a tool called.
type caller struct{ tenant, subject string }

// maxCallers bounds how many users of one tool are told apart at a time.
const maxCallers = 10_000

// NewLimiter returns the limiter of one tool, nil for a rate that is no limit.
func NewLimiter(rate limit.Rate) *Limiter {
	if !rate.Limited() {
		return nil
	}
	return &Limiter{rate, limit.NewBuckets[caller](maxCallers)}
}

// TooOften counts a call of the tool, and returns the error for one beyond its rate, or nil.
func (l *Limiter) TooOften(name string, p auth.Principal) *Error {
	if l == nil {
		return nil
	}
	wait := l.calls.Take(caller{p.Tenant, p.Subject}, l.rate, time.Now())
	if wait == 0 {
		return nil
	}
	return &Error{
		Code: CodeRateLimited,
		Message: fmt.Sprintf("%s was called too often for this user: it was not called now, and can be called again in %d s",
			name, int(math.Ceil(wait.Seconds()))),
		Retryable: true, Hint: "Go on without it, or tell the user when to ask again.",
	}
}
