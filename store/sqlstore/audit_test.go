package sqlstore_test

import (
	"bytes"
	"database/sql"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
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

// tampered is a stored log, whose triggers are gone since who has the file can drop them, and what
// was kept of it elsewhere.
type tampered struct {
	file    []byte
	rows    []audit.Row
	anchors []audit.Anchor
}

// writeLog writes a log of several tenants over several days, and purges its first day.
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
	l := &tampered{}
	for r, err := range s.AuditRows(t.Context()) {
		must.Do(t, err)
		l.rows = append(l.rows, r)
	}
	must.Do(t, s.Close())
	kept, unread, err := audit.ReadAnchors(&anchors)
	if err != nil || unread > 0 || len(kept) != 3 {
		t.Fatalf("%d anchors, %d unread, %v", len(kept), unread, err)
	}
	change(t, path, "DROP TRIGGER audit_log_no_update", "DROP TRIGGER audit_log_no_delete",
		"DROP TRIGGER audit_heads_no_delete", "DROP TRIGGER audit_heads_forward")
	l.file, l.anchors = get(os.ReadFile(path)), kept
	return l
}

// verify changes a copy of the log and verifies it. It also returns how many rows were changed.
func (l *tampered) verify(t *testing.T, keys [][]byte, by func(*sql.DB) int64) (audit.Report, int64) {
	t.Helper()
	path := put(t, l.file, nil)
	db := behind(t, path)
	db.SetMaxOpenConns(1)
	n := by(db)
	must.Do(t, db.Close())
	f := get(sqlstore.OpenAudit(t.Context(), path))
	defer f.Close()
	return get(audit.Verify(t.Context(), f, l.anchors, keys...)), n
}

// executed returns how many rows a statement has changed.
func executed(db *sql.DB, statement string, args ...any) int64 {
	return get(get(db.Exec(statement, args...)).RowsAffected())
}

// attacks are statements that change the log at the row with the tenant ?1 and the number ?2. ?3 is
// a random number, and ?4 and ?5 are another row. Where they change nothing they are tried again.
var attacks = map[string][]string{
	"edit a byte": {`UPDATE audit_log SET body = substr(body, 1, ?3 % 90) ||
		CAST(unhex(printf('%02x', ?3 % 256)) AS TEXT) || substr(body, ?3 % 90 + 2)
		WHERE tenant = ?1 AND seq = ?2 AND unicode(substr(body, ?3 % 90 + 1)) <> ?3 % 256`},
	"edit the tool":       {reword(`delete_item`, `read_item`)},
	"edit who it was":     {reword(`ada`, `bob`)},
	"edit the decision":   {reword(`"approved"`, `"declined"`)},
	"edit the rule":       {reword(`role editor`, `role admin`)},
	"edit the outcome":    {reword(`"ok"`, `"error"`)},
	"edit the thread":     {reword(`thread`, `threaD`)},
	"edit the day":        {edit("day = '2026-11-2' || ?3 % 10") + " AND day <> '2026-11-2' || ?3 % 10"},
	"edit the key":        {edit("key_id = 'another'")},
	"edit the hash":       {edit("hash = zeroblob(1 + ?3 % 64)")},
	"edit what it is of":  {edit("prev = zeroblob(1 + ?3 % 64)")},
	"edit the number":     {edit("seq = seq + 1000 + ?3")},
	"edit the tenant":     {edit("tenant = 't' || (3 + ?3)")},
	"delete rows":         {"DELETE FROM audit_log WHERE tenant = ?1 AND seq BETWEEN ?2 AND ?2 + ?3 % 3"},
	"drop a tenant":       {"DELETE FROM audit_log WHERE tenant = ?1", "DELETE FROM audit_heads WHERE tenant = ?1"},
	"drop a tenant's log": {"DELETE FROM audit_log WHERE tenant = ?1"},
	"cut the tail":        {"DELETE FROM audit_log WHERE tenant = ?1 AND seq >= ?2"},
	"cut the tail and move the head": {
		"DELETE FROM audit_log WHERE tenant = ?1 AND seq > ?2",
		move("day, seq, hash") + " AND seq > ?2",
	},
	"cut the beginning and move the checkpoint": {
		move("purged_day, purged_seq, purged_hash"), "DELETE FROM audit_log WHERE tenant = ?1 AND seq <= ?2",
	},
	"insert a copy": {`INSERT OR IGNORE INTO audit_log SELECT tenant, day, seq + 1 + ?3 % 200, key_id, prev, hash, body
		FROM audit_log WHERE tenant = ?1 AND seq = ?2`},
	"swap rows": {
		"CREATE TEMP TABLE kept AS SELECT * FROM audit_log",
		`UPDATE audit_log AS a SET (key_id, prev, hash, body) = (SELECT key_id, prev, hash, body FROM temp.kept k
			WHERE (k.tenant, k.seq) IN (VALUES (?1, ?2), (?4, ?5)) AND (k.tenant, k.seq) <> (a.tenant, a.seq))
			WHERE (tenant, seq) IN (VALUES (?1, ?2), (?4, ?5)) AND (?1, ?2) <> (?4, ?5)`,
	},
	"edit a head's number":       {"UPDATE audit_heads SET seq = seq + 1 WHERE tenant = ?1"},
	"edit a head's hash":         {"UPDATE audit_heads SET hash = zeroblob(32) WHERE tenant = ?1"},
	"edit a checkpoint's number": {"UPDATE audit_heads SET purged_seq = purged_seq + 1 WHERE tenant = ?1"},
	"edit a checkpoint's hash":   {"UPDATE audit_heads SET purged_hash = zeroblob(32) WHERE tenant = ?1"},
	"edit a checkpoint's seal":   {"UPDATE audit_heads SET purged_seal = zeroblob(32) WHERE tenant = ?1"},
	"pretend that no row is old": {"UPDATE audit_heads SET purged_seq = 0 WHERE tenant = ?1"},
}

