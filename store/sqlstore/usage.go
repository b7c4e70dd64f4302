package sqlstore

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"time"

	"github.com/pageside/pageside/store"
)

// HoldUsage implements store.Store.
func (s *usageStore) HoldUsage(ctx context.Context, o store.Owner, h store.Hold, q store.Quotas) error {
	const doing = "hold usage of run"
	if err := cmp.Or(o.Check(), store.CheckHold(h)); err != nil {
		return explain(doing, h.RunID, err)
	}
	now := s.now()
	return s.write(ctx, doing, h.RunID, 0, func(t *txn) error {
		held, err := holdsOf(t.conn, o, h.RunID, now)
		if err != nil {
			return err
		}
		for _, e := range held.expired {
			if _, err := t.exec(deleteHold, o.Tenant, e.subject, e.runID); err != nil {
				return err
			}
		}
		user, tenant, err := sumsOf(t.conn, o, held, now)
		if err == nil {
			err = q.Allow(user, tenant, h.Amount, now)
		}
		if err == nil {
			_, err = t.exec(putHold, o.Tenant, o.Subject, h.RunID, store.Day(now), h.Amount.Tokens,
				h.Amount.MicroDollars, h.Until.UnixMilli())
		}
		return err
	})
}

// AddUsage implements store.Store.
func (s *usageStore) AddUsage(ctx context.Context, o store.Owner, runID string, used store.Amount) error {
	const doing = "add usage of run"
	if err := cmp.Or(o.Check(), store.CheckHold(store.Hold{RunID: runID, Amount: used})); err != nil {
		return explain(doing, runID, err)
	}
	day := store.Day(s.now())
	return s.write(ctx, doing, runID, 0, func(t *txn) error {
		for _, statement := range []struct {
			text string
			args []any
		}{
			{addUserUsage, []any{o.Tenant, o.Subject, day, used.Tokens, used.MicroDollars}},
			{addTenantUsage, []any{o.Tenant, day, used.Tokens, used.MicroDollars}},
			{deleteHold, []any{o.Tenant, o.Subject, runID}},
			{forgetUserUsage, []any{o.Tenant, o.Subject, day - store.UsageDays}},
			{forgetTenantUsage, []any{o.Tenant, day - store.UsageDays}},
		} {
			if _, err := t.exec(statement.text, statement.args...); err != nil {
				return err
			}
		}
		return nil
	})
}

// UsageToday implements store.Store.
func (s *usageStore) UsageToday(ctx context.Context, o store.Owner) (user, tenant store.UsageSum, err error) {
	now := s.now()
	err = s.reading.view(ctx, func(c *conn) error {
		held, err := holdsOf(c, o, "", now)
		if err == nil {
			user, tenant, err = sumsOf(c, o, held, now)
		}
		return err
	})
	return user, tenant, explain("usage of", o.Subject, err)
}

// holds is what is set aside for the runs of an owner and of its tenant.
type holds struct {
	user, tenant store.Amount
	expired      []expiredHold
}

type expiredHold struct{ subject, runID string }

// holdsOf adds up the holds that count today, except that of one run.
func holdsOf(c *conn, o store.Owner, except string, now time.Time) (sum holds, err error) {
	day := store.Day(now)
	err = c.each(selectHolds, []any{o.Tenant}, func(r row) error {
		var subject, runID string
		var on, until int64
		var a store.Amount
		if err := r.Scan(&subject, &runID, &on, &a.Tokens, &a.MicroDollars, &until); err != nil {
			return err
		}
		switch {
		case until <= now.UnixMilli():
			sum.expired = append(sum.expired, expiredHold{subject, runID})
			return nil
		case on != day, subject == o.Subject && runID == except:
			return nil
		}
		sum.tenant = sum.tenant.Plus(a)
		if subject == o.Subject {
			sum.user = sum.user.Plus(a)
		}
		return nil
	})
	return sum, err
}

// sumsOf returns what was used and is held today.
func sumsOf(c *conn, o store.Owner, held holds, now time.Time) (user, tenant store.UsageSum, err error) {
	user.Held, tenant.Held = held.user, held.tenant
	day := store.Day(now)
	err1 := amountOf(c, selectUserUsage, []any{o.Tenant, o.Subject, day}, &user.Used)
	err2 := amountOf(c, selectTenantUsage, []any{o.Tenant, day}, &tenant.Used)
	return user, tenant, cmp.Or(err1, err2)
}

// amountOf reads an amount, which is zero without a row.
func amountOf(c *conn, query string, args []any, to *store.Amount) error {
	err := c.row(query, args, &to.Tokens, &to.MicroDollars)
	if errors.Is(err, sql.ErrNoRows) {
		err = nil
	}
	return err
}
