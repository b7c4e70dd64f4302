package sqlstore_test

import (
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/pageside/pageside/audit"
	"github.com/pageside/pageside/auth"
	"github.com/pageside/pageside/store/sqlstore"
	"github.com/pageside/pageside/test/must"
)

// auditLog opens the audit log of a store.
func auditLog(t *testing.T, s *sqlstore.Store) *audit.Log {
	t.Helper()
	log := audit.NewLog(audit.Config{Key: auditKey, Keep: -1})
	must.Do(t, log.Open(t.Context(), s))
	t.Cleanup(log.Close)
	return log
}

// recorded records an entry and waits until it is durable.
func recorded(t *testing.T, log *audit.Log, e audit.Entry) {
	t.Helper()
	confirm := must.Get(log.Begin(t.Context(), e))(t)
	must.Do(t, confirm(t.Context()))
}

// appendRows appends rows one after the other, each in a commit of its own.
func appendRows(t *testing.T, log *audit.Log, n int) {
	t.Helper()
	by := auth.Principal{Tenant: "acme", Subject: "ann"}
	for i := range n {
		recorded(t, log, audit.Entry{Kind: audit.ToolCall, Principal: by, CallID: fmt.Sprint("call", i)})
	}
}

// storedHead returns the number in audit_heads.
func storedHead(t *testing.T, path string) int64 {
	t.Helper()
	return read[int64](t, path, "SELECT seq FROM audit_heads WHERE tenant = 'acme'")
}

// counting counts how often a head is stored.
func counting(heads *atomic.Int32) sqlstore.Option {
	return sqlstore.WithTrace(func(statement string) {
		if strings.Contains(statement, "INSERT INTO audit_heads") {
			heads.Add(1)
		}
	})
}

// TestHeadsAreStoredRarely: a busy store does not write the head with each row. A closed one has
// it.
func TestHeadsAreStoredRarely(t *testing.T) {
	path := newPath(t)
	var heads atomic.Int32
	now := time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)
	s := open(t, path, sqlstore.WithClock(func() time.Time { return now }), counting(&heads))
	log := auditLog(t, s)
	for _, step := range []struct {
		wait       time.Duration
		rows       int
		want       int32
		storedWhen string
	}{
		{0, 1, 1, "a tenant is new"},
		{0, 99, 1, "a hundred rows came in a second"},
		{time.Second, 1, 2, "another second has begun"},
		{0, 1, 2, "a row came in that second"},
	} {
		now = now.Add(step.wait)
		appendRows(t, log, step.rows)
		must.Be(t, heads.Load(), step.want, "times that the head has been stored when %s", step.storedWhen)
	}
	log.Close()
	must.Do(t, s.Close())
	must.Be(t, storedHead(t, path), 102, "the head of a closed store")
}

// TestHeadsOfAnIdleStore: the newest row of a store that is left alone is its head, so that a log
// that was cut off does not look whole.
func TestHeadsOfAnIdleStore(t *testing.T) {
	var heads atomic.Int32
	inBubble(t, func(t *testing.T, path string, s *sqlstore.Store) {
		log := auditLog(t, s)
		appendRows(t, log, 5)
		time.Sleep(5 * time.Second)
		must.Be(t, storedHead(t, path), 5, "the head after five rows and a pause")
		must.Be(t, heads.Load(), 2, "times that it was stored")
		time.Sleep(time.Minute)
		must.Be(t, heads.Load(), 2, "times that an idle store has stored the same head")
		for range 10 { // 400 ms apart: idle in between, but not for a second
			appendRows(t, log, 1)
			time.Sleep(400 * time.Millisecond)
		}
		if n := heads.Load(); n > 2+5 {
			t.Errorf("ten rows in four seconds stored the head %d times", n-2)
		}
	}, counting(&heads))
}

// TestHeadOfATenantThatBeginsWithSeveralRows: its head is stored with them, whatever the second,
// since without one there seems to be no chain.
func TestHeadOfATenantThatBeginsWithSeveralRows(t *testing.T) {
	now := time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)
	s := open(t, newPath(t), sqlstore.WithClock(func() time.Time { return now }))
	appendRows(t, auditLog(t, s), 1) // the heads of this second are stored
	done := make(chan error, 1)
	draft := audit.Draft{Tenant: "later", Body: []byte(`{"time":"2026-11-22T12:00:00.000Z","kind":"tool.call"}`)}
	drafts := []audit.Draft{draft, draft, draft}
	s.AppendAudit(t.Context(), audit.NewChain(auditKey), drafts, func(err error) { done <- err })
	must.Do(t, <-done)
	if heads := get(s.AuditHeads(t.Context())); len(heads) != 2 || heads[0].Seq+heads[1].Seq != 4 {
		t.Errorf("the heads are %+v", heads)
	}
}

// TestHeadsAfterCrash: rows that are newer than the stored head are part of the chain, and it goes
// on after them.
func TestHeadsAfterCrash(t *testing.T) {
	path := newPath(t)
	s := open(t, path)
	log := auditLog(t, s)
	appendRows(t, log, 5)
	log.Close()
	must.Do(t, s.Close())
	// an old head, as a crash leaves it
	change(t, path, "DROP TRIGGER audit_heads_forward",
		`UPDATE audit_heads SET (day, seq, key_id, hash) =
			(SELECT day, seq, key_id, hash FROM audit_log WHERE tenant = 'acme' AND seq = 2)`)
	s = open(t, path)
	log = auditLog(t, s)
	if heads := get(s.AuditHeads(t.Context())); len(heads) != 1 || heads[0].Seq != 5 {
		t.Errorf("the heads: %+v", heads)
	}
	appendRows(t, log, 3)
	for name, source := range map[string]audit.Source{"all": s, "one tenant": s.AuditOf("acme")} {
		report := get(audit.Verify(t.Context(), source, nil, auditKey))
		must.Be(t, report.State, audit.Unanchored, "the state of %s", name)
		must.Be(t, report.Rows, 8, "rows of %s", name)
	}
}
