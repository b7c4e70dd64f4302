package run

import (
	"context"
	"log/slog"
	"testing"
	"testing/synctest"
	"time"

	"github.com/pageside/pageside/run/meter"
	"github.com/pageside/pageside/run/refusal"
	"github.com/pageside/pageside/test/must"
)

func newTestUnsaved() (*unsavedEnds, *meter.Admission) {
	a := meter.NewAdmission(1, Limits{})
	u := newUnsavedEnds(a, slog.New(slog.DiscardHandler))
	return &u, a
}

// What the store does not take is tried again, less and less often, and once it is taken no more.
func TestUnsavedEndIsTriedUntilItIsSaved(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		u, _ := newTestUnsaved()
		begin := time.Now()
		var tries []time.Duration
		u.later(newTestRun("r1"), func(context.Context) error {
			if tries = append(tries, time.Since(begin)); len(tries) < 9 {
				return refusal.ErrStore
			}
			return nil
		})
		time.Sleep(time.Hour)
		synctest.Wait()
		if len(tries) != 9 || tries[0] != firstRetry || tries[8]-tries[7] != lastRetry {
			t.Errorf("it was tried after %v", tries)
		}
		must.Be(t, len(u.threads), 0, "threads that wait")
	})
}

// The next run of the thread does not wait for the timer, and finds nothing to save once it is.
func TestUnsavedEndOfAThread(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		u, _ := newTestUnsaved()
		r, tries := newTestRun("r1"), 0
		err := refusal.ErrStore
		u.later(r, func(context.Context) error { tries++; return err })
		must.FailWith(t, u.saveThread(t.Context(), r.thread()), refusal.ErrStore, "saving the thread")
		err = nil
		for range 2 {
			must.Be(t, u.saveThread(t.Context(), r.thread()), nil, "saving the thread")
		}
		time.Sleep(time.Hour)
		synctest.Wait()
		must.Be(t, tries, 2, "how often it was tried")
	})
}

// An end that another process writes is none of ours, and a panic of the store is an error.
func TestUnsavedEndOfAnotherProcess(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		u, _ := newTestUnsaved()
		tries := 0
		u.later(newTestRun("r1"), func(context.Context) error {
			if tries++; tries == 1 {
				panic("the store")
			}
			return errFenced
		})
		time.Sleep(time.Hour)
		synctest.Wait()
		must.Be(t, tries, 2, "how often it was tried")
		must.Be(t, len(u.threads), 0, "threads that wait")
	})
}

// Once nothing may begin any more it is left to the next process.
func TestUnsavedEndWhileDraining(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		u, a := newTestUnsaved()
		u.later(newTestRun("r1"), func(context.Context) error {
			t.Error("it was tried")
			return nil
		})
		a.Close()
		time.Sleep(time.Hour)
		synctest.Wait()
		a.Wait()
	})
}
