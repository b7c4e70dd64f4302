package storetest

import (
	"encoding/base64"
	"fmt"
	"slices"
	"sync"
	"testing"

	"github.com/pageside/pageside/store"
)

func testThreads(t *testing.T, s store.Store) {
	page, err := s.Threads(t.Context(), ada, store.ThreadQuery{Cursor: "", Limit: 10})
	if err != nil || len(page.Items) != 0 || page.Next != "" {
		t.Errorf("no threads: %+v, %v", page, err)
	}
	for i := range 5 {
		begin(t, s, ada, fmt.Sprint("r", i), fmt.Sprint("t", i), user("m", ""))
		tick() // the list is ordered by time
	}
	wantThreads(t, s, "t4", "t3", "t2", "t1", "t0")
	must(t, s.SaveMessages(t.Context(), ada, "t1", "r1", many("n", 1)))
	wantThreads(t, s, "t1", "t4", "t3", "t2", "t0")
	tick()
	begin(t, s, ada, "r9", "t0")
	must(t, setTitle(s, t.Context(), ada, "t2", "title"))
	must(t, s.EndRun(t.Context(), ada, finished("r3"), nil, store.Batch{}))
	wantThreads(t, s, "t1", "t4", "t3", "t2", "t0") // none of these is a message
	must(t, s.EndRun(t.Context(), ada, finished("r9"), many("n", 1), store.Batch{}))
	wantThreads(t, s, "t0", "t1", "t4", "t3", "t2")
}

func wantThreads(t *testing.T, s store.Store, want ...string) {
	t.Helper()
	for _, limit := range []int{0, 1, 2, len(want), 99} {
		got, err := allThreads(t.Context(), s, ada, "", limit)
		must(t, err)
		if !slices.Equal(got, want) {
			t.Errorf("threads are %q, want %q, by %d", got, want, limit)
		}
	}
}

// testPinned: pinned threads come first, with and without a search, on every page; listings that do
// not ask for it stay as they are.
func testPinned(t *testing.T, s store.Store) {
	for i := range 6 {
		begin(t, s, ada, fmt.Sprint("r", i), fmt.Sprint("t", i), user("m", "special"))
		tick()
	}
	for _, id := range []string{"t3", "t0", "t1"} {
		setPinned(t, s, id, true)
	}
	setPinned(t, s, "t1", true)
	pinned, special := store.ThreadQuery{PinnedFirst: true}, store.ThreadQuery{PinnedFirst: true, Text: "spec"}
	for _, q := range []store.ThreadQuery{pinned, special} {
		wantListed(t, s, q, "t3", "t1", "t0", "t5", "t4", "t2")
		q.PinnedFirst = false
		wantListed(t, s, q, "t5", "t4", "t3", "t2", "t1", "t0")
	}
	must(t, s.SaveMessages(t.Context(), ada, "t0", "r0", many("n", 1)))
	wantListed(t, s, pinned, "t0", "t3", "t1", "t5", "t4", "t2")
	setPinned(t, s, "t3", false)
	wantListed(t, s, special, "t0", "t1", "t5", "t4", "t3", "t2")

	deleteThread(t, s, "t1", true)
	yes := true
	_, err := s.UpdateThread(t.Context(), ada, "t0", store.ThreadChange{Archived: &yes})
	must(t, err)
	wantListed(t, s, pinned, "t5", "t4", "t3", "t2")
	if back := deleteThread(t, s, "t1", false); !back.Pinned {
		t.Error("a restored thread has lost its pin")
	}
	wantListed(t, s, pinned, "t1", "t5", "t4", "t3", "t2")
}

func setPinned(t *testing.T, s store.Store, id string, pinned bool) {
	t.Helper()
	was, err := s.Thread(t.Context(), ada, id)
	must(t, err)
	got, err := s.UpdateThread(t.Context(), ada, id, store.ThreadChange{Pinned: &pinned})
	was.Pinned = pinned
	if stored, readErr := s.Thread(t.Context(), ada, id); err != nil || readErr != nil || got != was || stored != was {
		t.Errorf("thread is %+v, stored %+v, %v, want %+v", got, stored, err, was)
	}
}

// testPinnedCursor: a cursor keeps its place while threads are pinned and unpinned, and holds for
// either order.
func testPinnedCursor(t *testing.T, s store.Store) {
	for i := range 5 {
		begin(t, s, ada, fmt.Sprint("r", i), fmt.Sprint("t", i), user("m", ""))
		tick()
	}
	setPinned(t, s, "t0", true)
	setPinned(t, s, "t1", true)
	page, err := s.Threads(t.Context(), ada, store.ThreadQuery{PinnedFirst: true, Limit: 1})
	if err != nil || !slices.Equal(threadIDs(page.Items), []string{"t1"}) {
		t.Fatalf("the first page is %+v, %v", page, err)
	}
	setPinned(t, s, "t4", true)  // goes to a page that has been read
	setPinned(t, s, "t1", false) // comes back from one
	q := store.ThreadQuery{PinnedFirst: true, Cursor: page.Next}
	wantListed(t, s, q, "t0", "t3", "t2", "t1")
	q.PinnedFirst = false
	wantListed(t, s, q, "t0")
}

