package store

import (
	"cmp"
	"context"
	"time"
)

// memUsage is what Memory counts. Its zero value is empty.
type memUsage struct {
	users   map[Owner]map[int64]Amount // by day
	tenants map[string]map[int64]Amount
	holds   map[holdKey]memHold
}

type holdKey struct {
	owner Owner
	runID string
}

type memHold struct {
	day    int64
	amount Amount
	until  time.Time
}

// HoldUsage implements Store.
func (m *Memory) HoldUsage(ctx context.Context, o Owner, h Hold, q Quotas) error {
	return m.write(ctx, "hold usage of run", h.RunID, o, nil, func(_ *ownerData, _ []Body, now time.Time) error {
		if err := CheckHold(h); err != nil {
			return err
		}
		key := holdKey{o, h.RunID}
		before, held := m.usage.holds[key]
		delete(m.usage.holds, key)
		user, tenant := m.usage.sums(o, now)
		if err := q.Allow(user, tenant, h.Amount, now); err != nil {
			if held {
				m.usage.holds[key] = before
			}
			return err
		}
		if m.usage.holds == nil {
			m.usage.holds = map[holdKey]memHold{}
		}
		m.usage.holds[key] = memHold{Day(now), h.Amount, FromMillis(h.Until.UnixMilli())}
		return nil
	})
}

// AddUsage implements Store.
func (m *Memory) AddUsage(ctx context.Context, o Owner, runID string, used Amount) error {
	return m.write(ctx, "add usage of run", runID, o, nil, func(_ *ownerData, _ []Body, now time.Time) error {
		if err := cmp.Or(checkID("run id", runID), CheckAmount(used)); err != nil {
			return err
		}
		u := &m.usage
		if u.users == nil {
			u.users, u.tenants = map[Owner]map[int64]Amount{}, map[string]map[int64]Amount{}
		}
		u.users[o] = addDay(u.users[o], Day(now), used)
		u.tenants[o.Tenant] = addDay(u.tenants[o.Tenant], Day(now), used)
		delete(u.holds, holdKey{o, runID})
		return nil
	})
}

// addDay adds to a day, and drops those that no longer count.
func addDay(days map[int64]Amount, day int64, used Amount) map[int64]Amount {
	if days == nil {
		days = map[int64]Amount{}
	}
	days[day] = days[day].Plus(used)
	for old := range days {
		if old <= day-UsageDays {
			delete(days, old)
		}
	}
	return days
}

// UsageToday implements Store.
func (m *Memory) UsageToday(ctx context.Context, o Owner) (user, tenant UsageSum, err error) {
	now := m.now()
	err = m.read(ctx, "usage of", o.Subject, o, func(*ownerData) error {
		user, tenant = m.usage.sums(o, now)
		return nil
	})
	return user, tenant, err
}

// sums adds up what counts today.
func (u *memUsage) sums(o Owner, now time.Time) (user, tenant UsageSum) {
	day := Day(now)
	user.Used, tenant.Used = u.users[o][day], u.tenants[o.Tenant][day]
	for key, h := range u.holds {
		if key.owner.Tenant != o.Tenant || h.day != day || !now.Before(h.until) {
			continue
		}
		tenant.Held = tenant.Held.Plus(h.amount)
		if key.owner == o {
			user.Held = user.Held.Plus(h.amount)
		}
	}
	return user, tenant
}
