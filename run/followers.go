package run

import (
	"slices"
	"sync"

	"github.com/pageside/pageside/run/eventlog"
)

// followers tracks the readers of each thread and, in order, those of its runs that have begun and
// are still in memory. Safe for concurrent use.
type followers struct {
	mu        sync.Mutex
	serial    int64 // of the newest run
	begun     map[threadKey][]*Run
	audiences map[threadKey]*audience // only threads that have followers
}

// audience is the followers of one thread.
type audience struct {
	wakes map[chan struct{}]struct{}
	// the serial of the newest run that left memory since the first follower came
	missed int64
}

func newFollowers() followers {
	return followers{begun: make(map[threadKey][]*Run), audiences: make(map[threadKey]*audience)}
}

func (a *audience) wake() {
	if a == nil {
		return
	}
	for wake := range a.wakes {
		eventlog.Signal(wake)
	}
}

// begin gives a run that is about to be executed its serial and wakes the followers of its thread.
// Doing both under one lock ensures that a follower asking for runs after a serial never misses
// one.
func (f *followers) begin(r *Run) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.serial++
	r.begin(f.serial)
	f.begun[r.thread()] = append(f.begun[r.thread()], r)
	f.audiences[r.thread()].wake()
}

// forget drops a run that leaves memory. It wakes the followers of its thread, who read the rest of
// it from the store.
func (f *followers) forget(r *Run) {
	f.mu.Lock()
	defer f.mu.Unlock()
	key := r.thread()
	i := slices.Index(f.begun[key], r)
	if i < 0 {
		return // it never began
	}
	if f.begun[key] = slices.Delete(f.begun[key], i, i+1); len(f.begun[key]) == 0 {
		delete(f.begun, key)
	}
	if a := f.audiences[key]; a != nil {
		a.missed = max(a.missed, r.serial)
		a.wake()
	}
}

// live returns the run of a thread that is being executed, or nil.
func (f *followers) live(key threadKey) *Run {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.liveLocked(key)
}

func (f *followers) liveLocked(key threadKey) *Run {
	begun := f.begun[key]
	if len(begun) == 0 || begun[len(begun)-1].isOver() {
		return nil
	}
	return begun[len(begun)-1]
}

// enter signals wake whenever a run of the thread begins or leaves memory, until leave. It returns
// the serial after which to read: the one before the live run, if there is one. A run whose end was
// published is part of the thread that the store has, also before it is over: whoever has seen an
// answer's end finds all of it in the history.
func (f *followers) enter(key threadKey, wake chan struct{}) (seen int64) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.audiences[key] == nil {
		f.audiences[key] = &audience{wakes: make(map[chan struct{}]struct{})}
	}
	f.audiences[key].wakes[wake] = struct{}{}
	if live := f.liveLocked(key); live != nil && !live.log.Ended() {
		return live.serial - 1
	}
	return f.serial
}

func (f *followers) leave(key threadKey, wake chan struct{}) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if a := f.audiences[key]; a != nil {
		if delete(a.wakes, wake); len(a.wakes) == 0 {
			delete(f.audiences, key)
		}
	}
}

// after returns the first run of a thread in memory after the given serial, or nil, and the serial
// of the newest one that has left memory.
func (f *followers) after(key threadKey, serial int64) (r *Run, missed int64) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if a := f.audiences[key]; a != nil {
		missed = a.missed
	}
	for _, r := range f.begun[key] {
		if r.serial > serial {
			return r, missed
		}
	}
	return nil, missed
}

// has reports whether a thread has followers.
func (f *followers) has(key threadKey) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.audiences[key] != nil
}

// wakeAll wakes all followers.
func (f *followers) wakeAll() {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, a := range f.audiences {
		a.wake()
	}
}
