package sqlstore_test

import (
	"database/sql"
	"fmt"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/pageside/pageside/audit"
	"github.com/pageside/pageside/auth"
	"github.com/pageside/pageside/store/sqlstore"
)

// appendRows appends rows one after the other, each in a commit of its own.
func appendRows(t *testing.T, log *audit.Log, n int) {
	t.Helper()
	for i := range n {
		confirm, err := log.Begin(t.Context(), audit.Entry{Kind: audit.ToolCall, Principal: auth.Principal{Tenant: "acme", Subject: "ann"}, CallID: fmt.Sprint("call", i)})
		if err != nil || confirm(t.Context()) != nil {
			t.Fatal(err)
		}
	}
}

func opened(t *testing.T, path string, options ...sqlstore.Option) (*sqlstore.Store, *audit.Log) {
	t.Helper()
	s, err := sqlstore.Open(t.Context(), path, options...)
	if err != nil {
		t.Fatal(err)
	}
	log := audit.NewLog(audit.Config{Key: auditKey, Keep: -1})
	if err := log.Open(t.Context(), s); err != nil {
		t.Fatal(err)
	}
	return s, log
}

// storedHead returns the number in audit_heads.
func storedHead(t *testing.T, path string) (seq int64) {
	t.Helper()
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if err := db.QueryRow("SELECT seq FROM audit_heads WHERE tenant = 'acme'").Scan(&seq); err != nil {
		t.Fatal(err)
	}
	return seq
}

// TestHeadsAreStoredRarely: a busy store does not write the head with each row. A closed one has
// it.
func TestHeadsAreStoredRarely(t *testing.T) {
	path := filepath.Join(t.TempDir(), "test.db")
	var heads atomic.Int32
	now := time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)
	s, log := opened(t, path, sqlstore.WithClock(func() time.Time { return now }), sqlstore.WithTrace(func(statement string) {
		if strings.Contains(statement, "INSERT INTO audit_heads") {
			heads.Add(1)
		}
	}))
	appendRows(t, log, 1)
	if heads.Load() != 1 {
		t.Errorf("the head of a new tenant was stored %d times", heads.Load())
	}
	appendRows(t, log, 99)
	if n := heads.Load(); n != 1 {
		t.Errorf("100 rows in a second stored the head %d times", n)
	}
	now = now.Add(time.Second)
	appendRows(t, log, 1)
	if n := heads.Load(); n != 2 {
		t.Errorf("rows in two seconds stored the head %d times", n)
	}
	appendRows(t, log, 1)
	log.Close()
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if seq := storedHead(t, path); seq != 102 {
		t.Errorf("a closed store has the head %d, want 102", seq)
	}
}

// TestHeadsOfAnIdleStore: the newest row of a store that is left alone is its head, so that a log
// that was cut off does not look whole.
func TestHeadsOfAnIdleStore(t *testing.T) {
	path := filepath.Join(t.TempDir(), "test.db")
	synctest.Test(t, func(t *testing.T) {
		var heads atomic.Int32
		s, log := opened(t, path, sqlstore.WithTrace(func(statement string) {
			if strings.Contains(statement, "INSERT INTO audit_heads") {
				heads.Add(1)
			}
		}))
		defer s.Close()
		defer log.Close()
		appendRows(t, log, 5)
		time.Sleep(5 * time.Second)
		if seq := storedHead(t, path); seq != 5 {
			t.Errorf("an idle store has the head %d, want 5", seq)
		}
		if n := heads.Load(); n != 2 {
			t.Errorf("five rows and a pause stored the head %d times", n)
		}
		time.Sleep(time.Minute)
		if n := heads.Load(); n != 2 {
			t.Errorf("an idle store stored the same head %d times", n)
		}
		for range 10 { // 400 ms apart: idle in between, but not for a second
			appendRows(t, log, 1)
			time.Sleep(400 * time.Millisecond)
		}
		if n := heads.Load(); n > 2+5 {
			t.Errorf("ten rows in four seconds stored the head %d times", n-2)
		}
	})
}

// TestHeadOfATenantThatBeginsWithSeveralRows: its head is stored with them, whatever the second,
// since without one there seems to be no chain.
func TestHeadOfATenantThatBeginsWithSeveralRows(t *testing.T) {
	now := time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)
	s, log := opened(t, filepath.Join(t.TempDir(), "test.db"), sqlstore.WithClock(func() time.Time { return now }))
	appendRows(t, log, 1) // the heads of this second are stored
	log.Close()
	defer s.Close()
	chain := audit.NewChain(auditKey)
	done := make(chan error, 1)
	draft := audit.Draft{Tenant: "later", Body: []byte(`{"time":"2026-11-22T12:00:00.000Z","kind":"tool.call"}`)}
	s.AppendAudit(t.Context(), chain, []audit.Draft{draft, draft, draft}, func(err error) { done <- err })
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	heads, err := s.AuditHeads(t.Context())
	if err != nil || len(heads) != 2 || heads[0].Seq+heads[1].Seq != 4 {
		t.Errorf("the heads are %+v, %v", heads, err)
	}
}

// leaveBehind stores an old head, as a crash does.
func leaveBehind(t *testing.T, path string) {
	t.Helper()
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	for _, statement := range []string{
		"DROP TRIGGER audit_heads_forward",
		"UPDATE audit_heads SET (day, seq, key_id, hash) = (SELECT day, seq, key_id, hash FROM audit_log WHERE tenant = 'acme' AND seq = 2)",
	} {
		if _, err := db.Exec(statement); err != nil {
			t.Fatal(err)
		}
	}
}

// TestHeadsAfterCrash: rows that are newer than the stored head are part of the chain, and it goes
// on after them.
func TestHeadsAfterCrash(t *testing.T) {
	path := filepath.Join(t.TempDir(), "test.db")
	s, log := opened(t, path)
	appendRows(t, log, 5)
	log.Close()
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	leaveBehind(t, path)
	s, log = opened(t, path)
	heads, err := s.AuditHeads(t.Context())
	if err != nil || len(heads) != 1 || heads[0].Seq != 5 {
		t.Errorf("the heads: %+v, %v", heads, err)
	}
	appendRows(t, log, 3)
	for name, source := range map[string]audit.Source{"all": s, "one tenant": s.AuditOf("acme")} {
		report, err := audit.Verify(t.Context(), source, nil, auditKey)
		if err != nil || report.State != audit.Unanchored || report.Rows != 8 {
			t.Errorf("%s: %+v, %v", name, report, err)
		}
	}
	log.Close()
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
}
