package audit

import (
	"context"
	"time"
)

// Store stores the audit log: one chain of rows per tenant. Rows belong to the tenant, not to a
// thread or its owner, and outlive both. They are appended and, after their time, purged from the
// beginning; nothing else changes them. Implementations are safe for concurrent use.
type Store interface {
	Appender
	Source
	Reader
}

// Reader is the part of a Store that reads one tenant's rows.
type Reader interface {
	// AuditRecords returns rows of a tenant, newest first. See Scan: a page may be short. A cursor
	// that is not the Next of an earlier page is an error.
	AuditRecords(ctx context.Context, tenant string, q Query) (Page, error)

	// AuditOf returns the chain of one tenant, without reading those of others.
	AuditOf(tenant string) Source
}

// Appender is the part of a Store that a Log needs.
type Appender interface {
	// AppendAudit appends entries to the chains of their tenants, in order. It does not block. done
	// is called once, when they are durable or have failed, from a goroutine of the store: it must
	// not block or call the store. What the same goroutine writes afterwards is durable after them.
	AppendAudit(ctx context.Context, chain *Chain, drafts []Draft, done func(error))

	// AuditHeads returns the heads of all chains, by tenant.
	AuditHeads(ctx context.Context) ([]Head, error)

	// PurgeAudit removes the rows of days that ended before the given time, and returns how many.
	// It leaves a checkpoint and an entry that says so, so that the chains stay verifiable.
	PurgeAudit(ctx context.Context, chain *Chain, before time.Time) (int, error)
}

// Page is one page of rows. Next is the cursor of the next page, empty at the end.
type Page struct {
	Items []Row
	Next  string
}
