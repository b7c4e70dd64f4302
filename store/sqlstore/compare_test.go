package sqlstore_test

import (
	"context"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/pageside/pageside/store"
	"github.com/pageside/pageside/store/sqlstore"
	"github.com/pageside/pageside/store/storetest"
	_ "github.com/pageside/pageside/test/chance"
)

func TestAgreesWithTheModel(t *testing.T) {
	storetest.Compare(t, func(t *rapid.T, now func() time.Time) store.Store {
		// from how many messages on one is one row: always, at times, never
		history := rapid.SampledFrom([]int{1, 3, 1000}).Draw(t, "history")
		s, err := sqlstore.OpenTemp(context.Background(), sqlstore.WithClock(now), sqlstore.WithLongHistory(history))
		if err != nil {
			t.Fatal(err)
		}
		return s
	})
}
