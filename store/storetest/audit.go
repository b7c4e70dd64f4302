package storetest

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/pageside/pageside/audit"
	"github.com/pageside/pageside/auth"
	"github.com/pageside/pageside/store"
	"github.com/pageside/pageside/test/must"
)

var auditKey = []byte("key")

var ofAudit = []promise{
	{"the audit log is a chain per tenant", func(t *testing.T, s Store) {
		log := auditLog(t, s)
		record(t, log, entry("acme", "a"), entry("other", "b"), entry("acme", "c"), entry("acme", "d"))
		wantVerified(t, s, 4)
		wantTools(t, s, audit.Query{}, "d", "c", "a")
		want(t, "rows of no tenant", audit.Page{})(s.AuditRecords(ctx, "acm", audit.Query{}))
		wantHeads(t, s, "acme 3", "other 1")
		for tenant, rows := range map[string][]string{"acme": {"a", "c", "d"}, "other": {"b"}} {
			part := s.AuditOf(tenant)
			want(t, "the part of "+tenant, rows)(rowsOf(part))
			wantVerified(t, part, len(rows))
			wantHeads(t, part, fmt.Sprint(tenant, " ", len(rows)))
		}
		want(t, "the part of no tenant", []string{})(rowsOf(s.AuditOf("acm")))
		wantHeads(t, s.AuditOf("acm"))
	}},
	// every filter selects, and all of them together
	{"the audit log is filtered", func(t *testing.T, s Store) {
		log := auditLog(t, s)
		at := time.Now().Add(-time.Hour)
		for i, change := range []func(*audit.Entry){
			func(e *audit.Entry) { e.Principal.Subject = "bob" },
			func(e *audit.Entry) { e.Kind = audit.Approval },
			func(e *audit.Entry) { e.ThreadID = "t2" },
			func(e *audit.Entry) { e.Time = at },
			func(*audit.Entry) {},
		} {
			record(t, log, with(entry("acme", fmt.Sprint("tool", i)), change))
		}
		after := at.Add(time.Minute)
		wantTools(t, s, audit.Query{Subject: "bob"}, "tool0")
		wantTools(t, s, audit.Query{Kind: audit.Approval}, "tool1")
		wantTools(t, s, audit.Query{Thread: "t2"}, "tool2")
		wantTools(t, s, audit.Query{To: after}, "tool3")
		wantTools(t, s, audit.Query{From: after}, "tool4", "tool2", "tool1", "tool0")
		wantTools(t, s, audit.Query{Tool: "tool4"}, "tool4")
		wantTools(t, s, audit.Query{From: after, Subject: "ada", Kind: audit.ToolCall, Thread: "t1"}, "tool4")
		must.FailWith(t, must.Err(s.AuditRecords(ctx, "acme", audit.Query{Cursor: "x"})), store.ErrBadCursor,
			"a bad cursor")
	}},
	// pages show every row once, whatever is appended meanwhile
	{"the audit log is paged", func(t *testing.T, s Store) {
		log := auditLog(t, s)
		var all, got []string
		for i := range 25 {
			name := fmt.Sprintf("tool%02d", i)
			record(t, log, entry("acme", name), entry("other", "x"))
			all = append(all, name)
		}
		q := audit.Query{Limit: 4}
		for more := true; more; more = q.Cursor != "" {
			page := must.Get(s.AuditRecords(ctx, "acme", q))(t)
			got, q.Cursor = append(got, must.Get(tools(page.Items))(t)...), page.Next
			record(t, log, entry("acme", "later"))
		}
		slices.Reverse(all)
		want(t, "pages", all)(got, nil)
	}},
	// old days go, the rest stays verifiable, and goes on
	{"the audit log is purged and stays verifiable", func(t *testing.T, s Store) {
		log := auditLog(t, s)
		record(t, log, entry("acme", "a"), entry("acme", "b"), entry("other", "c"))
		purge := func(days time.Duration) (int, error) {
			return s.PurgeAudit(ctx, audit.NewChain(auditKey), time.Now().Add(days*24*time.Hour))
		}
		want(t, "purged young rows", 0)(purge(-2))
		want(t, "purged rows", 3)(purge(2))
		record(t, log, entry("acme", "d"))
		wantVerified(t, s, 3) // one in each tenant says so
		wantTools(t, s, audit.Query{}, "d", "")
		purges := must.Get(s.AuditRecords(ctx, "other", audit.Query{Kind: audit.Purge}))(t).Items
		must.Be(t, len(purges) == 1 && purges[0].Seq == 2, true, "whether %+v record the purge", purges)
		want(t, "rows purged the second time", 3)(purge(2))
		wantVerified(t, s, 2)
	}},
	{"the audit log outlives threads", func(t *testing.T, s Store) {
		wholeRun(t, s, "r1", "t1", "")
		record(t, auditLog(t, s), entry("acme", "a"))
		setDeleted(t, s, "t1", true)
		wantPurged(t, s, "t1")
		wantTools(t, s, audit.Query{Thread: "t1"}, "a")
	}},
	{"an audit entry is durable before what follows it", func(t *testing.T, s Store) {
		log := auditLog(t, s)
		begin(t, s, ada, "r1", "t1")
		for i := range 50 {
			must.Do(t, log.Record(ctx, entry("acme", fmt.Sprint(i))))
			must.Do(t, s.TaintRun(ctx, ada, "r1"))
			wantHeads(t, s, fmt.Sprint("acme ", i+1))
		}
	}},
	// of many tenants at once, also where writes between them fail
	{"concurrent entries leave no gap", func(t *testing.T, s Store) {
		log := auditLog(t, s)
		const writers, each = 8, 20
		wantWinners(t, writers, writers, nil, func(i int) error {
			for range each {
				confirm, err := log.Begin(ctx, entry(fmt.Sprint("tenant", i%3), "a"))
				if err != nil {
					return err
				}
				_ = s.TaintRun(ctx, ada, "none") // fails, and must take nothing with it
				if err := confirm(ctx); err != nil {
					return err
				}
			}
			return nil
		})
		wantVerified(t, s, writers*each)
	}},
	// they are not lost silently
	{"a closed store refuses audit entries", func(t *testing.T, s Store) {
		must.Do(t, s.Close())
		failed := make(chan error, 1)
		draft := audit.Draft{Tenant: "acme", Body: []byte("{}")}
		s.AppendAudit(ctx, audit.NewChain(nil), []audit.Draft{draft}, func(err error) { failed <- err })
		must.FailWith(t, <-failed, store.ErrClosed, "append")
		must.FailWith(t, must.Err(s.AuditHeads(ctx)), store.ErrClosed, "heads")
	}},
}

