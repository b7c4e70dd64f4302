package meter

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/pageside/pageside/limit"
	"github.com/pageside/pageside/run/refusal"
	"github.com/pageside/pageside/store"
)

// Accounts opens the accounts of runs and of single calls. Safe for concurrent use.
type Accounts struct {
	Limits Limits
	Store  store.Usage
	Log    *slog.Logger
}

// Account is what one run may use and has used. It implements limit.Budget: before each model call
// it sets aside an estimate, in the store if there are quotas of a day, and after the call it
// records what the provider counted. So parallel runs, of several processes too, use no more than a
// quota and what their calls under way use beyond their estimates.
type Account struct {
	of    *Accounts
	owner store.Owner
	id    string       // of the run
	each  limit.Amount // what the run may use; zero is no limit
	ends  time.Time    // when a hold ends by itself: the run is over by then

	mu   sync.Mutex
	used limit.Amount
}

// Run returns the account of a run that has used this much before, or nil if nothing limits
// what it may use. The run is over after lasting.
func (all *Accounts) Run(o store.Owner, runID string, lasting time.Duration, used limit.Amount) *Account {
	if all.Limits.Run == (limit.Amount{}) && !all.Limits.HasQuotas() {
		return nil
	}
	return &Account{
		of: all, owner: o, id: runID, each: all.Limits.Run, ends: time.Now().Add(lasting + time.Minute), used: used,
	}
}

// Call returns the account of one model call outside a run, such as for suggestions: the quotas of
// the day count it with the owner's runs. It is nil if there are none.
func (all *Accounts) Call(o store.Owner, id string) *Account {
	if !all.Limits.HasQuotas() {
		return nil
	}
	return &Account{of: all, owner: o, id: id, ends: time.Now().Add(callLasts)}
}

// callLasts is how long a call outside a run may take.
const callLasts = 2 * time.Minute

// Hold implements limit.Budget. Its error is a *refusal.Error where a limit is reached.
func (a *Account) Hold(ctx context.Context, estimate limit.Amount) error {
	if err := a.allow(estimate); err != nil {
		return err
	}
	if !a.of.Limits.HasQuotas() {
		return nil
	}
	err := a.of.Store.HoldUsage(ctx, a.owner, store.Hold{
		RunID: a.id, Amount: estimate, Until: a.ends,
	}, a.of.Limits.Day)
	if e, over := errors.AsType[*store.QuotaError](err); over {
		return overQuota(e)
	}
	if err != nil && ctx.Err() == nil {
		return fmt.Errorf("%w: set usage aside: %w", refusal.ErrStore, err)
	}
	return err
}

// allow returns an error if the run would use more than one run may.
func (a *Account) allow(more limit.Amount) error {
	a.mu.Lock()
	total := a.used.Plus(more)
	a.mu.Unlock()
	most := a.each
	switch {
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
func (a *Account) Settle(ctx context.Context, used limit.Amount) { a.Add(ctx, a.id, used) }

// Add records an amount, and ends what was set aside under an id.
func (a *Account) Add(ctx context.Context, id string, used limit.Amount) {
	a.mu.Lock()
	a.used = a.used.Plus(used)
	a.mu.Unlock()
	if !a.of.Limits.HasQuotas() {
		return
	}
	ctx, stop := context.WithTimeout(context.WithoutCancel(ctx), storeTimeout)
	defer stop()
	if err := a.of.Store.AddUsage(ctx, a.owner, id, used); err != nil {
		a.of.Log.Error("what a model call used could not be counted", "run", a.id, "tokens", used.Tokens,
			"microDollars", used.MicroDollars, "error", err)
	}
}

// storeTimeout bounds recording an amount.
const storeTimeout = 10 * time.Second

// Check refuses an owner who has used up a quota of the day.
func (all *Accounts) Check(ctx context.Context, o store.Owner) error {
	if !all.Limits.HasQuotas() {
		return nil
	}
	user, tenant, err := all.Store.UsageToday(ctx, o)
	if err != nil {
		return err
	}
	err = all.Limits.Day.Allow(user, tenant, limit.Amount{Tokens: 1, MicroDollars: 1}, time.Now())
	if e, over := errors.AsType[*store.QuotaError](err); over {
		return overQuota(e)
	}
	return err
}
