package sqlstore_test

import (
	"bytes"
	"context"
	"database/sql"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/pageside/pageside/audit"
	"github.com/pageside/pageside/auth"
	"github.com/pageside/pageside/store/sqlstore"
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
	path := filepath.Join(t.TempDir(), "audit.db")
	now := time.Date(2026, 11, 20, 22, 0, 0, 0, time.UTC)
	s, err := sqlstore.Open(t.Context(), path, sqlstore.WithClock(func() time.Time { return now }))
	if err != nil {
		t.Fatal(err)
	}
	var anchors bytes.Buffer
	log := audit.NewLog(audit.Config{Key: key, Keep: -1, Output: &anchors})
	if err := log.Open(t.Context(), s); err != nil {
		t.Fatal(err)
	}
	for i := range 120 {
		e := audit.Entry{
			Time: now, Kind: audit.ToolCall, Principal: auth.Principal{Tenant: fmt.Sprint("t", i%3), Subject: "ada"}, ThreadID: "thread", RunID: fmt.Sprint("run", i),
			CallID: fmt.Sprint("call", i), Tool: "delete_item", ArgsHash: fmt.Sprint("sha256:", i), Decision: audit.Approved, Rule: "role editor", Outcome: audit.OK,
		}
		confirm, err := log.Begin(t.Context(), e)
		if err != nil || confirm(t.Context()) != nil {
			t.Fatal(err)
		}
		now = now.Add(37 * time.Minute)
	}
	if n, err := s.PurgeAudit(t.Context(), audit.NewChain(key), time.Date(2026, 11, 21, 0, 0, 0, 0, time.UTC)); err != nil || n == 0 {
		t.Fatalf("purged %d rows, %v", n, err)
	}
	log.Close() // which anchors the last heads
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	read, unread, err := audit.ReadAnchors(&anchors)
	if err != nil || unread > 0 || len(read) != 3 {
		t.Fatalf("%d anchors, %d unread, %v", len(read), unread, err)
	}
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	db.SetMaxOpenConns(1)
	t.Cleanup(func() { db.Close() })
	for _, name := range []string{"audit_log_no_update", "audit_log_no_delete", "audit_heads_no_delete", "audit_heads_forward"} {
		if _, err := db.Exec("DROP TRIGGER " + name); err != nil {
			t.Fatal(err)
		}
	}
	return &tampered{path, db, read}
}

