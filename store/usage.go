package store

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"time"

	"github.com/pageside/pageside/limit"
)

// Amount is what model calls use: tokens, and their cost in millionths of a US dollar.
type Amount = limit.Amount

// Quotas are what may be used in a day (UTC) by an owner and by all owners of a tenant. A zero is
// no quota.
type Quotas struct{ User, Tenant Amount }

// Hold sets an amount aside for a run's next model call. It counts as used until Until, or until
// AddUsage ends it: a process that dies leaves no hold for good.
type Hold struct {
	RunID  string
	Amount Amount
	Until  time.Time
}

// UsageSum is what was used on a day, and what is set aside.
type UsageSum struct{ Used, Held Amount }

// Usage counts what model calls use, by owner, tenant and day (UTC). A day counts for 62 days.
type Usage interface {
	// HoldUsage sets an amount aside for a run, in place of what was set aside for it before. It
	// returns a *QuotaError, and sets nothing aside, if then more than a quota would be used or
	// held today.
	HoldUsage(ctx context.Context, o Owner, h Hold, q Quotas) error

	// AddUsage adds to what the owner and its tenant have used today, and ends the run's hold. A
	// sum that would be too large for its type stays at the largest value.
	AddUsage(ctx context.Context, o Owner, runID string, used Amount) error

	// UsageToday returns what the owner and its tenant have used today, and what is set aside for
	// their runs.
	UsageToday(ctx context.Context, o Owner) (user, tenant UsageSum, err error)
}

// UsageDays is how many days usage is kept for.
const UsageDays = 62

// Scopes of a quota, and its units.
const (
	ScopeUser   = "user"
	ScopeTenant = "tenant"

	UnitTokens  = "tokens"
	UnitDollars = "dollars"
)

// QuotaError says which quota of a day is used up.
type QuotaError struct {
	Scope, Unit string
	Quota       int64     // in tokens or millionths of a dollar
	Resets      time.Time // when the next day begins
}

func (e *QuotaError) Error() string {
	quota := fmt.Sprintf("%d tokens", e.Quota)
	if e.Unit == UnitDollars {
		quota = fmt.Sprintf("$%.2f", float64(e.Quota)/1e6)
	}
	whose := "your"
	if e.Scope == ScopeTenant {
		whose = "your organisation's"
	}
	return fmt.Sprintf("%s quota of %s a day is used up until %s", whose, quota, e.Resets.Format(time.RFC3339))
}

// Day is the day of a time, as usage is counted: days since 1970, in UTC.
func Day(t time.Time) int64 { return int64(math.Floor(float64(t.Unix()) / 86400)) }

// NextDay returns when the day after that of t begins.
func NextDay(t time.Time) time.Time { return time.Unix((Day(t)+1)*86400, 0).UTC() }

// Allow returns a *QuotaError if more than a quota would be used with another amount. Like the
// functions below it is for implementations of Usage.
func (q Quotas) Allow(user, tenant UsageSum, more Amount, now time.Time) error {
	return cmp.Or(allow(ScopeUser, q.User, user, more, now), allow(ScopeTenant, q.Tenant, tenant, more, now))
}

// allow is Allow for one quota.
func allow(scope string, quota Amount, sum UsageSum, more Amount, now time.Time) error {
	total := sum.Used.Plus(sum.Held).Plus(more)
	switch {
	case quota.Tokens > 0 && total.Tokens > quota.Tokens:
		return &QuotaError{scope, UnitTokens, quota.Tokens, NextDay(now)}
	case quota.MicroDollars > 0 && total.MicroDollars > quota.MicroDollars:
		return &QuotaError{scope, UnitDollars, quota.MicroDollars, NextDay(now)}
	}
	return nil
}

// CheckAmount returns ErrInvalid for a negative amount: nobody is paid for using something.
func CheckAmount(a Amount) error {
	if a.Tokens < 0 || a.MicroDollars < 0 {
		return fmt.Errorf("usage: %w: it is negative", ErrInvalid)
	}
	return nil
}

// CheckHold returns ErrInvalid for a hold that no store can keep.
func CheckHold(h Hold) error {
	return cmp.Or(checkID("run id", h.RunID), CheckAmount(h.Amount))
}
