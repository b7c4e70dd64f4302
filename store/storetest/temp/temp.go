// Package temp gives tests a store.
package temp

import (
	"log/slog"
	"slices"
	"testing"

	"github.com/pageside/pageside/store/sqlstore"
	"github.com/pageside/pageside/test/must"
)

// Store returns an empty store in memory, closed when the test ends. In a synctest bubble, give it
// the bubble's t. It logs nothing unless an option says so.
func Store(t testing.TB, options ...sqlstore.Option) *sqlstore.Store {
	t.Helper()
	silent := sqlstore.WithLogger(slog.New(slog.DiscardHandler))
	s := must.Get(sqlstore.OpenTemp(t.Context(), slices.Insert(options, 0, silent)...))(t)
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}
