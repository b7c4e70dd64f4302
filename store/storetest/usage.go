package storetest

import (
	"errors"
	"fmt"
	"math"
	"sync"
	"testing"
	"time"

	"github.com/pageside/pageside/store"
)

func hold(run string, tokens int64) store.Hold {
	return store.Hold{RunID: run, Amount: store.Amount{Tokens: tokens, MicroDollars: 10 * tokens}, Until: time.Now().Add(time.Hour)}
}

func amount(tokens int64) store.Amount {
	return store.Amount{Tokens: tokens, MicroDollars: 10 * tokens}
}

func wantUsage(t *testing.T, s store.Store, o store.Owner, used, held, tenantUsed, tenantHeld int64) {
	t.Helper()
	user, tenant, err := s.UsageToday(t.Context(), o)
	if want := (store.UsageSum{Used: amount(used), Held: amount(held)}); err != nil || user != want {
		t.Errorf("%v has %+v, %v, want %+v", o, user, err, want)
	}
	if want := (store.UsageSum{Used: amount(tenantUsed), Held: amount(tenantHeld)}); tenant != want {
		t.Errorf("the tenant of %v has %+v, want %+v", o, tenant, want)
	}
}

// awayFromMidnight waits while a day is about to end: a test must not be on two days.
func awayFromMidnight() {
	if left := time.Until(store.NextDay(time.Now())); left < 30*time.Second {
		time.Sleep(left)
	}
}

func testUsage(t *testing.T, s store.Store) {
	awayFromMidnight()
	wantUsage(t, s, ada, 0, 0, 0, 0)
	must(t, s.HoldUsage(t.Context(), ada, hold("r1", 50), store.Quotas{}))
	must(t, s.HoldUsage(t.Context(), ada, hold("r1", 70), store.Quotas{})) // in place of the first
	must(t, s.HoldUsage(t.Context(), bob, hold("r1", 5), store.Quotas{}))
	wantUsage(t, s, ada, 0, 70, 0, 75)
	must(t, s.AddUsage(t.Context(), ada, "r1", amount(60)))
	wantUsage(t, s, ada, 60, 0, 60, 5)
	must(t, s.AddUsage(t.Context(), ada, "r2", amount(1))) // nothing was held for it
	must(t, s.AddUsage(t.Context(), bob, "r1", amount(0)))
	must(t, s.AddUsage(t.Context(), other, "r1", amount(1000)))
	wantUsage(t, s, ada, 61, 0, 61, 0)
	wantUsage(t, s, bob, 0, 0, 61, 0)
	wantUsage(t, s, other, 1000, 0, 1000, 0)
	wantErr(t, "nobody", s.AddUsage(t.Context(), store.Owner{}, "r", amount(1)), store.ErrInvalid)
	wantErr(t, "no run", s.AddUsage(t.Context(), ada, "", amount(1)), store.ErrInvalid)
	wantErr(t, "no run", s.HoldUsage(t.Context(), ada, hold("", 1), store.Quotas{}), store.ErrInvalid)
}

// testUsageOfEvents: what a run has used is stored with the batch that says so and with no other,
// and the end of the run replaces it.
func testUsageOfEvents(t *testing.T, s store.Store) {
	want := func(what, usage string) {
		t.Helper()
		if r, err := s.Run(t.Context(), ada, "r1"); err != nil || string(r.Usage) != usage {
			t.Errorf("%s: usage is %s, %v, want %s", what, r.Usage, err, usage)
		}
	}
	with := func(b store.Batch, usage string) store.Batch {
		b.Usage = []byte(usage)
		return b
	}
	begin(t, s, ada, "r1", "t1", user("q", "?"))
	begin(t, s, bob, "r1", "t1", user("q", "?"))
	want("nothing yet", "")
	first := with(events("r1", 1, 1, "a"), `{"usage":[ 1]}`)
	must(t, appended(s, ada, first))
	first.Usage[0] = '!'
	want("a batch", `{"usage":[ 1]}`)
	must(t, appended(s, ada, events("r1", 1, 2, "b")))
	want("a batch without", `{"usage":[ 1]}`)
	wantErr(t, "a gap", appended(s, ada, with(events("r1", 1, 9, "c"), `[2]`)), store.ErrInvalid)
	wantErr(t, "no JSON", appended(s, ada, with(events("r1", 1, 3, "c"), `[2`)), store.ErrInvalid)
	want("refused batches", `{"usage":[ 1]}`)
	_, err := s.TakeOver(t.Context(), ada, "r1")
	must(t, err)
	wantErr(t, "an earlier writer", appended(s, ada, with(events("r1", 1, 3, "c"), `[3]`)), store.ErrFenced)
	want("taken over", `{"usage":[ 1]}`)
	must(t, appended(s, ada, with(events("r1", 2, 3, "c"), `[4]`)))
	want("the next writer", `[4]`)
	if live, err := s.LiveRuns(t.Context()); err != nil || len(live) != 2 || string(live[0].Run.Usage)+string(live[1].Run.Usage) != `[4]` {
		t.Errorf("live runs are %+v, %v", live, err)
	}
	end := finished("r1")
	end.Usage = []byte(`[5]`)
	must(t, s.EndRun(t.Context(), ada, end, nil, with(events("r1", 2, 4, "d"), `[6]`)))
	want("the end", `[5]`)
	wantErr(t, "an ended run", appended(s, ada, with(events("r1", 2, 5, "e"), `[7]`)), store.ErrConflict)
	want("after the end", `[5]`)
}

