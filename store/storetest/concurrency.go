package storetest

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"

	"github.com/pageside/pageside/agui"
	"github.com/pageside/pageside/store"
)

func testConcurrentWriters(t *testing.T, s store.Store) {
	const writers, runs = 16, 8
	var all sync.WaitGroup
	for w := range writers {
		all.Go(func() {
			thread := fmt.Sprint("t", w%4) // four writers share a thread
			for i := range runs {
				id := fmt.Sprintf("r%d-%d", w, i)
				err := errors.Join(
					s.BeginRun(t.Context(), ada, run(id, thread), []agui.Message{user(id+"q", "")}),
					s.SaveMessages(t.Context(), ada, thread, id, []agui.Message{user(id+"a", ""), user(id+"b", "")}),
					s.EndRun(t.Context(), ada, finished(id), []agui.Message{user(id+"a", "done"), user(id+"c", "")}, store.Batch{}),
				)
				if err != nil {
					t.Error(err)
				}
				if _, err := s.Transcript(t.Context(), ada, thread, ""); err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	for thread := range 4 {
		checkShared(t, s, fmt.Sprint("t", thread), writers/4*runs*4)
	}
	if live, err := s.LiveRuns(t.Context()); err != nil || len(live) > 0 {
		t.Errorf("live runs are left: %v, %v", live, err)
	}
}

// checkShared checks that a thread has n messages, each once, in an order that is right for every
// run.
func checkShared(t *testing.T, s store.Store, thread string, n int) {
	t.Helper()
	page, err := s.Messages(t.Context(), ada, thread, 0, store.MaxLimit)
	must(t, err)
	ids, last, state := map[string]bool{}, int64(0), map[string]string{}
	for _, m := range page.Items {
		ids[m.Message.ID] = true
		if m.Seq <= last {
			t.Errorf("seq %d follows %d", m.Seq, last)
		}
		last = m.Seq
		state[m.RunID] += m.Message.ID[len(m.RunID):]
	}
	if len(ids) != n || len(page.Items) != n {
		t.Errorf("thread %s has %d messages, %d different, want %d", thread, len(page.Items), len(ids), n)
	}
	for run, order := range state {
		if order != "qabc" {
			t.Errorf("messages of run %s are in the order %s", run, order)
		}
	}
}

func testConcurrentConflict(t *testing.T, s store.Store) {
	const n = 32
	for round := range 8 {
		id := fmt.Sprint("r", round)
		errs := make(chan error, n)
		for i := range n {
			go func() {
				errs <- s.BeginRun(t.Context(), ada, run(id, "t"), []agui.Message{user(fmt.Sprint(id, "m", i), "")})
			}()
		}
		won := 0
		for range n {
			switch err := <-errs; {
			case err == nil:
				won++
			case !errors.Is(err, store.ErrConflict):
				t.Error(err)
			}
		}
		messages, err := s.Transcript(t.Context(), ada, "t", "")
		if won != 1 || err != nil || len(messages) != round+1 {
			t.Fatalf("%d runs won, %d messages, %v", won, len(messages), err)
		}
	}
}

// testFailsAlone mixes writes that succeed with writes that fail at different points, all at once.
func testFailsAlone(t *testing.T, s store.Store) {
	begin(t, s, ada, "taken", "t0", user("m", ""))
	const n = 64
	var all sync.WaitGroup
	for i := range n {
		all.Go(func() {
			id := fmt.Sprint("r", i)
			switch i % 4 {
			case 0:
				err := s.BeginRun(t.Context(), ada, run("taken", "bad"+id), many("m", 3))
				wantErr(t, "taken id", err, store.ErrConflict)
			case 1:
				err := s.EndRun(t.Context(), ada, finished("missing"), many("m", 3), store.Batch{})
				wantErr(t, "missing run", err, store.ErrNotFound)
			default:
				if err := s.BeginRun(t.Context(), ada, run(id, "good"+id), many("m", 3)); err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	ids, err := allThreads(t.Context(), s, ada, "", 0)
	must(t, err)
	if len(ids) != n/2+1 {
		t.Errorf("%d threads, want %d: %q", len(ids), n/2+1, ids)
	}
	for _, id := range ids {
		if messages, err := s.Transcript(t.Context(), ada, id, ""); err != nil || id != "t0" && len(messages) != 3 {
			t.Errorf("thread %s has %d messages, %v", id, len(messages), err)
		}
	}
}

func testCancelled(t *testing.T, s store.Store) {
	begin(t, s, ada, "r1", "t1", user("m", ""))
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	wantErr(t, "begin", s.BeginRun(gone, ada, run("r2", "t2"), nil), context.Canceled)
	wantErr(t, "save", s.SaveMessages(gone, ada, "t1", "r1", many("m", 1)), context.Canceled)
	wantErr(t, "end", s.EndRun(gone, ada, finished("r1"), nil, store.Batch{}), context.Canceled)
	wantErr(t, "title", setTitle(s, gone, ada, "t1", "x"), context.Canceled)
	wantErr(t, "ping", s.Ping(gone), context.Canceled)
	for name, err := range reads(gone, s) {
		wantErr(t, name, err, context.Canceled)
	}
	wantTranscript(t, s, ada, "t1", "m=")
	if _, err := s.Thread(t.Context(), ada, "t2"); !errors.Is(err, store.ErrNotFound) {
		t.Errorf("the thread of a cancelled write: %v", err)
	}
}

func testClosed(t *testing.T, s store.Store) {
	must(t, s.Ping(t.Context()))
	begin(t, s, ada, "r1", "t1", user("m", ""))
	for _, err := range reads(t.Context(), s) {
		must(t, err)
	}
	must(t, s.Close())
	must(t, s.Close())
	wantErr(t, "begin", s.BeginRun(t.Context(), ada, run("r2", "t2"), nil), store.ErrClosed)
	wantErr(t, "save", s.SaveMessages(t.Context(), ada, "t1", "r1", nil), store.ErrClosed)
	wantErr(t, "end", s.EndRun(t.Context(), ada, finished("r1"), nil, store.Batch{}), store.ErrClosed)
	wantErr(t, "title", setTitle(s, t.Context(), ada, "t1", "x"), store.ErrClosed)
	wantErr(t, "ping", s.Ping(t.Context()), store.ErrClosed)
	for name, err := range reads(t.Context(), s) {
		wantErr(t, name, err, store.ErrClosed)
	}
}

// reads calls every method that reads, about ada's thread t1 and run r1.
func reads(ctx context.Context, s store.Store) map[string]error {
	errs := map[string]error{}
	_, errs["run"] = s.Run(ctx, ada, "r1")
	_, errs["live runs"] = s.LiveRuns(ctx)
	_, errs["thread"] = s.Thread(ctx, ada, "t1")
	_, errs["threads"] = s.Threads(ctx, ada, store.ThreadQuery{Cursor: "", Limit: 1})
	_, errs["last run"] = s.LastRun(ctx, ada, "t1")
	_, errs["transcript"] = s.Transcript(ctx, ada, "t1", "")
	_, errs["messages"] = s.Messages(ctx, ada, "t1", 0, 1)
	return errs
}
