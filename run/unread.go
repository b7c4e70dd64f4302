package run

import (
	"context"
	"sync"
	"time"

	"github.com/pageside/pageside/store"
)

// With PolicyAuto a new user message supersedes a live run without readers: many clients can only
// stop a run by closing the connection. While the run or its thread has a reader, the message
// waits.

// comeBack is how long a reader that left while a message waits may take to return: long enough to
// replace a broken connection, and for a server to notice that one was closed.
const comeBack = time.Second

// readers counts the readers of a run. A run without readers is deserted after the grace period, if
// there is one. Safe for concurrent use.
type readers struct {
	run    context.Context
	grace  time.Duration
	desert func() // cancels the run; nil if it continues without readers

	mu       sync.Mutex
	n        int
	expected bool        // the request for the run has not begun to read
	timer    *time.Timer // runs while there are no readers and desert is set
}

// expect announces a reader.
func (r *readers) expect() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.expected = true
}

// add changes the number of readers and returns it.
func (r *readers) add(change int) int {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.n += change
	r.expected = r.expected && change <= 0
	if r.desert == nil {
		return r.n
	}
	if r.timer != nil {
		r.timer.Stop()
		r.timer = nil
	}
	if r.n == 0 && r.run.Err() == nil {
		r.timer = time.AfterFunc(r.grace, r.desert)
	}
	return r.n
}

// any reports whether the run has a reader or expects one.
func (r *readers) any() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.n > 0 || r.expected
}

// countReaders changes the number of the run's readers.
func (r *Run) countReaders(change int) {
	if r.past != nil {
		return
	}
	if left := r.readers.add(change); left == 0 && change < 0 {
		r.m.supersedeUnreadLater(r.thread())
	}
}

// isRead reports whether the run has a reader or expects one, or its thread has a follower.
func (r *Run) isRead() bool { return r.m.followers.has(r.thread()) || r.readers.any() }

// supersedeUnread cancels the run that has a thread if it has no readers and a new message waits.
//
// The steps need not be atomic. The new message was marked before the readers are counted, and a
// reader leaves before it looks for such a message: the later of the two sees both. If the new
// message is withdrawn in between, the run is cancelled as if that had happened a moment later.
func (m *Manager) supersedeUnread(key threadKey) {
	if live := m.queue.contested(key); live != nil && !live.isRead() {
		live.cancel(errSuperseded)
	}
}

// supersedeUnreadLater calls supersedeUnread after giving a reader that left time to return.
func (m *Manager) supersedeUnreadLater(key threadKey) {
	if m.queue.contested(key) != nil {
		time.AfterFunc(comeBack, func() { m.supersedeUnread(key) })
	}
}

// fits reports whether the request would be accepted on the current thread: a request that would be
// refused must not end a run. One that does not fit yet waits for its turn and is checked again,
// since the runs ahead of it may add what it refers to.
func (c *candidate) fits(ctx context.Context) bool {
	row := store.Run{ID: c.run.ID, ThreadID: c.run.ThreadID, Agent: c.agent.ID, Fingerprint: c.run.fingerprint}
	if _, err := store.NewRun(row, time.Time{}); err != nil {
		return false
	}
	b, err := c.branch(ctx)
	if err != nil {
		return false
	}
	merged, err := b.Merge(&c.Request)
	if err != nil {
		return false
	}
	_, _, err = store.Bodies(merged.Messages)
	return err == nil
}
