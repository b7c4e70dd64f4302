package sqlstore

import (
	"context"
	"database/sql/driver"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"testing"
	"testing/synctest"

	"github.com/pageside/pageside/store"
	"github.com/pageside/pageside/test/must"
)

// inBubble runs test on a new store whose writer is held up until release is called, inside a
// synctest bubble.
func inBubble(t *testing.T, test func(t *testing.T, w *writer, release func())) {
	path := filepath.Join(t.TempDir(), "test.db")
	synctest.Test(t, func(t *testing.T) {
		s := must.Get(Open(t.Context(), path))(t)
		hold := make(chan struct{})
		go s.writing.submit(t.Context(), 0, func(*txn) error { <-hold; return nil })
		synctest.Wait()
		test(t, s.writing, func() { close(hold) })
		must.Do(t, s.Close())
	})
}

// queued submits the operations at once and returns, in their order, what they returned.
func queued(ctx context.Context, w *writer, ops ...func(*txn) error) func() []error {
	errs, done := make([]error, len(ops)), make(chan struct{})
	for i, op := range ops {
		go func() {
			errs[i] = w.submit(ctx, 0, op)
			done <- struct{}{}
		}()
		synctest.Wait() // so that they stand in the queue in their order
	}
	return func() []error {
		for range ops {
			<-done
		}
		return errs
	}
}

func touch(t *txn) error {
	_, err := t.exec(`INSERT INTO health (id, written_at) VALUES ((SELECT max(id) + 1 FROM health), 0)`)
	return err
}

func countHealth(t *testing.T, w *writer) (n int) {
	t.Helper()
	must.Do(t, w.submit(t.Context(), 0, func(tx *txn) error { return tx.row(`SELECT count(*) FROM health`, nil, &n) }))
	return n
}

func TestGroupCommit(t *testing.T) {
	inBubble(t, func(t *testing.T, w *writer, release func()) {
		var groups []uint64 // only the writer touches it
		op := func(tx *txn) error {
			groups = append(groups, w.commits)
			return touch(tx)
		}
		wait := queued(t.Context(), w, slices.Repeat([]func(*txn) error{op}, 300)...)
		release()
		must.Do(t, wait()...)
		must.Be(t, countHealth(t, w), 301, "rows")
		// maxGroup, and the rest
		must.Be(t, len(slices.Compact(groups)), 2, "transactions of 300 writes that waited together")
	})
}

// TestGroup has operations that wait together fail in many ways. The others of their group are
// stored, and each is told what became of it.
func TestGroup(t *testing.T) {
	boom, other := errors.New("boom"), errors.New("any other")
	exec := func(tx *txn, statement string) error {
		_, err := tx.exec(statement)
		return err
	}
	for name, tt := range map[string]struct {
		ops  []func(*txn) error
		errs []error
		rows int
	}{
		"two fail, one after a write": {[]func(*txn) error{
			touch,
			func(tx *txn) error { return errors.Join(touch(tx), boom) },
			func(tx *txn) error { return errors.Join(touch(tx), touch(tx)) },
			func(tx *txn) error { return exec(tx, `INSERT INTO health (id, written_at) VALUES (1, 1)`) },
		}, []error{nil, boom, nil, other}, 4},
		// as SQLite does when the disk is full: the statement fails and takes everything with it
		"two end the transaction": {[]func(*txn) error{
			touch, touch,
			func(tx *txn) error { return errors.Join(exec(tx, "ROLLBACK"), boom) },
			// the statement that ended it fails, too
			func(tx *txn) error {
				return errors.Join(exec(tx, "ROLLBACK"), exec(tx, "INSERT INTO nowhere VALUES (1)"))
			},
			touch, touch,
		}, []error{nil, nil, boom, other, nil, nil}, 5},
		"one ends the transaction and says that all is well": {[]func(*txn) error{
			touch,
			func(tx *txn) error { _ = exec(tx, "ROLLBACK"); return nil },
			touch,
		}, []error{nil, other, nil}, 3},
	} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, func(t *testing.T, w *writer, release func()) {
				wait := queued(t.Context(), w, tt.ops...)
				release()
				for i, err := range wait() {
					if want := tt.errs[i]; (err == nil) != (want == nil) || want == boom && !errors.Is(err, boom) {
						t.Errorf("operation %d: error is %v, want %v", i, err, want)
					}
				}
				must.Be(t, countHealth(t, w), tt.rows, "rows")
			})
		})
	}
}

func TestCancelledInQueue(t *testing.T) {
	inBubble(t, func(t *testing.T, w *writer, release func()) {
		ctx, cancel := context.WithCancel(t.Context())
		ran := false
		wait := queued(ctx, w, func(*txn) error { ran = true; return nil })
		cancel()
		must.FailWith(t, wait()[0], context.Canceled, "error")
		release()
		countHealth(t, w)
		if ran {
			t.Error("a write that returned the error of its context was carried out")
		}
	})
}

// TestClosedInQueue: what is in the queue when the store is closed is carried out, what comes later
// is refused.
func TestClosedInQueue(t *testing.T) {
	inBubble(t, func(t *testing.T, w *writer, release func()) {
		wait := queued(t.Context(), w, touch, touch)
		go w.stop()
		synctest.Wait()
		must.FailWith(t, w.submit(t.Context(), 0, touch), store.ErrClosed, "error")
		release()
		must.Do(t, wait()...)
	})
}

// dead is a statement of a connection that has died.
type dead struct{ statement }

func (dead) ExecContext(context.Context, []driver.NamedValue) (driver.Result, error) {
	return nil, driver.ErrBadConn
}

// TestDeadConnection has the connection for writing die under the store, idle and in the middle of
// a transaction. The next write gets another one.
func TestDeadConnection(t *testing.T) {
	inBubble(t, func(t *testing.T, w *writer, release func()) {
		release()
		die := func(at string) func(*txn) error {
			return func(tx *txn) error {
				real, err := tx.conn.prepared(at)
				tx.conn.stmts[at] = dead{real}
				return err
			}
		}
		for _, op := range []func(*txn) error{touch, die("BEGIN IMMEDIATE"), touch} {
			must.Do(t, w.submit(t.Context(), 0, op))
		}
		err := w.submit(t.Context(), 0, func(tx *txn) error {
			return errors.Join(touch(tx), die("COMMIT")(tx), die("ROLLBACK")(tx))
		})
		must.FailWith(t, err, driver.ErrBadConn, "error")
		must.Do(t, w.submit(t.Context(), 0, touch))
		must.Be(t, countHealth(t, w), 4, "rows")
	})
}

func TestPragmas(t *testing.T) {
	s := must.Get(Open(t.Context(), filepath.Join(t.TempDir(), "test.db")))(t)
	defer s.Close()
	// without synchronous = 2, which is FULL, a power cut loses acknowledged writes
	want := "wal 2 1 5000"
	var got string
	err := s.writing.submit(t.Context(), 0, func(tx *txn) error {
		var mode string
		var sync, keys, busy int
		err := errors.Join(tx.row("PRAGMA journal_mode", nil, &mode), tx.row("PRAGMA synchronous", nil, &sync),
			tx.row("PRAGMA foreign_keys", nil, &keys), tx.row("PRAGMA busy_timeout", nil, &busy))
		got = fmt.Sprint(mode, " ", sync, " ", keys, " ", busy)
		return err
	})
	if err != nil || got != want {
		t.Errorf("pragmas are %q, want %q, %v", got, want, err)
	}
	if err := s.reading.each(t.Context(), writeHealth, []any{1}, nil); err == nil {
		t.Error("a connection for reading can write")
	}
}
