package storetest

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/pageside/pageside/journal"
	"github.com/pageside/pageside/store"
)

// events returns a batch whose events have the texts, the first one with the number first.
func events(runID string, epoch int, first int64, texts ...string) store.Batch {
	b := store.Batch{RunID: runID, Epoch: epoch, First: first, Count: len(texts)}
	for _, text := range texts {
		b.Frames = append(b.Frames, text+"\n"...)
	}
	return b
}

// appended appends a batch and waits for the outcome.
func appended(s store.Store, o store.Owner, b store.Batch) error {
	done := make(chan error, 2)
	s.AppendEvents(o, b, func(err error) { done <- err })
	return <-done
}

// logOf returns the events of a run after a number, each as number/epoch=text.
func logOf(ctx context.Context, s store.Store, o store.Owner, runID string, after int64) (got []string, err error) {
	last := int64(0)
	for b, err := range s.Events(ctx, o, runID, after) {
		if err != nil {
			return nil, err
		}
		texts := strings.Split(strings.TrimSuffix(string(b.Frames), "\n"), "\n")
		if len(texts) != b.Count || b.RunID != runID || last != 0 && b.First != last+1 || b.Last() <= after {
			return nil, fmt.Errorf("batch %+v follows event %d", b, last)
		}
		for i, text := range texts {
			got = append(got, fmt.Sprintf("%d/%d=%s", b.First+int64(i), b.Epoch, text))
		}
		last = b.Last()
	}
	return got, nil
}

func wantLog(t *testing.T, s store.Store, o store.Owner, runID string, after int64, want ...string) {
	t.Helper()
	got, err := logOf(t.Context(), s, o, runID, after)
	must(t, err)
	if !slices.Equal(got, want) {
		t.Errorf("events of %s after %d are %q, want %q", runID, after, got, want)
	}
}

func testEvents(t *testing.T, s store.Store) {
	begin(t, s, ada, "r1", "t1", user("q", "?"))
	wantLog(t, s, ada, "r1", 0)
	must(t, appended(s, ada, events("r1", 1, 1, "a", "b", "c")))
	must(t, appended(s, ada, events("r1", 1, 4, "d")))
	must(t, appended(s, ada, events("r1", 1, 5, "é\x00", strings.Repeat("x", 1<<16))))
	big := strings.Repeat("x", 1<<16)
	wantLog(t, s, ada, "r1", 0, "1/1=a", "2/1=b", "3/1=c", "4/1=d", "5/1=é\x00", "6/1="+big)
	// its batch began before
	wantLog(t, s, ada, "r1", 1, "1/1=a", "2/1=b", "3/1=c", "4/1=d", "5/1=é\x00", "6/1="+big)
	wantLog(t, s, ada, "r1", 3, "4/1=d", "5/1=é\x00", "6/1="+big)
	wantLog(t, s, ada, "r1", 6)
	wantLog(t, s, ada, "r1", 99)

	end := finished("r1")
	end.Epoch = 1
	must(t, s.EndRun(t.Context(), ada, end, many("a", 1), events("", 0, 7, "end", "done")))
	wantLog(t, s, ada, "r1", 4, "5/1=é\x00", "6/1="+big, "7/1=end", "8/1=done")
	if r, err := s.Run(t.Context(), ada, "r1"); err != nil || r.LastSeq != 8 {
		t.Errorf("run is %+v, %v", r, err)
	}
	_, err := logOf(t.Context(), s, ada, "r9", 0)
	wantErr(t, "events of no run", err, store.ErrNotFound)

	begin(t, s, ada, "r2", "t1")
	end = finished("r2")
	end.LastSeq = 1
	must(t, s.EndRun(t.Context(), ada, end, nil, events("r2", 1, 1, "alone")))
	wantLog(t, s, ada, "r2", 0, "1/1=alone")
	wantLog(t, s, ada, "r1", 7, "7/1=end", "8/1=done")
}

