package run

import (
	"errors"
	"sync"
	"testing"
)

func TestAdmission(t *testing.T) {
	a := newAdmission(1)
	a.adopt() // counts, but is never refused
	wantCode(t, a.run(), CodeOverloaded)
	a.leave()
	if err := a.run(); err != nil {
		t.Fatal(err)
	}
	if !a.task() {
		t.Error("background work was refused")
	}
	a.close()
	a.close()
	a.leave()
	if err := a.run(); !errors.Is(err, errDraining) || a.task() {
		t.Errorf("something begins while draining: %v", err)
	}
	a.work.Add(-2)
	a.work.Wait()
}

// What is admitted while somebody closes is waited for.
func TestAdmissionCloses(t *testing.T) {
	a := newAdmission(1000)
	var all sync.WaitGroup
	var mu sync.Mutex
	begun, ended := 0, 0
	for range 100 {
		all.Go(func() {
			if a.run() != nil {
				return
			}
			mu.Lock()
			begun++
			mu.Unlock()
			a.leave()
			mu.Lock()
			ended++
			mu.Unlock()
			a.work.Done()
		})
	}
	a.close()
	a.work.Wait()
	mu.Lock()
	if begun != ended {
		t.Errorf("%d began, and %d have ended", begun, ended)
	}
	mu.Unlock()
	all.Wait()
}
