package sqlstore_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/pageside/pageside/internal/leaktest"
	"github.com/pageside/pageside/store/sqlstore"
	"github.com/pageside/pageside/store/storetest"
	"github.com/pageside/pageside/store/storetest/temp"
)

func TestMain(m *testing.M) {
	if path := os.Getenv(victimEnv); path != "" {
		victim(path)
		return
	}
	if path := os.Getenv(leaverEnv); path != "" {
		leaver(path)
		return
	}
	if path := os.Getenv(holderEnv); path != "" {
		holder(path)
		return
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

func newPath(t testing.TB) string { return filepath.Join(t.TempDir(), "test.db") }

func open(t testing.TB, path string, options ...sqlstore.Option) *sqlstore.Store {
	t.Helper()
	s, err := sqlstore.Open(t.Context(), "sqlite:"+path, options...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}
