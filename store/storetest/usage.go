package storetest

import (
	"errors"
	"fmt"
	"math"
	"testing"
	"time"

	"github.com/pageside/pageside/store"
	"github.com/pageside/pageside/test/must"
)

func hold(run string, tokens int64) store.Hold {
	return store.Hold{RunID: run, Amount: amount(tokens), Until: later}
}

func amount(tokens int64) store.Amount {
	return store.Amount{Tokens: tokens, MicroDollars: 10 * tokens}
}

var ofUsage = []promise{
	{"usage is added up by user and tenant", func(t *testing.T, s Store) {
		awayFromMidnight()
		no := store.Quotas{}
		wantUsage(t, s, ada, 0, 0, 0, 0)
		must.Do(t, s.HoldUsage(ctx, ada, hold("r1", 50), no), s.HoldUsage(ctx, bob, hold("r1", 5), no))
		must.Do(t, s.HoldUsage(ctx, ada, hold("r1", 70), no)) // in place of the first
		wantUsage(t, s, ada, 0, 70, 0, 75)
		must.Do(t, s.AddUsage(ctx, ada, "r1", amount(60)))
		wantUsage(t, s, ada, 60, 0, 60, 5)
		must.Do(t, s.AddUsage(ctx, ada, "r2", amount(1))) // nothing was held for it
		must.Do(t, s.AddUsage(ctx, bob, "r1", amount(0)), s.AddUsage(ctx, other, "r1", amount(1000)))
		wantUsage(t, s, ada, 61, 0, 61, 0)
		wantUsage(t, s, bob, 0, 0, 61, 0)
		wantUsage(t, s, other, 1000, 0, 1000, 0)
	}},
	{"usage stays within quotas", func(t *testing.T, s Store) {
		awayFromMidnight()
		q := store.Quotas{User: store.Amount{Tokens: 100}, Tenant: store.Amount{MicroDollars: 1500}}
		holds := func(o store.Owner, run string, tokens int64) error {
			return s.HoldUsage(ctx, o, hold(run, tokens), q)
		}
		must.Do(t, s.AddUsage(ctx, ada, "r0", amount(40)))
		must.Do(t, holds(ada, "r1", 50))
		must.Do(t, holds(ada, "r1", 60)) // exactly the quota
		wantQuota(t, "more", holds(ada, "r1", 61), store.ScopeUser, store.UnitTokens)
		wantQuota(t, "another run", holds(ada, "r2", 1), store.ScopeUser, store.UnitTokens)
		wantUsage(t, s, ada, 40, 60, 40, 60)
		must.Do(t, holds(bob, "r1", 50))
		wantQuota(t, "the tenant's", holds(bob, "r2", 1), store.ScopeTenant, store.UnitDollars)
		must.Do(t, holds(other, "r1", 100))
		// what a dead process has set aside ends by itself
		must.Do(t, s.HoldUsage(ctx, ada, with(hold("r1", 60), func(h *store.Hold) { h.Until = just() }), q))
		wantUsage(t, s, ada, 40, 0, 40, 50)
		must.Do(t, holds(ada, "r2", 60))
	}},
	{"usage does not overflow", func(t *testing.T, s Store) {
		awayFromMidnight()
		most := store.Amount{Tokens: math.MaxInt64, MicroDollars: math.MaxInt64 - 1}
		for range 2 {
			must.Do(t, s.AddUsage(ctx, ada, "r", most))
			must.Do(t, s.HoldUsage(ctx, ada, store.Hold{RunID: "r2", Amount: most, Until: later}, store.Quotas{}))
		}
		user, tenant, err := s.UsageToday(ctx, ada)
		full := store.Amount{Tokens: math.MaxInt64, MicroDollars: math.MaxInt64}
		want(t, "the user's sums", store.UsageSum{Used: full, Held: most})(user, err)
		want(t, "what the tenant has used", full)(tenant.Used, err)
		q := store.Quotas{User: store.Amount{Tokens: math.MaxInt64 - 1}}
		wantQuota(t, "beyond all bounds", s.HoldUsage(ctx, ada, hold("r3", 1), q), store.ScopeUser, store.UnitTokens)
	}},
}

func wantUsage(t *testing.T, s store.Store, o store.Owner, used, held, tenantUsed, tenantHeld int64) {
	t.Helper()
	user, tenant, err := s.UsageToday(ctx, o)
	sum := func(used, held int64) store.UsageSum { return store.UsageSum{Used: amount(used), Held: amount(held)} }
	want(t, fmt.Sprintf("usage of %v", o), sum(used, held))(user, err)
	want(t, fmt.Sprintf("usage of the tenant of %v", o), sum(tenantUsed, tenantHeld))(tenant, err)
}

func wantQuota(t *testing.T, what string, err error, scope, unit string) {
	t.Helper()
	e, ok := errors.AsType[*store.QuotaError](err)
	if !ok || e.Scope != scope || e.Unit != unit || !e.Resets.Equal(store.NextDay(time.Now())) {
		t.Errorf("%s: error is %v, want that the %s's %s are used up", what, err, scope, unit)
	}
}

// awayFromMidnight waits while a day is about to end: a test must not be on two days.
func awayFromMidnight() {
	if left := time.Until(store.NextDay(time.Now())); left < 30*time.Second {
		time.Sleep(left)
	}
}
