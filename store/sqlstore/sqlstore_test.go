package sqlstore_test

import (
	"context"
	"fmt"
	"os"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"

	"github.com/pageside/pageside/internal/leaktest"
	"github.com/pageside/pageside/store"
	"github.com/pageside/pageside/store/sqlstore"
	"github.com/pageside/pageside/store/storetest"
	"github.com/pageside/pageside/store/storetest/temp"
	_ "github.com/pageside/pageside/test/chance"
	"github.com/pageside/pageside/test/must"
)

// roles are what a process of this test does if the environment variable names a database.
var roles = map[string]func(path string){victimEnv: victim, leaverEnv: leaver, holderEnv: holder}

func TestMain(m *testing.M) {
	for variable, act := range roles {
		if path := os.Getenv(variable); path != "" {
			act(path)
			return
		}
	}
	leaktest.Main(m)
}

func TestPromises(t *testing.T) {
	storetest.Run(t, func(t *testing.T) storetest.Store { return open(t, newPath(t)) })
}

// TestPromisesInMemory also has every thread begin with a row for all its messages.
func TestPromisesInMemory(t *testing.T) {
	storetest.Run(t, func(t *testing.T) storetest.Store { return temp.Store(t, sqlstore.WithLongHistory(1)) })
}

func TestAgreesWithTheModel(t *testing.T) {
	// from how many messages on one is one row: always, at times, never
	for _, history := range []int{1, 3, 1000} {
		t.Run(fmt.Sprint("history_", history), func(t *testing.T) {
			storetest.Compare(t, func(t *rapid.T, now func() time.Time) store.Store {
				options := []sqlstore.Option{sqlstore.WithClock(now), sqlstore.WithLongHistory(history)}
				return must.Get(sqlstore.OpenTemp(context.Background(), options...))(t)
			})
		})
	}
}

// TestTempInABubble: in a synctest bubble a store in memory takes no time, also when readers and
// writers meet, and sees only the clock of the bubble.
func TestTempInABubble(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, start := temp.Store(t), time.Now()
		report := func(what string, err error) error {
			must.Be(t, err, nil, "%s", what)
			return err
		}
		var all sync.WaitGroup
		ids := []string{"a", "b", "c", "d"}
		for _, id := range ids {
			all.Go(func() { _ = carryOut(s, id, id, 1, report) })
			all.Go(func() {
				for range 50 {
					_, err := s.Threads(t.Context(), me, store.ThreadQuery{Text: "word"})
					_ = report("search", err)
					_, err = s.LiveRuns(t.Context())
					_ = report("read", err)
				}
			})
		}
		all.Wait()
		for _, id := range ids {
			must.Be(t, get(checkEvents(t, s, id)), 13, "events of run %s", id)
		}
		must.Be(t, time.Since(start), 0, "it took")
		time.Sleep(24 * time.Hour)
		begin(t, s, "late", "t")
		r := get(s.Run(t.Context(), me, "late"))
		must.Be(t, r.CreatedAt.Sub(start), 24*time.Hour, "when the run of the next day began")
	})
}

func BenchmarkOpenTemp(b *testing.B) {
	for b.Loop() {
		temp.Store(b).Close()
	}
}
