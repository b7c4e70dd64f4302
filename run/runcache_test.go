package run

import (
	"sync"
	"sync/atomic"
	"testing"

	"github.com/pageside/pageside/run/refusal"
	"github.com/pageside/pageside/store"
	"github.com/pageside/pageside/test/must"
)

func admitted() error { return nil }

// Of many requests with one id one gets it, the others get its run, and one run is admitted.
func TestRunCacheClaimsAnIDOnce(t *testing.T) {
	c := newRunCache(1 << 20)
	var admissions, mine atomic.Int64
	var all sync.WaitGroup
	for range 100 {
		all.Go(func() {
			r := newTestRun("r1")
			got, err := c.claim(r, false, func() error { admissions.Add(1); return nil })
			must.Be(t, err, nil, "error")
			if got == r {
				mine.Add(1)
			}
		})
	}
	all.Wait()
	must.Be(t, admissions.Load(), 1, "runs that were admitted")
	must.Be(t, mine.Load(), 1, "runs that have the id")
}

// A run that is not admitted does not get its id.
func TestRunCacheRefused(t *testing.T) {
	c := newRunCache(1 << 20)
	_, err := c.claim(newTestRun("r1"), false, func() error { return refusal.ErrDraining })
	must.FailWith(t, err, refusal.ErrDraining, "error")
	must.Be(t, c.get(ada, "r1"), nil, "the run that was refused")
}

// An id that was used with another body is a conflict, unless its run left no trace and the request
// resumes.
func TestRunCacheConflict(t *testing.T) {
	for name, test := range map[string]struct {
		there   func(*Run)
		resumes bool
		code    refusal.Code
	}{
		"the run is live":                       {func(*Run) {}, true, refusal.RunConflict},
		"it was executed":                       {func(r *Run) { r.begin(1); close(r.over) }, true, refusal.RunConflict},
		"it only showed the thread":             {func(r *Run) { close(r.over) }, false, refusal.RunConflict},
		"it only showed, and the other resumes": {func(r *Run) { close(r.over) }, true, ""},
	} {
		t.Run(name, func(t *testing.T) {
			c := newRunCache(1 << 20)
			there := newTestRun("r1")
			c.add(there)
			test.there(there)
			other := newTestRun("r1")
			other.fingerprint = "another body"
			got, err := c.claim(other, test.resumes, admitted)
			if test.code != "" {
				wantCode(t, err, test.code)
				must.Be(t, c.get(ada, "r1"), there, "whose id it is")
				return
			}
			must.Do(t, err)
			must.Be(t, got, other, "whose id it was claimed to be")
			must.Be(t, c.get(ada, "r1"), other, "whose id it is")
		})
	}
}

// Runs that go by the id of an earlier one are found by it, the newest first.
func TestRunCachePinned(t *testing.T) {
	c := newRunCache(1 << 20)
	first, second, third := newTestRun("r1"), newTestRun("r1~2"), newTestRun("r1~3")
	for _, r := range []*Run{first, second, third} {
		c.add(r)
		must.Be(t, c.newest(ada, "r1"), r, "the newest run r1")
	}
	c.remove(second)
	must.Be(t, c.newest(ada, "r1"), third, "the newest run when an older one is gone")
	must.Be(t, c.get(ada, "r1"), first, "the first run")
	must.Be(t, c.get(ada, "r1~2"), nil, "the run that is gone")
	c.remove(third)
	must.Be(t, c.newest(ada, "r1"), first, "what is left")
	must.Be(t, c.newest(store.Owner{Tenant: "x", Subject: "bob"}, "r1"), nil, "what another owner finds")
}

// Ended runs stay as far as their streams fit, the newest ones.
func TestRunCacheKeeps(t *testing.T) {
	c := newRunCache(2 * 4 << 10)
	var removed []*Run
	for _, id := range []string{"r1", "r2", "r3"} {
		r := newTestRun(id)
		r.log.Publish([]byte("id: x\ndata: {}\n\n"), 1, true)
		c.add(r)
		removed = append(removed, c.keep(r)...)
	}
	if len(removed) != 1 || removed[0].ID != "r1" || c.get(ada, "r1") != nil || len(c.all()) != 2 {
		t.Errorf("%d runs were removed, %d are there", len(removed), len(c.all()))
	}
}
