//go:build unix

package sqlstore_test

import (
	"bytes"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"strings"
	"sync"
	"testing"

	"github.com/pageside/pageside/agui"
	"github.com/pageside/pageside/internal/dbfile"
	"github.com/pageside/pageside/store"
	"github.com/pageside/pageside/store/sqlstore"
)

func addThreads(t *testing.T, s store.Store, prefix string, n int) {
	t.Helper()
	for i := range n {
		id := fmt.Sprintf("%s%d", prefix, i)
		message := agui.Message{ID: id, Role: agui.RoleUser, Content: agui.TextContent(strings.Repeat(id+" ", 400))}
		if err := s.BeginRun(t.Context(), me, store.Run{ID: id, ThreadID: id}, []agui.Message{message}); err != nil {
			t.Fatal(err)
		}
	}
}

// withBackup makes a database of 40 threads with a copy beside it.
func withBackup(t *testing.T) (path, backup string) {
	t.Helper()
	path = newPath(t)
	backup = path + ".backup"
	s := open(t, path)
	addThreads(t, s, "kept", 40)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	copyFile(t, path, backup)
	return path, backup
}

func copyFile(t *testing.T, from, to string) {
	t.Helper()
	content, err := os.ReadFile(from)
	if err := errors.Join(err, os.WriteFile(to, content, 0o600)); err != nil {
		t.Fatal(err)
	}
}

// holds checks that a database is sound and has exactly so many threads, all of a kind.
func holds(t *testing.T, path, prefix string, n int) {
	t.Helper()
	s := open(t, path)
	live, err := s.LiveRuns(t.Context())
	if err != nil || len(live) != n {
		t.Errorf("%s has %d threads, %v, want %d", path, len(live), err, n)
	}
	for _, r := range live {
		messages, err := s.Transcript(t.Context(), me, r.Run.ThreadID, "")
		if err != nil || len(messages) != 1 || !strings.HasPrefix(r.Run.ID, prefix) {
			t.Errorf("thread %s has %d messages, %v", r.Run.ThreadID, len(messages), err)
		}
	}
	if err := errors.Join(s.Ping(t.Context()), s.Close()); err != nil {
		t.Error(err)
	}
	integrity(t, path)
}

// TestBackupPutInPlace: after the restart that a replaced database asks for, the file that was put
// in its place is the database, with nothing of the old one in it.
func TestBackupPutInPlace(t *testing.T) {
	for what, replace := range map[string]func(path, backup string) error{
		"replaced": func(path, backup string) error { return os.Rename(backup, path) },
		"moved, then copy": func(path, backup string) error {
			return errors.Join(os.Rename(path, path+".moved"), os.Rename(backup, path))
		},
		"lock deleted, too": func(path, backup string) error { return errors.Join(os.Remove(path+".lock"), os.Rename(backup, path)) },
	} {
		t.Run(what, func(t *testing.T) {
			path, backup := withBackup(t)
			var logs bytes.Buffer
			s := open(t, path, sqlstore.WithLogger(slog.New(slog.NewTextHandler(&lockedWriter{&sync.Mutex{}, &logs}, nil))))
			addThreads(t, s, "newer", 10)
			for _, suffix := range []string{"-wal.old", "-shm.old.2"} { // of another time
				if err := os.WriteFile(path+suffix, []byte("mine"), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			if err := replace(path, backup); err != nil {
				t.Fatal(err)
			}
			if err := s.Ping(t.Context()); !errors.Is(err, store.ErrReplaced) {
				t.Errorf("ping: %v", err)
			}
			if err := s.Close(); err != nil {
				t.Error(err)
			}
			for _, name := range []string{path + "-wal.old.3", path + "-shm.old.3"} {
				if _, err := os.Lstat(name); err != nil || strings.Count(logs.String(), name) != 1 {
					t.Errorf("%s: %v, log %s", name, err, logs.String())
				}
			}
			if text, err := os.ReadFile(path + "-wal.old"); err != nil || string(text) != "mine" {
				t.Errorf("what was put aside before is %.20q, %v", text, err)
			}
			holds(t, path, "kept", 40)
		})
	}
}

// TestDatabaseTakenAway: a database that was deleted leaves nothing to the empty one that the next
// start makes.
func TestDatabaseTakenAway(t *testing.T) {
	path, _ := withBackup(t)
	s := open(t, path)
	addThreads(t, s, "newer", 10)
	if err := errors.Join(os.Remove(path), s.Close()); err != nil {
		t.Fatal(err)
	}
	for _, suffix := range []string{"-wal", "-shm"} {
		if _, err := os.Lstat(path + suffix); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("%s: %v", suffix, err)
		}
		if _, err := os.Lstat(path + suffix + ".old"); err != nil {
			t.Error(err)
		}
	}
	holds(t, path, "", 0)
}

// TestDatabaseMovedAway: under its new name, as well as when it is put back, a database has all
// that was acknowledged.
func TestDatabaseMovedAway(t *testing.T) {
	path := newPath(t)
	s := open(t, path)
	addThreads(t, s, "newer", 10)
	if err := errors.Join(os.Rename(path, path+".moved"), s.Close()); err != nil {
		t.Fatal(err)
	}
	holds(t, path+".moved", "newer", 10)
	if err := os.Rename(path+".moved", path); err != nil {
		t.Fatal(err)
	}
	holds(t, path, "newer", 10)
}

// TestClaimedByAnother: what another process has begun to use is not renamed under it.
func TestClaimedByAnother(t *testing.T) {
	path, backup := withBackup(t)
	var logs bytes.Buffer
	s := open(t, path, sqlstore.WithLogger(slog.New(slog.NewTextHandler(&lockedWriter{&sync.Mutex{}, &logs}, nil))))
	addThreads(t, s, "newer", 1)
	for _, suffix := range []string{"", ".lock"} {
		if err := os.Remove(path + suffix); err != nil {
			t.Fatal(err)
		}
	}
	copyFile(t, backup, path)
	claimed, err := dbfile.Claim(t.Context(), path, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer claimed.Release()
	if err := s.Close(); err != nil || !strings.Contains(logs.String(), "was not put aside: another pageside") {
		t.Errorf("close: %v, log %s", err, logs.String())
	}
	if _, err := os.Lstat(path + "-wal"); err != nil {
		t.Error(err)
	}
}
