package sqlstore

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"iter"
	"os"
	"path/filepath"
	"time"

	"github.com/pageside/pageside/audit"
	"github.com/pageside/pageside/store"
)

// auditor seals the entries of a transaction. Its cache of heads outlives a transaction.
//
// The newest row of a tenant is its head. audit_heads repeats it, which shows that rows were
// deleted from the end. It is written with the first rows of each second, when the store is idle
// and when it is closed: a commit that changes one more page costs as much again as the row itself.
type auditor struct {
	heads  map[string]audit.Head // committed ones
	behind map[string]bool       // tenants whose stored head is older
	stored time.Time             // when heads were last stored
	// entries of this transaction, sealed at its end. Those of an operation that fails are dropped
	// before that, so no number is left out.
	drafts []sealable
	sealed map[string]audit.Head // the heads after them
	caught []string              // tenants whose head this transaction stores
}

// headsEvery is how often heads are stored on a busy store.
const headsEvery = time.Second

type sealable struct {
	chain *audit.Chain
	audit.Draft
}

// AppendAudit implements audit.Store.
func (s *auditStore) AppendAudit(ctx context.Context, chain *audit.Chain, drafts []audit.Draft, done func(error)) {
	size := 0
	for _, d := range drafts {
		size += len(d.Body) + 128
	}
	write := func(t *txn) error { t.audit(chain, drafts); return nil }
	s.writing.sendPatiently(ctx, size, write, func(err error) { done(explain("append to the audit log", "", err)) })
}

// audit adds entries to the transaction.
func (t *txn) audit(chain *audit.Chain, drafts []audit.Draft) {
	for _, d := range drafts {
		t.auditor.drafts = append(t.auditor.drafts, sealable{chain, d})
	}
}

// seal writes the transaction's entries and, if it is time, the new heads.
func (t *txn) seal(now time.Time) error {
	a := &t.auditor
	if len(a.drafts) == 0 {
		return nil
	}
	changed, isNew := map[string]audit.Head{}, map[string]bool{}
	for _, d := range a.drafts {
		head, ok := changed[d.Tenant]
		if !ok {
			var err error
			if head, err = t.auditHead(d.Tenant); err != nil {
				return err
			}
			isNew[d.Tenant] = head.Seq == 0
		}
		r := d.chain.Next(head, d.Draft, now)
		if _, err := t.exec(insertAudit, r.Tenant, r.Day, r.Seq, r.Key, r.Prev[:], r.Hash[:],
			string(r.Body)); err != nil {
			return err
		}
		changed[d.Tenant] = head.Advance(&r)
	}
	a.sealed = changed
	late := now.Sub(a.stored)
	return t.storeHeads(func(h audit.Head) bool { return isNew[h.Tenant] || late >= headsEvery || late < 0 })
}

// storeHeads stores the heads that have changed and are due. That of a new tenant always is: it
// says that there is a chain.
func (t *txn) storeHeads(due func(audit.Head) bool) error {
	a := &t.auditor
	a.caught = a.caught[:0]
	for tenant := range a.behind {
		if _, changed := a.sealed[tenant]; !changed {
			if err := t.storeHead(a.heads[tenant], due); err != nil {
				return err
			}
		}
	}
	for _, h := range a.sealed {
		if err := t.storeHead(h, due); err != nil {
			return err
		}
	}
	return nil
}

func (t *txn) storeHead(h audit.Head, due func(audit.Head) bool) error {
	if !due(h) {
		return nil
	}
	t.auditor.caught = append(t.auditor.caught, h.Tenant)
	_, err := t.exec(putAuditHead, h.Tenant, h.Day, h.Seq, h.Key, h.Hash[:])
	return err
}

// catchUp stores the heads that are behind. Best effort: the rows are there.
func (w *writer) catchUp() error {
	if len(w.txn.auditor.behind) == 0 {
		return nil
	}
	op := &operation{do: func(t *txn) error { return t.storeHeads(func(audit.Head) bool { return true }) }}
	w.work([]*operation{op})
	return op.err
}

// catchUpQuietly stores the heads that are behind while the store is idle, and returns the time to
// wait until the next call.
func (w *writer) catchUpQuietly() time.Duration {
	a := &w.txn.auditor
	if len(a.behind) == 0 {
		return time.Hour // any write wakes the writer
	}
	if left := headsEvery - w.now().Sub(a.stored); left > 0 && left <= headsEvery {
		return left
	}
	if err := w.catchUp(); err != nil {
		return 10 * time.Second
	}
	return time.Hour
}

// maxHeads bounds the cache of heads.
const maxHeads = 10_000

// committed remembers the heads of a transaction that was committed at a time.
func (a *auditor) committed(now time.Time) {
	if len(a.heads) > maxHeads {
		a.forget()
	}
	if a.heads == nil {
		a.heads, a.behind = map[string]audit.Head{}, map[string]bool{}
	}
	for tenant, h := range a.sealed {
		a.heads[tenant], a.behind[tenant] = h, true
	}
	if len(a.caught) > 0 {
		a.stored = now
	}
	for _, tenant := range a.caught {
		delete(a.behind, tenant)
	}
	a.reset()
}

