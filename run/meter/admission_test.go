package meter

import (
	"errors"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/pageside/pageside/limit"
	"github.com/pageside/pageside/run/refusal"
	"github.com/pageside/pageside/store"
	"github.com/pageside/pageside/test/must"
)

var ada = store.Owner{Tenant: "acme", Subject: "ada"}

func TestAdmission(t *testing.T) {
	a := NewAdmission(1, Limits{})
	a.Adopt(ada) // counts, but is never refused
	must.Be(t, refusal.CodeOf(a.Run(ada, 0)), refusal.Overloaded, "one too many")
	a.Leave(ada)
	must.Do(t, a.Run(ada, 0))
	if !a.Task() {
		t.Error("background work was refused")
	}
	a.Close()
	a.Close()
	a.Leave(ada)
	if err := a.Run(ada, 0); !errors.Is(err, refusal.ErrDraining) || a.Task() {
		t.Errorf("something begins while draining: %v", err)
	}
	a.work.Done()
	a.TaskDone()
	a.Wait()
}

// What a timer has begun is waited for, and what that begins.
func TestAdmissionWaitsForTasks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := NewAdmission(1, Limits{})
		if !a.Task() {
			t.Fatal("background work was refused")
		}
		a.Close()
		ended := false
		go func() {
			defer a.TaskDone()
			time.Sleep(time.Second)
			a.Go(func() { time.Sleep(time.Second); ended = true })
		}()
		if a.Wait(); !ended {
			t.Error("what a task began was not waited for")
		}
	})
}

// What is admitted while somebody closes is waited for.
func TestAdmissionCloses(t *testing.T) {
	a := NewAdmission(1000, Limits{})
	var all sync.WaitGroup
	var mu sync.Mutex
	begun, ended := 0, 0
	for range 100 {
		all.Go(func() {
			if a.Run(ada, 0) != nil {
				return
			}
			mu.Lock()
			begun++
			mu.Unlock()
			a.Leave(ada)
			mu.Lock()
			ended++
			mu.Unlock()
			a.work.Done()
		})
	}
	a.Close()
	a.Wait()
	mu.Lock()
	if begun != ended {
		t.Errorf("%d began, and %d have ended", begun, ended)
	}
	mu.Unlock()
	all.Wait()
}

var _ limit.Budget = (*Account)(nil)

// BenchmarkAdmission is what the limits cost each run that has no quota.
func BenchmarkAdmission(b *testing.B) {
	a := NewAdmission(10_000, Limits{}.WithDefaults())
	for b.Loop() {
		must.Do(b, a.Run(ada, 1000))
		a.Decided(ada, 1000)
		a.Leave(ada)
	}
}
