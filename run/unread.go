package run

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"github.com/pageside/pageside/agui"
	"github.com/pageside/pageside/store"
)

// With PolicyAuto a user's new message supersedes a live run that nobody reads: many clients have
// no other way to stop one than to close the connection. While somebody reads it, or follows its
// thread, the message waits.

// comeBack is how long a reader that left while a message waits may take to come back: long enough
// to replace a broken connection, and for a server to notice that one was closed.
const comeBack = time.Second

// readers counts who reads a run. A run that nobody reads is deserted after the grace, if there is
// one. It is safe for concurrent use.
type readers struct {
	run    context.Context
	grace  time.Duration
	desert func() // cancels the run; nil if it goes on unread

	mu       sync.Mutex
	n        int
	expected bool        // the request that asked for the run has not begun to read
	timer    *time.Timer // runs while there are no readers and desert is set
}

// expect says that a reader is about to come.
func (r *readers) expect() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.expected = true
}

// add changes how many readers there are and returns that.
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

// any reports whether somebody reads the run or is about to.
func (r *readers) any() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.n > 0 || r.expected
}

// countReaders changes how many readers the run has.
func (r *Run) countReaders(change int) {
	if r.past != nil {
		return
	}
	if left := r.readers.add(change); left == 0 && change < 0 {
		r.m.supersedeUnreadLater(r.thread())
	}
}

// isRead reports whether somebody reads the run, is about to, or follows its thread.
func (m *Manager) isRead(r *Run) bool { return m.followers.has(r.thread()) || r.readers.any() }

// supersedeUnread cancels the run that has a thread if nobody reads it and a new message waits.
//
// The steps are not one, and need not be. The new message was marked before its readers are
// counted, and a reader leaves before it looks for such a message: whoever comes second finds both.
// Where the new message is withdrawn in between, the run is cancelled as if that had happened a
// moment later.
func (m *Manager) supersedeUnread(key threadKey) {
	if live := m.queue.contested(key); live != nil && !m.isRead(live) {
		live.cancel(errSuperseded)
	}
}

// supersedeUnreadLater is supersedeUnread after a reader has left, who may come back.
func (m *Manager) supersedeUnreadLater(key threadKey) {
	if m.queue.contested(key) != nil {
		time.AfterFunc(comeBack, func() { m.supersedeUnread(key) })
	}
}

// isNewMessage reports whether a request brings a user message that the thread does not have, or
// asks to answer one of the thread's again. A message that is sent again, as after a lost
// connection, is not new, nor is the answer to an interrupt.
func (m *Manager) isNewMessage(ctx context.Context, x *execution) (bool, error) {
	if len(x.input.Resume) > 0 {
		return false, nil
	}
	if id := x.place.Replaces; id != "" {
		return m.hasMessage(ctx, x.run, id)
	}
	last := lastOf(x.input.Messages)
	if last == nil || last.Role != agui.RoleUser {
		return false, nil
	}
	known, err := m.hasMessage(ctx, x.run, last.ID)
	return !known, err
}

// hasMessage reports whether a branch of the run's thread has a message.
func (m *Manager) hasMessage(ctx context.Context, r *Run, id string) (bool, error) {
	_, err := m.cfg.Store.MessageRun(ctx, r.owner, r.ThreadID, id)
	if err != nil && !errors.Is(err, store.ErrNotFound) {
		return false, unavailable("the thread could not be read", err)
	}
	return err == nil, nil
}

// fits reports whether the request would be accepted as the thread is now: one that is refused must
// not end a run. One that does not fit waits for its thread and is refused then, since the runs
// ahead of it may bring what it refers to.
func (m *Manager) fits(ctx context.Context, x *execution) bool {
	row := store.Run{ID: x.run.ID, ThreadID: x.run.ThreadID, Agent: x.agent.ID, Fingerprint: x.run.fingerprint}
	if _, err := store.NewRun(row, time.Time{}); err != nil {
		return false
	}
	b, err := m.branch(ctx, x)
	if err != nil {
		return false
	}
	merged, err := merge(b.history, x.input)
	if err != nil {
		return false
	}
	_, _, err = store.Bodies(merged.messages)
	return err == nil
}

// lastOf returns the client's last message, apart from what the page says about itself, or nil.
func lastOf(messages []agui.Message) *agui.Message {
	for i := range slices.Backward(messages) {
		if messages[i].Role != agui.RoleSystem {
			return &messages[i]
		}
	}
	return nil
}
