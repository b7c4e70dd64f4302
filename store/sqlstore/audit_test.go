package sqlstore_test

import (
	"bytes"
	"context"
	"database/sql"
	"fmt"
	"iter"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/pageside/pageside/audit"
	"github.com/pageside/pageside/auth"
	"github.com/pageside/pageside/store/sqlstore"
	"github.com/pageside/pageside/test/must"
)

var auditKey = []byte("a key of the operator's")

// tampered is a stored log and what was kept of it elsewhere.
type tampered struct {
	path    string
	db      *sql.DB
	anchors []audit.Anchor
}

// writeLog writes a log of several tenants over several days, purges its first day, and opens its
// file behind the store's back, without the triggers: who has the file can drop them.
func writeLog(t *testing.T, key []byte) *tampered {
	t.Helper()
	path := newPath(t)
	now := time.Date(2026, 11, 20, 22, 0, 0, 0, time.UTC)
	s := open(t, path, sqlstore.WithClock(func() time.Time { return now }))
	var anchors bytes.Buffer
	log := audit.NewLog(audit.Config{Key: key, Keep: -1, Output: &anchors})
	must.Do(t, log.Open(t.Context(), s))
	for i := range 120 {
		recorded(t, log, audit.Entry{
			Time: now, Kind: audit.ToolCall, Principal: auth.Principal{Tenant: fmt.Sprint("t", i%3), Subject: "ada"},
			ThreadID: "thread", RunID: fmt.Sprint("run", i), CallID: fmt.Sprint("call", i), Tool: "delete_item",
			ArgsHash: fmt.Sprint("sha256:", i), Decision: audit.Approved, Rule: "role editor", Outcome: audit.OK,
		})
		now = now.Add(37 * time.Minute)
	}
	before := time.Date(2026, 11, 21, 0, 0, 0, 0, time.UTC)
	if n := get(s.PurgeAudit(t.Context(), audit.NewChain(key), before)); n == 0 {
		t.Fatal("nothing was purged")
	}
	log.Close() // which anchors the last heads
	must.Do(t, s.Close())
	kept, unread, err := audit.ReadAnchors(&anchors)
	if err != nil || unread > 0 || len(kept) != 3 {
		t.Fatalf("%d anchors, %d unread, %v", len(kept), unread, err)
	}
	change(t, path, "DROP TRIGGER audit_log_no_update", "DROP TRIGGER audit_log_no_delete",
		"DROP TRIGGER audit_heads_no_delete", "DROP TRIGGER audit_heads_forward")
	db := behind(t, path)
	db.SetMaxOpenConns(1)
	return &tampered{path, db, kept}
}

func (l *tampered) verify(t *testing.T, keys ...[]byte) audit.Report {
	t.Helper()
	f := get(sqlstore.OpenAudit(t.Context(), l.path))
	defer f.Close()
	return get(audit.Verify(t.Context(), f, l.anchors, keys...))
}

// inside is the log as a transaction sees it.
type inside struct{ tx *sql.Tx }

func (i *inside) AuditHeads(context.Context) (heads []audit.Head, err error) {
	rows, err := i.tx.Query(`SELECT tenant, day, seq, key_id, hash,
		purged_day, purged_seq, purged_hash, purged_key, purged_seal FROM audit_heads ORDER BY tenant`)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	for rows.Next() {
		var h audit.Head
		var hash, purged, seal []byte
		p := &h.Purged
		err := rows.Scan(&h.Tenant, &h.Day, &h.Seq, &h.Key, &hash, &p.Day, &p.Seq, &purged, &p.Key, &seal)
		if err != nil {
			return nil, err
		}
		h.Hash, p.Hash, p.Seal = audit.HashFrom(hash), audit.HashFrom(purged), audit.HashFrom(seal)
		heads = append(heads, h)
	}
	return heads, rows.Err()
}