func wantQuota(t *testing.T, what string, err error, scope, unit string) {
	t.Helper()
	e, ok := errors.AsType[*store.QuotaError](err)
	if !ok || e.Scope != scope || e.Unit != unit || !e.Resets.Equal(store.NextDay(time.Now())) {
		t.Errorf("%s: error is %v, want that the %s's %s are used up", what, err, scope, unit)
	}
}

func testQuotas(t *testing.T, s store.Store) {
	awayFromMidnight()
	q := store.Quotas{User: store.Amount{Tokens: 100}, Tenant: store.Amount{MicroDollars: 1500}}
	must(t, s.AddUsage(t.Context(), ada, "r0", amount(40)))
	must(t, s.HoldUsage(t.Context(), ada, hold("r1", 50), q))
	must(t, s.HoldUsage(t.Context(), ada, hold("r1", 60), q)) // exactly the quota
	wantQuota(t, "more", s.HoldUsage(t.Context(), ada, hold("r1", 61), q), store.ScopeUser, store.UnitTokens)
	wantQuota(t, "another run", s.HoldUsage(t.Context(), ada, hold("r2", 1), q), store.ScopeUser, store.UnitTokens)
	wantUsage(t, s, ada, 40, 60, 40, 60)
	must(t, s.HoldUsage(t.Context(), bob, hold("r1", 50), q))
	wantQuota(t, "the tenant's", s.HoldUsage(t.Context(), bob, hold("r2", 1), q), store.ScopeTenant, store.UnitDollars)
	must(t, s.HoldUsage(t.Context(), other, hold("r1", 100), q))
	// what a dead process has set aside ends by itself
	short := hold("r1", 60)
	short.Until = time.Now().Add(-time.Millisecond)
	must(t, s.HoldUsage(t.Context(), ada, short, q))
	wantUsage(t, s, ada, 40, 0, 40, 50)
	must(t, s.HoldUsage(t.Context(), ada, hold("r2", 60), q))
}

// testParallelHolds: of many runs that want their part at once, exactly those that fit get it.
func testParallelHolds(t *testing.T, s store.Store) {
	awayFromMidnight()
	q := store.Quotas{User: store.Amount{Tokens: 100}}
	var all sync.WaitGroup
	errs := make([]error, 50)
	for i := range errs {
		all.Go(func() {
			run := fmt.Sprint("r", i)
			if errs[i] = s.HoldUsage(t.Context(), ada, hold(run, 10), q); errs[i] == nil {
				errs[i] = s.AddUsage(t.Context(), ada, run, amount(10))
			}
		})
	}
	all.Wait()
	admitted := 0
	for _, err := range errs {
		if err == nil {
			admitted++
			continue
		}
		wantQuota(t, "a run too many", err, store.ScopeUser, store.UnitTokens)
	}
	if admitted != 10 {
		t.Errorf("%d runs of 10 tokens fit into 100", admitted)
	}
	wantUsage(t, s, ada, 100, 0, 100, 0)
}

func testUsageBounds(t *testing.T, s store.Store) {
	awayFromMidnight()
	wantErr(t, "negative tokens", s.AddUsage(t.Context(), ada, "r", store.Amount{Tokens: -1}), store.ErrInvalid)
	wantErr(t, "negative cost", s.AddUsage(t.Context(), ada, "r", store.Amount{MicroDollars: -1}), store.ErrInvalid)
	wantErr(t, "negative hold", s.HoldUsage(t.Context(), ada, hold("r", -1), store.Quotas{}), store.ErrInvalid)
	wantUsage(t, s, ada, 0, 0, 0, 0)
	most := store.Amount{Tokens: math.MaxInt64, MicroDollars: math.MaxInt64 - 1}
	for range 2 {
		must(t, s.AddUsage(t.Context(), ada, "r", most))
		must(t, s.HoldUsage(t.Context(), ada, store.Hold{RunID: "r2", Amount: most, Until: time.Now().Add(time.Hour)}, store.Quotas{}))
	}
	user, tenant, err := s.UsageToday(t.Context(), ada)
	full := store.Amount{Tokens: math.MaxInt64, MicroDollars: math.MaxInt64}
	if err != nil || user.Used != full || tenant.Used != full || user.Held != most {
		t.Errorf("sums are %+v and %+v, %v", user, tenant, err)
	}
	wantQuota(t, "beyond all bounds", s.HoldUsage(t.Context(), ada, hold("r3", 1), store.Quotas{User: store.Amount{Tokens: math.MaxInt64 - 1}}), store.ScopeUser, store.UnitTokens)
}
