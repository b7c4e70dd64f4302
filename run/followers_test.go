package run

import (
	"sync"
	"testing"

	"github.com/pageside/pageside/test/must"
)

// isWoken reports whether a channel has something, or is closed.
func isWoken(wake <-chan struct{}) bool {
	select {
	case <-wake:
		return true
	default:
		return false
	}
}

// wantNext checks what comes after a run on the thread of another.
func (f *followers) wantNext(t *testing.T, on *Run, seen int64, next *Run) {
	t.Helper()
	r, _ := f.after(on.thread(), seen)
	must.Be(t, r, next, "the run after %d", seen)
}

// Those who follow a thread are woken by its runs, and read each of them once, in order.
func TestFollowersReadEachRun(t *testing.T) {
	f := newFollowers()
	earlier, wake := newTestRun("r0"), make(chan struct{}, 1)
	f.begin(earlier)
	close(earlier.over)
	seen := f.enter(earlier.thread(), wake)
	f.wantNext(t, earlier, seen, nil)
	for _, id := range []string{"r1", "r2"} {
		f.begin(newTestRun(id))
	}
	must.Be(t, isWoken(wake), true, "whether the follower was woken")
	for _, id := range []string{"r1", "r2"} {
		r, _ := f.after(earlier.thread(), seen)
		if r == nil || r.ID != id {
			t.Fatalf("after %d comes %v, want %s", seen, r, id)
		}
		seen = r.serial
	}
	f.leave(earlier.thread(), wake)
	must.Be(t, f.has(earlier.thread()), false, "whether the thread is still followed")
	must.Be(t, len(f.audiences), 0, "threads that are followed")
	f.begin(newTestRun("r3"))
	must.Be(t, isWoken(wake), false, "whether a follower that left was woken")
}

// Whoever comes while a run is live begins with it.
func TestFollowersBeginWithTheLiveRun(t *testing.T) {
	f := newFollowers()
	live := newTestRun("r1")
	f.begin(live)
	must.Be(t, f.live(live.thread()), live, "the live run")
	seen := f.enter(live.thread(), make(chan struct{}, 1))
	f.wantNext(t, live, seen, live)
	live.log.Publish(nil, 0, true)
	seen = f.enter(live.thread(), make(chan struct{}, 1))
	f.wantNext(t, live, seen, nil)
	close(live.over)
	must.Be(t, f.live(live.thread()), nil, "the live run, once it is over")
}

// A follower that was too slow for a run learns that it missed it.
func TestFollowersMiss(t *testing.T) {
	f := newFollowers()
	wake := make(chan struct{}, 1)
	r := newTestRun("r1")
	seen := f.enter(r.thread(), wake)
	f.begin(r)
	isWoken(wake)
	f.forget(r)
	must.Be(t, isWoken(wake), true, "whether the follower was woken")
	if next, missed := f.after(r.thread(), seen); next != nil || missed != r.serial {
		t.Errorf("after a run has left memory: %v, missed %d", next, missed)
	}
	f.forget(newTestRun("never began"))
	must.Be(t, len(f.begun), 0, "threads that are kept")
}

// However begin, enter and after interleave, a follower that looks when it is woken sees every run.
func TestFollowersMissNothing(t *testing.T) {
	f := newFollowers()
	const runs = 200
	var all sync.WaitGroup
	key := newTestRun("r").thread()
	for range 4 {
		wake := make(chan struct{}, 1)
		seen := f.enter(key, wake)
		all.Go(func() {
			for n := 0; n < runs; {
				r, _ := f.after(key, seen)
				if r == nil {
					<-wake
					continue
				}
				if r.serial != seen+1 {
					t.Errorf("after %d comes %d", seen, r.serial)
					return
				}
				seen, n = r.serial, n+1
			}
		})
	}
	for range runs {
		f.begin(newTestRun("r"))
	}
	all.Wait()
}