func (i *inside) AuditRows(context.Context) iter.Seq2[audit.Row, error] {
	return func(yield func(audit.Row, error) bool) {
		rows, err := i.tx.Query(`SELECT tenant, day, seq, key_id, prev, hash, body FROM audit_log a
			WHERE seq > coalesce((SELECT purged_seq FROM audit_heads h WHERE h.tenant = a.tenant), 0)
			ORDER BY tenant, day, seq`)
		if err != nil {
			yield(audit.Row{}, err)
			return
		}
		defer rows.Close()
		for rows.Next() {
			var r audit.Row
			var prev, hash []byte
			err := rows.Scan(&r.Tenant, &r.Day, &r.Seq, &r.Key, &prev, &hash, &r.Body)
			r.Prev, r.Hash = audit.HashFrom(prev), audit.HashFrom(hash)
			if !yield(r, err) || err != nil {
				return
			}
		}
	}
}

// attack is one change of the log, in a transaction, at a random row.
type attack struct {
	tx     *sql.Tx
	r      *rand.Rand
	tenant string // of the row
	seq    int64
}

func newAttack(tx *sql.Tx, r *rand.Rand) *attack {
	a := &attack{tx: tx, r: r}
	a.tenant, a.seq = a.row()
	return a
}

// row returns a random row.
func (a *attack) row() (tenant string, seq int64) {
	var n int
	const at = "SELECT tenant, seq FROM audit_log ORDER BY tenant, seq LIMIT 1 OFFSET ?"
	err := a.tx.QueryRow("SELECT count(*) FROM audit_log").Scan(&n)
	if err == nil {
		err = a.tx.QueryRow(at, a.r.IntN(n)).Scan(&tenant, &seq)
	}
	if err != nil {
		panic(err)
	}
	return tenant, seq
}

// exec returns how many rows a statement has changed.
func (a *attack) exec(text string, args ...any) (int64, error) {
	result, err := a.tx.Exec(text, args...)
	if err != nil {
		return 0, err
	}
	return result.RowsAffected()
}

// both executes two statements and returns how many rows the first has changed.
func both(n int64, err error, next func() (int64, error)) (int64, error) {
	if err == nil && n > 0 {
		_, err = next()
	}
	return n, err
}

