package sqlstore_test

import (
	"database/sql"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/pageside/pageside/agui"
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
	// the step makes other tables first
	change(t, path, `CREATE TABLE histories (foreign_to_us TEXT)`)
	if s, err := sqlstore.Open(t.Context(), path); err == nil || !strings.Contains(err.Error(), "00027_schema") {
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

// TestSchemaInPieces opens a database whose schema was made in seventeen steps: what it holds is
// there. One that lacks the last of them is refused, and left alone.
func TestSchemaInPieces(t *testing.T) {
	path := newPath(t)
	s := open(t, path)
	if err := s.BeginRun(t.Context(), me, store.Run{ID: "r", ThreadID: "t"}, []agui.Message{text("m")}); err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	change(t, path, `ALTER TABLE histories ADD COLUMN indexed BIGINT NOT NULL DEFAULT 0`,
		`DELETE FROM schema_steps`,
		`WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 17)
		INSERT INTO schema_steps SELECT i, 'a piece' FROM n`)
	s = open(t, path)
	wantIDs(t, s, "t", "m")
	long := store.Run{ID: "r2", ThreadID: "t2"}
	if err := s.BeginRun(t.Context(), me, long, history(20)); err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	change(t, path, `DELETE FROM schema_steps WHERE number = 17`)
	for range 2 {
		s, err := sqlstore.Open(t.Context(), path)
		if err == nil {
			s.Close()
		}
		if err == nil || !strings.Contains(err.Error(), "before the first release") {
			t.Errorf("error is %v", err)
		}
	}
}

func wantIDs(t *testing.T, s store.Store, thread string, want ...string) {
	t.Helper()
	messages, err := s.Transcript(t.Context(), me, thread, "")
	var got []string
	for _, m := range messages {
		got = append(got, m.ID)
	}
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("thread %s has the messages %q, %v, want %q", thread, got, err, want)
	}
}
