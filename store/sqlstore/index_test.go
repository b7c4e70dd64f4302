package sqlstore_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/pageside/pageside/agui"
	"github.com/pageside/pageside/store"
	"github.com/pageside/pageside/store/sqlstore"
)

var searcher = store.Owner{Subject: "searcher"}

// say stores a run with one message.
func say(t *testing.T, s *sqlstore.Store, thread, text string) {
	t.Helper()
	err := s.BeginRun(t.Context(), searcher, store.Run{ID: "run-" + thread, ThreadID: thread, Agent: "a"},
		[]agui.Message{{ID: "m-" + thread, Role: agui.RoleUser, Content: agui.TextContent(text)}})
	if err != nil {
		t.Fatal(err)
	}
}

func found(t *testing.T, s *sqlstore.Store, text string) int {
	t.Helper()
	page, err := s.Threads(t.Context(), searcher, store.ThreadQuery{Text: text})
	if err != nil {
		t.Fatal(err)
	}
	return len(page.Items)
}

func waiting(t *testing.T, s *sqlstore.Store) int {
	t.Helper()
	n, err := s.Pending()
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func TestWhatAnEarlierProcessDidNotIndexIsFound(t *testing.T) {
	path := "sqlite:" + filepath.Join(t.TempDir(), "p.db")
	s, err := sqlstore.Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	say(t, s, "t1", "elephants")
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if s, err = sqlstore.Open(t.Context(), path); err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if n := found(t, s, "eleph"); n != 1 {
		t.Errorf("%d threads found, want 1", n)
	}
}

func TestTheIndexIsWrittenInQuietMoments(t *testing.T) {
	path := filepath.Join(t.TempDir(), "p.db")
	synctest.Test(t, func(t *testing.T) {
		s, err := sqlstore.Open(t.Context(), path)
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		for _, thread := range []string{"t1", "t2", "t3"} {
			say(t, s, thread, "giraffes "+thread)
		}
		if waiting(t, s) == 0 {
			t.Error("the index is written at once")
		}
		time.Sleep(5 * time.Second)
		if n := waiting(t, s); n > 0 {
			t.Errorf("after 5 quiet seconds %d runs wait for the index", n)
		}
		if n := found(t, s, "giraffes"); n != 3 {
			t.Errorf("%d threads found, want 3", n)
		}
	})
}

// TestASearchAfterABurst: a search does not wait for all that was written before it. It finds what
// it could index in a tenth of a second, and the next ones find the rest.
func TestASearchAfterABurst(t *testing.T) {
	path := filepath.Join(t.TempDir(), "p.db")
	synctest.Test(t, func(t *testing.T) {
		batches := 0
		s, err := sqlstore.Open(t.Context(), path, sqlstore.WithTrace(func(statement string) {
			if strings.Contains(statement, "DELETE FROM search_pending") { // a batch is written
				batches++
				time.Sleep(40 * time.Millisecond) // the time that it takes
			}
		}))
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		for i := range 600 {
			say(t, s, fmt.Sprint("t", i), "zebras")
		}
		if n := waiting(t, s); n < 600 || batches > 0 {
			t.Fatalf("%d runs wait for the index after %d batches", n, batches)
		}
		before := 0
		for search := 1; waiting(t, s) > 0; search++ {
			left := waiting(t, s)
			batches = 0
			found := all(t, s, "zebras")
			if batches != min(3, (left+99)/100) {
				t.Errorf("search %d wrote %d batches of the index", search, batches)
			}
			if found <= before {
				t.Fatalf("search %d found %d threads, and the one before %d", search, found, before)
			}
			before = found
		}
		if before != 600 {
			t.Errorf("the last search found %d threads, want 600", before)
		}
	})
}

// all returns how many threads are found, all of them in one page.
func all(t *testing.T, s *sqlstore.Store, text string) (n int) {
	t.Helper()
	first, err := s.Threads(t.Context(), searcher, store.ThreadQuery{Text: text, Limit: 1000})
	if err != nil {
		t.Fatal(err)
	}
	return len(first.Items)
}

// TestTheIndexIsWrittenUnderLoad: where it is never quiet, what waits for the index does not grow
// for ever.
func TestTheIndexIsWrittenUnderLoad(t *testing.T) {
	path := filepath.Join(t.TempDir(), "p.db")
	synctest.Test(t, func(t *testing.T) {
		s, err := sqlstore.Open(t.Context(), path)
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		most := 0
		for i := range 600 { // one minute of a write every 100 ms
			say(t, s, fmt.Sprint("t", i), "zebras")
			time.Sleep(100 * time.Millisecond)
			if i%20 == 0 {
				most = max(most, waiting(t, s))
			}
		}
		if most < 20 || most > 200 {
			t.Errorf("up to %d runs waited for the search index", most)
		}
	})
}
