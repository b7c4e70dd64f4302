package run

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/pageside/pageside/agent"
	"github.com/pageside/pageside/agui"
	"github.com/pageside/pageside/internal/guard"
	"github.com/pageside/pageside/store"
)

// Request asks for a run.
type Request struct {
	Owner store.Owner
	Agent string
	Input *agui.RunAgentInput
	// of the body: the same run id with the same fingerprint follows the run instead of starting
	// another
	Fingerprint string
	Policy      Policy // what becomes of it where its thread has a live run; "" is the manager's
}

// Start accepts a run and begins to execute it, or returns the run that has the same id and
// fingerprint, live or ended. Where the run of that id ended with asking, and this request answers,
// it goes on from there in a run of its own under the same id. It waits while earlier runs of the
// thread are live, as far as the policy lets it; a request without messages only wants to see the
// thread and never waits. An error is an *Error, or ctx's: the run was refused and nothing of it is
// stored.
func (m *Manager) Start(ctx context.Context, req Request) (*Run, error) {
	a := m.Agent(req.Agent)
	if a == nil {
		return nil, &Error{Code: CodeUnknownAgent, Message: fmt.Sprintf("there is no agent %q", req.Agent)}
	}
	if req.Policy == "" {
		req.Policy = m.cfg.Policy
	}
	if err := req.Policy.check(); err != nil {
		return nil, &Error{Code: CodeInvalid, Field: "policy", Message: err.Error()}
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
		// Whoever asked for it first left before it began: it is this request's turn to begin it.
	}
}

// reserve claims the run id. mine is false where another request has it: then that is the run.
func (m *Manager) reserve(id string, req Request) (r *Run, mine bool, err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if r := m.runs[runKey{req.Owner, id}]; r != nil {
		switch {
		case r.fingerprint == req.Fingerprint && r.ThreadID == req.Input.ThreadID:
			return r, false, nil
		case len(req.Input.Resume) == 0 || !r.onlyShows():
			return nil, false, conflict(req.Input.RunID)
		}
		m.drop(r)
	}
	if m.Draining() {
		return nil, false, errDraining
	}
	if m.live >= m.cfg.MaxLive {
		return nil, false, &Error{Code: CodeOverloaded, Message: "too many runs are live"}
	}
	r = m.newRun(req.Owner, id, req.Input.ThreadID, req.Fingerprint)
	r.expected = true
	m.enter(r)
	m.live++
	m.idle.Add(1) // until it is accepted or refused
	return r, true, nil
}

// accept decides about a reserved run: it is stored and starts, or shows what there is, or is
// refused and forgotten.
func (m *Manager) accept(ctx context.Context, a *agent.Agent, r *Run, req Request) error {
	defer m.idle.Done()
	defer close(r.decided)
	x, err := m.admit(ctx, a, r, req)
	switch {
	case err != nil:
		r.refused = err
		if ctx.Err() != nil {
			r.refused = errLeft // says nothing about the run
		}
		m.forget(r)
		m.release(r)
		r.cancel(nil)
		return err
	case x == nil: // there is nothing to execute: what is to be read is there
		r.cancel(nil)
		close(r.over)
		m.release(r)
		if r.past != nil || r.pinned != r.ID {
			// the store knows it, or it is no run that goes on under an earlier one's id
			m.forget(r)
		} else {
			m.keep(r)
		}
		return nil
	}
	m.begin(x, func() { m.execute(x) })
	return nil
}

// begin executes a run in the background.
func (m *Manager) begin(x *execution, execute func()) {
	r := x.run
	m.mu.Lock()
	m.serial++
	r.serial = m.serial
	m.begun[r.thread()] = append(m.begun[r.thread()], r)
	if a := m.followers[r.thread()]; a != nil {
		for wake := range a.wakes {
			signal(wake)
		}
	}
	m.mu.Unlock()
	r.attend(0)
	m.idle.Go(func() { m.carryOut(x, execute) })
}