func testEventsRefused(t *testing.T, s store.Store) {
	begin(t, s, ada, "r1", "t1")
	must(t, appended(s, ada, events("r1", 1, 1, "a", "b")))
	for what, c := range map[string]struct {
		batch store.Batch
		want  error
	}{
		"a gap":              {events("r1", 1, 4, "d"), store.ErrInvalid},
		"an event twice":     {events("r1", 1, 2, "b"), store.ErrInvalid},
		"no event":           {store.Batch{RunID: "r1", Epoch: 1, First: 3, Frames: []byte("x")}, store.ErrInvalid},
		"no frames":          {store.Batch{RunID: "r1", Epoch: 1, First: 3, Count: 1}, store.ErrInvalid},
		"event 0":            {events("r1", 1, 0, "x"), store.ErrInvalid},
		"a later epoch":      {events("r1", 2, 3, "c"), store.ErrFenced},
		"epoch 0":            {events("r1", 0, 3, "c"), store.ErrFenced},
		"an unknown run":     {events("r9", 1, 1, "a"), store.ErrNotFound},
		"a run without name": {events("", 1, 1, "a"), store.ErrNotFound},
	} {
		wantErr(t, what, appended(s, ada, c.batch), c.want)
	}
	wantErr(t, "no owner", appended(s, store.Owner{}, events("r1", 1, 3, "c")), store.ErrInvalid)
	for what, last := range map[string]store.Batch{"a gap": events("r1", 1, 4, "d"), "no frames": {First: 3, Count: 1}} {
		wantErr(t, "an end with "+what, s.EndRun(t.Context(), ada, finished("r1"), many("m", 1), last), store.ErrInvalid)
	}
	wantLog(t, s, ada, "r1", 0, "1/1=a", "2/1=b")
	wantTranscript(t, s, ada, "t1")
	must(t, s.EndRun(t.Context(), ada, finished("r1"), nil, events("r1", 1, 3, "c")))
	wantErr(t, "an ended run", appended(s, ada, events("r1", 1, 4, "d")), store.ErrConflict)
	wantErr(t, "an ended run's other epoch", appended(s, ada, events("r1", 2, 4, "d")), store.ErrFenced)
	wantLog(t, s, ada, "r1", 0, "1/1=a", "2/1=b", "3/1=c")
}

func testFencing(t *testing.T, s store.Store) {
	begin(t, s, ada, "r1", "t1")
	must(t, appended(s, ada, events("r1", 1, 1, "a")))
	epoch, err := s.TakeOver(t.Context(), ada, "r1")
	if err != nil || epoch != 2 {
		t.Fatalf("epoch is %d, %v", epoch, err)
	}
	wantErr(t, "the first writer", appended(s, ada, events("r1", 1, 2, "zombie")), store.ErrFenced)
	must(t, appended(s, ada, events("r1", 2, 2, "b")))
	old := finished("r1")
	old.Epoch = 1
	wantErr(t, "the first writer's end", s.EndRun(t.Context(), ada, old, many("m", 1), events("r1", 1, 3, "zombie")), store.ErrFenced)
	if epoch, err = s.TakeOver(t.Context(), ada, "r1"); err != nil || epoch != 3 {
		t.Fatalf("epoch is %d, %v", epoch, err)
	}
	if r, err := s.Run(t.Context(), ada, "r1"); err != nil || r.Epoch != 3 || r.Status != store.RunLive {
		t.Errorf("run is %+v, %v", r, err)
	}
	now := finished("r1")
	now.Epoch = 3
	must(t, s.EndRun(t.Context(), ada, now, nil, events("r1", 3, 3, "c")))
	wantLog(t, s, ada, "r1", 0, "1/1=a", "2/2=b", "3/3=c")
	wantTranscript(t, s, ada, "t1")
	wantErr(t, "an ended run", takeOver(t, s, "r1"), store.ErrConflict)
	wantErr(t, "no run", takeOver(t, s, "r9"), store.ErrNotFound)
}

func takeOver(t *testing.T, s store.Store, runID string) error {
	_, err := s.TakeOver(t.Context(), ada, runID)
	return err
}

