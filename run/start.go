package run

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/pageside/pageside/agui"
	"github.com/pageside/pageside/auth"
	"github.com/pageside/pageside/internal/guard"
	"github.com/pageside/pageside/run/history"
	"github.com/pageside/pageside/run/meter"
	"github.com/pageside/pageside/run/refusal"
	"github.com/pageside/pageside/store"
)

// Request asks for a run.
type Request struct {
	Principal auth.Principal // who asks, and owns the thread
	Agent     string
	Input     *agui.RunAgentInput
	// of the body: a request with the same run id and fingerprint follows the run instead of
	// starting another
	Fingerprint string
	Size        int64 // of the body in bytes, for the limits on inputs
	// Most is how many bytes it may bring, without the messages that its thread has already; 0 is
	// no limit.
	Most   int
	Policy Policy // if the thread has a live run; "" means the agent's
	// Suggested reports whether a text was suggested to the principal outside of the thread; may be
	// nil. A message of the user that says the same is no longer taken for the user's own words.
	Suggested func(text string) bool
	// Relayed means that another model may have written what the request says, in the user's name:
	// the run begins tainted.
	Relayed bool
	// Words has the user asked in words, whatever the agent's approvals say: the front end draws no
	// interrupts.
	Words bool
	// Timestamps has the run's events say when they were made.
	Timestamps bool

	call *directCall // that the run makes instead of asking the agent; nil asks it
}

func (r Request) owner() store.Owner { return ownerOf(r.Principal) }

// ownerOf returns the owner of what a principal makes.
func ownerOf(p auth.Principal) store.Owner {
	return store.Owner{Tenant: p.Tenant, Subject: p.Subject}
}

// Start accepts a run and begins to execute it. If there is a run with the same id and fingerprint,
// live or ended, it returns that one. If the run with that id ended with interrupts that this
// request answers, a new run continues it under the same id. Start waits while earlier runs of the
// thread are live, as far as the policy permits; a request without messages only asks for the
// thread and never waits. It returns a *refusal.Error, or ctx's error, if the run was refused; then
// nothing is stored.
func (m *Manager) Start(ctx context.Context, req Request) (*Run, error) {
	r, err := m.start(ctx, req)
	if err != nil {
		m.report(ctx, req.Principal, err)
	}
	return r, err
}

func (m *Manager) start(ctx context.Context, req Request) (*Run, error) {
	a, err := m.Agent(req.Agent)
	if err != nil {
		return nil, err
	}
	if req.Policy == "" {
		req.Policy = m.policyOf(req.Agent)
	}
	if err := req.Policy.check(); err != nil {
		return nil, refusal.Field("policy", "%v", err)
	}
	history.NameMessages(req.Input.Messages)
	if n, most := len(req.Input.Messages), m.cfg.Limits.Messages; most > 0 && n > most {
		return nil, &refusal.Error{
			Code: refusal.TooLarge, Field: "messages",
			Message: fmt.Sprintf("a request may hold %d messages, not %d", most, n),
		}
	}
	for {
		id, err := m.identify(ctx, req)
		if err != nil {
			return nil, err
		}
		r, mine, err := m.reserve(id, req)
		switch {
		case err != nil:
			return nil, err
		case mine:
			err = m.accept(ctx, a, r, req)
		default:
			err = r.wait(ctx)
		}
		switch {
		case err == nil:
			return r, nil
		case !errors.Is(err, errLeft):
			return nil, err
		}
		// The first request for it was abandoned before it began: this one begins it.
	}
}

// reserve claims the run id. mine is false if another request has it; then r is that run.
func (m *Manager) reserve(id string, req Request) (r *Run, mine bool, err error) {
	claimant := m.newRun(req.owner(), id, req.Input.ThreadID, req.Fingerprint)
	claimant.principal = req.Principal
	if claimant.readers.expect(); req.call != nil {
		claimant.readers.add(1) // it keeps running without readers
	}
	r, err = m.cache.claim(claimant, len(req.Input.Resume) > 0, func() error {
		return m.admission.Run(claimant.owner, req.Size)
	})
	return r, r == claimant, err
}

