package storetest

import (
	"errors"
	"fmt"
	"sync"
	"testing"

	"github.com/pageside/pageside/agui"
	"github.com/pageside/pageside/store"
	"github.com/pageside/pageside/test/must"
)

var ofConcurrency = []promise{
	{"concurrent writers do not disturb each other", testConcurrentWriters},
	{"one run of many with the same id wins", func(t *testing.T, s Store) {
		for round := range 8 {
			id := fmt.Sprint("r", round)
			wantWinners(t, 1, 32, store.ErrConflict, func(i int) error {
				return s.BeginRun(ctx, ada, run(id, "t"), []agui.Message{user(fmt.Sprint(id, "m", i), "")}, noEvents)
			})
			if messages := must.Get(s.Transcript(ctx, ada, "t", ""))(t); len(messages) != round+1 {
				t.Fatalf("%d messages in round %d", len(messages), round)
			}
		}
	}},
	{"one click of many wins", func(t *testing.T, s Store) {
		errEarlier := errors.New("there was an earlier one")
		wantWinners(t, 1, 20, errEarlier, func(int) error {
			earlier, err := s.BeginAction(ctx, ada, action("k"), "")
			if earlier != nil {
				err = errors.Join(err, errEarlier)
			}
			return err
		})
	}},
	// of many runs that want their part at once, exactly those that fit get it
	{"parallel holds stay within quotas", func(t *testing.T, s Store) {
		awayFromMidnight()
		errUsedUp := errors.New("used up")
		wantWinners(t, 10, 50, errUsedUp, func(i int) error {
			run := fmt.Sprint("r", i)
			err := s.HoldUsage(ctx, ada, hold(run, 10), store.Quotas{User: store.Amount{Tokens: 100}})
			if err == nil {
				return s.AddUsage(ctx, ada, run, amount(10))
			}
			wantQuota(t, "a run too many", err, store.ScopeUser, store.UnitTokens)
			return errUsedUp
		})
		wantUsage(t, s, ada, 100, 0, 100, 0)
	}},
	{"one failing write fails alone", testFailsAlone},
}

// wantWinners has n try something at once: as many as may win do, the others get the error lost.
func wantWinners(t *testing.T, may, n int, lost error, try func(i int) error) {
	t.Helper()
	errs := make(chan error, n)
	for i := range n {
		go func() { errs <- try(i) }()
	}
	won := 0
	for range n {
		if err := <-errs; err == nil {
			won++
		} else {
			must.FailWith(t, err, lost, "one that lost")
		}
	}
	if won != may {
		t.Errorf("%d of %d won, want %d", won, n, may)
	}
}

func testConcurrentWriters(t *testing.T, s Store) {
	const writers, runs = 16, 8
	var all sync.WaitGroup
	for w := range writers {
		all.Go(func() {
			thread := fmt.Sprint("t", w%4) // four writers share a thread
			for i := range runs {
				id := fmt.Sprintf("r%d-%d", w, i)
				messages := func(a, b agui.Message) []agui.Message { return []agui.Message{a, b} }
				err := errors.Join(
					s.BeginRun(ctx, ada, run(id, thread), []agui.Message{user(id+"q", "")}, noEvents),
					s.SaveMessages(ctx, ada, thread, id, messages(user(id+"a", ""), user(id+"b", ""))),
					s.EndRun(ctx, ada, finished(id), messages(user(id+"a", "done"), user(id+"c", "")), noEvents),
					must.Err(s.Transcript(ctx, ada, thread, "")),
				)
				if err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	for i := range 4 { // every run has its messages, each once and in its order
		order := map[string]string{}
		for _, m := range pages(t, s, fmt.Sprint("t", i), 50) {
			order[m.RunID] += m.Message.ID[len(m.RunID):]
		}
		if len(order) != writers/4*runs {
			t.Errorf("thread %d has messages of %d runs", i, len(order))
		}
		for run, got := range order {
			must.Be(t, got, "qabc", "the order of the messages of run %s", run)
		}
	}
	want(t, "live runs that are left", []store.OwnedRun{})(s.LiveRuns(ctx))
}

// testFailsAlone mixes writes that succeed with writes that fail at different points, all at once.
func testFailsAlone(t *testing.T, s Store) {
	begin(t, s, ada, "taken", "t0", user("m", ""))
	const n = 64
	var all sync.WaitGroup
	for i := range n {
		all.Go(func() {
			id := fmt.Sprint("r", i)
			switch i % 4 {
			case 0:
				err := s.BeginRun(ctx, ada, run("taken", "bad"+id), many("m", 3), noEvents)
				must.FailWith(t, err, store.ErrConflict, "taken id")
			case 1:
				err := s.EndRun(ctx, ada, finished("missing"), many("m", 3), noEvents)
				must.FailWith(t, err, store.ErrNotFound, "missing run")
			default:
				must.FailWith(t, s.BeginRun(ctx, ada, run(id, "good"+id), many("m", 3), noEvents), nil, "good run")
			}
		})
	}
	all.Wait()
	ids := must.Get(allThreads(s, ada, store.ThreadQuery{}))(t)
	if len(ids) != n/2+1 {
		t.Errorf("%d threads, want %d: %q", len(ids), n/2+1, ids)
	}
	for _, id := range ids {
		if messages := must.Get(s.Transcript(ctx, ada, id, ""))(t); id != "t0" && len(messages) != 3 {
			t.Errorf("thread %s has %d messages", id, len(messages))
		}
	}
}
