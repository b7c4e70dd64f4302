package run

import (
	"context"
	"fmt"
	"runtime"
	"sync"
	"testing"

	"github.com/pageside/pageside/agui"
	"github.com/pageside/pageside/store"
	"github.com/pageside/pageside/store/storetest/temp"
)

// TestDrainBesideStarts: when Drain returns, no run is left and none begins any more.
func TestDrainBesideStarts(t *testing.T) {
	for range 20 {
		st := &closedStore{Store: temp.Store(t)}
		f := newFixture(t, st, nil)
		var all sync.WaitGroup
		for i := range 8 {
			in := f.input(fmt.Sprintf("t%d", i%3), "hello")
			all.Go(func() {
				_, err := f.Start(t.Context(), Request{Principal: adaPrincipal, Agent: "default", Input: in, Fingerprint: "f"})
				if err != nil {
					wantCode(t, err, CodeDraining)
				}
			})
		}
		runtime.Gosched()
		f.Drain(t.Context())
		st.mu.Lock()
		st.closed = true
		st.mu.Unlock()
		all.Wait()
		if st.late {
			t.Fatal("a run used the store after Drain had returned")
		}
	}
}

// closedStore notes whether it is written after it was closed.
type closedStore struct {
	store.Store
	mu           sync.Mutex
	closed, late bool
}

func (s *closedStore) note() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.late = s.late || s.closed
}

func (s *closedStore) BeginRun(ctx context.Context, o store.Owner, r store.Run, m []agui.Message, first store.Batch) error {
	s.note()
	return s.Store.BeginRun(ctx, o, r, m, first)
}

func (s *closedStore) EndRun(ctx context.Context, o store.Owner, r store.Run, m []agui.Message, last store.Batch) error {
	s.note()
	return s.Store.EndRun(ctx, o, r, m, last)
}