// accept decides on a reserved run: it is stored and begins, or shows the thread, or is refused and
// dropped.
func (m *Manager) accept(ctx context.Context, a *Served, r *Run, req Request) error {
	defer m.admission.Decided(r.owner, req.Size)
	defer close(r.decided)
	x, err := m.admit(ctx, a, r, req)
	switch {
	case err != nil:
		r.refused = err
		if ctx.Err() != nil {
			r.refused = errLeft // that says nothing about the run
		}
		r.forget()
		r.release()
		r.cancel(nil)
		return err
	case x == nil: // nothing to execute: everything is there to be read
		r.cancel(nil)
		close(r.over)
		r.release()
		if r.past != nil || r.pinned != r.ID {
			// the store already has it, or the id was for a run that continues an earlier one
			r.forget()
		} else {
			r.keep()
		}
		return nil
	}
	x.begin(x.execute)
	return nil
}

// begin executes a run in the background.
func (x *execution) begin(execute func()) {
	x.m.followers.begin(x.run)
	x.run.countReaders(0)
	x.run.tellChange()
	x.m.admission.Go(func() { x.carryOut(execute) })
}

// admit performs all the steps that can still refuse the run. It returns nil if there is nothing to
// execute.
func (m *Manager) admit(ctx context.Context, a *Served, r *Run, req Request) (x *execution, err error) {
	defer guard.Error(&err)
	c, err := check(ctx, a, r, req.Input, req.Most)
	if err != nil {
		return nil, err
	}
	if m.cfg.ClientInstructions == InstructionsGuidance {
		if err := history.CheckInstructions(c.Input.Messages, maxGuidance); err != nil {
			return nil, err
		}
	}
	c.Suggested, c.Relayed, c.call = req.Suggested, req.Relayed, req.call
	r.words, r.timestamps = req.Words, req.Timestamps
	if c.onlyReads() {
		return nil, r.show(ctx)
	}
	if err := c.acquire(ctx, req.Policy); err != nil || r.past != nil {
		return nil, err
	}
	if err := m.checkQuotas(ctx, r.owner); err != nil && c.call == nil && !c.Place.Withdraw {
		if past := r.lookUp(ctx); past != nil || r.past != nil {
			return nil, past // asked for before: the run may be read again
		}
		return nil, err
	}
	return c.prepare(ctx)
}

// onlyReads reports whether a request asks for the thread as it is.
func (c *candidate) onlyReads() bool {
	return c.call == nil && len(c.Input.Messages) == 0 && len(c.Input.Resume) == 0 && c.Place.Replaces == "" &&
		c.Place.Continues == "" && !c.Place.Withdraw
}

// acquire waits for the runs ahead to end, as far as the policy permits.
func (c *candidate) acquire(ctx context.Context, policy Policy) error {
	r := c.run
	first, full := c.m.queue.join(r, c.m.cfg.Limits.ThreadLine)
	if first {
		return nil
	}
	// A client asking again for an ended run must not wait for another run.
	if err := r.lookUp(ctx); err != nil || r.past != nil {
		return err
	}
	if full {
		return meter.TooMany(meter.ThreadLine, fmt.Sprintf("%d runs already wait for this thread", c.m.cfg.Limits.ThreadLine))
	}
	switch policy {
	case PolicyAuto:
		if isNew, err := history.IsNews(&c.Request, reads{ctx, r}); err != nil {
			return err
		} else if isNew && c.fits(ctx) {
			c.m.queue.supersedeUnread(r)
			c.m.supersedeUnread(r.thread())
		}
	case PolicyReject:
		if !c.m.queue.nearlyFirst(r) {
			return r.busy()
		}
	case PolicySupersede:
		if c.fits(ctx) {
			c.m.queue.supersede(r)
		}
	}
	timeout := time.NewTimer(c.m.cfg.Queue)
	defer timeout.Stop()
	select {
	case <-r.first:
		return nil
	case <-timeout.C:
		return r.busy()
	case <-r.ctx.Done():
		return cancelledEarly(r.pinned)
	case <-c.m.admission.Draining():
		return refusal.ErrDraining
	case <-ctx.Done():
		return ctx.Err()
	}
}

// busy returns an error that names the run holding the thread, or nil if that is r.
func (r *Run) busy() error {
	live := r.m.queue.ahead(r)
	if live == nil {
		return nil
	}
	return busyWith(live)
}

// lookUp looks for a stored run with this id. If it was begun by the same request, r is that run;
// otherwise they conflict.
func (r *Run) lookUp(ctx context.Context) error {
	old, err := r.m.cfg.Store.Run(ctx, r.owner, r.ID)
	switch {
	case errors.Is(err, store.ErrNotFound):
		return nil
	case err != nil:
		return unavailable("the run could not be looked up", err)
	case old.Fingerprint != r.fingerprint || old.ThreadID != r.ThreadID:
		return conflict(r.pinned)
	}
	r.past = &old
	return nil
}
