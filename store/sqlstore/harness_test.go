package sqlstore_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	_ "modernc.org/sqlite"

	"github.com/pageside/pageside/agui"
	"github.com/pageside/pageside/store"
	"github.com/pageside/pageside/store/sqlstore"
	"github.com/pageside/pageside/test/must"
)

// me owns what these tests store.
var me = store.Owner{Tenant: "acme", Subject: "ada"}

// get returns what a call returns that has to succeed.
func get[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// wantErr checks that an error says all the texts.
func wantErr(t *testing.T, what string, err error, texts ...string) {
	t.Helper()
	for _, text := range texts {
		must.Fail(t, err, text, "%s: error", what)
	}
}

func newPath(t testing.TB) string { return filepath.Join(t.TempDir(), "test.db") }

// open opens a database until the test ends.
func open(t testing.TB, path string, options ...sqlstore.Option) *sqlstore.Store {
	t.Helper()
	s := must.Get(sqlstore.Open(t.Context(), "sqlite:"+path, options...))(t)
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

// opening tries to open a database, and returns why that failed.
func opening(path string, options ...sqlstore.Option) error {
	s, err := sqlstore.Open(context.Background(), path, options...)
	if err == nil {
		err = s.Close()
	}
	return err
}

// begin begins a run.
func begin(t testing.TB, s store.Store, id, thread string, messages ...agui.Message) {
	t.Helper()
	must.Do(t, begun(s, id, thread, messages...))
}

// begun begins a run, and returns why that failed.
func begun(s store.Store, id, thread string, messages ...agui.Message) error {
	return s.BeginRun(context.Background(), me, store.Run{ID: id, ThreadID: thread}, messages, store.Batch{})
}

// beginMany begins n runs with ids that begin with prefix, a thread and a transaction each.
func beginMany(t testing.TB, s store.Store, prefix string, n int, messages ...agui.Message) {
	t.Helper()
	for i := range n {
		id := fmt.Sprint(prefix, i)
		begin(t, s, id, id, messages...)
	}
}

// ended ends a run in its first epoch.
func ended(s store.Store, id string, last store.Batch, messages ...agui.Message) error {
	end := store.Run{ID: id, Status: store.RunFinished, Epoch: 1}
	return s.EndRun(context.Background(), me, end, messages, last)
}

// event returns the batch of one event of a run: what is read back can be told from what was never
// written.
func event(id string, seq int64) store.Batch {
	return store.Batch{RunID: id, Epoch: 1, First: seq, Count: 1, Frames: frame(id, seq)}
}

func frame(id string, seq int64) []byte {
	return fmt.Appendf(nil, "event %d of %s %s\n", seq, id, strings.Repeat("x", 100))
}

// appended appends a batch and waits for the answer.
func appended(s store.Store, b store.Batch) error {
	done := make(chan error, 1)
	s.AppendEvents(me, b, func(err error) { done <- err })
	return <-done
}

// checkEvents checks that the log of a run holds events that were written, each once, and returns
// the number of the last one.
func checkEvents(t *testing.T, s store.Store, id string) (last int64, err error) {
	t.Helper()
	for b, err := range s.Events(t.Context(), me, id, 0) {
		if err != nil {
			return last, err
		}
		var want []byte
		for seq := b.First; seq <= b.Last(); seq++ {
			want = append(want, frame(id, seq)...)
		}
		if b.First != last+1 || string(b.Frames) != string(want) {
			t.Fatalf("run %s: event %d is followed by %+v", id, last, b)
		}
		last = b.Last()
	}
	return last, nil
}

func text(id string) agui.Message {
	return agui.Message{ID: id, Role: agui.RoleUser, Content: agui.TextContent("text of " + id)}
}

// behind opens a database behind the store's back.
func behind(t testing.TB, path string) *sql.DB {
	t.Helper()
	db := get(sql.Open("sqlite", path))
	t.Cleanup(func() { db.Close() })
	return db
}

// change runs statements on a database behind the store's back.
func change(t *testing.T, path string, statements ...string) {
	t.Helper()
	db := behind(t, path)
	for _, s := range statements {
		must.Get(db.Exec(s))(t)
	}
	must.Do(t, db.Close())
}

// read returns one value of a database behind the store's back.
func read[T any](t testing.TB, path, query string) (v T) {
	t.Helper()
	db := behind(t, path)
	must.Do(t, db.QueryRow(query).Scan(&v), db.Close())
	return v
}

// integrity has SQLite check the whole file.
func integrity(t *testing.T, path string) {
	t.Helper()
	for _, check := range []string{
		"PRAGMA integrity_check", "SELECT coalesce((SELECT 'broken' FROM pragma_foreign_key_check LIMIT 1), 'ok')",
	} {
		must.Be(t, read[string](t, path, check), "ok", "%s", check)
	}
}

// alter changes the bytes of a file.
func alter(t *testing.T, path string, by func([]byte)) {
	t.Helper()
	raw := get(os.ReadFile(path))
	by(raw)
	must.Do(t, os.WriteFile(path, raw, 0o600))
}

// remove deletes the files of a database that have these endings.
func remove(path string, endings ...string) (err error) {
	for _, ending := range endings {
		err = errors.Join(err, os.Remove(path+ending))
	}
	return err
}

// copyFile copies a file, in place of one that may be there.
func copyFile(from, to string) error {
	content, err := os.ReadFile(from)
	return errors.Join(err, os.WriteFile(to, content, 0o600))
}

// inLong skips a test in which real processes or real concurrency decide what happens.
func inLong(t *testing.T) {
	t.Helper()
	if testing.Short() {
		t.Skip("only in the long version")
	}
}
