package run

import (
	"context"
	"crypto/rand"
	"sync"
	"time"

	"github.com/pageside/pageside/store"
)

// Run is one run, live or ended.
type Run struct {
	ID, ThreadID string

	m           *Manager
	pinned      string // what the client calls it: ID, or that of the run it goes on from
	owner       store.Owner
	fingerprint string
	log         *eventLog
	// the run as the store has it, where it had ended before it was asked for; nothing of it is in
	// log
	past   *store.Run
	ctx    context.Context
	cancel context.CancelCauseFunc

	turn    chan struct{} // closed when a run that waits has its thread
	decided chan struct{} // closed when the run was accepted or refused
	refused error         // why it was refused
	over    chan struct{} // closed when its execution has ended

	// Set before the run is accepted.
	w *writer
	// runs of this process in the order they began; 0 for one that only shows the thread
	serial int64
	parent string          // the run it goes on from, or store.RootRun
	brings map[string]bool // the ids of messages it brought and its stream does not tell of

	presses bool // it is a new message that does not wait for a run nobody reads; under m.mu

	mu       sync.Mutex
	readers  int
	expected bool        // whoever asked for it has not begun to read
	lonely   *time.Timer // runs while there are no readers, where that matters
}

func (m *Manager) newRun(o store.Owner, id, threadID, fingerprint string) *Run {
	r := &Run{
		ID: id, ThreadID: threadID, m: m, pinned: pinned(id),
		owner: o, fingerprint: fingerprint,
		log:     newEventLog(m.cfg.Ring, 0),
		turn:    make(chan struct{}),
		decided: make(chan struct{}),
		over:    make(chan struct{}),
	}
	// Not the request's context: the run goes on when its connection ends.
	r.ctx, r.cancel = context.WithCancelCause(context.Background())
	return r
}

func (r *Run) key() runKey       { return runKey{r.owner, r.ID} }
func (r *Run) thread() threadKey { return threadKey{r.owner, r.ThreadID} }

// wait waits until the request that brought the run has been decided.
func (r *Run) wait(ctx context.Context) error {
	select {
	case <-r.decided:
		return r.refused
	case <-ctx.Done():
		return ctx.Err()
	}
}

// newID returns a random id with a prefix that says what it names.
func newID(prefix string) string { return prefix + "_" + rand.Text() }