// testEventOrder has many runs append without waiting. Every done comes once, in order, and is
// right.
func testEventOrder(t *testing.T, s store.Store) {
	const runs, batches = 20, 40
	var all sync.WaitGroup
	for i := range runs {
		id := fmt.Sprint("r", i)
		begin(t, s, ada, id, fmt.Sprint("t", i%3))
		all.Add(batches)
		go func() {
			next := 0
			for j := range batches {
				s.AppendEvents(ada, events(id, 1, int64(2*j+1), fmt.Sprint("a", j), fmt.Sprint("b", j)), func(err error) {
					if err != nil || next != j {
						t.Errorf("run %s: batch %d is answered with %v, batch %d was next", id, j, err, next)
					}
					next++
					all.Done()
				})
			}
		}()
	}
	all.Wait()
	for i := range runs {
		got, err := logOf(t.Context(), s, ada, fmt.Sprint("r", i), 0)
		if err != nil || len(got) != 2*batches || got[0] != "1/1=a0" || got[2*batches-1] != fmt.Sprintf("%d/1=b%d", 2*batches, batches-1) {
			t.Errorf("run %d has %d events, %v", i, len(got), err)
		}
	}
}

// testOneOrder queues all kinds of writes of one run without waiting: what is written later is
// durable after it, also where the run has been cancelled.
func testOneOrder(t *testing.T, s store.Store) {
	begin(t, s, ada, "r1", "t1")
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	var told []string
	s.AppendEvents(ada, events("r1", 1, 1, "a"), func(err error) { told = append(told, fmt.Sprint("a", err)) })
	must(t, s.PlanCalls(cancelled, ada, "r1", []journal.ToolCall{{ID: "c1", Tool: "f"}}, false))
	s.AppendEvents(ada, events("r1", 1, 2, "b"), func(err error) { told = append(told, fmt.Sprint("b", err)) })
	must(t, s.StartCall(cancelled, ada, "r1", "c1", false))
	must(t, s.FinishCall(cancelled, ada, "r1", journal.ToolCall{ID: "c1", Result: "42"}, false))
	must(t, s.EndRun(t.Context(), ada, finished("r1"), nil, events("r1", 1, 3, "c")))
	if !slices.Equal(told, []string{"a<nil>", "b<nil>"}) {
		t.Errorf("when the end is stored, the batches are answered with %q", told)
	}
	if c, err := s.ToolCall(t.Context(), ada, "t1", "c1"); err != nil || c.State != journal.Finished || c.Result != "42" {
		t.Errorf("call is %+v, %v", c, err)
	}
	wantLog(t, s, ada, "r1", 0, "1/1=a", "2/1=b", "3/1=c")
}

// testFollow reads the log of a live run again and again from where it left off, and must see every
// event once.
func testFollow(t *testing.T, s store.Store) {
	const n = 300
	begin(t, s, ada, "r1", "t1")
	begin(t, s, ada, "noise", "t2")
	var writer sync.WaitGroup
	t.Cleanup(writer.Wait)
	writer.Go(func() {
		for i := range int64(n) {
			s.AppendEvents(ada, events("noise", 1, i+1, "n"), func(error) {})
			if err := appended(s, ada, events("r1", 1, i+1, fmt.Sprint(i+1))); err != nil {
				t.Error(err)
			}
		}
	})
	last := int64(0)
	for deadline := time.Now().Add(2 * time.Minute); last < n && time.Now().Before(deadline); {
		for b, err := range s.Events(t.Context(), ada, "r1", last) {
			if err != nil || b.First != last+1 || string(b.Frames) != fmt.Sprintln(b.First) {
				t.Fatalf("after event %d comes %+v, %v", last, b, err)
			}
			last = b.Last()
		}
	}
	if last != n {
		t.Errorf("the last event seen is %d", last)
	}
}

func testEventAliasing(t *testing.T, s store.Store) {
	begin(t, s, ada, "r1", "t1")
	b := events("r1", 1, 1, "mine")
	must(t, appended(s, ada, b))
	copy(b.Frames, "your")
	for got := range s.Events(t.Context(), ada, "r1", 0) {
		copy(got.Frames, "ours")
	}
	wantLog(t, s, ada, "r1", 0, "1/1=mine")
}

