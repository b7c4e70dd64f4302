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

// Those who follow a thread are woken by its runs, and read each of them once, in order.
func TestFollowersReadEachRun(t *testing.T) {
	f := newFollowers()
	earlier, wake := newTestRun("r0"), make(chan struct{}, 1)
	f.begin(earlier)
	close(earlier.over)
	seen := f.enter(earlier.thread(), wake)
	if r, _ := f.after(earlier.thread(), seen); r != nil {
		t.Errorf("run %s, which had ended, is read", r.ID)
	}
	for _, id := range []string{"r1", "r2"} {
		f.begin(newTestRun(id))
	}
	if !isWoken(wake) {
		t.Error("the follower was not woken")
	}
	for _, id := range []string{"r1", "r2"} {
		r, _ := f.after(earlier.thread(), seen)
		if r == nil || r.ID != id {
			t.Fatalf("after %d comes %v, want %s", seen, r, id)
		}
		seen = r.serial
	}
	f.leave(earlier.thread(), wake)
	if f.has(earlier.thread()) || len(f.audiences) != 0 {
		t.Error("the follower is still registered")
	}
	f.begin(newTestRun("r3"))
	if isWoken(wake) {
		t.Error("a follower that left was woken")
	}
}

// Whoever comes while a run is live begins with it.
func TestFollowersBeginWithTheLiveRun(t *testing.T) {
	f := newFollowers()
	live := newTestRun("r1")
	f.begin(live)
	if f.live(live.thread()) != live {
		t.Error("the live run is not known")
	}
	seen := f.enter(live.thread(), make(chan struct{}, 1))
	if r, _ := f.after(live.thread(), seen); r != live {
		t.Errorf("the follower begins with %v", r)
	}
	live.log.Publish(nil, 0, true)
	seen = f.enter(live.thread(), make(chan struct{}, 1))
	if r, _ := f.after(live.thread(), seen); r != nil {
		t.Errorf("a follower that comes after the end begins with %v", r)
	}
	close(live.over)
	if f.live(live.thread()) != nil {
		t.Error("a run that is over is live")
	}
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
	if !isWoken(wake) {
		t.Error("the follower was not woken")
	}
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
