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
			must.Be(t, len(must.Get(s.Transcript(ctx, ada, "t", ""))(t)), round+1, "messages in round %d", round)
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
	must.Be(t, won, may, "how many of %d won", n)
}

// testConcurrentWriters has many writers at once, of whose writes some fail, at different points.
// The others are stored, and nothing of those.
func testConcurrentWriters(t *testing.T, s Store) {
	const writers, runs, threads = 16, 8, 4
	begin(t, s, ada, "taken", "t0", user("takenq", ""), user("takena", ""), user("takenb", ""), user("takenc", ""))
	var all sync.WaitGroup
	for w := range writers {
		all.Go(func() {
			thread := fmt.Sprint("t", w%threads) // several writers share it
			for i := range runs {
				id := fmt.Sprintf("r%d-%d", w, i)
				messages := func(a, b agui.Message) []agui.Message { return []agui.Message{a, b} }
				err := errors.Join(
					s.BeginRun(ctx, ada, run(id, thread), []agui.Message{user(id+"q", "")}, noEvents),
					s.SaveMessages(ctx, ada, thread, id, messages(user(id+"a", ""), user(id+"b", ""))),
					s.EndRun(ctx, ada, finished(id), messages(user(id+"a", "done"), user(id+"c", "")), noEvents),
					must.Err(s.Transcript(ctx, ada, thread, "")),
				)
				must.FailWith(t, err, nil, "the writes of run %s", id)
				err = s.BeginRun(ctx, ada, run("taken", "bad"+id), many("m", 3), noEvents)
				must.FailWith(t, err, store.ErrConflict, "a taken id")
				err = s.EndRun(ctx, ada, finished("missing"), many("m", 3), noEvents)
				must.FailWith(t, err, store.ErrNotFound, "a missing run")
			}
		})
	}
	all.Wait()
	end(t, s, ada, "taken")
	want(t, "live runs that are left", []store.OwnedRun{})(s.LiveRuns(ctx))
	must.Be(t, len(must.Get(allThreads(s, ada, store.ThreadQuery{}))(t)), threads, "threads")
	found := 0
	for i := range threads { // every run has its messages, each once and in its order
		order := map[string]string{}
		for _, m := range pages(t, s, fmt.Sprint("t", i), 50) {
			order[m.RunID] += m.Message.ID[len(m.RunID):]
		}
		for run, got := range order {
			must.Be(t, got, "qabc", "the order of the messages of run %s", run)
		}
		found += len(order)
	}
	must.Be(t, found, writers*runs+1, "runs with messages")
}
