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
	_ "github.com/pageside/pageside/test/chance"
)

func TestAgreesWithMemory(t *testing.T) {
	dir, n := t.TempDir(), 0
	storetest.Compare(t, func(t *rapid.T, now func() time.Time) store.Store {
		n++
		// from how many messages on one is one row: always, at times, never
		history := rapid.SampledFrom([]int{1, 3, 1000}).Draw(t, "history")
		s, err := sqlstore.Open(context.Background(), filepath.Join(dir, fmt.Sprint(n, ".db")), sqlstore.WithClock(now), sqlstore.WithLongHistory(history))
		if err != nil {
			t.Fatal(err)
		}
		return s
	})
}
