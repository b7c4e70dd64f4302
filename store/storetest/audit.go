package storetest

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/pageside/pageside/audit"
	"github.com/pageside/pageside/auth"
	"github.com/pageside/pageside/store"
)

// auditLog returns an open log that records in s, sealed with a key.
func auditLog(t *testing.T, s Store, key string) *audit.Log {
	t.Helper()
	log := audit.NewLog(audit.Config{Key: []byte(key), Keep: -1})
	must(t, log.Open(t.Context(), s))
	t.Cleanup(log.Close)
	return log
}

// entry returns an entry about a call of a tenant's user.
func entry(tenant, subject, tool string) audit.Entry {
	return audit.Entry{Kind: audit.ToolCall, Principal: auth.Principal{Tenant: tenant, Subject: subject}, ThreadID: "t1", Tool: tool, Outcome: audit.OK}
}

// record records entries and returns once they are durable.
func record(t *testing.T, log *audit.Log, entries ...audit.Entry) {
	t.Helper()
	for i, e := range entries {
		if i < len(entries)-1 {
			must(t, log.Record(t.Context(), e))
			continue
		}
		confirm, err := log.Begin(t.Context(), e)
		must(t, err)
		must(t, confirm(t.Context()))
	}
}

func wantVerified(t *testing.T, s Store, rows int, keys ...[]byte) {
	t.Helper()
	report, err := audit.Verify(t.Context(), s, nil, keys...)
	must(t, err)
	if report.State == audit.Tampered || report.Rows != rows {
		t.Errorf("report is %+v, want %d rows and no problem", report, rows)
	}
}

// testAudit: every tenant has a chain of its own, in the order recorded.
func testAudit(t *testing.T, s Store) {
	log := auditLog(t, s, "key")
	record(t, log, entry("acme", "ada", "a"), entry("other", "ada", "b"), entry("acme", "bob", "c"), entry("acme", "ada", "d"))
	wantVerified(t, s, 4, []byte("key"))
	wantTools(t, s, "acme", audit.Query{}, "d", "c", "a")
	wantTools(t, s, "other", audit.Query{}, "b")
	wantTools(t, s, "acm", audit.Query{})
	heads, err := s.AuditHeads(t.Context())
	if err != nil || len(heads) != 2 || heads[0].Tenant != "acme" || heads[0].Seq != 3 || heads[1].Tenant != "other" || heads[1].Seq != 1 {
		t.Errorf("heads are %+v, %v", heads, err)
	}
	wantPart(t, s, "acme", "a", "c", "d")
	wantPart(t, s, "other", "b")
	wantPart(t, s, "acm")
}

// wantPart checks what a tenant's part of the log holds: its own rows and head, and no others.
func wantPart(t *testing.T, s Store, tenant string, want ...string) {
	t.Helper()
	part := s.AuditOf(tenant)
	var rows []audit.Row
	for r, err := range part.AuditRows(t.Context()) {
		must(t, err)
		rows = append(rows, r)
	}
	if got := tools(t, rows); !slices.Equal(got, want) {
		t.Errorf("the part of %q is %q, want %q", tenant, got, want)
	}
	heads, err := part.AuditHeads(t.Context())
	if err != nil || len(heads) != min(1, len(want)) || len(heads) == 1 && (heads[0].Tenant != tenant || heads[0].Seq != int64(len(want))) {
		t.Errorf("the heads of %q are %+v, %v", tenant, heads, err)
	}
	report, err := audit.Verify(t.Context(), part, nil, []byte("key"))
	if err != nil || report.State == audit.Tampered || report.Rows != len(want) {
		t.Errorf("the part of %q verifies as %+v, %v", tenant, report, err)
	}
}

// wantTools checks which rows of a tenant a query finds, by their tools.
func wantTools(t *testing.T, s Store, tenant string, q audit.Query, want ...string) {
	t.Helper()
	page, err := s.AuditRecords(t.Context(), tenant, q)
	if got := tools(t, page.Items); err != nil || !slices.Equal(got, want) {
		t.Errorf("found are %q, %v, want %q", got, err, want)
	}
}

func tools(t *testing.T, rows []audit.Row) (names []string) {
	t.Helper()
	for _, r := range rows {
		e, err := r.Entry()
		must(t, err)
		names = append(names, e.Tool)
	}
	return names
}

// testAuditQuery: every filter selects, and all of them together.
func testAuditQuery(t *testing.T, s Store) {
	log := auditLog(t, s, "")
	at := time.Now().Add(-time.Hour)
	for i, change := range []func(*audit.Entry){
		func(e *audit.Entry) { e.Principal.Subject = "bob" },
		func(e *audit.Entry) { e.Kind = audit.Approval },
		func(e *audit.Entry) { e.ThreadID = "t2" },
		func(e *audit.Entry) { e.Time = at },
		func(*audit.Entry) {},
	} {
		e := entry("acme", "ada", fmt.Sprint("tool", i))
		change(&e)
		record(t, log, e)
	}
	wantTools(t, s, "acme", audit.Query{Subject: "bob"}, "tool0")
	wantTools(t, s, "acme", audit.Query{Kind: audit.Approval}, "tool1")
	wantTools(t, s, "acme", audit.Query{Thread: "t2"}, "tool2")
	wantTools(t, s, "acme", audit.Query{To: at.Add(time.Minute)}, "tool3")
	wantTools(t, s, "acme", audit.Query{From: at.Add(time.Minute)}, "tool4", "tool2", "tool1", "tool0")
	wantTools(t, s, "acme", audit.Query{Tool: "tool4"}, "tool4")
	wantTools(t, s, "acme", audit.Query{From: at.Add(time.Minute), Subject: "ada", Kind: audit.ToolCall, Thread: "t1"}, "tool4")
	_, err := s.AuditRecords(t.Context(), "acme", audit.Query{Cursor: "x"})
	wantErr(t, "a cursor that is none", err, store.ErrBadCursor)
}

