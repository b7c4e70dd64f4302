package sqlstore_test

import (
	"bytes"
	"database/sql"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/pageside/pageside/store"
	"github.com/pageside/pageside/store/sqlstore"
)

// TestLongReader has somebody read for a long time, so that the write-ahead log cannot be folded.
// It must not grow beyond its limit: writes are refused, and work again when the reader is gone.
func TestLongReader(t *testing.T) {
	const limit = 4 << 20
	path := newPath(t)
	var log bytes.Buffer
	var mu sync.Mutex
	logger := slog.New(slog.NewTextHandler(&lockedWriter{&mu, &log}, nil))
	s := open(t, path, sqlstore.WithWAL(1<<20, limit), sqlstore.WithCheckpoint(100), sqlstore.WithLogger(logger))
	if err := s.BeginRun(t.Context(), me, store.Run{ID: "log", ThreadID: "t"}, nil); err != nil {
		t.Fatal(err)
	}
	endReading, begun := readForLong(t, path), time.Now()
	last := int64(0)
	var refused error
	for refused == nil {
		if refused = appendBig(s, last+1); refused == nil {
			last++
		}
		if last > 200 {
			t.Fatal("200 events of 64 KB were stored beside a reader")
		}
	}
	if !errors.Is(refused, store.ErrFull) || !strings.Contains(refused.Error(), "somebody who reads the database") {
		t.Errorf("error is %v", refused)
	}
	if size := walSize(t, path); size > limit+1<<20 {
		t.Errorf("the write-ahead log has %d bytes, the limit is %d", size, limit)
	}
	if last < 20 {
		t.Errorf("only %d events of 64 KB were stored", last)
	}
	mu.Lock()
	if n := strings.Count(log.String(), "cannot be folded"); n < 1 || n > 1+int(time.Since(begun)/time.Minute) {
		t.Errorf("%d warnings: %s", n, log.String())
	}
	mu.Unlock()
	if n := countEvents(t, s); n != last {
		t.Errorf("%d events can be read, want %d", n, last)
	}
	endReading()
	time.Sleep(100 * time.Millisecond)
	if err := appendBig(s, last+1); err != nil {
		t.Errorf("a write after the reader has gone: %v", err)
	}
	if size := walSize(t, path); size > 1<<20 {
		t.Errorf("the write-ahead log still has %d bytes", size)
	}
	if n := countEvents(t, s); n != last+1 {
		t.Errorf("%d events can be read, want %d", n, last+1)
	}
}

type lockedWriter struct {
	mu *sync.Mutex
	w  *bytes.Buffer
}

func (l *lockedWriter) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.w.Write(p)
}

// readForLong begins to read the database as somebody else, and returns what ends that.
func readForLong(t *testing.T, path string) func() {
	t.Helper()
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	tx, err := db.Begin()
	if err != nil {
		t.Fatal(err)
	}
	var n int
	if err := tx.QueryRow("SELECT count(*) FROM runs").Scan(&n); err != nil {
		t.Fatal(err)
	}
	return func() {
		if err := errors.Join(tx.Rollback(), db.Close()); err != nil {
			t.Error(err)
		}
	}
}

func appendBig(s store.Store, seq int64) error {
	done := make(chan error, 1)
	frames := append(bytes.Repeat([]byte{'x'}, 64<<10), fmt.Sprint(seq)...)
	s.AppendEvents(me, store.Batch{RunID: "log", Epoch: 1, First: seq, Count: 1, Frames: frames}, func(err error) { done <- err })
	return <-done
}

func countEvents(t *testing.T, s store.Store) (n int64) {
	t.Helper()
	for b, err := range s.Events(t.Context(), me, "log", 0) {
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.HasSuffix(b.Frames, fmt.Append([]byte("x"), b.First)) {
			t.Errorf("event %d is another one", b.First)
		}
		n += int64(b.Count)
	}
	return n
}

func walSize(t *testing.T, path string) int64 {
	t.Helper()
	info, err := os.Stat(path + "-wal")
	if err != nil {
		t.Fatal(err)
	}
	return info.Size()
}
