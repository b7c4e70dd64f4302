package run

import "sync"

// admission decides whether a run may begin: it refuses runs beyond the limit, and all runs once
// the manager drains. It counts what is under way, so that draining can wait for it. Safe for
// concurrent use.
type admission struct {
	limit int // maximum number of runs

	mu       sync.Mutex
	runs     int           // live and waiting runs
	draining chan struct{} // closed by close, under mu

	// Counts up only under mu and while not draining, or from a positive count: no work begins
	// after Wait was called.
	work sync.WaitGroup
}

func newAdmission(limit int) admission {
	return admission{limit: limit, draining: make(chan struct{})}
}

// run admits one more run. The caller ends it with leave, and calls work.Done when the run has been
// accepted or refused.
func (a *admission) run() error {
	a.mu.Lock()
	defer a.mu.Unlock()
	switch {
	case a.isDraining():
		return errDraining
	case a.runs >= a.limit:
		return &Error{Code: CodeOverloaded, Message: "too many runs are live"}
	}
	a.runs++
	a.work.Add(1)
	return nil
}

// adopt counts a run begun by an earlier process, ignoring the limit.
func (a *admission) adopt() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.runs++
}

// leave ends what run or adopt began.
func (a *admission) leave() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.runs--
}

// task admits background work and reports whether it may begin. The caller then calls work.Done.
func (a *admission) task() bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.isDraining() {
		return false
	}
	a.work.Add(1)
	return true
}

// close stops admitting runs and tasks.
func (a *admission) close() {
	a.mu.Lock()
	defer a.mu.Unlock()
	if !a.isDraining() {
		close(a.draining)
	}
}

func (a *admission) isDraining() bool {
	select {
	case <-a.draining:
		return true
	default:
		return false
	}
}
