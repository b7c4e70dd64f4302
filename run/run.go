package run

import (
	"context"
	"crypto/rand"
	"errors"

	"github.com/pageside/pageside/store"
)

// Why a run's context ended.
var (
	errCancelled = errors.New("cancelled by the user")
	errShutdown  = errors.New("the server is shutting down")
	errTimeout   = errors.New("the run took too long")
)

// Run is one run, live or ended a moment ago.
type Run struct {
	ID, ThreadID string

	owner       store.Owner
	fingerprint string
	log         *eventLog
	ctx         context.Context
	cancel      context.CancelCauseFunc

	decided  chan struct{} // closed when the run was accepted or refused
	refused  error         // why it was refused
	released chan struct{} // closed when its thread is free again
}

func newRun(req Request) *Run {
	r := &Run{
		ID: req.Input.RunID, ThreadID: req.Input.ThreadID,
		owner: req.Owner, fingerprint: req.Fingerprint,
		log:      &eventLog{},
		decided:  make(chan struct{}),
		released: make(chan struct{}),
	}
	// Not the request's context: the run goes on when its connection ends.
	r.ctx, r.cancel = context.WithCancelCause(context.Background())
	return r
}

// accepted waits until the request that brought the run has been decided.
func (r *Run) accepted(ctx context.Context) (*Run, error) {
	select {
	case <-r.decided:
		return r, r.refused
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// newID returns a random id with a prefix that says what it names.
func newID(prefix string) string { return prefix + "_" + rand.Text() }
