package sqlstore_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/pageside/pageside/store"
	"github.com/pageside/pageside/store/sqlstore"
)

// Searches keep no other read waiting, however many there are, and end with an error where they
// take too long.
func TestSearchesKeepNobodyWaiting(t *testing.T) {
	s := open(t, newPath(t), sqlstore.WithSearchTime(20*time.Millisecond))
	if err := s.BeginRun(t.Context(), me, store.Run{ID: "r", ThreadID: "t"}, nil); err != nil {
		t.Fatal(err)
	}
	release := s.Searching()
	if _, err := s.Threads(t.Context(), me, store.ThreadQuery{}); err != nil {
		t.Errorf("a list of threads while searches are under way: %v", err)
	}
	if _, err := s.Thread(t.Context(), me, "t"); err != nil {
		t.Errorf("a read while searches are under way: %v", err)
	}
	if _, err := s.Threads(t.Context(), me, store.ThreadQuery{Text: "hello"}); !errors.Is(err, store.ErrBusy) {
		t.Errorf("a search that has to wait ends with %v", err)
	}
	left, leave := context.WithCancel(t.Context())
	leave()
	if _, err := s.Threads(left, me, store.ThreadQuery{Text: "hello"}); !errors.Is(err, context.Canceled) || errors.Is(err, store.ErrBusy) {
		t.Errorf("a search whose caller has left ends with %v", err)
	}
	release()
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
}