func (l *tampered) verify(t *testing.T, keys ...[]byte) audit.Report {
	t.Helper()
	f, err := sqlstore.OpenAudit(t.Context(), l.path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	report, err := audit.Verify(t.Context(), f, l.anchors, keys...)
	if err != nil {
		t.Fatal(err)
	}
	return report
}

// attacks change the log. Each returns how many rows it has changed; none means that it had no
// effect, and is tried again.
var attacks = map[string]func(*sql.Tx, *rand.Rand) (int64, error){
	"edit a body": func(tx *sql.Tx, r *rand.Rand) (int64, error) {
		var body string
		at := someRow(tx, r)
		if err := tx.QueryRow("SELECT body FROM audit_log WHERE tenant = ? AND seq = ?", at.tenant, at.seq).Scan(&body); err != nil {
			return 0, err
		}
		changed := []byte(body)
		changed[r.IntN(len(changed))] ^= byte(1 + r.IntN(255))
		return execTx(tx, "UPDATE audit_log SET body = CAST(? AS TEXT) WHERE tenant = ? AND seq = ?", changed, at.tenant, at.seq)
	},
	"edit a meaning": func(tx *sql.Tx, r *rand.Rand) (int64, error) {
		at := someRow(tx, r)
		from := []string{"delete_item", "ada", `"approved"`, "role editor", `"ok"`, "thread"}[r.IntN(6)]
		to := []string{"read_item", "bob", `"declined"`, "role admin", `"error"`, "threaD"}[r.IntN(6)]
		return execTx(tx, "UPDATE audit_log SET body = replace(body, ?, ?) WHERE tenant = ? AND seq = ? AND instr(body, ?)", from, to, at.tenant, at.seq, from)
	},
	"edit a column": func(tx *sql.Tx, r *rand.Rand) (int64, error) {
		at := someRow(tx, r)
		column := []struct{ name, value string }{
			{"day", "'2026-11-2' || (?1 % 10)"}, {"key_id", "CAST(?1 AS TEXT)"}, {"prev", "randomblob(1 + ?1 % 64)"}, {"hash", "randomblob(1 + ?1 % 64)"},
			{"seq", "seq + 1000 + ?1"}, {"tenant", "'t' || ?1"},
		}[r.IntN(6)]
		// what it is already would be no change
		return execTx(tx, "UPDATE OR IGNORE audit_log SET "+column.name+" = "+column.value+" WHERE tenant = ?2 AND seq = ?3 AND "+column.name+" <> "+column.value,
			r.IntN(1000), at.tenant, at.seq)
	},
	"delete rows": func(tx *sql.Tx, r *rand.Rand) (int64, error) {
		at := someRow(tx, r)
		return execTx(tx, "DELETE FROM audit_log WHERE tenant = ? AND seq BETWEEN ? AND ?", at.tenant, at.seq, at.seq+int64(r.IntN(3)))
	},
	"swap rows": func(tx *sql.Tx, r *rand.Rand) (int64, error) {
		a, b := someRow(tx, r), someRow(tx, r)
		if a == b {
			return 0, nil
		}
		const swap = "UPDATE audit_log SET (key_id, prev, hash, body) = (SELECT key_id, prev, hash, body FROM temp.kept WHERE tenant = ? AND seq = ?) WHERE tenant = ? AND seq = ?"
		if _, err := tx.Exec("CREATE TEMP TABLE kept AS SELECT * FROM audit_log"); err != nil {
			return 0, err
		}
		n, err := execTx(tx, swap, a.tenant, a.seq, b.tenant, b.seq)
		if err == nil {
			_, err = tx.Exec(swap, b.tenant, b.seq, a.tenant, a.seq)
		}
		return n, err
	},
	"insert a copy": func(tx *sql.Tx, r *rand.Rand) (int64, error) {
		at := someRow(tx, r)
		return execTx(tx, "INSERT OR IGNORE INTO audit_log SELECT tenant, day, seq + ?, key_id, prev, hash, body FROM audit_log WHERE tenant = ? AND seq = ?", 1+r.IntN(200), at.tenant, at.seq)
	},
	"cut the tail": func(tx *sql.Tx, r *rand.Rand) (int64, error) {
		at := someRow(tx, r)
		return execTx(tx, "DELETE FROM audit_log WHERE tenant = ? AND seq >= ?", at.tenant, at.seq)
	},
	"cut the tail and move the head": func(tx *sql.Tx, r *rand.Rand) (int64, error) {
		at := someRow(tx, r)
		n, err := execTx(tx, "DELETE FROM audit_log WHERE tenant = ? AND seq > ?", at.tenant, at.seq)
		if err == nil && n > 0 {
			_, err = tx.Exec("UPDATE audit_heads SET (day, seq, hash) = (SELECT day, seq, hash FROM audit_log WHERE tenant = ? AND seq = ?) WHERE tenant = ?", at.tenant, at.seq, at.tenant)
		}
		return n, err
	},
	"cut the beginning and move the checkpoint": func(tx *sql.Tx, r *rand.Rand) (int64, error) {
		at := someRow(tx, r)
		_, err := tx.Exec("UPDATE audit_heads SET (purged_day, purged_seq, purged_hash) = (SELECT day, seq, hash FROM audit_log WHERE tenant = ? AND seq = ?) WHERE tenant = ?", at.tenant, at.seq, at.tenant)
		if err != nil {
			return 0, err
		}
		return execTx(tx, "DELETE FROM audit_log WHERE tenant = ? AND seq <= ?", at.tenant, at.seq)
	},
	"drop a tenant": func(tx *sql.Tx, r *rand.Rand) (int64, error) {
		at := someRow(tx, r)
		if r.IntN(2) == 0 {
			if _, err := tx.Exec("DELETE FROM audit_heads WHERE tenant = ?", at.tenant); err != nil {
				return 0, err
			}
		}
		return execTx(tx, "DELETE FROM audit_log WHERE tenant = ?", at.tenant)
	},
	"edit a head": func(tx *sql.Tx, r *rand.Rand) (int64, error) {
		set := []string{"seq = seq + 1", "hash = randomblob(32)", "purged_seq = purged_seq + 1", "purged_hash = randomblob(32)", "purged_seal = randomblob(32)", "purged_seq = 0"}[r.IntN(6)]
		return execTx(tx, "UPDATE audit_heads SET "+set+" WHERE tenant = ?", someRow(tx, r).tenant)
	},
}

type rowAt struct {
	tenant string
	seq    int64
}

func someRow(tx *sql.Tx, r *rand.Rand) (at rowAt) {
	var n int
	if err := tx.QueryRow("SELECT count(*) FROM audit_log").Scan(&n); err != nil {
		panic(err)
	}
	if err := tx.QueryRow("SELECT tenant, seq FROM audit_log ORDER BY tenant, seq LIMIT 1 OFFSET ?", r.IntN(n)).Scan(&at.tenant, &at.seq); err != nil {
		panic(err)
	}
	return at
}

func execTx(tx *sql.Tx, text string, args ...any) (int64, error) {
	result, err := tx.Exec(text, args...)
	if err != nil {
		return 0, err
	}
	return result.RowsAffected()
}

// TestTampering changes the stored log at random and expects Verify to find every change.
func TestTampering(t *testing.T) {
	for name, key := range map[string][]byte{"sealed": auditKey, "hashed": nil} {
		t.Run(name, func(t *testing.T) {
			var keys [][]byte
			if key != nil {
				keys = append(keys, key)
			}
			l := writeLog(t, key)
			if r := l.verify(t, keys...); r.State != audit.Intact || r.Rows < 100 || r.Anchors != 3 || r.Tenants != 3 || r.Loose != 0 || r.Sealed != (key != nil) {
				t.Fatalf("the log as written: %+v", r)
			}
			tries := 1000 / 2
			if testing.Short() {
				tries = 100 / 2
			}
			for i := range tries {
				l.tamper(t, uint64(i), keys)
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
	names := sortedNames(attacks)
	name := names[seed%uint64(len(names))]
	for n := int64(0); n == 0; {
		tx, err := l.db.BeginTx(context.Background(), nil)
		if err != nil {
			t.Fatal(err)
		}
		if n, err = attacks[name](tx, r); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if n > 0 {
			report, err := audit.Verify(t.Context(), &inside{tx}, l.anchors, keys...)
			if err != nil {
				t.Fatal(err)
			}
			if report.State != audit.Tampered {
				t.Errorf("seed %d: %s was not found", seed, name)
			}
			for _, p := range report.Problems {
				if p.What == "" || !strings.Contains(p.String(), fmt.Sprint("row ", p.Seq)) {
					t.Errorf("seed %d: %s: the place is missing: %+v", seed, name, p)
				}
			}
		}
		if err := tx.Rollback(); err != nil {
			t.Fatal(err)
		}
	}
}
