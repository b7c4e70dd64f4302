package run

import (
	"context"
	"errors"
	"sync"
	"testing"

	"github.com/pageside/pageside/test/must"
)

// newTestRun returns a run of the thread t1 that belongs to no working manager.
func newTestRun(id string) *Run {
	return (&Manager{cfg: Config{Ring: 1 << 20}}).newRun(ada, id, "t1", "body of "+id)
}

// The thread goes to the next in line when the first leaves, and to nobody before.
func TestThreadQueuePassesTheThreadOn(t *testing.T) {
	q := newThreadQueue()
	a, b, c := newTestRun("a"), newTestRun("b"), newTestRun("c")
	for i, r := range []*Run{a, b, c} {
		first, _ := q.join(r, 0)
		must.Be(t, first, i == 0, "whether run %s is the first", r.ID)
	}
	must.Be(t, q.ahead(a), nil, "what is ahead of the run that came first")
	must.Be(t, q.ahead(c), a, "what is ahead of the last one")
	q.leave(b)
	must.Be(t, isWoken(c.first), false, "whether a run has the thread because one in the middle has left")
	q.leave(a)
	if !isWoken(c.first) || isWoken(b.first) {
		t.Error("the thread was not passed on to the run that waits")
	}
	q.leave(newTestRun("was never in line"))
	q.leave(c)
	must.Be(t, len(q.lines), 0, "lines that are left")
}

// Of many runs that come and leave at once, one has the thread at a time, and each has it once.
func TestThreadQueueHasOneFirst(t *testing.T) {
	q := newThreadQueue()
	var all sync.WaitGroup
	var mu sync.Mutex
	had := 0
	for range 100 {
		all.Go(func() {
			r := newTestRun("r")
			if first, _ := q.join(r, 0); !first {
				<-r.first
			}
			if !mu.TryLock() {
				t.Error("two runs have the thread")
				return
			}
			had++
			mu.Unlock()
			q.leave(r)
		})
	}
	all.Wait()
	must.Be(t, had, 100, "runs that had the thread")
}

// A message that supersedes an unread run contests the thread only while it waits behind one that
// has begun.
func TestThreadQueueContested(t *testing.T) {
	q := newThreadQueue()
	a, b := newTestRun("a"), newTestRun("b")
	q.join(a, 0)
	q.join(b, 0)
	q.supersedeUnread(b)
	must.Be(t, q.contested(a.thread()), nil, "a run that is contested before it has begun")
	a.begin(1)
	must.Be(t, q.contested(a.thread()), a, "the run that is contested")
	q.leave(b)
	must.Be(t, q.contested(a.thread()), nil, "what a run contests that has left")
}

func TestThreadQueueSupersede(t *testing.T) {
	q := newThreadQueue()
	a, b, c := newTestRun("a"), newTestRun("b"), newTestRun("c")
	for _, r := range []*Run{a, b, c} {
		q.join(r, 0)
	}
	q.supersede(b)
	if !errors.Is(context.Cause(a.ctx), errSuperseded) || b.ctx.Err() != nil || c.ctx.Err() != nil {
		t.Errorf("after b superseded: a %v, b %v, c %v", context.Cause(a.ctx), b.ctx.Err(), c.ctx.Err())
	}
}

func TestThreadQueueNearlyFirst(t *testing.T) {
	q := newThreadQueue()
	a, b, c := newTestRun("a"), newTestRun("b"), newTestRun("c")
	for _, r := range []*Run{a, b, c} {
		q.join(r, 0)
	}
	a.w = &writer{appender: appender{run: a}}
	a.begin(1)
	if !q.nearlyFirst(a) || q.nearlyFirst(b) {
		t.Error("only the run that has the thread is first")
	}
	a.w.seal(errOver)
	if !q.nearlyFirst(b) || q.nearlyFirst(c) {
		t.Error("behind a run that is ending the next one is nearly first, and no other")
	}
}
