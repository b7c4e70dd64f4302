package store

import (
	"context"
	"iter"
	"time"

	"github.com/pageside/pageside/audit"
)

// Audit stores the audit log: one chain of rows per tenant. Rows belong to the tenant, not to a
// thread or its owner, and outlive both. They are appended and, after their time, purged from the
// beginning; nothing else changes them.
type Audit interface {
	// AppendAudit appends entries to the chains of their tenants, in order. It does not block. done
	// is called once, when they are durable or have failed, from a goroutine of the store: it must
	// not block or call the store. What the same goroutine writes afterwards is durable after them.
	AppendAudit(ctx context.Context, chain *audit.Chain, drafts []audit.Draft, done func(error))

	// AuditRecords returns rows of a tenant, newest first. See audit.Scan: a page may be short. A
	// cursor that is not the Next of an earlier page is ErrBadCursor.
	AuditRecords(ctx context.Context, tenant string, q audit.Query) (Page[audit.Row], error)

	// AuditRows yields the rows of all tenants, by tenant, day and number.
	AuditRows(ctx context.Context) iter.Seq2[audit.Row, error]

	// AuditHeads returns the heads of all chains, by tenant.
	AuditHeads(ctx context.Context) ([]audit.Head, error)

	// AuditOf returns the chain of one tenant, without reading those of others.
	AuditOf(tenant string) audit.Source

	// PurgeAudit removes the rows of days that ended before the given time, and returns how many.
	// It leaves a checkpoint and an entry that says so, so that the chains stay verifiable.
	PurgeAudit(ctx context.Context, chain *audit.Chain, before time.Time) (int, error)
}
