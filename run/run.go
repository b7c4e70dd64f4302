package run

import (
	"context"
	"crypto/rand"
	"sync"

	"github.com/pageside/pageside/store"
)

// Run is one run, live or ended.
type Run struct {
	ID, ThreadID string

	m           *Manager
	pinned      string // what the client calls it: ID, or that of the run it continues
	owner       store.Owner
	fingerprint string
	log         *eventLog
	ctx         context.Context
	cancel      context.CancelCauseFunc
	readers     readers

	first   chan struct{} // closed when a run that waits has its thread
	decided chan struct{} // closed when the run has been accepted or refused
	over    chan struct{} // closed when its execution has ended

	// Set before decided or over is closed.

	refused error // why it was refused
	// the run as the store has it, if it had ended before it was asked for; nothing of it is in log
	past *store.Run

	// Set before the run begins.

	w      *writer
	parent string          // the run it continues, or store.RootRun
	brings map[string]bool // the ids of messages it brought that its stream does not show

	supersedes bool // the live run, once nobody reads that; guarded by the threadQueue

	mu sync.Mutex
	// the number of the run among those of this process, in the order they began; 0 before it has
	// begun, and always if it only shows the thread. Written under mu and that of the followers:
	// either suffices to read it.
	serial int64
}

func (m *Manager) newRun(o store.Owner, id, threadID, fingerprint string) *Run {
	r := &Run{
		ID: id, ThreadID: threadID, m: m, pinned: pinned(id),
		owner: o, fingerprint: fingerprint,
		log:     newEventLog(m.cfg.Ring, 0),
		first:   make(chan struct{}),
		decided: make(chan struct{}),
		over:    make(chan struct{}),
	}
	// Not the request's context: the run goes on when its connection ends.
	r.ctx, r.cancel = context.WithCancelCause(context.Background())
	r.readers.run = r.ctx
	if m.cfg.OnDisconnect == DisconnectCancel {
		r.readers.grace, r.readers.desert = m.cfg.Grace, func() { r.cancel(errDeserted) }
	}
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

// begin gives the run its number.
func (r *Run) begin(serial int64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.serial = serial
}

// hasBegun reports whether the run is or was executed.
func (r *Run) hasBegun() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.serial > 0
}

// isOver reports whether the run's execution has ended.
func (r *Run) isOver() bool {
	select {
	case <-r.over:
		return true
	default:
		return false
	}
}

// onlyShows reports whether the run has shown the thread and left no trace, so that its id is still
// free.
func (r *Run) onlyShows() bool { return r.isOver() && !r.hasBegun() && r.past == nil }

// handOver stops the run where it is, to be taken over by the next process. Its writer is sealed
// before it is cancelled: what an agent says because it is stopped is not part of the answer. Both
// happen under mu, so that a run that begins meanwhile sees that it is cancelled and seals its
// writer itself (Manager.execute).
func (r *Run) handOver() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.serial > 0 {
		r.w.seal(errHandover)
	}
	r.cancel(errHandover)
}

// newID returns a random id with a prefix that says what it names.
func newID(prefix string) string { return prefix + "_" + rand.Text() }
