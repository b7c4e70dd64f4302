//go:build linux

package sqlstore_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/pageside/pageside/agui"
	"github.com/pageside/pageside/store"
)

// TestDiskFull fills a small file system. Writes must fail with ErrFull, reads go on, and writes
// work again once there is space, without opening the store again.
func TestDiskFull(t *testing.T) {
	dir := t.TempDir()
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, "size=8m"); err != nil {
		t.Skipf("needs a file system of its own: mount tmpfs: %v", err)
	}
	t.Cleanup(func() { syscall.Unmount(dir, syscall.MNT_DETACH) })
	ballast := filepath.Join(dir, "ballast")
	if err := os.WriteFile(ballast, make([]byte, 4<<20), 0o600); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, "test.db")
	s := open(t, path)

	if err := s.BeginRun(t.Context(), me, store.Run{ID: "log", ThreadID: "log"}, []agui.Message{big("m")}); err != nil {
		t.Fatal(err)
	}
	if err := appendNow(s, "log", 1); err != nil {
		t.Fatal(err)
	}
	stored := 1 + fill(t, s)
	if stored == 1 {
		t.Fatal("nothing could be stored")
	}
	logged := fillLog(t, s, 1)
	if got := runs(t, s); got != stored {
		t.Errorf("%d runs are readable on the full disk, want %d", got, stored)
	}
	if err := s.Ping(t.Context()); err != nil && !errors.Is(err, store.ErrFull) {
		t.Errorf("ping: %v", err)
	}
	if last, err := checkEvents(t, s, "log"); err != nil || last != logged {
		t.Errorf("on the full disk the log ends with event %d, %v, want %d", last, err, logged)
	}
	if err := os.Remove(ballast); err != nil {
		t.Fatal(err)
	}
	if err := s.Ping(t.Context()); err != nil {
		t.Errorf("ping with space again: %v", err)
	}
	if err := s.BeginRun(t.Context(), me, store.Run{ID: "again", ThreadID: "again"}, []agui.Message{big("m")}); err != nil {
		t.Errorf("a write with space again: %v", err)
	}
	if err := appendNow(s, "log", logged+1); err != nil {
		t.Errorf("an event with space again: %v", err)
	}
	if last, err := checkEvents(t, s, "log"); err != nil || last != logged+1 {
		t.Errorf("with space again the log ends with event %d, %v, want %d", last, err, logged+1)
	}
	if got := runs(t, s); got != stored+1 {
		t.Errorf("%d runs, want %d", got, stored+1)
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	integrity(t, path)
}

func big(id string) agui.Message {
	return agui.Message{ID: id, Role: agui.RoleUser, Content: agui.TextContent(strings.Repeat("x", 64<<10))}
}

// fill stores runs from several goroutines until every one of them has met a full disk, and returns
// how many were stored.
func fill(t *testing.T, s store.Store) int {
	t.Helper()
	var mu sync.Mutex
	stored := 0
	var all sync.WaitGroup
	for w := range 4 {
		all.Go(func() {
			for i := 0; ; i++ {
				id := fmt.Sprintf("%d-%d", w, i)
				err := s.BeginRun(t.Context(), me, store.Run{ID: id, ThreadID: id}, []agui.Message{big("m")})
				if err != nil {
					if !errors.Is(err, store.ErrFull) {
						t.Errorf("on a full disk: %v", err)
					}
					return
				}
				mu.Lock()
				stored++
				mu.Unlock()
			}
		})
	}
	all.Wait()
	return stored
}

// fillLog appends events after the last one until the disk is full, and returns the number of the
// last one that was stored. What fill has left may be too little for any.
func fillLog(t *testing.T, s store.Store, last int64) int64 {
	t.Helper()
	for {
		err := appendNow(s, "log", last+1)
		if err != nil {
			if !errors.Is(err, store.ErrFull) {
				t.Errorf("on a full disk: %v", err)
			}
			return last
		}
		last++
	}
}

// runs counts the live runs, and checks that each has its message.
func runs(t *testing.T, s store.Store) int {
	t.Helper()
	live, err := s.LiveRuns(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range live {
		if messages, err := s.Transcript(t.Context(), me, r.Run.ThreadID, ""); err != nil || len(messages) != 1 {
			t.Errorf("thread %s has %d messages, %v", r.Run.ThreadID, len(messages), err)
		}
	}
	return len(live)
}
