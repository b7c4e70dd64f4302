package run

import (
	"maps"
	"slices"
	"sync"

	"github.com/pageside/pageside/store"
)

// runCache holds the runs in memory by id: those that are live or wait, and recently ended ones as
// far as their streams fit the limit. Safe for concurrent use.
type runCache struct {
	limit int // of kept

	mu   sync.Mutex
	runs map[runKey]*Run
	// pinned runs by client id: the newest of each
	pinned map[runKey]*Run
	ended  []*Run // ended runs, oldest first
	kept   int    // bytes of their streams
}

func newRunCache(limit int) runCache {
	return runCache{limit: limit, runs: make(map[runKey]*Run), pinned: make(map[runKey]*Run)}
}

// claim reserves the id of r. If another run has the id, it returns that run for the same request,
// and an error for any other. A request that resumes may take the id of a run that only showed the
// thread.
//
// Looking up the id, calling admit and taking the id are atomic: of many requests with one id
// exactly one gets it, the others get its run, and no run is admitted without its id. admit is
// called with the lock held.
func (c *runCache) claim(r *Run, resumes bool, admit func() error) (*Run, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if there := c.runs[r.key()]; there != nil {
		switch {
		case there.fingerprint == r.fingerprint && there.ThreadID == r.ThreadID:
			return there, nil
		case !resumes || !there.onlyShows():
			return nil, conflict(r.pinned)
		}
		c.removeLocked(there)
	}
	if err := admit(); err != nil {
		return nil, err
	}
	c.addLocked(r)
	return r, nil
}

// add registers a run under its ids.
func (c *runCache) add(r *Run) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.addLocked(r)
}

func (c *runCache) addLocked(r *Run) {
	c.runs[r.key()] = r
	if r.pinned != r.ID {
		c.pinned[runKey{r.owner, r.pinned}] = r
	}
}

// remove unregisters a run.
func (c *runCache) remove(r *Run) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.removeLocked(r)
}

func (c *runCache) removeLocked(r *Run) {
	if c.runs[r.key()] == r {
		delete(c.runs, r.key())
	}
	if key := (runKey{r.owner, r.pinned}); c.pinned[key] == r {
		delete(c.pinned, key)
	}
}

// keep keeps an ended run in memory for a while. It removes the oldest ended runs beyond the limit
// and returns them.
func (c *runCache) keep(r *Run) (removed []*Run) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.ended = append(c.ended, r)
	r.log.DropForms() // they are bytes beyond the limit
	c.kept += r.log.Size()
	for c.kept > c.limit {
		oldest := c.ended[0]
		c.kept -= oldest.log.Size()
		c.removeLocked(oldest)
		c.ended[0], c.ended = nil, c.ended[1:]
		removed = append(removed, oldest)
	}
	return removed
}

// get returns the run with exactly this id, or nil.
func (c *runCache) get(o store.Owner, id string) *Run {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.runs[runKey{o, id}]
}

// newest returns the newest run with this client id, or nil.
func (c *runCache) newest(o store.Owner, id string) *Run {
	c.mu.Lock()
	defer c.mu.Unlock()
	if r := c.pinned[runKey{o, id}]; r != nil {
		return r
	}
	return c.runs[runKey{o, id}]
}

// of returns an owner's runs in memory.
func (c *runCache) of(o store.Owner) (runs []*Run) {
	for _, r := range c.all() {
		if r.owner == o {
			runs = append(runs, r)
		}
	}
	return runs
}

// drop removes an owner's ended runs and returns them.
func (c *runCache) drop(o store.Owner) (removed []*Run) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.ended = slices.DeleteFunc(c.ended, func(r *Run) bool {
		if r.owner != o {
			return false
		}
		c.kept -= r.log.Size()
		c.removeLocked(r)
		removed = append(removed, r)
		return true
	})
	return removed
}

// all returns the runs in memory, in no particular order.
func (c *runCache) all() []*Run {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Collect(maps.Values(c.runs))
}
