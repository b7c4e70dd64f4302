package run

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/pageside/pageside/agui"
	"github.com/pageside/pageside/store"
)

// With PolicyAuto a user's new message takes the place of a live run that nobody reads: many
// clients have no other way to stop one than to close the connection. While somebody reads it, or
// follows its thread, the message waits.

// comeBack is how long a reader that left while a message waits may take to come back. It is as
// long as a connection needs that broke, and a server needs to notice that one was closed.
const comeBack = time.Second

// attend counts the run's readers.
func (r *Run) attend(change int) {
	if r.past != nil {
		return
	}
	if left := r.count(change); left == 0 && change < 0 {
		r.m.yieldLater(r.thread())
	}
}

// count returns how many readers there are then. A run that nobody reads is cancelled after the
// grace, where the configuration says so.
func (r *Run) count(change int) (readers int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.readers += change
	r.expected = r.expected && change <= 0
	if r.m.cfg.OnDisconnect != DisconnectCancel {
		return r.readers
	}
	if r.lonely != nil {
		r.lonely.Stop()
		r.lonely = nil
	}
	if r.readers == 0 && r.ctx.Err() == nil {
		r.lonely = time.AfterFunc(r.m.cfg.Grace, func() { r.cancel(errDeserted) })
	}
	return r.readers
}

// isRead reports whether somebody reads the run, is about to, or follows its thread. Requires m.mu.
func (m *Manager) isRead(r *Run) bool {
	if m.followers[r.thread()] != nil {
		return true
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.readers > 0 || r.expected
}

// press has the run take the place of the live one of its thread as soon as nobody reads that.
func (m *Manager) press(r *Run) {
	m.mu.Lock()
	r.presses = true
	m.mu.Unlock()
	m.yield(r.thread())
}

// yield cancels a thread's live run where nobody reads it and a new message waits.
func (m *Manager) yield(key threadKey) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if line := m.threads[key]; isPressed(line) && line[0].serial > 0 && !m.isRead(line[0]) {
		line[0].cancel(errSuperseded)
	}
}

// yieldLater is yield for when a reader has left, who may come back.
func (m *Manager) yieldLater(key threadKey) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if isPressed(m.threads[key]) {
		time.AfterFunc(comeBack, func() { m.yield(key) })
	}
}

// isPressed reports whether a new message waits in a thread's line.
func isPressed(line []*Run) bool {
	return len(line) > 1 && slices.ContainsFunc(line[1:], func(r *Run) bool { return r.presses })
}

// isNews reports whether a request brings a message of the user's that the thread does not have, or
// has one of the thread's answered again. One that is sent again, as after a lost connection, is no
// news, nor is an answer to what was asked.
func (m *Manager) isNews(ctx context.Context, x *execution) (bool, error) {
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
// not end a run. Where it would not, it waits for its turn, since the runs before it may bring what
// it refers to, and is refused then.
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

// lastOf returns the client's last message, but for what the page says about itself; nil where
// there is none.
func lastOf(messages []agui.Message) *agui.Message {
	for i := range slices.Backward(messages) {
		if messages[i].Role != agui.RoleSystem {
			return &messages[i]
		}
	}
	return nil
}