// testCursorStable pages through threads that stay as they are while others are made and changed.
func testCursorStable(t *testing.T, s store.Store) {
	const n = 60
	want := map[string]bool{}
	for i := range n {
		id := fmt.Sprintf("old%02d", i)
		begin(t, s, ada, id, id, user("m", ""))
		want[id] = true
	}
	tick()
	stop := make(chan struct{})
	var writers sync.WaitGroup
	for w := range 2 {
		writers.Go(func() {
			for i := 0; ; i++ {
				select {
				case <-stop:
					return
				default:
				}
				id := fmt.Sprintf("new%d-%d", w, i)
				if err := s.BeginRun(t.Context(), ada, run(id, id), many("m", 1)); err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	var cursor string
	seen := map[string]bool{}
	for range 10_000 {
		page, err := s.Threads(t.Context(), ada, store.ThreadQuery{Cursor: cursor, Limit: 7})
		must(t, err)
		for _, id := range threadIDs(page.Items) {
			if seen[id] {
				t.Errorf("thread %s was listed twice", id)
			}
			seen[id] = true
		}
		if cursor = page.Next; cursor == "" {
			break
		}
	}
	close(stop)
	writers.Wait()
	for id := range want {
		if !seen[id] {
			t.Errorf("thread %s was not listed", id)
		}
	}
}

func testBadCursor(t *testing.T, s store.Store) {
	begin(t, s, ada, "r1", "t1")
	code := func(s string) string { return base64.RawURLEncoding.EncodeToString([]byte(s)) }
	for _, cursor := range []string{
		"x", "!!!!", "null", "0", code("/"), code("1"), code("1/"), code("/t1"), code("x/t1"), code("+1/t1"), code("01/t1"),
		code("99999999999999999999/t1"), code("1/\x00"), code("1/\xff"), code("1/t1") + "=", code("pinned:"), code("pinned:/t1"), code("pinned:pinned:1/t1"), code("unpinned:1/t1"), "MS90MR", "'; DROP TABLE threads",
	} {
		_, err := s.Threads(t.Context(), ada, store.ThreadQuery{Cursor: cursor, Limit: 10})
		wantErr(t, fmt.Sprintf("cursor %q", cursor), err, store.ErrBadCursor)
	}
	for _, cursor := range []string{code("0/t"), code("-5/t"), code("253402300799999/a/b"), code("9223372036854775807/t")} {
		if _, err := s.Threads(t.Context(), ada, store.ThreadQuery{Cursor: cursor, Limit: 10}); err != nil {
			t.Errorf("cursor %q: %v", cursor, err)
		}
	}
	for _, before := range []string{"0", "-1", "x", "1.5", "99999999999999999999", " 1"} {
		_, err := store.ParseBefore(before)
		wantErr(t, fmt.Sprintf("before %q", before), err, store.ErrBadCursor)
	}
}

func testTitle(t *testing.T, s store.Store) {
	wantErr(t, "no thread", setTitle(s, t.Context(), ada, "t1", "x"), store.ErrNotFound)
	begin(t, s, ada, "r1", "t1")
	for _, title := range []string{"404s since Monday", "é😀 '\"%$1", "", "line\nline"} {
		must(t, setTitle(s, t.Context(), ada, "t1", title))
		thread, err := s.Thread(t.Context(), ada, "t1")
		if err != nil || thread.Title != title {
			t.Errorf("title is %q, %v, want %q", thread.Title, err, title)
		}
	}
}

// testFirstTitle: the run that makes a thread names it. A later run does not, and no run keeps the
// title.
func testFirstTitle(t *testing.T, s store.Store) {
	first, second := run("r1", "t1"), run("r2", "t1")
	first.ThreadTitle, second.ThreadTitle = "404s since Monday", "something else"
	must(t, s.BeginRun(t.Context(), ada, first, nil))
	must(t, s.BeginRun(t.Context(), ada, second, nil))
	thread, err := s.Thread(t.Context(), ada, "t1")
	if err != nil || thread.Title != first.ThreadTitle {
		t.Errorf("title is %q, %v, want %q", thread.Title, err, first.ThreadTitle)
	}
	stored, err := s.Run(t.Context(), ada, "r1")
	if err != nil || stored.ThreadTitle != "" {
		t.Errorf("run keeps the thread's title %q, %v", stored.ThreadTitle, err)
	}
}
