package sqlstore_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/pageside/pageside/store"
	"github.com/pageside/pageside/store/sqlstore"
	"github.com/pageside/pageside/test/must"
)

// say begins runs on n threads of a prefix, whose messages all have the word.
func say(t *testing.T, s store.Store, prefix string, n int, word string) {
	t.Helper()
	beginMany(t, s, prefix, n, text(word))
}

// found returns how many threads a search finds.
func found(t *testing.T, s store.Store, text string) int {
	t.Helper()
	return len(get(s.Threads(t.Context(), me, store.ThreadQuery{Text: text, Limit: 1000})).Items)
}

// inBubble runs a test on a store whose time is that of a synctest bubble.
func inBubble(t *testing.T, test func(t *testing.T, path string, s *sqlstore.Store), options ...sqlstore.Option) {
	path := newPath(t)
	synctest.Test(t, func(t *testing.T) {
		s := open(t, path, options...)
		test(t, path, s)
	})
}

func TestWhatAnEarlierProcessDidNotIndexIsFound(t *testing.T) {
	path := newPath(t)
	s := open(t, path)
	say(t, s, "t", 1, "elephants")
	must.Do(t, s.Close())
	must.Be(t, found(t, open(t, path), "eleph"), 1, "threads found")
}

func TestSearchesGiveWay(t *testing.T) {
	inBubble(t, func(t *testing.T, _ string, s *sqlstore.Store) {
		say(t, s, "t", 1, "okapis")
		time.Sleep(5 * time.Second) // the index is written
		before := sqlstore.SearchTurns()
		must.Be(t, found(t, s, "okapis"), 1, "threads found")
		if sqlstore.SearchTurns() == before {
			t.Error("a search reads what it finds without a pause")
		}
	})
}

func TestTheIndexIsWrittenInQuietMoments(t *testing.T) {
	inBubble(t, func(t *testing.T, _ string, s *sqlstore.Store) {
		say(t, s, "t", 3, "giraffes")
		if get(s.Pending()) == 0 {
			t.Error("the index is written at once")
		}
		time.Sleep(5 * time.Second)
		must.Be(t, get(s.Pending()), 0, "runs that wait for the index after 5 quiet seconds")
		must.Be(t, found(t, s, "giraffes"), 3, "threads found")
	})
}

// TestASearchAfterABurst: a search does not wait for all that was written before it. It finds what
// it could index in a tenth of a second, and the next ones find the rest.
func TestASearchAfterABurst(t *testing.T) {
	batches := 0
	slow := sqlstore.WithTrace(func(statement string) {
		if strings.Contains(statement, "DELETE FROM search_pending") { // a batch is written
			batches++
			time.Sleep(40 * time.Millisecond) // the time that it takes
		}
	})
	inBubble(t, func(t *testing.T, _ string, s *sqlstore.Store) {
		say(t, s, "t", 600, "zebras")
		if n := get(s.Pending()); n < 600 || batches > 0 {
			t.Fatalf("%d runs wait for the index after %d batches", n, batches)
		}
		before := 0
		for search := 1; get(s.Pending()) > 0; search++ {
			left := get(s.Pending())
			batches = 0
			now := found(t, s, "zebras")
			must.Be(t, batches, min(3, (left+99)/100), "batches of the index that search %d wrote", search)
			if now <= before {
				t.Fatalf("search %d found %d threads, and the one before %d", search, now, before)
			}
			before = now
		}
		must.Be(t, before, 600, "threads that the last search found")
	}, slow)
}

// TestTheIndexIsWrittenUnderLoad: where it is never quiet, what waits for the index does not grow
// for ever.
func TestTheIndexIsWrittenUnderLoad(t *testing.T) {
	inBubble(t, func(t *testing.T, _ string, s *sqlstore.Store) {
		most := 0
		for i := range 600 { // one minute of a write every 100 ms
			say(t, s, fmt.Sprint("t", i, "-"), 1, "zebras")
			time.Sleep(100 * time.Millisecond)
			if i%20 == 0 {
				most = max(most, get(s.Pending()))
			}
		}
		if most < 20 || most > 200 {
			t.Errorf("up to %d runs waited for the search index", most)
		}
	})
}

// TestTheIndexTakesLittleOfABusyStore: 3 % of its time, however long a batch takes.
func TestTheIndexTakesLittleOfABusyStore(t *testing.T) {
	const takes = 50 * time.Millisecond
	batches := 0
	slow := sqlstore.WithTrace(func(statement string) {
		if strings.Contains(statement, "DELETE FROM search_pending") {
			batches++
			time.Sleep(takes)
		}
	})
	inBubble(t, func(t *testing.T, _ string, s *sqlstore.Store) {
		for i := range 120 { // for 12 seconds, more than it can take
			say(t, s, fmt.Sprint("t", i, "-"), 8, "zebras")
			time.Sleep(100 * time.Millisecond)
		}
		if batches < 4 || batches > 6 {
			t.Errorf("%d batches of 50 ms in the 7 seconds after the first five", batches)
		}
	}, slow)
}

// Searches keep no other read waiting, however many there are, and end with an error where they
// take too long.
func TestSearchesKeepNobodyWaiting(t *testing.T) {
	s := open(t, newPath(t), sqlstore.WithSearchTime(20*time.Millisecond))
	begin(t, s, "r", "t")
	release := s.Searching()
	get(s.Threads(t.Context(), me, store.ThreadQuery{}))
	get(s.Thread(t.Context(), me, "t"))
	_, err := s.Threads(t.Context(), me, store.ThreadQuery{Text: "hello"})
	must.FailWith(t, err, store.ErrBusy, "a search that has to wait")
	left, leave := context.WithCancel(t.Context())
	leave()
	_, err = s.Threads(left, me, store.ThreadQuery{Text: "hello"})
	must.FailWith(t, err, context.Canceled, "a search whose caller has left")
	must.Be(t, errors.Is(err, store.ErrBusy), false, "whether the search says that it took too long")
	release()
}
