//go:build linux

package sqlstore_test

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/pageside/pageside/agui"
	"github.com/pageside/pageside/store"
	"github.com/pageside/pageside/store/sqlstore"
	"github.com/pageside/pageside/test/logged"
	"github.com/pageside/pageside/test/must"
)

// big is a message of 64 KB.
var big = agui.Message{ID: "m", Role: agui.RoleUser, Content: agui.TextContent(strings.Repeat("x", 64<<10))}

// TestDiskFull fills a small file system. Writes must fail with ErrFull, reads go on, and writes
// work again once there is space, without opening the store again.
func TestDiskFull(t *testing.T) {
	dir := smallDisk(t, "8m")
	ballast := dir + "/ballast"
	must.Do(t, os.WriteFile(ballast, make([]byte, 4<<20), 0o600))
	path := dir + "/test.db"
	s := open(t, path)
	begin(t, s, "log", "log", big)
	must.Do(t, appended(s, event("log", 1)))
	stored := 1 + fill(t, s)
	if stored == 1 {
		t.Fatal("nothing could be stored")
	}
	logged := int64(1) // what fill has left may be too little for any
	var full error
	for ; full == nil; logged++ {
		full = appended(s, event("log", logged+1))
	}
	logged--
	must.FailWith(t, full, store.ErrFull, "an event on a full disk")
	wantStored(t, s, stored, logged)
	if err := s.Ping(t.Context()); err != nil {
		must.FailWith(t, err, store.ErrFull, "ping")
	}

	must.Do(t, os.Remove(ballast)) // now there is space again
	must.Do(t, s.Ping(t.Context()), begun(s, "again", "again", big), appended(s, event("log", logged+1)))
	wantStored(t, s, stored+1, logged+1)
	must.Do(t, s.Close())
	integrity(t, path)
}

// fill stores runs from several goroutines until every one of them has met a full disk, and returns
// how many were stored.
func fill(t *testing.T, s store.Store) int {
	t.Helper()
	var stored atomic.Int64
	var all sync.WaitGroup
	for w := range 4 {
		all.Go(func() {
			var err error
			for i := 0; err == nil; i++ {
				id := fmt.Sprintf("%d-%d", w, i)
				if err = begun(s, id, id, big); err == nil {
					stored.Add(1)
				}
			}
			must.FailWith(t, err, store.ErrFull, "on a full disk")
		})
	}
	all.Wait()
	return int(stored.Load())
}

// wantStored checks how many runs with one message there are, and events in the log of one of them.
func wantStored(t *testing.T, s store.Store, runs int, events int64) {
	t.Helper()
	live := get(s.LiveRuns(t.Context()))
	for _, r := range live {
		if messages, err := s.Transcript(t.Context(), me, r.Run.ThreadID, ""); err != nil || len(messages) != 1 {
			t.Errorf("thread %s has %d messages, %v", r.Run.ThreadID, len(messages), err)
		}
	}
	last, err := checkEvents(t, s, "log")
	if len(live) != runs || last != events || err != nil {
		t.Errorf("%d runs and %d events, %v, want %d and %d", len(live), last, err, runs, events)
	}
}

// TestLongReader has somebody read for a long time, so that the write-ahead log cannot be folded.
// It must not grow beyond its limit: writes are refused, and work again when the reader is gone.
func TestLongReader(t *testing.T) {
	const limit = 4 << 20
	path := newPath(t)
	var logs logged.Text
	s := open(t, path, sqlstore.WithWAL(1<<20, limit), sqlstore.WithCheckpoint(100), sqlstore.WithLogger(logs.Logger()))
	begin(t, s, "log", "t")
	size := func() int64 { return get(os.Stat(path + "-wal")).Size() }
	endReading, since := readForLong(t, path), time.Now()
	last := int64(0)
	var refused error
	for refused == nil {
		if refused = appended(s, bigEvent(last+1)); refused == nil {
			last++
		}
		if last > 200 {
			t.Fatal("200 events of 64 KB were stored beside a reader")
		}
	}
	must.FailWith(t, refused, store.ErrFull, "the last event")
	wantErr(t, "the last event", refused, "somebody who reads the database")
	if size() > limit+1<<20 || last < 20 {
		t.Errorf("%d events of 64 KB take %d bytes of the log, the limit is %d", last, size(), limit)
	}
	if n := strings.Count(logs.String(), "cannot be folded"); n < 1 || n > 1+int(time.Since(since)/time.Minute) {
		t.Errorf("%d warnings: %s", n, logs.String())
	}
	wantBigEvents(t, s, last)
	endReading()
	time.Sleep(100 * time.Millisecond)
	must.Do(t, appended(s, bigEvent(last+1)))
	must.Be(t, size() > 1<<20, false, "whether the write-ahead log still has %d bytes", size())
	wantBigEvents(t, s, last+1)
}

// readForLong begins to read the database as somebody else, and returns what ends that.
func readForLong(t *testing.T, path string) func() {
	t.Helper()
	db := behind(t, path)
	tx := get(db.Begin())
	var n int
	must.Do(t, tx.QueryRow("SELECT count(*) FROM runs").Scan(&n))
	return func() { must.Do(t, errors.Join(tx.Rollback(), db.Close())) }
}

func bigEvent(seq int64) store.Batch {
	frames := append(bytes.Repeat([]byte{'x'}, 64<<10), fmt.Sprint(seq)...)
	return store.Batch{RunID: "log", Epoch: 1, First: seq, Count: 1, Frames: frames}
}

func wantBigEvents(t *testing.T, s store.Store, want int64) {
	t.Helper()
	last := int64(0)
	for b, err := range s.Events(t.Context(), me, "log", 0) {
		must.Do(t, err)
		if last++; b.First != last || !bytes.Equal(b.Frames, bigEvent(last).Frames) {
			t.Errorf("event %d is another one: %d", last, b.First)
		}
	}
	must.Be(t, last, want, "events can be read")
}