// edit returns a statement that changes the row.
func edit(to string) string {
	return "UPDATE OR IGNORE audit_log SET " + to + " WHERE tenant = ?1 AND seq = ?2"
}

// reword returns a statement that replaces words of the row's body.
func reword(from, to string) string {
	return edit("body = replace(body, '"+from+"', '"+to+"')") + " AND instr(body, '" + from + "')"
}

// move returns a statement that makes columns of the tenant's head say what the row is.
func move(columns string) string {
	return "UPDATE audit_heads SET (" + columns + `) = (SELECT day, seq, hash FROM audit_log
		WHERE tenant = ?1 AND seq = ?2) WHERE tenant = ?1`
}

// TestTampering changes the stored log at random rows and expects Verify to find every change.
func TestTampering(t *testing.T) {
	rounds := 10
	if testing.Short() {
		rounds = 2
	}
	for name, keys := range map[string][][]byte{"sealed": {auditKey}, "hashed": nil} {
		t.Run(name, func(t *testing.T) {
			l := writeLog(t, slices.Concat(keys...))
			r, _ := l.verify(t, keys, func(*sql.DB) int64 { return 0 })
			if r.State != audit.Intact || r.Rows < 100 || r.Anchors != 3 || r.Tenants != 3 || r.Loose != 0 ||
				r.Sealed != (keys != nil) {
				t.Fatalf("the log as written: %+v", r)
			}
			for i, attack := range slices.Sorted(maps.Keys(attacks)) {
				for n := range rounds {
					l.attack(t, attack, rand.New(rand.NewPCG(uint64(i), uint64(n))), keys)
				}
			}
		})
	}
}

// attack carries out an attack at random rows until it changes something, and checks that it is
// found, and where.
func (l *tampered) attack(t *testing.T, attack string, r *rand.Rand, keys [][]byte) {
	t.Helper()
	for n := int64(0); n == 0; {
		row, other, random := l.rows[r.IntN(len(l.rows))], l.rows[r.IntN(len(l.rows))], r.IntN(1000)
		var report audit.Report
		report, n = l.verify(t, keys, func(db *sql.DB) (n int64) {
			for _, statement := range attacks[attack] {
				n += executed(db, statement, row.Tenant, row.Seq, random, other.Tenant, other.Seq)
			}
			return n
		})
		if n == 0 {
			continue
		}
		must.Be(t, report.State, audit.Tampered, "%s at %s %d: the log", attack, row.Tenant, row.Seq)
		for _, p := range report.Problems {
			if p.What == "" || !strings.Contains(p.String(), fmt.Sprint("row ", p.Seq)) {
				t.Errorf("%s: the place is missing: %+v", attack, p)
			}
		}
	}
}

// TestForgedWithoutTheKey: who can write the store but has no key can rewrite no row, even with
// right hashes, nor pretend that rows never were sealed.
func TestForgedWithoutTheKey(t *testing.T) {
	l := writeLog(t, auditKey)
	l.anchors = nil // there are none outside
	forger := audit.NewChain(nil)
	report, n := l.verify(t, [][]byte{auditKey}, func(db *sql.DB) (n int64) {
		heads := map[string]audit.Head{}
		for _, r := range l.rows {
			head, begun := heads[r.Tenant]
			if !begun { // after what was purged
				head = audit.Head{Tenant: r.Tenant, Seq: r.Seq - 1, Hash: r.Prev}
				p := forger.Checkpoint(r.Tenant, "2026-11-20", head.Seq, head.Hash)
				n += executed(db, "UPDATE audit_heads SET purged_key = '', purged_seal = ? WHERE tenant = ?", p.Seal[:], r.Tenant)
			}
			draft := audit.Draft{Tenant: r.Tenant, Body: bytes.ReplaceAll(r.Body, []byte("ada"), []byte("bob"))}
			forged := forger.Next(head, draft, get(time.Parse(time.DateOnly, r.Day)))
			heads[r.Tenant] = head.Advance(&forged)
			n += executed(db, "UPDATE audit_log SET key_id = '', prev = ?, hash = ?, body = ? WHERE tenant = ? AND seq = ?",
				forged.Prev[:], forged.Hash[:], string(forged.Body), r.Tenant, r.Seq)
		}
		for tenant, h := range heads {
			n += executed(db, "UPDATE audit_heads SET key_id = '', hash = ? WHERE tenant = ?", h.Hash[:], tenant)
		}
		return n
	})
	must.Be(t, n, int64(len(l.rows)+6), "changed rows")
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
