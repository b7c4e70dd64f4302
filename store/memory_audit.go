package store

import (
	"bytes"
	"context"
	"fmt"
	"iter"
	"maps"
	"slices"
	"time"

	"github.com/pageside/pageside/audit"
)

// memAudit is the chain of one tenant.
type memAudit struct {
	head audit.Head
	rows []audit.Row
}

// AppendAudit implements Store.
func (m *Memory) AppendAudit(_ context.Context, chain *audit.Chain, drafts []audit.Draft, done func(error)) {
	m.mu.Lock()
	defer m.mu.Unlock()
	var err error
	if m.closed {
		err = ErrClosed
	} else {
		for _, d := range drafts {
			d.Body = bytes.Clone(d.Body)
			m.audit(d.Tenant).add(chain, d, m.now())
		}
	}
	m.answers.add(done, err)
}

// audit returns the chain of a tenant, creating it if needed. Requires m.mu.
func (m *Memory) audit(tenant string) *memAudit {
	a := m.audits[tenant]
	if a == nil {
		a = &memAudit{head: audit.Head{Tenant: tenant}}
		if m.audits == nil {
			m.audits = map[string]*memAudit{}
		}
		m.audits[tenant] = a
	}
	return a
}

func (a *memAudit) add(chain *audit.Chain, d audit.Draft, now time.Time) {
	r := chain.Next(a.head, d, now)
	a.rows, a.head = append(a.rows, r), a.head.Advance(&r)
}

// AuditRecords implements Store.
func (m *Memory) AuditRecords(ctx context.Context, tenant string, q audit.Query) (page Page[audit.Row], err error) {
	at, err := audit.ParseCursor(q.Cursor)
	if err != nil {
		return page, fmt.Errorf("store: audit records: %w: %w", ErrBadCursor, err)
	}
	err = m.readAudit(ctx, func() error {
		a := m.audits[tenant]
		if a == nil {
			return nil
		}
		rows := a.rows[:countBefore(a.rows, at)]
		for i, r := range slices.Backward(rows) {
			if !q.Matches(&r) {
				continue
			}
			r.Body = bytes.Clone(r.Body)
			page.Items = append(page.Items, r)
			if len(page.Items) == q.Size() && i > 0 {
				page.Next = r.Position().Cursor()
			}
			if len(page.Items) == q.Size() {
				return nil
			}
		}
		return nil
	})
	return page, err
}

// countBefore returns how many rows come before a position.
func countBefore(rows []audit.Row, at audit.Position) int {
	i := slices.IndexFunc(rows, func(r audit.Row) bool { return !r.Position().Before(at) })
	if i < 0 {
		return len(rows)
	}
	return i
}

// AuditRows implements Store.
func (m *Memory) AuditRows(ctx context.Context) iter.Seq2[audit.Row, error] {
	return m.auditRows(ctx, func(chains map[string]*memAudit) []string { return slices.Sorted(maps.Keys(chains)) })
}

func (m *Memory) auditRows(ctx context.Context, of func(map[string]*memAudit) []string) iter.Seq2[audit.Row, error] {
	return func(yield func(audit.Row, error) bool) {
		var rows []audit.Row
		err := m.readAudit(ctx, func() error {
			for _, tenant := range of(m.audits) {
				rows = append(rows, m.audits[tenant].rows...)
			}
			return nil
		})
		if err != nil {
			yield(audit.Row{}, err)
			return
		}
		for _, r := range rows {
			r.Body = bytes.Clone(r.Body)
			if !yield(r, nil) {
				return
			}
		}
	}
}

// AuditHeads implements Store.
func (m *Memory) AuditHeads(ctx context.Context) (heads []audit.Head, err error) {
	err = m.readAudit(ctx, func() error {
		for _, tenant := range slices.Sorted(maps.Keys(m.audits)) {
			heads = append(heads, m.audits[tenant].head)
		}
		return nil
	})
	return heads, err
}

// AuditOf implements Store.
func (m *Memory) AuditOf(tenant string) audit.Source { return memTenant{m, tenant} }

// memTenant is the chain of one tenant.
type memTenant struct {
	m      *Memory
	tenant string
}

// AuditHeads implements audit.Source.
func (t memTenant) AuditHeads(ctx context.Context) (heads []audit.Head, err error) {
	err = t.m.readAudit(ctx, func() error {
		if a := t.m.audits[t.tenant]; a != nil {
			heads = []audit.Head{a.head}
		}
		return nil
	})
	return heads, err
}

// AuditRows implements audit.Source.
func (t memTenant) AuditRows(ctx context.Context) iter.Seq2[audit.Row, error] {
	return t.m.auditRows(ctx, func(chains map[string]*memAudit) []string {
		if chains[t.tenant] == nil {
			return nil
		}
		return []string{t.tenant}
	})
}

// PurgeAudit implements Store.
func (m *Memory) PurgeAudit(ctx context.Context, chain *audit.Chain, before time.Time) (n int, err error) {
	if err := ctx.Err(); err != nil {
		return 0, err
	}
	now := m.now()
	err = m.alone(func() error {
		for tenant, a := range m.audits {
			gone := countBefore(a.rows, audit.Position{Day: audit.DayOf(before)})
			if gone == 0 {
				continue
			}
			last := a.rows[gone-1]
			a.head.Purged = chain.Checkpoint(tenant, last.Day, last.Seq, last.Hash)
			a.rows = slices.Clone(a.rows[gone:])
			a.add(chain, chain.Purged(tenant, a.head.Purged, now), now)
			n += gone
		}
		return nil
	})
	return n, err
}

func (m *Memory) readAudit(ctx context.Context, do func() error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	m.mu.RLock()
	defer m.mu.RUnlock()
	if m.closed {
		return ErrClosed
	}
	return do()
}
