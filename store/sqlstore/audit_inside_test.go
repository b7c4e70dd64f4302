package sqlstore_test

import (
	"context"
	"database/sql"
	"iter"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/pageside/pageside/audit"
	"github.com/pageside/pageside/auth"
	"github.com/pageside/pageside/store/sqlstore"
)

func sortedNames[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }

// inside is the log as a transaction sees it.
type inside struct{ tx *sql.Tx }

func (i *inside) AuditHeads(context.Context) (heads []audit.Head, err error) {
	rows, err := i.tx.Query("SELECT tenant, day, seq, key_id, hash, purged_day, purged_seq, purged_hash, purged_key, purged_seal FROM audit_heads ORDER BY tenant")
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	for rows.Next() {
		var h audit.Head
		var hash, purged, seal []byte
		if err := rows.Scan(&h.Tenant, &h.Day, &h.Seq, &h.Key, &hash, &h.Purged.Day, &h.Purged.Seq, &purged, &h.Purged.Key, &seal); err != nil {
			return nil, err
		}
		h.Hash, h.Purged.Hash, h.Purged.Seal = audit.HashFrom(hash), audit.HashFrom(purged), audit.HashFrom(seal)
		heads = append(heads, h)
	}
	return heads, rows.Err()
}

func (i *inside) AuditRows(context.Context) iter.Seq2[audit.Row, error] {
	return func(yield func(audit.Row, error) bool) {
		rows, err := i.tx.Query(`SELECT tenant, day, seq, key_id, prev, hash, body FROM audit_log a
			WHERE seq > coalesce((SELECT purged_seq FROM audit_heads h WHERE h.tenant = a.tenant), 0) ORDER BY tenant, day, seq`)
		if err != nil {
			yield(audit.Row{}, err)
			return
		}
		defer rows.Close()
		for rows.Next() {
			var r audit.Row
			var prev, hash []byte
			if err := rows.Scan(&r.Tenant, &r.Day, &r.Seq, &r.Key, &prev, &hash, &r.Body); err != nil {
				yield(r, err)
				return
			}
			r.Prev, r.Hash = audit.HashFrom(prev), audit.HashFrom(hash)
			if !yield(r, nil) {
				return
			}
		}
	}
}

// TestForgedWithoutTheKey: who can write the store but has no key can rewrite no row, even with
// right hashes, nor pretend that rows never were sealed.
func TestForgedWithoutTheKey(t *testing.T) {
	l := writeLog(t, auditKey)
	l.anchors = nil // nothing outside
	forger := audit.NewChain(nil)
	tx, err := l.db.Begin()
	if err != nil {
		t.Fatal(err)
	}
	defer tx.Rollback()
	in := &inside{tx}
	heads, err := in.AuditHeads(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	byTenant := map[string]audit.Head{}
	for _, h := range heads {
		byTenant[h.Tenant] = audit.Head{Tenant: h.Tenant, Day: h.Purged.Day, Seq: h.Purged.Seq, Hash: h.Purged.Hash}
	}
	var rewritten []audit.Row
	for r, err := range in.AuditRows(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		day, _ := time.Parse("2006-01-02", r.Day)
		forged := forger.Next(byTenant[r.Tenant], audit.Draft{Tenant: r.Tenant, Body: []byte(strings.ReplaceAll(string(r.Body), "ada", "bob"))}, day)
		byTenant[r.Tenant] = byTenant[r.Tenant].Advance(&forged)
		rewritten = append(rewritten, forged)
	}
	for _, r := range rewritten {
		if _, err := tx.Exec("UPDATE audit_log SET key_id = '', prev = ?, hash = ?, body = ? WHERE tenant = ? AND seq = ?", r.Prev[:], r.Hash[:], string(r.Body), r.Tenant, r.Seq); err != nil {
			t.Fatal(err)
		}
	}
	for tenant, h := range byTenant {
		p := forger.Checkpoint(tenant, h.Purged.Day, h.Purged.Seq, h.Purged.Hash)
		if _, err := tx.Exec("UPDATE audit_heads SET key_id = '', hash = ?, purged_key = '', purged_seal = ? WHERE tenant = ?", h.Hash[:], p.Seal[:], tenant); err != nil {
			t.Fatal(err)
		}
	}
	report, err := audit.Verify(t.Context(), in, nil, auditKey)
	if err != nil || report.State != audit.Tampered {
		t.Errorf("a log rewritten without the key verifies: %+v, %v", report, err)
	}
}

// TestAppendOnly: the database itself refuses changes by mistake.
func TestAppendOnly(t *testing.T) {
	path := newPath(t)
	s := open(t, path)
	log := audit.NewLog(audit.Config{Keep: -1})
	if err := log.Open(t.Context(), s); err != nil {
		t.Fatal(err)
	}
	confirm, err := log.Begin(t.Context(), audit.Entry{Kind: audit.ToolCall, Principal: auth.Local})
	if err != nil || confirm(t.Context()) != nil {
		t.Fatal(err)
	}
	log.Close()
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	for _, statement := range []string{
		"UPDATE audit_log SET body = '{}'", "DELETE FROM audit_log", "DELETE FROM audit_heads", "UPDATE audit_heads SET seq = 0", "UPDATE audit_heads SET tenant = 'x'",
	} {
		if _, err := db.Exec(statement); err == nil || !strings.Contains(err.Error(), "append-only") {
			t.Errorf("%s: error is %v", statement, err)
		}
	}
}

// TestOpenAuditMissing: there is nothing to verify in a file that is not there, and it stays so.
func TestOpenAuditMissing(t *testing.T) {
	path := filepath.Join(t.TempDir(), "none.db")
	if f, err := sqlstore.OpenAudit(t.Context(), path); err == nil {
		f.Close()
		t.Error("a missing file was opened")
	}
	change(t, path, "CREATE TABLE threads (id TEXT)")
	if f, err := sqlstore.OpenAudit(t.Context(), path); err == nil || !strings.Contains(err.Error(), "no audit log") {
		if err == nil {
			f.Close()
		}
		t.Errorf("error is %v", err)
	}
}
