package sqlstore_test

import (
	"context"
	"os"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/pageside/pageside/internal/leaktest"
	"github.com/pageside/pageside/store"
	"github.com/pageside/pageside/store/sqlstore"
	"github.com/pageside/pageside/store/storetest"
	"github.com/pageside/pageside/store/storetest/temp"
	_ "github.com/pageside/pageside/test/chance"
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
	storetest.Compare(t, func(t *rapid.T, now func() time.Time) store.Store {
		// from how many messages on one is one row: always, at times, never
		history := sqlstore.WithLongHistory(rapid.SampledFrom([]int{1, 3, 1000}).Draw(t, "history"))
		s, err := sqlstore.OpenTemp(context.Background(), sqlstore.WithClock(now), history)
		if err != nil {
			t.Fatal(err)
		}
		return s
	})
}
