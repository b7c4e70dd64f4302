package run

import (
	"slices"
	"sync"
)

// threadQueue queues the runs of each thread: the first one has the thread, the others wait in
// order of arrival. Safe for concurrent use.
type threadQueue struct {
	mu    sync.Mutex
	lines map[threadKey][]*Run // no line is empty
}

func newThreadQueue() threadQueue { return threadQueue{lines: make(map[threadKey][]*Run)} }

// join appends a run to its thread's line and reports whether it is the first. If already most
// others wait, not counting those that were cancelled, the line is full, and the run is not in it.
func (q *threadQueue) join(r *Run, most int) (first, full bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	key := r.thread()
	line := q.lines[key]
	waiting := 0
	for _, w := range line[min(1, len(line)):] {
		if w.ctx.Err() == nil {
			waiting++
		}
	}
	if most > 0 && waiting >= most {
		return false, true
	}
	q.lines[key] = append(line, r)
	return len(line) == 0, false
}

// leave removes a run from its thread's line, if it is there. If it was the first, the next one
// gets the thread in the same step, so that two runs never have it.
func (q *threadQueue) leave(r *Run) {
	q.mu.Lock()
	defer q.mu.Unlock()
	key := r.thread()
	i := slices.Index(q.lines[key], r)
	if i < 0 {
		return
	}
	line := slices.Delete(q.lines[key], i, i+1)
	if len(line) == 0 {
		delete(q.lines, key)
		return
	}
	q.lines[key] = line
	if i == 0 {
		close(line[0].first)
	}
}

// ahead returns the run that has the thread of r, or nil if that is r.
func (q *threadQueue) ahead(r *Run) *Run {
	q.mu.Lock()
	defer q.mu.Unlock()
	if first := q.lines[r.thread()][0]; first != r {
		return first
	}
	return nil
}

// nearlyFirst reports whether no run is ahead of r, or only one that is ending: a client that has
// read the end of a run must not have its next one refused.
func (q *threadQueue) nearlyFirst(r *Run) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	line := q.lines[r.thread()]
	return line[0] == r || line[1] == r && line[0].hasBegun() && line[0].w.sealedBy() != nil
}

// supersede cancels all runs ahead of r.
func (q *threadQueue) supersede(r *Run) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for _, earlier := range q.lines[r.thread()] {
		if earlier == r {
			return
		}
		earlier.cancel(errSuperseded)
	}
}

// supersedeUnread marks r, which is queued, to supersede the run that has the thread as soon as
// that has no readers.
func (q *threadQueue) supersedeUnread(r *Run) {
	q.mu.Lock()
	defer q.mu.Unlock()
	r.supersedes = true
}

// contested returns the run that has a thread, if it has begun and a waiting one supersedes it once
// it has no readers; else nil.
func (q *threadQueue) contested(key threadKey) *Run {
	q.mu.Lock()
	defer q.mu.Unlock()
	line := q.lines[key]
	if len(line) < 2 || !line[0].hasBegun() ||
		!slices.ContainsFunc(line[1:], func(r *Run) bool { return r.supersedes }) {
		return nil
	}
	return line[0]
}