// attacks change the log. Each returns how many rows it has changed; none means that it had no
// effect, and is tried again.
var attacks = map[string]func(*attack) (int64, error){
	"edit a body": func(a *attack) (int64, error) {
		var body []byte
		err := a.tx.QueryRow("SELECT body FROM audit_log WHERE tenant = ? AND seq = ?", a.tenant, a.seq).Scan(&body)
		if err != nil {
			return 0, err
		}
		body[a.r.IntN(len(body))] ^= byte(1 + a.r.IntN(255))
		return a.exec("UPDATE audit_log SET body = CAST(? AS TEXT) WHERE tenant = ? AND seq = ?", body, a.tenant, a.seq)
	},
	"edit a meaning": func(a *attack) (int64, error) {
		from := []string{"delete_item", "ada", `"approved"`, "role editor", `"ok"`, "thread"}[a.r.IntN(6)]
		to := []string{"read_item", "bob", `"declined"`, "role admin", `"error"`, "threaD"}[a.r.IntN(6)]
		return a.exec("UPDATE audit_log SET body = replace(body, ?, ?) WHERE tenant = ? AND seq = ? AND instr(body, ?)",
			from, to, a.tenant, a.seq, from)
	},
	"edit a column": func(a *attack) (int64, error) {
		column := []struct{ name, value string }{
			{"day", "'2026-11-2' || (?1 % 10)"}, {"key_id", "CAST(?1 AS TEXT)"}, {"prev", "randomblob(1 + ?1 % 64)"},
			{"hash", "randomblob(1 + ?1 % 64)"}, {"seq", "seq + 1000 + ?1"}, {"tenant", "'t' || ?1"},
		}[a.r.IntN(6)]
		// what it is already would be no change
		return a.exec("UPDATE OR IGNORE audit_log SET "+column.name+" = "+column.value+
			" WHERE tenant = ?2 AND seq = ?3 AND "+column.name+" <> "+column.value, a.r.IntN(1000), a.tenant, a.seq)
	},
	"delete rows": func(a *attack) (int64, error) {
		last := a.seq + int64(a.r.IntN(3))
		return a.exec("DELETE FROM audit_log WHERE tenant = ? AND seq BETWEEN ? AND ?", a.tenant, a.seq, last)
	},
	"swap rows": func(a *attack) (int64, error) {
		tenant, seq := a.row()
		if tenant == a.tenant && seq == a.seq {
			return 0, nil
		}
		const swap = `UPDATE audit_log SET (key_id, prev, hash, body) = (SELECT key_id, prev, hash, body
			FROM temp.kept WHERE tenant = ? AND seq = ?) WHERE tenant = ? AND seq = ?`
		if _, err := a.tx.Exec("CREATE TEMP TABLE kept AS SELECT * FROM audit_log"); err != nil {
			return 0, err
		}
		n, err := a.exec(swap, a.tenant, a.seq, tenant, seq)
		return both(n, err, func() (int64, error) { return a.exec(swap, tenant, seq, a.tenant, a.seq) })
	},
	"insert a copy": func(a *attack) (int64, error) {
		return a.exec(`INSERT OR IGNORE INTO audit_log SELECT tenant, day, seq + ?, key_id, prev, hash, body
			FROM audit_log WHERE tenant = ? AND seq = ?`, 1+a.r.IntN(200), a.tenant, a.seq)
	},
	"cut the tail": func(a *attack) (int64, error) {
		return a.exec("DELETE FROM audit_log WHERE tenant = ? AND seq >= ?", a.tenant, a.seq)
	},
	"cut the tail and move the head": func(a *attack) (int64, error) {
		n, err := a.exec("DELETE FROM audit_log WHERE tenant = ? AND seq > ?", a.tenant, a.seq)
		return both(n, err, func() (int64, error) {
			return a.exec(`UPDATE audit_heads SET (day, seq, hash) = (SELECT day, seq, hash
				FROM audit_log WHERE tenant = ?1 AND seq = ?2) WHERE tenant = ?1`, a.tenant, a.seq)
		})
	},
	"cut the beginning and move the checkpoint": func(a *attack) (int64, error) {
		n, err := a.exec(`UPDATE audit_heads SET (purged_day, purged_seq, purged_hash) = (SELECT day, seq, hash
			FROM audit_log WHERE tenant = ?1 AND seq = ?2) WHERE tenant = ?1`, a.tenant, a.seq)
		return both(n, err, func() (int64, error) {
			return a.exec("DELETE FROM audit_log WHERE tenant = ? AND seq <= ?", a.tenant, a.seq)
		})
	},
	"drop a tenant": func(a *attack) (int64, error) {
		if a.r.IntN(2) == 0 {
			if _, err := a.exec("DELETE FROM audit_heads WHERE tenant = ?", a.tenant); err != nil {
				return 0, err
			}
		}
		return a.exec("DELETE FROM audit_log WHERE tenant = ?", a.tenant)
	},
	"edit a head": func(a *attack) (int64, error) {
		set := []string{
			"seq = seq + 1", "hash = randomblob(32)", "purged_seq = purged_seq + 1", "purged_hash = randomblob(32)",
			"purged_seal = randomblob(32)", "purged_seq = 0",
		}[a.r.IntN(6)]
		return a.exec("UPDATE audit_heads SET "+set+" WHERE tenant = ?", a.tenant)
	},
}

// TestTampering changes the stored log at random and expects Verify to find every change.
func TestTampering(t *testing.T) {
	for name, keys := range map[string][][]byte{"sealed": {auditKey}, "hashed": nil} {
		t.Run(name, func(t *testing.T) {
			l := writeLog(t, slices.Concat(keys...))
			r := l.verify(t, keys...)
			if r.State != audit.Intact || r.Rows < 100 || r.Anchors != 3 || r.Tenants != 3 || r.Loose != 0 ||
				r.Sealed != (keys != nil) {
				t.Fatalf("the log as written: %+v", r)
			}
			tries := uint64(1000 / 2)
			if testing.Short() {
				tries = 100 / 2
			}
			for i := range tries {
				l.tamper(t, i, keys)
			}
			if r := l.verify(t, keys...); r.State != audit.Intact {
				t.Fatalf("the log after every change was undone: %v", r.Problems)
			}
		})
	}
}

