package storetest

import (
	"encoding/base64"
	"fmt"
	"testing"
	"time"

	"github.com/pageside/pageside/agui"
	"github.com/pageside/pageside/store"
	"github.com/pageside/pageside/test/must"
)

var ofThreads = []promise{
	{"a malformed cursor is an error", testBadCursor},
	{"threads are changed", func(t *testing.T, s Store) {
		wholeRun(t, s, "r1", "t1", "")
		wholeRun(t, s, "r2", "t1", "")
		thread := must.Get(s.Thread(ctx, ada, "t1"))(t)
		tick() // a new time would show
		for _, c := range []struct {
			change store.ThreadChange
			does   func(*store.Thread)
		}{
			{store.ThreadChange{}, func(*store.Thread) {}},
			{store.ThreadChange{Title: new("é😀 '\"%$1\n"), Archived: new(true)}, func(t *store.Thread) {
				t.Title, t.Archived = "é😀 '\"%$1\n", true
			}},
			{store.ThreadChange{Pinned: new(true), Title: new("")}, func(t *store.Thread) {
				t.Pinned, t.Title = true, ""
			}},
			{store.ThreadChange{Archived: new(false)}, func(t *store.Thread) { t.Archived = false }},
			{store.ThreadChange{Head: new("r1")}, func(t *store.Thread) { t.Head = "r1" }},
		} {
			c.does(&thread)
			want(t, "changed thread", thread)(s.UpdateThread(ctx, ada, "t1", c.change))
			want(t, "stored thread", thread)(s.Thread(ctx, ada, "t1"))
		}
	}},
	{"a deleted thread is not there", testDeletedThread},
	{"deleted threads are purged", testPurge},
}

// wantListed checks which threads of ada's a query selects, by pages of several sizes.
func wantListed(t *testing.T, s store.Store, q store.ThreadQuery, ids ...string) {
	t.Helper()
	for _, q.Limit = range []int{0, 1, 2, len(ids), 99} {
		want(t, fmt.Sprintf("threads of %+v", q), ids)(allThreads(s, ada, q))
	}
}

// allThreads lists threads page by page.
func allThreads(s store.Store, o store.Owner, q store.ThreadQuery) (ids []string, err error) {
	for range 10_000 {
		page, err := s.Threads(ctx, o, q)
		if err != nil {
			return nil, err
		}
		ids = append(ids, threadIDs(page.Items)...)
		if q.Cursor = page.Next; q.Cursor == "" {
			return ids, nil
		}
	}
	return nil, fmt.Errorf("the list of %+v has no end", q)
}

func threadIDs(threads []store.FoundThread) (ids []string) {
	for _, t := range threads {
		ids = append(ids, t.ID)
	}
	return ids
}

func testBadCursor(t *testing.T, s Store) {
	begin(t, s, ada, "r1", "t1")
	from := func(cursor string) error {
		return must.Err(s.Threads(ctx, ada, store.ThreadQuery{Cursor: cursor, Limit: 10}))
	}
	code := func(s string) string { return base64.RawURLEncoding.EncodeToString([]byte(s)) }
	for _, plain := range []string{
		"/", "1", "1/", "/t1", "x/t1", "+1/t1", "01/t1", "99999999999999999999/t1", "1/\x00", "1/\xff",
		"pinned:", "pinned:/t1", "pinned:pinned:1/t1", "unpinned:1/t1",
	} {
		must.FailWith(t, from(code(plain)), store.ErrBadCursor, "cursor of %q", plain)
	}
	for _, cursor := range []string{"x", "!!!!", "null", "0", code("1/t1") + "=", "MS90MR", "'; DROP TABLE threads"} {
		must.FailWith(t, from(cursor), store.ErrBadCursor, "cursor %q", cursor)
	}
	for _, plain := range []string{"0/t", "-5/t", "253402300799999/a/b", "9223372036854775807/t"} {
		must.Do(t, from(code(plain)))
	}
}

