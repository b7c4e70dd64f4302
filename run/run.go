package run

import (
	"context"
	"crypto/rand"
	"sync"
	"sync/atomic"

	"github.com/pageside/pageside/agui"
	"github.com/pageside/pageside/auth"
	"github.com/pageside/pageside/run/eventlog"
	"github.com/pageside/pageside/store"
)

// Run is one run, live or ended.
type Run struct {
	ID, ThreadID string

	m           *Manager
	pinned      string // the id the client knows it by: ID, or that of the run it continues
	owner       store.Owner
	principal   auth.Principal // who asked for it, as of then
	fingerprint string
	window      int // of the snapshots in its stream: see snapshot
	log         *eventlog.Log
	ctx         context.Context
	cancel      context.CancelCauseFunc
	readers     readers
	seen        atomic.Bool // somebody has been shown the run's end

	first   chan struct{} // closed when a waiting run gets its thread
	decided chan struct{} // closed when the run has been accepted or refused
	over    chan struct{} // closed when its execution has ended

	// Set before decided or over is closed.

	refused error // why it was refused
	// the stored run, if it had already ended when it was requested; then log is empty
	past *store.Run

	// Set before the run begins.

	w      *writer
	parent string // the run it continues, or store.RootRun
	words  bool   // Request.Words
	// its events say when they were made
	timestamps bool
	brings     map[string]bool // ids of messages it brought that its stream does not show
	// the cut message of an earlier run that it continues, as it was before; nil for none
	continued *agui.Message

	supersedes bool // the live run, once that has no readers; guarded by the threadQueue

	mu sync.Mutex
	// the serial number among this process's runs, in the order they began; 0 if it has not begun
	// or only shows the thread. Written under mu and the followers' lock: either suffices to read
	// it.
	serial int64
}

func (m *Manager) newRun(o store.Owner, id, threadID, fingerprint string) *Run {
	r := &Run{
		ID: id, ThreadID: threadID, m: m, pinned: pinned(id),
		owner: o, fingerprint: fingerprint,
		log:     eventlog.New(m.cfg.Ring, 0),
		first:   make(chan struct{}),
		decided: make(chan struct{}),
		over:    make(chan struct{}),
	}
	// Not the request's context: the run outlives its connection.
	r.ctx, r.cancel = context.WithCancelCause(context.Background())
	r.readers.run = r.ctx
	if m.cfg.OnDisconnect == DisconnectCancel {
		r.readers.grace, r.readers.desert = m.cfg.Grace, func() { r.cancel(errDeserted) }
	}
	return r
}

func (r *Run) key() runKey       { return runKey{r.owner, r.ID} }
func (r *Run) thread() threadKey { return threadKey{r.owner, r.ThreadID} }

// wait waits until the run has been accepted or refused.
func (r *Run) wait(ctx context.Context) error {
	select {
	case <-r.decided:
		return r.refused
	case <-ctx.Done():
		return ctx.Err()
	}
}

// begin sets the run's serial number.
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

// onlyShows reports whether the run only showed the thread: it left no trace, and its id is still
// free.
func (r *Run) onlyShows() bool { return r.isOver() && !r.hasBegun() && r.past == nil }

// handOver stops the run for the next process to take over. Its writer is sealed before it is
// cancelled: what an agent emits because it was stopped is not part of the answer. Both happen
// under mu, so that a run that begins concurrently sees the cancellation and seals its writer
// itself (execution.execute).
func (r *Run) handOver() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.serial > 0 {
		r.w.seal(errHandover)
	}
	r.cancel(errHandover)
}

// newID returns a random id with a prefix for its kind.
func newID(prefix string) string { return prefix + "_" + rand.Text() }