// tamper tries one attack and undoes it.
func (l *tampered) tamper(t *testing.T, seed uint64, keys [][]byte) {
	t.Helper()
	r := rand.New(rand.NewPCG(seed, 1))
	names := slices.Sorted(maps.Keys(attacks))
	name := names[seed%uint64(len(names))]
	for n := int64(0); n == 0; {
		tx := get(l.db.Begin())
		if n = get(attacks[name](newAttack(tx, r))); n > 0 {
			report := get(audit.Verify(t.Context(), &inside{tx}, l.anchors, keys...))
			must.Be(t, report.State, audit.Tampered, "seed %d: the log after %s", seed, name)
			for _, p := range report.Problems {
				if p.What == "" || !strings.Contains(p.String(), fmt.Sprint("row ", p.Seq)) {
					t.Errorf("seed %d: %s: the place is missing: %+v", seed, name, p)
				}
			}
		}
		must.Do(t, tx.Rollback())
	}
}

// TestForgedWithoutTheKey: who can write the store but has no key can rewrite no row, even with
// right hashes, nor pretend that rows never were sealed.
func TestForgedWithoutTheKey(t *testing.T) {
	l := writeLog(t, auditKey)
	forger := audit.NewChain(nil)
	tx := get(l.db.Begin())
	defer tx.Rollback()
	in := &inside{tx}
	heads := map[string]audit.Head{}
	for _, h := range get(in.AuditHeads(t.Context())) {
		heads[h.Tenant] = audit.Head{Tenant: h.Tenant, Day: h.Purged.Day, Seq: h.Purged.Seq, Hash: h.Purged.Hash}
	}
	var rewritten []audit.Row
	for r, err := range in.AuditRows(t.Context()) {
		must.Do(t, err)
		draft := audit.Draft{Tenant: r.Tenant, Body: bytes.ReplaceAll(r.Body, []byte("ada"), []byte("bob"))}
		forged := forger.Next(heads[r.Tenant], draft, get(time.Parse(time.DateOnly, r.Day)))
		heads[r.Tenant] = heads[r.Tenant].Advance(&forged)
		rewritten = append(rewritten, forged)
	}
	for _, r := range rewritten {
		get(tx.Exec("UPDATE audit_log SET key_id = '', prev = ?, hash = ?, body = ? WHERE tenant = ? AND seq = ?",
			r.Prev[:], r.Hash[:], string(r.Body), r.Tenant, r.Seq))
	}
	for tenant, h := range heads {
		p := forger.Checkpoint(tenant, h.Purged.Day, h.Purged.Seq, h.Purged.Hash)
		get(tx.Exec("UPDATE audit_heads SET key_id = '', hash = ?, purged_key = '', purged_seal = ? WHERE tenant = ?",
			h.Hash[:], p.Seal[:], tenant))
	}
	report := get(audit.Verify(t.Context(), in, nil, auditKey)) // with no anchors outside
	must.Be(t, report.State, audit.Tampered, "a log rewritten without the key: %+v", report)
}

// TestAppendOnly: the database itself refuses changes by mistake.
func TestAppendOnly(t *testing.T) {
	path := newPath(t)
	s := open(t, path)
	log := auditLog(t, s)
	appendRows(t, log, 1)
	log.Close()
	must.Do(t, s.Close())
	db := behind(t, path)
	for _, statement := range []string{
		"UPDATE audit_log SET body = '{}'", "DELETE FROM audit_log", "DELETE FROM audit_heads",
		"UPDATE audit_heads SET seq = 0", "UPDATE audit_heads SET tenant = 'x'",
	} {
		_, err := db.Exec(statement)
		wantErr(t, statement, err, "append-only")
	}
}

// TestOpenAuditMissing: there is nothing to verify in a file that is not there, and it stays so.
func TestOpenAuditMissing(t *testing.T) {
	path := newPath(t)
	opening := func() error {
		f, err := sqlstore.OpenAudit(t.Context(), path)
		if err == nil {
			err = f.Close()
		}
		return err
	}
	wantErr(t, "a missing file", opening(), "")
	change(t, path, "CREATE TABLE threads (id TEXT)")
	wantErr(t, "a database without a log", opening(), "no audit log")
}
