package sqlstore_test

import (
	"database/sql"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pageside/pageside/store"
	"github.com/pageside/pageside/store/sqlstore"
)

// change runs statements on a database behind the store's back.
func change(t *testing.T, path string, statements ...string) {
	t.Helper()
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	for _, s := range statements {
		if _, err := db.Exec(s); err != nil {
			t.Fatal(err)
		}
	}
}

// TestNewerSchema has an older version meet the database of a newer one, which it must leave alone.
func TestNewerSchema(t *testing.T) {
	path := newPath(t)
	s := open(t, path)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	change(t, path, `INSERT INTO schema_steps (number, name) VALUES (99, '00099_later')`)
	later, err := sqlstore.Open(t.Context(), path)
	if err == nil {
		later.Close()
	}
	if err == nil || !strings.Contains(err.Error(), "newer version") {
		t.Errorf("error is %v", err)
	}
}

// TestFailedStep has a step fail half way. It must leave nothing, so that it can be tried again.
func TestFailedStep(t *testing.T) {
	path := filepath.Join(t.TempDir(), "test.db")
	change(t, path, `CREATE TABLE histories (foreign_to_us TEXT)`) // the step makes other tables first
	if s, err := sqlstore.Open(t.Context(), path); err == nil || !strings.Contains(err.Error(), "00001_threads") {
		if err == nil {
			s.Close()
		}
		t.Fatalf("error is %v", err)
	}
	change(t, path, `DROP TABLE histories`)
	s := open(t, path)
	if err := s.BeginRun(t.Context(), me, store.Run{ID: "r", ThreadID: "t"}, nil); err != nil {
		t.Error(err)
	}
}