func (a *auditor) reset() {
	clear(a.drafts)
	a.drafts, a.sealed, a.caught = a.drafts[:0], nil, a.caught[:0]
}

// forget clears the cache. Heads that are behind stay so until the next row.
func (a *auditor) forget() { a.heads, a.behind = nil, nil }

// auditHead returns the committed head of a tenant.
func (t *txn) auditHead(tenant string) (head audit.Head, err error) {
	if h, ok := t.auditor.heads[tenant]; ok {
		return h, nil
	}
	head.Tenant = tenant
	err = t.each(selectAuditHead, []any{tenant}, func(r row) error {
		head, err = scanHead(r)
		return err
	})
	return head, err
}

// scanHead returns a stored head, or the newest row if that is newer.
func scanHead(r row) (h audit.Head, err error) {
	var hash, purged, seal, newestHash []byte
	var newest audit.Row
	p := &h.Purged
	err = r.Scan(&h.Tenant, &h.Day, &h.Seq, &h.Key, &hash, &p.Day, &p.Seq, &purged, &p.Key, &seal, &newest.Day,
		&newest.Seq, &newest.Key, &newestHash)
	h.Hash, p.Hash, p.Seal = audit.HashFrom(hash), audit.HashFrom(purged), audit.HashFrom(seal)
	if newest.Tenant, newest.Hash = h.Tenant, audit.HashFrom(newestHash); newest.Seq > h.Seq {
		h = h.Advance(&newest)
	}
	return h, err
}

func scanAudit(r row) (a audit.Row, err error) {
	var prev, hash []byte
	var body string
	err = r.Scan(&a.Tenant, &a.Day, &a.Seq, &a.Key, &prev, &hash, &body)
	a.Prev, a.Hash, a.Body = audit.HashFrom(prev), audit.HashFrom(hash), []byte(body)
	return a, err
}

// AuditRecords implements audit.Store.
func (s *auditStore) AuditRecords(ctx context.Context, tenant string, q audit.Query) (audit.Page, error) {
	return auditRecords(ctx, s.reading, tenant, q)
}

func auditRecords(ctx context.Context, from *reader, tenant string, q audit.Query) (page audit.Page, err error) {
	const doing = "audit records"
	at, err := audit.ParseCursor(q.Cursor)
	if err != nil {
		return page, explain(doing, "", fmt.Errorf("%w: %w", store.ErrBadCursor, err))
	}
	first, last := q.Days()
	full := errors.New("full")
	looked := 0
	var seen audit.Position
	err = from.each(ctx, selectAudit, []any{tenant, first, last, at.Day, at.Seq, audit.Scan + 1}, func(r row) error {
		if len(page.Items) == q.Size() || looked == audit.Scan {
			page.Next = seen.Cursor()
			return full
		}
		a, err := scanAudit(r)
		if err != nil {
			return err
		}
		looked++
		if seen = a.Position(); q.Matches(&a) {
			page.Items = append(page.Items, a)
		}
		return ctx.Err()
	})
	if errors.Is(err, full) {
		err = nil
	}
	return page, explain(doing, "", err)
}

// AuditRows implements audit.Store.
func (s *auditStore) AuditRows(ctx context.Context) iter.Seq2[audit.Row, error] {
	return auditRows(ctx, s.reading, selectAuditAfter, audit.Row{Seq: -1})
}

// auditRows reads the rows after a position in pages: a long read would keep the write-ahead log
// from being folded.
func auditRows(ctx context.Context, from *reader, query string, last audit.Row) iter.Seq2[audit.Row, error] {
	const atOnce = 1000
	return func(yield func(audit.Row, error) bool) {
		for {
			var rows []audit.Row
			err := from.each(ctx, query, []any{last.Tenant, last.Day, last.Seq, atOnce}, func(r row) error {
				a, err := scanAudit(r)
				rows = append(rows, a)
				return err
			})
			if err != nil {
				yield(audit.Row{}, explain("read the audit log", "", err))
				return
			}
			for _, r := range rows {
				if !yield(r, nil) {
					return
				}
			}
			if len(rows) < atOnce {
				return
			}
			last = rows[len(rows)-1]
		}
	}
}

// AuditHeads implements audit.Store.
func (s *auditStore) AuditHeads(ctx context.Context) ([]audit.Head, error) {
	return auditHeads(ctx, s.reading, selectAuditHeads)
}

func auditHeads(ctx context.Context, from *reader, query string, args ...any) (heads []audit.Head, err error) {
	err = from.each(ctx, query, args, func(r row) error {
		h, err := scanHead(r)
		heads = append(heads, h)
		return err
	})
	return heads, explain("heads of the audit log", "", err)
}

// AuditOf implements audit.Store.
func (s *auditStore) AuditOf(tenant string) audit.Source { return tenantAudit{s.reading, tenant} }

// tenantAudit is the chain of one tenant.
type tenantAudit struct {
	from   *reader
	tenant string
}

