package run

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/pageside/pageside/limit"
	"github.com/pageside/pageside/run/refusal"
	"github.com/pageside/pageside/store"
)

// account is what one run may use and has used. It implements limit.Budget: before each model call
// it sets aside an estimate, in the store if there are quotas of a day, and after the call it
// records what the provider counted. So parallel runs, of several processes too, use no more than a
// quota and what their calls under way use beyond their estimates.
type account struct {
	m    *Manager
	run  *Run
	ends time.Time // when a hold ends by itself: the run is over by then
	// one model call outside a run, which only the quotas of a day are about
	alone bool

	mu   sync.Mutex
	used limit.Amount
}

// openAccount returns a run's account, or nil if nothing limits what it may use.
func (r *Run) openAccount() *account {
	if r.m.cfg.Limits.Run == (limit.Amount{}) && !r.m.cfg.Limits.hasQuotas() {
		return nil
	}
	return &account{m: r.m, run: r, ends: time.Now().Add(r.m.cfg.Timeout + time.Minute)}
}

// Hold implements limit.Budget. Its error is a *refusal.Error where a limit is reached.
func (a *account) Hold(ctx context.Context, estimate limit.Amount) error {
	if err := a.allow(estimate); err != nil {
		return err
	}
	if !a.m.cfg.Limits.hasQuotas() {
		return nil
	}
	err := a.m.cfg.Store.HoldUsage(ctx, a.run.owner, store.Hold{
		RunID: a.run.ID, Amount: estimate, Until: a.ends,
	}, a.m.cfg.Limits.Day)
	if e, over := errors.AsType[*store.QuotaError](err); over {
		return overQuota(e)
	}
	if err != nil && ctx.Err() == nil {
		return fmt.Errorf("%w: set usage aside: %w", errStore, err)
	}
	return err
}

// allow returns an error if the run would use more than one run may.
func (a *account) allow(more limit.Amount) error {
	a.mu.Lock()
	total := a.used.Plus(more)
	a.mu.Unlock()
	most := a.m.cfg.Limits.Run
	switch {
	case a.alone:
	case most.Tokens > 0 && total.Tokens > most.Tokens:
		return &refusal.Error{
			Code: refusal.Budget, Limit: limitRunTokens,
			Message: fmt.Sprintf("the answer would use more than the %d tokens that one answer may use", most.Tokens),
		}
	case most.MicroDollars > 0 && total.MicroDollars > most.MicroDollars:
		return &refusal.Error{
			Code: refusal.Budget, Limit: limitRunDollars,
			Message: fmt.Sprintf("the answer would cost more than the $%.2f that one answer may cost",
				float64(most.MicroDollars)/1e6),
		}
	}
	return nil
}

// Settle implements limit.Budget. If the store fails, the estimate stays set aside until the run
// would have ended.
func (a *account) Settle(ctx context.Context, used limit.Amount) { a.add(ctx, a.run.ID, used) }

// add records an amount, and ends what was set aside under an id.
func (a *account) add(ctx context.Context, id string, used limit.Amount) {
	a.mu.Lock()
	a.used = a.used.Plus(used)
	a.mu.Unlock()
	if !a.m.cfg.Limits.hasQuotas() {
		return
	}
	ctx, stop := context.WithTimeout(context.WithoutCancel(ctx), storeTimeout)
	defer stop()
	if err := a.m.cfg.Store.AddUsage(ctx, a.run.owner, id, used); err != nil {
		a.m.log.Error("what a model call used could not be counted", "run", a.run.ID, "tokens", used.Tokens,
			"microDollars", used.MicroDollars, "error", err)
	}
}

// aloneFor is how long a call outside a run may take.
const aloneFor = 2 * time.Minute

// Budget returns the budget of one model call outside a run, such as for suggestions: the quotas of
// the day count it with the owner's runs. It is nil if there are none. Its errors are
// *refusal.Error.
func (m *Manager) Budget(o store.Owner) limit.Budget {
	if !m.cfg.Limits.hasQuotas() {
		return nil
	}
	return &account{
		m: m, run: &Run{ID: newID("call"), owner: o}, ends: time.Now().Add(aloneFor), alone: true,
	}
}

// checkQuotas refuses a run whose owner has used up a quota of the day.
func (m *Manager) checkQuotas(ctx context.Context, o store.Owner) error {
	if !m.cfg.Limits.hasQuotas() {
		return nil
	}
	user, tenant, err := m.cfg.Store.UsageToday(ctx, o)
	if err != nil {
		return unavailable("what was used today could not be looked up", err)
	}
	err = m.cfg.Limits.Day.Allow(user, tenant, limit.Amount{Tokens: 1, MicroDollars: 1}, time.Now())
	if e, over := errors.AsType[*store.QuotaError](err); over {
		return overQuota(e)
	}
	return err
}
