package sqlstore_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	_ "modernc.org/sqlite"

	"github.com/pageside/pageside/agui"
	"github.com/pageside/pageside/store"
	"github.com/pageside/pageside/store/sqlstore"
)

func TestReopen(t *testing.T) {
	path := filepath.Join(t.TempDir(), "odd ?name#%20é.db")
	s := open(t, path)
	err := errors.Join(
		s.BeginRun(t.Context(), me, store.Run{ID: "r1", ThreadID: "t1"}, []agui.Message{text("m1")}),
		retitle(s, "t1", "title"),
		s.EndRun(t.Context(), me, store.Run{ID: "r1", Status: store.RunFinished, Pending: []string{"c1"}}, []agui.Message{text("m2")}, store.Batch{}),
		s.BeginRun(t.Context(), me, store.Run{ID: "r2", ThreadID: "t1"}, nil),
		s.TaintRun(t.Context(), me, "r2"),
		s.Close(),
	)
	if err != nil {
		t.Fatal(err)
	}
	s = open(t, path)
	thread, err := s.Thread(t.Context(), me, "t1")
	if err != nil || thread.Title != "title" {
		t.Errorf("thread is %+v, %v", thread, err)
	}
	if messages, err := s.Transcript(t.Context(), me, "t1", ""); err != nil || len(messages) != 2 || messages[1].Content.Text() != "text of m2" {
		t.Errorf("transcript is %+v, %v", messages, err)
	}
	if live, err := s.LiveRuns(t.Context()); err != nil || len(live) != 1 || live[0].Run.ID != "r2" || live[0].Owner != me || !live[0].Run.Tainted {
		t.Errorf("live runs are %+v, %v", live, err)
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the file is %v, %v: others must not read it", info.Mode(), err)
	}
	if files, err := os.ReadDir(filepath.Dir(path)); err != nil || len(files) > 4 {
		t.Errorf("files are %v, %v", files, err)
	}
}

func retitle(s store.Store, thread, title string) error {
	_, err := s.UpdateThread(context.Background(), me, thread, store.ThreadChange{Title: &title})
	return err
}

// TestOpenTogether has several want one database. Each gets it when the one before has let it go.
func TestOpenTogether(t *testing.T) {
	for range 2 {
		path := newPath(t)
		var all sync.WaitGroup
		for range 4 {
			all.Go(func() {
				s, err := sqlstore.Open(context.Background(), path, sqlstore.WithLockWait(time.Minute))
				if err != nil {
					t.Error(err)
					return
				}
				if err := errors.Join(s.Ping(context.Background()), s.Close()); err != nil {
					t.Error(err)
				}
			})
		}
		all.Wait()
	}
}

// TestOneProcess: a database that is in use is refused with a sentence, but anybody may read it.
func TestOneProcess(t *testing.T) {
	path := newPath(t)
	s := open(t, path)
	if err := s.BeginRun(t.Context(), me, store.Run{ID: "r", ThreadID: "t"}, []agui.Message{text("m")}); err != nil {
		t.Fatal(err)
	}
	_, err := sqlstore.Open(t.Context(), path, sqlstore.WithLockWait(50*time.Millisecond))
	if want := fmt.Sprintf("another pageside (process %d) is using test.db", os.Getpid()); err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("error is %v, want %q", err, want)
	}
	db, err := sql.Open("sqlite", "file:"+path+"?mode=ro")
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	var n int
	if err := db.QueryRow("SELECT count(*) FROM messages").Scan(&n); err != nil || n != 1 {
		t.Errorf("somebody else reads %d messages, %v", n, err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	open(t, path)
}

func TestOpenRefuses(t *testing.T) {
	dir := t.TempDir()
	garbage := filepath.Join(dir, "garbage.db")
	if err := os.WriteFile(garbage, []byte(strings.Repeat("this is no database\n", 100)), 0o600); err != nil {
		t.Fatal(err)
	}
	for dsn, want := range map[string]string{
		"":                             "not the path of a file",
		"sqlite:":                      "not the path of a file",
		"sqlite::memory:":              "OpenTemp",
		"postgres://localhost/db":      `"postgres" is no kind of store`,
		filepath.Join(dir, "no/x.db"):  "no such file or directory",
		"sqlite:" + dir:                "is a directory",
		"sqlite:" + garbage:            "move the file away to begin with an empty one: file is not a database",
		"sqlite:file:x.db?mode=memory": "not the path of a file",
	} {
		s, err := sqlstore.Open(t.Context(), dsn)
		if err == nil {
			s.Close()
		}
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("open %q: error is %v, want %q", dsn, err, want)
		}
	}
}

// TestCloseDrains closes a store while it is written to: every write either is done or says that
// the store is closed.
func TestCloseDrains(t *testing.T) {
	path := newPath(t)
	s := open(t, path)
	done := make(chan string, 200)
	var all sync.WaitGroup
	for i := range 200 {
		all.Go(func() {
			id := string(rune('A'+i%26)) + string(rune('a'+i/26))
			err := s.BeginRun(context.Background(), me, store.Run{ID: id, ThreadID: "t"}, nil)
			if err == nil {
				done <- id
			} else if !errors.Is(err, store.ErrClosed) {
				t.Error(err)
			}
		})
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	all.Wait()
	close(done)
	s = open(t, path)
	for id := range done {
		if _, err := s.Run(t.Context(), me, id); err != nil {
			t.Error(err)
		}
	}
}

// integrity has SQLite check the whole file.
func integrity(t *testing.T, path string) {
	t.Helper()
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	for _, check := range []string{"PRAGMA integrity_check", "SELECT coalesce((SELECT 'broken' FROM pragma_foreign_key_check LIMIT 1), 'ok')"} {
		var result string
		if err := db.QueryRow(check).Scan(&result); err != nil || result != "ok" {
			t.Errorf("%s: %s, %v", check, result, err)
		}
	}
}
