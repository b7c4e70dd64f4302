package run

import (
	"cmp"
	"context"
	"errors"
	"time"

	"github.com/pageside/pageside/auth"
	"github.com/pageside/pageside/run/refusal"
	"github.com/pageside/pageside/store"
)

// Limits keep some users' runs from using what belongs to all. Zero means the default; negative,
// and zero where no default is named, means no limit.
type Limits struct {
	UserRuns   int // an owner's live and waiting runs; default 32
	TenantRuns int // a tenant's
	ThreadLine int // runs waiting for one thread; default 4

	// Bytes of the inputs of runs that have not begun, by Request.Size: of all, and of one owner.
	// Defaults 64 MiB and 16 MiB.
	Inputs, UserInputs int64

	Messages int // messages of one request; default 10,000
	// attachments of one thread, in number and in bytes; defaults 500 and 64 MiB
	Attachments     int
	AttachmentBytes int64

	Run store.Amount // what one run's model calls may use
	Day store.Quotas // what they may use in a day
}

func (l Limits) withDefaults() Limits {
	l.UserRuns = cmp.Or(l.UserRuns, 32)
	l.ThreadLine = cmp.Or(l.ThreadLine, 4)
	l.Inputs = cmp.Or(l.Inputs, 64<<20)
	l.UserInputs = cmp.Or(l.UserInputs, 16<<20)
	l.Messages = cmp.Or(l.Messages, 10_000)
	l.Attachments = cmp.Or(l.Attachments, 500)
	l.AttachmentBytes = cmp.Or(l.AttachmentBytes, 64<<20)
	return l
}

// Names of limits, in Error.Limit and in the audit log.
const (
	limitUserRuns   = "user.runs"
	limitTenantRuns = "tenant.runs"
	limitThreadLine = "thread.waiting"
	limitInputs     = "inputs"
	limitUserInputs = "user.inputs"
	limitRunTokens  = "run.tokens"
	limitRunDollars = "run.dollars"
)

// tooMany returns the error for a limit on what runs hold at a time. They end sooner or later.
func tooMany(limit, message string) *refusal.Error {
	return &refusal.Error{Code: refusal.TooManyRuns, Limit: limit, Message: message, Retry: 2 * time.Second}
}

// overQuota returns the error for a quota of a day.
func overQuota(e *store.QuotaError) *refusal.Error {
	return &refusal.Error{
		Code: refusal.Quota, Limit: e.Scope + "." + e.Unit, Message: e.Error(),
		Retry: max(time.Second, time.Until(e.Resets)), Resets: e.Resets, Err: e,
	}
}

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
	u = Usage{Limits: m.cfg.Limits, Resets: store.NextDay(time.Now()), Counted: m.cfg.Limits.hasQuotas()}
	u.Runs, u.TenantRuns = m.admission.of(o)
	if u.Counted {
		u.User, u.Tenant, err = m.cfg.Store.UsageToday(ctx, o)
	}
	if err != nil {
		return Usage{}, StoreError("read what was used today", err)
	}
	return u, nil
}

// hasQuotas reports whether there is a limit on what may be used in a day.
func (l Limits) hasQuotas() bool { return l.Day != (store.Quotas{}) }