// auditLog returns an open log that records in s.
func auditLog(t *testing.T, s Store) *audit.Log {
	t.Helper()
	log := audit.NewLog(audit.Config{Key: auditKey, Keep: -1})
	must.Do(t, log.Open(ctx, s))
	t.Cleanup(log.Close)
	return log
}

// entry returns an entry about a call of ada's on the thread t1.
func entry(tenant, tool string) audit.Entry {
	by := auth.Principal{Tenant: tenant, Subject: "ada"}
	return audit.Entry{Kind: audit.ToolCall, Principal: by, ThreadID: "t1", Tool: tool, Outcome: audit.OK}
}

// record records entries and returns once they are durable.
func record(t *testing.T, log *audit.Log, entries ...audit.Entry) {
	t.Helper()
	confirm := func(context.Context) error { return nil }
	for _, e := range entries {
		confirm = must.Get(log.Begin(ctx, e))(t)
	}
	must.Do(t, confirm(ctx))
}

func wantVerified(t *testing.T, s audit.Source, rows int) {
	t.Helper()
	report := must.Get(audit.Verify(ctx, s, nil, auditKey))(t)
	if report.State == audit.Tampered || report.Rows != rows {
		t.Errorf("report is %+v, want %d rows and no problem", report, rows)
	}
}

// wantHeads checks the newest row of each tenant, written as the tenant and its number.
func wantHeads(t *testing.T, s audit.Source, heads ...string) {
	t.Helper()
	var got []string
	for _, h := range must.Get(s.AuditHeads(ctx))(t) {
		got = append(got, fmt.Sprint(h.Tenant, " ", h.Seq))
	}
	want(t, "heads", heads)(got, nil)
}

// wantTools checks which rows of acme a query finds, by their tools.
func wantTools(t *testing.T, s Store, q audit.Query, found ...string) {
	t.Helper()
	page := must.Get(s.AuditRecords(ctx, "acme", q))(t)
	want(t, fmt.Sprintf("found by %+v", q), found)(tools(page.Items))
}

// rowsOf returns the tools of all rows.
func rowsOf(s audit.Source) ([]string, error) {
	var rows []audit.Row
	for r, err := range s.AuditRows(ctx) {
		if err != nil {
			return nil, err
		}
		rows = append(rows, r)
	}
	return tools(rows)
}

func tools(rows []audit.Row) (names []string, err error) {
	for _, r := range rows {
		e, bad := r.Entry()
		names, err = append(names, e.Tool), errors.Join(err, bad)
	}
	return names, err
}
