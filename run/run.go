package run

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"

	"github.com/pageside/pageside/agent"
	"github.com/pageside/pageside/store"
)

// Why a run was stopped.
var (
	errCancelled = fmt.Errorf("cancelled by the user: %w", agent.ErrStopped)
	errShutdown  = errors.New("the server is shutting down")
	errTimeout   = errors.New("the run took too long")
	errTooMuch   = errors.New("the run said too much")
)

// errLeft is why a run was refused whose request was given up while it waited. Another request may start it.
var errLeft = errors.New("the request was given up before the run began")

// Run is one run, live or ended a moment ago.
type Run struct {
	ID, ThreadID string

	owner       store.Owner
	fingerprint string
	log         *eventLog
	ctx         context.Context
	cancel      context.CancelCauseFunc

	turn    chan struct{} // closed when a run that waits has its thread
	decided chan struct{} // closed when the run was accepted or refused
	refused error         // why it was refused
}

func newRun(req Request) *Run {
	r := &Run{
		ID: req.Input.RunID, ThreadID: req.Input.ThreadID,
		owner: req.Owner, fingerprint: req.Fingerprint,
		log:     &eventLog{},
		turn:    make(chan struct{}),
		decided: make(chan struct{}),
	}
	// Not the request's context: the run goes on when its connection ends.
	r.ctx, r.cancel = context.WithCancelCause(context.Background())
	return r
}

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
