package meter

import (
	"context"
	"fmt"
	"sync"

	"github.com/pageside/pageside/limit"
	"github.com/pageside/pageside/run/refusal"
	"github.com/pageside/pageside/store"
)

// Admission decides whether a run may begin: it refuses runs beyond the limits, and all runs once
// the manager drains. It counts the runs and queries under way, so that draining can wait for them.
// Safe for concurrent use.
type Admission struct {
	most   int // runs of everybody
	limits Limits
	inputs limit.Gauge[store.Owner] // bytes of the inputs of runs that have not begun

	mu       sync.Mutex
	runs     int // live and waiting runs
	users    map[store.Owner]int
	tenants  map[string]int
	draining chan struct{} // closed by Close, under mu

	// Counts up only under mu and while not draining, or from a positive count: no work begins
	// after Wait was called.
	work sync.WaitGroup
	// Counts what timers begin, up only under mu and while not draining. That may begin work, so it
	// is waited for first.
	tasks sync.WaitGroup
}

// NewAdmission returns an admission of at most this many runs of everybody.
func NewAdmission(most int, limits Limits) *Admission {
	return &Admission{
		most: most, limits: limits,
		inputs: limit.Gauge[store.Owner]{Each: max(0, limits.UserInputs), All: max(0, limits.Inputs)},
		users:  map[store.Owner]int{}, tenants: map[string]int{}, draining: make(chan struct{}),
	}
}

// Run admits one more run with an input of size bytes. The caller ends it with Leave, and calls
// Decided when the run has been accepted or refused.
func (a *Admission) Run(o store.Owner, size int64) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	if err := a.refuse(o); err != nil {
		return err
	}
	switch a.inputs.Take(o, size) {
	case limit.OfKey:
		return TooMany(limitUserInputs,
			fmt.Sprintf("your requests that wait hold more than %d bytes: try again when one of them has begun",
				a.limits.UserInputs))
	case limit.OfAll:
		// everybody's: no fault of this user
		return &refusal.Error{Code: refusal.Overloaded, Message: "too many large requests are waiting"}
	}
	a.count(o, 1)
	a.work.Add(1)
	return nil
}

// refuse returns why one more run may not begin, or nil. The user's own limits come first: reaching
// them says nothing about the server. Requires a.mu.
func (a *Admission) refuse(o store.Owner) error {
	user, tenant := a.limits.UserRuns, a.limits.TenantRuns
	switch {
	case a.IsDraining():
		return refusal.ErrDraining
	case user > 0 && a.users[o] >= user:
		return TooMany(limitUserRuns,
			fmt.Sprintf("you have %d runs that are live or waiting, and no more are possible at once", user))
	case tenant > 0 && a.tenants[o.Tenant] >= tenant:
		return TooMany(limitTenantRuns,
			fmt.Sprintf("your organisation has %d runs that are live or waiting, and no more are possible at once",
				tenant))
	case a.runs >= a.most:
		return &refusal.Error{Code: refusal.Overloaded, Message: "too many runs are live"}
	}
	return nil
}

// count requires a.mu.
func (a *Admission) count(o store.Owner, n int) {
	a.runs += n
	if a.users[o] += n; a.users[o] == 0 {
		delete(a.users, o)
	}
	if a.tenants[o.Tenant] += n; a.tenants[o.Tenant] == 0 {
		delete(a.tenants, o.Tenant)
	}
}

// Decided is called when a run that was admitted has been accepted or refused.
func (a *Admission) Decided(o store.Owner, size int64) {
	a.inputs.Give(o, size)
	a.work.Done()
}

// Adopt counts a run begun by an earlier process, ignoring the limits.
func (a *Admission) Adopt(o store.Owner) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.count(o, 1)
}

// Leave ends what Run or Adopt began.
func (a *Admission) Leave(o store.Owner) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.count(o, -1)
}

// Of returns how many runs an owner and its tenant have.
func (a *Admission) Of(o store.Owner) (user, tenant int) {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.users[o], a.tenants[o.Tenant]
}

// Task admits background work and reports whether it may begin. The caller then calls TaskDone.
func (a *Admission) Task() bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.IsDraining() {
		return false
	}
	a.tasks.Add(1)
	return true
}

// TaskDone ends what Task began.
func (a *Admission) TaskDone() { a.tasks.Done() }

// Go does work of a run that was admitted and has not been decided yet: Wait waits for it.
func (a *Admission) Go(work func()) { a.work.Go(work) }

// Draining returns a channel that is closed once nothing more is admitted.
func (a *Admission) Draining() <-chan struct{} { return a.draining }

// Wait returns when all has ended that was admitted. Call Close first.
func (a *Admission) Wait() {
	a.tasks.Wait()
	a.work.Wait()
}

// Close stops admitting runs and tasks.
func (a *Admission) Close() {
	a.mu.Lock()
	defer a.mu.Unlock()
	if !a.IsDraining() {
		close(a.draining)
	}
}

func (a *Admission) IsDraining() bool {
	select {
	case <-a.draining:
		return true
	default:
		return false
	}
}

// UntilDrained returns a context that ends when the server drains: no other process takes over a
// query.
func (a *Admission) UntilDrained(ctx context.Context) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancelCause(ctx)
	go func() {
		select {
		case <-a.draining:
			cancel(refusal.ErrDraining)
		case <-ctx.Done():
		}
	}()
	return ctx, func() { cancel(nil) }
}
