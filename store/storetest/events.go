package storetest

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/pageside/pageside/journal"
	"github.com/pageside/pageside/store"
	"github.com/pageside/pageside/test/must"
)

var ofEvents = []promise{
	{"events come back byte for byte", testEvents},
	{"only the writer of the current epoch appends", testFenced},
	{"batches are answered in order", testEventOrder},
	{"writes of a run keep their order", testOneOrder},
	{"a live log can be followed", testFollow},
	{"a log that is purged while it is read says so", testEventsWhilePurged},
}

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

// endWith ends a run of ada's in an epoch with its last events.
func endWith(s store.Store, id string, epoch int, last store.Batch) error {
	return s.EndRun(ctx, ada, store.Run{ID: id, Status: store.RunFinished, Epoch: epoch}, many("end", 1), last)
}

// logOf returns the events of a run after a number, each as number/epoch=text.
func logOf(s store.Store, o store.Owner, runID string, after int64) ([]string, error) {
	return logIn(ctx, s, o, runID, after)
}

func logIn(c context.Context, s store.Store, o store.Owner, runID string, after int64) (got []string, err error) {
	last := int64(0)
	for b, err := range s.Events(c, o, runID, after) {
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

func wantLog(t *testing.T, s store.Store, runID string, after int64, log ...string) {
	t.Helper()
	want(t, fmt.Sprintf("events of %s after %d", runID, after), log)(logOf(s, ada, runID, after))
}

// testEvents: the log has the events of a run's beginning, of its life and of its end, and keeps no
// reference.
func testEvents(t *testing.T, s Store) {
	big := strings.Repeat("x", 1<<16)
	first, next, last := events("", 7, 1, "a", "é\x00"), events("r1", 1, 3, big), events("", 0, 4, "end", "done")
	next.Usage = []byte(`[1]`)
	must.Do(t, s.BeginRun(ctx, ada, run("r1", "t1"), nil, first), appended(s, ada, next))
	next.Usage[1] = '2'
	want(t, "usage", `[1]`)(string(must.Get(s.Run(ctx, ada, "r1"))(t).Usage), nil)
	must.Do(t, endWith(s, "r1", 1, last))
	for _, given := range []store.Batch{first, next, last} {
		clear(given.Frames)
	}
	for range 2 {
		wantLog(t, s, "r1", 0, "1/1=a", "2/1=é\x00", "3/1="+big, "4/1=end", "5/1=done")
		for got := range s.Events(ctx, ada, "r1", 0) {
			clear(got.Frames)
		}
	}
	wantLog(t, s, "r1", 3, "4/1=end", "5/1=done")
}

// testFenced: whoever is of another epoch than the run's current one, or has no run, appends
// nothing.
func testFenced(t *testing.T, s Store) {
	begin(t, s, ada, "r1", "t1")
	must.Do(t, appended(s, ada, events("r1", 1, 1, "a", "b")))
	must.FailWith(t, appended(s, ada, events("r1", 2, 3, "c")), store.ErrFenced, "a later epoch")
	must.FailWith(t, appended(s, ada, events("r1", 0, 3, "c")), store.ErrFenced, "epoch 0")
	must.FailWith(t, appended(s, ada, events("", 1, 1, "a")), store.ErrNotFound, "a run without name")
	wantLog(t, s, "r1", 0, "1/1=a", "2/1=b")
	must.Do(t, endWith(s, "r1", 0, events("r1", 1, 3, "c")))
	must.FailWith(t, appended(s, ada, events("r1", 2, 4, "d")), store.ErrFenced, "an ended run's other epoch")
	wantLog(t, s, "r1", 0, "1/1=a", "2/1=b", "3/1=c")
}

// testEventOrder has many runs append without waiting. Every done comes once, in order, and is
// right.
func testEventOrder(t *testing.T, s Store) {
	const runs, batches = 20, 40
	var all sync.WaitGroup
	var log []string
	for i := range batches {
		log = append(log, fmt.Sprintf("%d/1=a%d", 2*i+1, i), fmt.Sprintf("%d/1=b%d", 2*i+2, i))
	}
	for i := range runs {
		id := fmt.Sprint("r", i)
		begin(t, s, ada, id, fmt.Sprint("t", i%3))
		all.Add(batches)
		go func() {
			next := 0
			for j := range batches {
				b := events(id, 1, int64(2*j+1), fmt.Sprint("a", j), fmt.Sprint("b", j))
				s.AppendEvents(ada, b, func(err error) {
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
		wantLog(t, s, fmt.Sprint("r", i), 0, log...)
	}
}

// testOneOrder queues all kinds of writes of one run without waiting: they are carried out in their
// order, also where the run has been cancelled and where one of them fails.
func testOneOrder(t *testing.T, s Store) {
	begin(t, s, ada, "r1", "t1")
	cancelled, cancel := context.WithCancel(ctx)
	cancel()
	var told []string
	tell := func(what string) func(error) {
		return func(err error) { told = append(told, fmt.Sprint(what, err)) }
	}
	s.AppendEvents(ada, events("r1", 1, 1, "a"), tell("a"))
	must.Do(t, s.PlanCalls(cancelled, ada, "r1", []journal.ToolCall{{ID: "c1"}, {ID: "c2"}}, false))
	s.AppendEvents(ada, events("r1", 1, 2, "b"), tell("b"))
	must.Do(t, s.StartCall(cancelled, ada, "r1", "c1", false))
	must.Do(t, s.StartCall(cancelled, ada, "r1", "c9", false)) // fails silently
	must.Do(t, s.FinishCall(cancelled, ada, "r1", journal.ToolCall{ID: "c1", Result: "42"}, false))
	must.Do(t, s.StartCall(cancelled, ada, "r1", "c2", false))
	must.Do(t, endWith(s, "r1", 0, events("r1", 1, 3, "c")))
	want(t, "answers when the end is stored", []string{"a<nil>", "b<nil>"})(told, nil)
	var calls []string
	for _, c := range must.Get(s.ToolCalls(ctx, ada, "r1"))(t) {
		calls = append(calls, fmt.Sprint(c.ID, " ", c.State, " ", c.Result))
	}
	want(t, "calls", []string{"c1 finished 42", "c2 started "})(calls, nil)
	wantLog(t, s, "r1", 0, "1/1=a", "2/1=b", "3/1=c")
}

// testFollow reads the log of a live run again and again from where it left off, and must see every
// event once.
func testFollow(t *testing.T, s Store) {
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
		for b, err := range s.Events(ctx, ada, "r1", last) {
			if err != nil || b.First != last+1 || string(b.Frames) != fmt.Sprintln(b.First) {
				t.Fatalf("after event %d comes %+v, %v", last, b, err)
			}
			last = b.Last()
		}
	}
	must.Be(t, last, n, "the last event seen")
}

// testEventsWhilePurged reads a log while it is purged: the reader gets every event, or is told
// that some are gone.
func testEventsWhilePurged(t *testing.T, s Store) {
	const n = 600
	for round := range 5 {
		id := fmt.Sprint("r", round)
		begin(t, s, ada, id, "t")
		for i := range int64(n) {
			s.AppendEvents(ada, events(id, 1, i+1, "x"), func(error) {})
			if i%3 == 0 {
				must.Do(t, s.Ping(ctx)) // so that the log has many rows
			}
		}
		end(t, s, ada, id)
		last, gone := int64(0), false
		for b, err := range s.Events(ctx, ada, id, 0) {
			if err != nil {
				gone = errors.Is(err, store.ErrGone)
				break
			}
			if last == 0 {
				must.Get(s.PurgeEvents(ctx, time.Now().Add(time.Hour)))(t)
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