// testDeletedThread: to its owner, too, it is as if there were none, until it is restored. Others
// have one of the same id.
func testDeletedThread(t *testing.T, s Store) {
	for _, o := range []store.Owner{ada, bob, other} {
		fill(t, s, o)
	}
	wholeRun(t, s, "x", "t9", "")
	before := everything(t, s, ada)
	thread := setDeleted(t, s, "t1", true)
	must.Be(t, thread.DeletedAt.Before(thread.CreatedAt), false, "whether it was deleted before it was made")
	tick()
	want(t, "thread deleted again", thread)(setDeleted(t, s, "t1", true), nil)
	want(t, "stored thread", thread)(s.Thread(ctx, ada, "t1"))
	wantListed(t, s, store.ThreadQuery{}, "t9")
	wantListed(t, s, store.ThreadQuery{Text: "walrus"})
	wantListed(t, s, store.ThreadQuery{Deleted: true}, "t1")
	wantListed(t, s, store.ThreadQuery{Deleted: true, Text: "walrus"}, "t1")
	wantFail(t, calls(ctx, s, ada), store.ErrNotFound, theThread)
	must.FailWith(t, s.BeginRun(ctx, ada, run("r2", "t1"), nil, noEvents), store.ErrConflict, "a new run")
	must.FailWith(t, must.Err(s.OpenShare(ctx, "acme", shareOf(ada).TokenHash)), store.ErrNotFound, "the share")
	want(t, "webhooks", []store.Webhook{})(s.Webhooks(ctx, ada, "r1"))
	must.Be(t, len(must.Get(s.OpenWebhooks(ctx))(t)), 2, "open webhooks, of others")
	setDeleted(t, s, "t1", false)
	want(t, "the restored thread", before)(everything(t, s, ada), nil)

	// a live run on a deleted thread goes on until it ends
	setDeleted(t, s, "t1", true)
	must.Do(t, appended(s, ada, events("r1", 1, 2, "b")))
	must.Do(t, s.SaveMessages(ctx, ada, "t1", "r1", []agui.Message{user("a", "!")}))
	must.Do(t, s.StartCall(ctx, ada, "r1", "c1", true))
	must.Do(t, s.GiveAllowance(ctx, ada, allowance("a2", "r1")))
	end(t, s, ada, "r1")
	setDeleted(t, s, "t1", false)
	want(t, "transcript", []string{"m1=walrus", "a=!"})(transcript(s, ada, "t1", ""))
	wantLog(t, s, "r1", 0, "1/1=ada of acme", "2/1=b")
	wantAllowances(t, s, "t1", allowance("a1", "r1"), allowance("a2", "r1"))
	wholeRun(t, s, "r2", "t1", "")
}

// testPurge: what belongs to a purged thread is gone for good, even where its ids are used again.
func testPurge(t *testing.T, s Store) {
	fill(t, s, ada)
	fill(t, s, bob)
	bobs := everything(t, s, bob)
	for i := range 30 {
		id := fmt.Sprintf("x%02d", i)
		wholeRun(t, s, id, id, "")
		setDeleted(t, s, id, i%3 == 0)
	}
	setDeleted(t, s, "t1", true)
	want(t, "threads deleted an hour ago", []store.ThreadKey{})(s.Purge(ctx, time.Now().Add(-time.Hour)))
	wantPurged(t, s, "x00", "x03", "x06", "x09", "x12", "x15", "x18", "x21", "x24", "x27")
	must.FailWith(t, must.Err(s.Thread(ctx, ada, "x00")), store.ErrNotFound, "a purged thread")
	end(t, s, ada, "r1") // which has kept its thread
	wantPurged(t, s, "t1")

	begin(t, s, ada, "r1", "t1")
	wantNothing(t, s, ada)
	want(t, "what others have", bobs)(everything(t, s, bob), nil)
}
