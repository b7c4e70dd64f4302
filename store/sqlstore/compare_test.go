package sqlstore_test

import (
	"context"
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/pageside/pageside/store"
	"github.com/pageside/pageside/store/sqlstore"
	"github.com/pageside/pageside/store/storetest"
)

func TestAgreesWithMemory(t *testing.T) {
	for _, history := range []int{1, 3, 1000} { // from how many messages on a history is one row: always, at times, never
		t.Run(fmt.Sprint("history=", history), func(t *testing.T) {
			dir, n := t.TempDir(), 0
			storetest.Compare(t, func(t *rapid.T, now func() time.Time) store.Store {
				n++
				s, err := sqlstore.Open(context.Background(), filepath.Join(dir, fmt.Sprint(n, ".db")), sqlstore.WithClock(now), sqlstore.WithLongHistory(history))
				if err != nil {
					t.Fatal(err)
				}
				return s
			})
		})
	}
}