// testAuditPages: pages show every row once, whatever is appended meanwhile.
func testAuditPages(t *testing.T, s Store) {
	log := auditLog(t, s, "")
	var want []string
	for i := range 25 {
		name := fmt.Sprintf("tool%02d", i)
		record(t, log, entry("acme", "ada", name), entry("other", "ada", "x"))
		want = append([]string{name}, want...)
	}
	var got []string
	q := audit.Query{Limit: 4}
	for range 30 {
		page, err := s.AuditRecords(t.Context(), "acme", q)
		must(t, err)
		got = append(got, tools(t, page.Items)...)
		if q.Cursor = page.Next; q.Cursor == "" {
			break
		}
		record(t, log, entry("acme", "ada", "later"))
	}
	if !slices.Equal(got, want) {
		t.Errorf("pages show %q, want %q", got, want)
	}
}

// testAuditPurge: old days go, the rest stays verifiable, and goes on.
func testAuditPurge(t *testing.T, s Store) {
	key := []byte("key")
	log := auditLog(t, s, "key")
	record(t, log, entry("acme", "ada", "a"), entry("acme", "ada", "b"), entry("other", "ada", "c"))
	chain := audit.NewChain(key)
	if n, err := s.PurgeAudit(t.Context(), chain, time.Now().Add(-48*time.Hour)); err != nil || n != 0 {
		t.Errorf("purged %d young rows, %v", n, err)
	}
	if n, err := s.PurgeAudit(t.Context(), chain, time.Now().Add(48*time.Hour)); err != nil || n != 3 {
		t.Errorf("purged %d rows, %v, want 3", n, err)
	}
	record(t, log, entry("acme", "ada", "d"))
	wantVerified(t, s, 3, key) // one in each tenant says so
	wantTools(t, s, "acme", audit.Query{}, "d", "")
	page, err := s.AuditRecords(t.Context(), "other", audit.Query{Kind: audit.Purge})
	if err != nil || len(page.Items) != 1 || page.Items[0].Seq != 2 {
		t.Errorf("the purge is recorded as %+v, %v", page.Items, err)
	}
	if n, err := s.PurgeAudit(t.Context(), chain, time.Now().Add(48*time.Hour)); err != nil || n != 3 {
		t.Errorf("purged %d rows the second time, %v, want 3", n, err)
	}
	wantVerified(t, s, 2, key)
}

// testAuditOutlives: a purged thread leaves its entries.
func testAuditOutlives(t *testing.T, s Store) {
	log := auditLog(t, s, "")
	wholeRun(t, s, "r1", "t1", "")
	e := entry(ada.Tenant, ada.Subject, "a")
	record(t, log, e)
	deleteThread(t, s, "t1", true)
	if n, err := s.Purge(t.Context(), time.Now().Add(time.Hour)); err != nil || len(n) != 1 {
		t.Fatalf("purged %v, %v", n, err)
	}
	wantTools(t, s, ada.Tenant, audit.Query{Thread: "t1"}, "a")
}

// testAuditOrder: an entry is durable once a write that came after it is.
func testAuditOrder(t *testing.T, s Store) {
	log := auditLog(t, s, "")
	begin(t, s, ada, "r1", "t1")
	for i := range 50 {
		must(t, log.Record(t.Context(), entry(ada.Tenant, ada.Subject, fmt.Sprint(i))))
		must(t, s.TaintRun(t.Context(), ada, "r1"))
		heads, err := s.AuditHeads(t.Context())
		if err != nil || len(heads) != 1 || heads[0].Seq != int64(i+1) {
			t.Fatalf("after write %d the heads are %+v, %v", i, heads, err)
		}
	}
}

// testAuditConcurrent: many tenants at once, and failing writes between them, leave no gap.
func testAuditConcurrent(t *testing.T, s Store) {
	log := auditLog(t, s, "key")
	const writers, each = 8, 20
	done := make(chan error, writers)
	for w := range writers {
		go func() {
			done <- func() error {
				for range each {
					confirm, err := log.Begin(context.Background(), entry(fmt.Sprint("tenant", w%3), "ada", "a"))
					if err != nil {
						return err
					}
					// fails, and must take nothing with it
					_ = s.TaintRun(context.Background(), ada, "none")
					if err := confirm(context.Background()); err != nil {
						return err
					}
				}
				return nil
			}()
		}()
	}
	for range writers {
		must(t, <-done)
	}
	wantVerified(t, s, writers*each, []byte("key"))
}

// testAuditClosed: entries are refused, not lost silently.
func testAuditClosed(t *testing.T, s Store) {
	must(t, s.Close())
	failed := make(chan error, 1)
	s.AppendAudit(t.Context(), audit.NewChain(nil), []audit.Draft{{Tenant: "acme", Body: []byte("{}")}}, func(err error) { failed <- err })
	wantErr(t, "append", <-failed, store.ErrClosed)
	_, err := s.AuditHeads(t.Context())
	wantErr(t, "heads", err, store.ErrClosed)
}