func testPurgeEvents(t *testing.T, s store.Store) {
	day := time.Date(2020, 1, 1, 0, 0, 0, 0, time.UTC)
	for i, id := range []string{"old", "new", "live"} {
		begin(t, s, ada, id, fmt.Sprint("t", i))
		must(t, appended(s, ada, events(id, 1, 1, "a")))
	}
	for i, id := range []string{"old", "new"} {
		must(t, s.EndRun(t.Context(), ada, store.Run{ID: id, Status: store.RunFinished, EndedAt: day.AddDate(0, 0, i)}, many("m", 1), events(id, 1, 2, "b")))
	}
	for _, want := range []int{1, 0} {
		if n, err := s.PurgeEvents(t.Context(), day.Add(time.Hour)); err != nil || n != want {
			t.Errorf("purged %d runs, %v, want %d", n, err, want)
		}
	}
	for _, after := range []int64{0, 1} {
		_, err := logOf(t.Context(), s, ada, "old", after)
		wantErr(t, "purged events", err, store.ErrGone)
	}
	wantLog(t, s, ada, "old", 2)
	wantLog(t, s, ada, "new", 0, "1/1=a", "2/1=b")
	must(t, appended(s, ada, events("live", 1, 2, "b")))
	wantLog(t, s, ada, "live", 0, "1/1=a", "2/1=b")
	if n, err := s.PurgeEvents(t.Context(), time.Now().Add(time.Hour)); err != nil || n != 1 {
		t.Errorf("purged %d runs, %v", n, err)
	}
	wantLog(t, s, ada, "live", 0, "1/1=a", "2/1=b")
	wantTranscript(t, s, ada, "t0", "m00000=text") // messages stay
	if r, err := s.Run(t.Context(), ada, "old"); err != nil || r.LastSeq != 2 {
		t.Errorf("run is %+v, %v", r, err)
	}
	must(t, s.EndRun(t.Context(), ada, finished("live"), nil, store.Batch{}))
	begin(t, s, ada, "later", "t0")
	must(t, appended(s, ada, events("later", 1, 1, "z")))
	wantLog(t, s, ada, "later", 0, "1/1=z")
	wantLog(t, s, ada, "live", 1, "2/1=b")
}

// testEventsWhilePurged reads a log while it is purged: the reader gets every event, or is told
// that some are gone.
func testEventsWhilePurged(t *testing.T, s store.Store) {
	for round := range 5 {
		id := fmt.Sprint("r", round)
		begin(t, s, ada, id, "t")
		const n = 600
		var all sync.WaitGroup
		for i := range int64(n) {
			all.Add(1)
			s.AppendEvents(ada, events(id, 1, i+1, "x"), func(error) { all.Done() })
			if i%3 == 0 {
				must(t, s.Ping(t.Context())) // so that the log has many rows
			}
		}
		all.Wait()
		must(t, s.EndRun(t.Context(), ada, finished(id), nil, store.Batch{}))
		last, gone := int64(0), false
		for b, err := range s.Events(t.Context(), ada, id, 0) {
			if err != nil {
				gone = errors.Is(err, store.ErrGone)
				break
			}
			if last == 0 {
				if _, err := s.PurgeEvents(t.Context(), time.Now().Add(time.Hour)); err != nil {
					t.Error(err)
				}
			}
			if b.First != last+1 {
				t.Fatalf("event %d follows %d", b.First, last)
			}
			last = b.Last()
		}
		if last != n && !gone {
			t.Errorf("the reader was left at event %d of %d", last, n)
		}
	}
}

func testClosedEvents(t *testing.T, s store.Store) {
	begin(t, s, ada, "r1", "t1")
	must(t, appended(s, ada, events("r1", 1, 1, "a")))
	must(t, s.Close())
	wantErr(t, "append", appended(s, ada, events("r1", 1, 2, "b")), store.ErrClosed)
	_, err := logOf(t.Context(), s, ada, "r1", 0)
	wantErr(t, "events", err, store.ErrClosed)
	wantErr(t, "take over", takeOver(t, s, "r1"), store.ErrClosed)
	wantErr(t, "plan", s.PlanCalls(t.Context(), ada, "r1", []journal.ToolCall{{ID: "c"}}, true), store.ErrClosed)
	must(t, s.PlanCalls(t.Context(), ada, "r1", []journal.ToolCall{{ID: "c"}}, false))
	_, err = s.PurgeEvents(t.Context(), time.Now())
	wantErr(t, "purge events", err, store.ErrClosed)
	_, err = s.Purge(t.Context(), time.Now())
	wantErr(t, "purge", err, store.ErrClosed)
}
