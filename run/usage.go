package run

import (
	"context"
	"errors"
	"time"

	"github.com/pageside/pageside/auth"
	"github.com/pageside/pageside/limit"
	"github.com/pageside/pageside/run/meter"
	"github.com/pageside/pageside/run/refusal"
	"github.com/pageside/pageside/store"
)

// report tells the audit log about a request that was refused because of a limit.
func (m *Manager) report(ctx context.Context, p auth.Principal, err error) {
	if e, ok := errors.AsType[*refusal.Error](err); ok && e.Limit != "" {
		m.limits.Reached(ctx, p, e.Limit)
	}
}

// Usage is what an owner holds and has used, beside what it may.
type Usage struct {
	Limits       Limits // those in force
	Runs         int    // live and waiting
	TenantRuns   int
	User, Tenant store.UsageSum // today
	Resets       time.Time      // when the next day begins
	Counted      bool           // usage is only counted if there is a quota
}

// Usage returns what an owner holds and has used.
func (m *Manager) Usage(ctx context.Context, o store.Owner) (u Usage, err error) {
	u = Usage{Limits: m.cfg.Limits, Resets: store.NextDay(time.Now()), Counted: m.cfg.Limits.HasQuotas()}
	u.Runs, u.TenantRuns = m.admission.Of(o)
	if u.Counted {
		u.User, u.Tenant, err = m.cfg.Store.UsageToday(ctx, o)
	}
	if err != nil {
		return Usage{}, StoreError("read what was used today", err)
	}
	return u, nil
}

// Budget returns the budget of one model call outside a run, such as for suggestions: the quotas of
// the day count it with the owner's runs. It is nil if there are none. Its errors are
// *refusal.Error.
func (m *Manager) Budget(o store.Owner) limit.Budget {
	if account := m.accounts.Call(o, newID("call")); account != nil {
		return account
	}
	return nil
}

// checkQuotas refuses a run whose owner has used up a quota of the day.
func (m *Manager) checkQuotas(ctx context.Context, o store.Owner) error {
	err := m.accounts.Check(ctx, o)
	if _, refused := errors.AsType[*refusal.Error](err); err == nil || refused {
		return err
	}
	return unavailable("what was used today could not be looked up", err)
}

// openAccount returns a run's account, or nil if nothing limits what it may use.
func (r *Run) openAccount(used limit.Amount) *meter.Account {
	return r.m.accounts.Run(r.owner, r.ID, r.m.cfg.Timeout, used)
}
