package run

import (
	"errors"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/pageside/pageside/run/refusal"
	"github.com/pageside/pageside/test/must"
)

func TestAdmission(t *testing.T) {
	a := newAdmission(1, Limits{})
	a.adopt(ada) // counts, but is never refused
	wantCode(t, a.run(ada, 0), refusal.Overloaded)
	a.leave(ada)
	must.Do(t, a.run(ada, 0))
	if !a.task() {
		t.Error("background work was refused")
	}
	a.close()
	a.close()
	a.leave(ada)
	if err := a.run(ada, 0); !errors.Is(err, errDraining) || a.task() {
		t.Errorf("something begins while draining: %v", err)
	}
	a.work.Done()
	a.tasks.Done()
	a.wait()
}

// What a timer has begun is waited for, and what that begins.
func TestAdmissionWaitsForTasks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := newAdmission(1, Limits{})
		if !a.task() {
			t.Fatal("background work was refused")
		}
		a.close()
		ended := false
		go func() {
			defer a.tasks.Done()
			time.Sleep(time.Second)
			a.work.Go(func() { time.Sleep(time.Second); ended = true })
		}()
		if a.wait(); !ended {
			t.Error("what a task began was not waited for")
		}
	})
}

// What is admitted while somebody closes is waited for.
func TestAdmissionCloses(t *testing.T) {
	a := newAdmission(1000, Limits{})
	var all sync.WaitGroup
	var mu sync.Mutex
	begun, ended := 0, 0
	for range 100 {
		all.Go(func() {
			if a.run(ada, 0) != nil {
				return
			}
			mu.Lock()
			begun++
			mu.Unlock()
			a.leave(ada)
			mu.Lock()
			ended++
			mu.Unlock()
			a.work.Done()
		})
	}
	a.close()
	a.wait()
	mu.Lock()
	if begun != ended {
		t.Errorf("%d began, and %d have ended", begun, ended)
	}
	mu.Unlock()
	all.Wait()
}
