// Package meter says how much may be done: how many runs an owner and a tenant may have
// (Admission), and what the model calls of one run and of a day may use (Accounts). It
// refuses; what is refused, and what a run that is over its budget becomes, package run decides.
package meter

import (
	"cmp"
	"time"

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

// WithDefaults returns the limits with defaults in place of zeros.
func (l Limits) WithDefaults() Limits {
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
	ThreadLine      = "thread.waiting"
	limitInputs     = "inputs"
	limitUserInputs = "user.inputs"
	limitRunTokens  = "run.tokens"
	limitRunDollars = "run.dollars"
)

// TooMany returns the error for a limit on what runs hold at a time. They end sooner or later.
func TooMany(limit, message string) *refusal.Error {
	return &refusal.Error{Code: refusal.TooManyRuns, Limit: limit, Message: message, Retry: 2 * time.Second}
}

// overQuota returns the error for a quota of a day.
func overQuota(e *store.QuotaError) *refusal.Error {
	return &refusal.Error{
		Code: refusal.Quota, Limit: e.Scope + "." + e.Unit, Message: e.Error(),
		Retry: max(time.Second, time.Until(e.Resets)), Resets: e.Resets, Err: e,
	}
}

// HasQuotas reports whether there is a limit on what may be used in a day.
func (l Limits) HasQuotas() bool { return l.Day != (store.Quotas{}) }
