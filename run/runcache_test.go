package run

import (
	"errors"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/pageside/pageside/run/refusal"
	"github.com/pageside/pageside/store"
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
			if err != nil {
				t.Error(err)
			}
			if got == r {
				mine.Add(1)
			}
		})
	}
	all.Wait()
	if admissions.Load() != 1 || mine.Load() != 1 {
		t.Errorf("%d runs were admitted, %d have the id", admissions.Load(), mine.Load())
	}
}

// A run that is not admitted does not get its id.
func TestRunCacheRefused(t *testing.T) {
	c := newRunCache(1 << 20)
	if _, err := c.claim(newTestRun("r1"), false, func() error { return refusal.ErrDraining }); !errors.Is(err, refusal.ErrDraining) {
		t.Errorf("error is %v", err)
	}
	if c.get(ada, "r1") != nil {
		t.Error("a run that was refused is known")
	}
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
				if c.get(ada, "r1") != there {
					t.Error("the id is not the first run's any more")
				}
				return
			}
			if err != nil || got != other || c.get(ada, "r1") != other {
				t.Errorf("the id was not claimed: %v", err)
			}
		})
	}
}

// Runs that go by the id of an earlier one are found by it, the newest first.
func TestRunCachePinned(t *testing.T) {
	c := newRunCache(1 << 20)
	first, second, third := newTestRun("r1"), newTestRun("r1~2"), newTestRun("r1~3")
	for _, r := range []*Run{first, second, third} {
		c.add(r)
		if c.newest(ada, "r1") != r {
			t.Errorf("the newest run r1 is not %s", r.ID)
		}
	}
	c.remove(second)
	if c.newest(ada, "r1") != third || c.get(ada, "r1") != first || c.get(ada, "r1~2") != nil {
		t.Error("an older run took the newest one with it")
	}
	c.remove(third)
	if c.newest(ada, "r1") != first {
		t.Error("what is left is not the first run")
	}
	if c.newest(store.Owner{Tenant: "x", Subject: "bob"}, "r1") != nil {
		t.Error("a run is found by another owner")
	}
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