// AuditHeads implements audit.Source.
func (a tenantAudit) AuditHeads(ctx context.Context) ([]audit.Head, error) {
	return auditHeads(ctx, a.from, selectAuditHead, a.tenant)
}

// AuditRows implements audit.Source.
func (a tenantAudit) AuditRows(ctx context.Context) iter.Seq2[audit.Row, error] {
	return auditRows(ctx, a.from, selectAuditOf, audit.Row{Tenant: a.tenant, Seq: -1})
}

// PurgeAudit implements audit.Store. The checkpoint of a tenant is stored before its rows are
// deleted in small writes: rows that a crash leaves are covered by it, and are deleted the next
// time.
func (s *auditStore) PurgeAudit(ctx context.Context, chain *audit.Chain, before time.Time) (n int, err error) {
	heads, err := s.AuditHeads(ctx)
	for _, h := range heads {
		if err != nil {
			break
		}
		var purged int64
		purged, err = s.purgeAudit(ctx, chain, h.Tenant, audit.DayOf(before))
		n += int(purged)
	}
	return n, err
}

func (s *auditStore) purgeAudit(ctx context.Context, chain *audit.Chain, tenant, day string) (int64, error) {
	const doing = "purge the audit log"
	var point audit.Checkpoint
	err := s.write(ctx, doing, "", 0, func(t *txn) (err error) {
		point, err = t.purgeAudit(chain, tenant, day, s.now())
		return err
	})
	if err != nil || point.Seq == 0 {
		return 0, err
	}
	return s.inSteps(ctx, doing, func(t *txn) (int64, error) {
		return t.exec(purgeAudit, tenant, point.Day, point.Seq, purgeAtOnce)
	})
}

// purgeAudit moves the checkpoint of a tenant to its last row before a day, and returns it.
func (t *txn) purgeAudit(chain *audit.Chain, tenant, day string, now time.Time) (point audit.Checkpoint, err error) {
	head, err := t.auditHead(tenant)
	if err != nil {
		return point, err
	}
	var last audit.Position
	var hash []byte
	err = t.conn.row(selectAuditLast, []any{tenant, day}, &last.Day, &last.Seq, &hash)
	switch {
	case errors.Is(err, sql.ErrNoRows):
		return point, nil
	case err != nil:
		return point, err
	case last.Seq <= head.Purged.Seq: // left by a crash
		return head.Purged, nil
	}
	point = chain.Checkpoint(tenant, last.Day, last.Seq, audit.HashFrom(hash))
	if _, err := t.exec(setAuditPurged, tenant, point.Day, point.Seq, point.Hash[:], point.Key,
		point.Seal[:]); err != nil {
		return point, err
	}
	delete(t.auditor.heads, tenant)
	delete(t.auditor.behind, tenant)
	t.audit(chain, []audit.Draft{chain.Purged(tenant, point, now)})
	return point, nil
}

// AuditFile reads the audit log of a database, also while a server has it open.
type AuditFile struct{ reading *reader }

var _ audit.Source = (*AuditFile)(nil)

// OpenAudit opens the database named by dsn, as in Open, to read its audit log. It claims nothing
// and changes nothing. Do not open a database that a Store of this process has open.
func OpenAudit(ctx context.Context, dsn string) (*AuditFile, error) {
	f, err := openAudit(ctx, dsn)
	if err != nil {
		return nil, fmt.Errorf("store: open the audit log of %q: %w", dsn, err)
	}
	return f, nil
}

func openAudit(ctx context.Context, dsn string) (*AuditFile, error) {
	name, err := pathOf(dsn)
	if err != nil {
		return nil, err
	}
	path, err := filepath.EvalSymlinks(name)
	if err != nil {
		return nil, err
	}
	if info, err := os.Stat(path); err != nil {
		return nil, err
	} else if !info.Mode().IsRegular() {
		return nil, errors.New("it is not a file")
	}
	set := defaults()
	c, err := connector(path, forReading, &set)
	if err != nil {
		return nil, err
	}
	f := &AuditFile{newReader(c, nil, unlocked{}, 1)}
	var n int
	err = f.reading.each(ctx, countAuditTables, nil, func(r row) error { return r.Scan(&n) })
	if err == nil && n == 0 {
		err = errors.New("it has no audit log: it was not written by this version")
	}
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}

const countAuditTables = `SELECT count(*) FROM sqlite_master WHERE type = 'table' AND name = 'audit_log'`

// AuditHeads implements audit.Source.
func (f *AuditFile) AuditHeads(ctx context.Context) ([]audit.Head, error) {
	return auditHeads(ctx, f.reading, selectAuditHeads)
}

// AuditRows implements audit.Source.
func (f *AuditFile) AuditRows(ctx context.Context) iter.Seq2[audit.Row, error] {
	return auditRows(ctx, f.reading, selectAuditAfter, audit.Row{Seq: -1})
}

// AuditRecords is Store.AuditRecords.
func (f *AuditFile) AuditRecords(ctx context.Context, tenant string, q audit.Query) (audit.Page, error) {
	return auditRecords(ctx, f.reading, tenant, q)
}

// Close closes the file.
func (f *AuditFile) Close() error { return f.reading.close() }
