package sqlstore_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/pageside/pageside/store"
	"github.com/pageside/pageside/store/storetest/temp"
)

// TestTempInABubble: in a synctest bubble a store in memory takes no time, also when readers and
// writers meet, and sees only the clock of the bubble.
func TestTempInABubble(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, began, done := temp.Store(t), time.Now(), make(chan error)
		ctx := t.Context()
		for _, id := range []string{"a", "b", "c", "d"} {
			go func() { done <- useFor(ctx, s, id) }()
			go func() { done <- readFor(ctx, s) }()
		}
		for range 8 {
			if err := <-done; err != nil {
				t.Error(err)
			}
		}
		if took := time.Since(began); took != 0 {
			t.Errorf("it took %v", took)
		}
		time.Sleep(24 * time.Hour)
		must(t, s.BeginRun(ctx, me, store.Run{ID: "late", ThreadID: "t"}, nil))
		if r, err := s.Run(ctx, me, "late"); err != nil || !r.CreatedAt.Equal(began.Add(24*time.Hour)) {
			t.Errorf("the run of the next day began at %v, %v", r.CreatedAt, err)
		}
	})
}

// useFor writes a run with its events, one after another, and reads them.
func useFor(ctx context.Context, s store.Store, id string) error {
	if err := s.BeginRun(ctx, me, store.Run{ID: id, ThreadID: id}, nil); err != nil {
		return err
	}
	for i := range int64(50) {
		if err := appended(s, event(id, i+1)); err != nil {
			return err
		}
	}
	n := 0
	for b, err := range s.Events(ctx, me, id, 0) {
		if err != nil {
			return err
		}
		n += b.Count
	}
	if n != 50 {
		return errors.New("events are missing")
	}
	return nil
}

// readFor reads and searches again and again.
func readFor(ctx context.Context, s store.Store) error {
	for range 50 {
		if _, err := s.Threads(ctx, me, store.ThreadQuery{Text: "word"}); err != nil {
			return err
		}
		if _, err := s.LiveRuns(ctx); err != nil {
			return err
		}
	}
	return nil
}

func BenchmarkOpenTemp(b *testing.B) {
	for b.Loop() {
		temp.Store(b).Close()
	}
}
