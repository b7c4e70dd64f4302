package sqlstore_test

import (
	"bytes"
	"database/sql"
	"errors"
	"os"
	"strings"
	"testing"

	"github.com/pageside/pageside/store"
	"github.com/pageside/pageside/store/sqlstore"
)

// spoil overwrites the first page of a table of a database that nobody has open.
func spoil(t *testing.T, path, table string) {
	t.Helper()
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	var page, size int64
	err = db.QueryRow(`SELECT rootpage, page_size FROM sqlite_master, pragma_page_size WHERE name = $1`, table).Scan(&page, &size)
	if err := errors.Join(err, db.Close()); err != nil {
		t.Fatal(err)
	}
	file, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	_, err = file.WriteAt(bytes.Repeat([]byte{0xff}, int(size)), (page-1)*size)
	if err := errors.Join(err, file.Close()); err != nil {
		t.Fatal(err)
	}
}

// TestDamaged: from the first statement on that meets a damaged page the store says that it is not
// well, though the one page that Ping writes to is.
func TestDamaged(t *testing.T) {
	begin := func(s *sqlstore.Store) error {
		return s.BeginRun(t.Context(), me, store.Run{ID: "r2", ThreadID: "t2"}, nil)
	}
	for what, tt := range map[string]struct {
		table string
		use   func(*sqlstore.Store) error
	}{
		"write":  {"threads", begin},
		"append": {"event_log", func(s *sqlstore.Store) error { return appendNow(s, "r", 1) }},
		"read": {"runs", func(s *sqlstore.Store) error {
			_, err := s.LiveRuns(t.Context())
			return err
		}},
	} {
		t.Run(what, func(t *testing.T) {
			path := newPath(t)
			s := open(t, path)
			err := s.BeginRun(t.Context(), me, store.Run{ID: "r", ThreadID: "t"}, nil)
			if err := errors.Join(err, s.Close()); err != nil {
				t.Fatal(err)
			}
			spoil(t, path, tt.table)
			s = open(t, path)
			if err := s.Ping(t.Context()); err != nil {
				t.Errorf("ping before anything was read: %v", err)
			}
			const want = "the database is damaged: stop the server and restore a backup: "
			if err := tt.use(s); err == nil || strings.Count(err.Error(), want) != 1 {
				t.Errorf("%s: %v", what, err)
			}
			for range 2 {
				if err := s.Ping(t.Context()); err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "malformed") {
					t.Errorf("ping: %v", err)
				}
			}
		})
	}
}

// TestSoundAfterErrors: what else goes wrong is no damage.
func TestSoundAfterErrors(t *testing.T) {
	s := open(t, newPath(t))
	if err := appendNow(s, "none", 1); !errors.Is(err, store.ErrNotFound) {
		t.Errorf("append: %v", err)
	}
	if _, err := s.Run(t.Context(), me, "none"); !errors.Is(err, store.ErrNotFound) {
		t.Errorf("read: %v", err)
	}
	if err := s.Ping(t.Context()); err != nil {
		t.Error(err)
	}
}