// admit takes the run through everything that can still refuse it. It returns nil where there is
// nothing to execute.
func (m *Manager) admit(ctx context.Context, a *agent.Agent, r *Run, req Request) (x *execution, err error) {
	defer guard.Error(&err)
	if x, err = check(a, r, req.Input); err != nil {
		return nil, err
	}
	if len(req.Input.Messages) == 0 && len(req.Input.Resume) == 0 && x.place.Replaces == "" {
		return nil, m.show(ctx, r)
	}
	if err := m.acquire(ctx, x, req.Policy); err != nil || r.past != nil {
		return nil, err
	}
	return m.prepare(ctx, x)
}

// acquire waits for the thread until the runs that came before have ended, as far as the policy
// lets it.
func (m *Manager) acquire(ctx context.Context, x *execution, policy Policy) error {
	r := x.run
	if m.join(r) {
		return nil
	}
	// Whoever asks again for a run that has ended must not wait for another one.
	if err := m.lookUp(ctx, r); err != nil || r.past != nil {
		return err
	}
	switch policy {
	case PolicyAuto:
		if isNews, err := m.isNews(ctx, x); err != nil {
			return err
		} else if isNews && m.fits(ctx, x) {
			m.press(r)
		}
	case PolicyReject:
		if !m.nearlyFirst(r) {
			return m.busy(r)
		}
	case PolicySupersede:
		if m.fits(ctx, x) {
			m.supersede(r)
		}
	}
	timeout := time.NewTimer(m.cfg.Queue)
	defer timeout.Stop()
	select {
	case <-r.turn:
		return nil
	case <-timeout.C:
		return m.busy(r)
	case <-r.ctx.Done():
		return &Error{Code: CodeCancelled, Field: "runId", Message: fmt.Sprintf("run %q was cancelled before it began", r.pinned)}
	case <-m.draining:
		return errDraining
	case <-ctx.Done():
		return ctx.Err()
	}
}

// join puts the run in its thread's line and reports whether it is the first there.
func (m *Manager) join(r *Run) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.threads[r.thread()] = append(m.threads[r.thread()], r)
	return len(m.threads[r.thread()]) == 1
}

// nearlyFirst reports whether nothing is before the run but one that is ending: whoever reads the
// end of a run must not be refused the next.
func (m *Manager) nearlyFirst(r *Run) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	line := m.threads[r.thread()]
	return line[0] == r || line[1] == r && line[0].serial > 0 && line[0].w.isOver() != nil
}

// busy says which run is in the way, unless it has just ended.
func (m *Manager) busy(r *Run) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	live := m.threads[r.thread()][0]
	if live == r {
		return nil
	}
	return &Error{Code: CodeThreadBusy, Field: "threadId", Live: live.ID, Message: fmt.Sprintf("run %q of thread %q is still live", live.ID, r.ThreadID)}
}

// supersede cancels every run that is before this one in its thread's line.
func (m *Manager) supersede(r *Run) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, earlier := range m.threads[r.thread()] {
		if earlier == r {
			return
		}
		earlier.cancel(errSuperseded)
	}
}

// release takes the run out of its thread's line. The next one's turn comes if it was the first.
func (m *Manager) release(r *Run) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.live--
	key := r.thread()
	i := slices.Index(m.threads[key], r)
	if i < 0 {
		return // it was refused before it stood in line
	}
	line := slices.Delete(m.threads[key], i, i+1)
	if len(line) == 0 {
		delete(m.threads, key)
		return
	}
	m.threads[key] = line
	if i == 0 {
		close(line[0].turn)
	}
}

// lookUp finds out whether the store knows a run of this id from earlier: then the run is that one.
// One that stands for another request is a conflict.
func (m *Manager) lookUp(ctx context.Context, r *Run) error {
	old, err := m.cfg.Store.Run(ctx, r.owner, r.ID)
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
